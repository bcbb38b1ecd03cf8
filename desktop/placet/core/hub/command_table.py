"""The built-in commands, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from placet.core.domain.agents import AgentType
from placet.core.domain.commands import CommandInfo, CommandOutcome
from placet.core.hub import commands_that_act as acting
from placet.core.hub import commands_that_tell as telling
from placet.core.hub.api import HubApi
from placet.core.hub.asked import Asked

Choices = Callable[[HubApi], Awaitable[Sequence[tuple[str, str]]]]


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """`choices` gives what the argument may be, each with words about it."""

    info: CommandInfo
    act: Callable[[Asked], Awaitable[CommandOutcome | None]]
    choices: Choices | None = None


async def _models(hub: HubApi) -> Sequence[tuple[str, str]]:
    return [(model.name, model.provider) for model in await hub.catalogue.models()]


async def _modes(hub: HubApi) -> Sequence[tuple[str, str]]:
    return [(mode.value, words) for mode, words in telling.MODES.items()]


async def _agents(hub: HubApi) -> Sequence[tuple[str, str]]:
    return [(agent.id, agent.friendly) for agent in hub.agents.all() if agent.type is AgentType.CHAT]


def _builtin(
    name: str,
    hint: str,
    description: str,
    act: Callable[[Asked], Awaitable[CommandOutcome | None]],
    choices: Choices | None = None,
) -> tuple[str, Builtin]:
    info = CommandInfo(name=name, arguments_hint=hint, description=description)
    return name, Builtin(info=info, act=act, choices=choices)


BUILTINS: Mapping[str, Builtin] = dict([
    _builtin("help", "", "List the commands", telling.show_help),
    _builtin("new", "", "Begin a new chat; this one stays in the history", acting.start_new),
    _builtin("clear", "", "The same as /new", acting.start_new),
    _builtin("stop", "", "Stop the turn that runs", acting.stop),
    _builtin("resume", "", "Go on with a turn that was interrupted", acting.resume),
    _builtin("model", "[name]", "Show or choose the model that answers", acting.model, _models),
    _builtin("models", "", "List the models", telling.show_models),
    _builtin("agent", "[name]", "Show or choose the agent that answers", acting.agent, _agents),
    _builtin("mode", "[name]", "Show or choose how much is asked", acting.mode, _modes),
    _builtin("steps", "[number]", "Show or set how many rounds a turn may take; 0 for no limit", acting.steps),
    _builtin("context", "", "Show how full the model's window is", telling.show_context),
    _builtin("compact", "[what matters]", "Shorten the old part of this chat to a summary", acting.compact),
    _builtin("cost", "", "Show the tokens and the cost of this chat", telling.show_cost),
    _builtin("title", "[text]", "Show or change the title of this chat", acting.title),
    _builtin("sethome", "", "Have notifications arrive here", acting.set_home),
])  # fmt: skip
