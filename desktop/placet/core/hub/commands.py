"""What a person types in a front end: text goes to the model, commands are carried out here.

The built-in commands are imported with the first one that is typed; a start needs none of them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from placet.core.commands.shelf import CommandShelf
from placet.core.domain.commands import (
    CommandInfo,
    CommandOutcome,
    Completion,
    TypedCommand,
    TypedText,
    read_typed,
)
from placet.core.domain.errors import UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.text import nearest
from placet.core.hub.api import HubApi

if TYPE_CHECKING:
    from placet.core.commands.command_file import UserCommand
    from placet.core.hub.command_table import Builtin

_NAME_BEGUN = r"/([a-z0-9-]*)"
_ARGUMENT_BEGUN = r"/([a-z][a-z0-9-]*)[^\S\n]+([^\n]*)"


class Commands:
    """Implements `CommandsApi`. Built-in commands win over files of the same name."""

    def __init__(
        self,
        hub: HubApi,
        shelf: CommandShelf,
        *,
        active_session: Callable[[str], Awaitable[SessionId]],
        max_rounds: int,
    ) -> None:
        self._hub, self._shelf, self._active_session, self._max_rounds = hub, shelf, active_session, max_rounds

    # ---- looking ---------------------------------------------------------------------------------------------

    def known(self) -> Sequence[CommandInfo]:
        mine = self._files()[0].values()
        own = [
            CommandInfo(
                name=each.name, arguments_hint=each.arguments_hint, description=each.description, is_own=each.is_own
            )
            for each in mine
        ]
        return [*(builtin.info for builtin in _table().values()), *own]

    def problems(self) -> Sequence[str]:
        return self._files()[1]

    def _files(self) -> tuple[Mapping[str, UserCommand], Sequence[str]]:
        """The files that can be reached, and what is wrong with the others."""
        found, problems = self._shelf.read()
        builtin = _table()
        hidden = [
            f"commands/{name}: /{name} is built in, so this one is never used." for name in found.keys() & builtin
        ]
        return {name: each for name, each in found.items() if name not in builtin}, [*problems, *sorted(hidden)]

    async def complete(self, typed: str) -> Sequence[Completion]:
        if name := re.fullmatch(_NAME_BEGUN, typed):
            return self._names(name[1])
        if argument := re.fullmatch(_ARGUMENT_BEGUN, typed):
            return await self._arguments(argument[1], argument[2])
        return ()

    def _names(self, begun: str) -> list[Completion]:
        """The very name, then names that begin so, then those that have it elsewhere."""
        found = [info for info in self.known() if begun in info.name]
        found.sort(key=lambda info: (info.name != begun, not info.name.startswith(begun)))
        return [
            Completion(
                typed=f"/{info.name} " if info.arguments_hint else f"/{info.name}",
                label=f"/{info.name}",
                hint=info.arguments_hint,
                description=info.description,
                is_own=info.is_own,
            )
            for info in found
        ]

    async def _arguments(self, name: str, begun: str) -> list[Completion]:
        builtin = _table().get(name)
        if builtin is None or builtin.choices is None:
            return []
        wanted = begun.strip().casefold()
        choices = [choice for choice in await builtin.choices(self._hub) if wanted in choice[0].casefold()]
        choices.sort(key=lambda choice: not choice[0].casefold().startswith(wanted))
        return [Completion(typed=f"/{name} {value}", label=value, description=words) for value, words in choices]

    # ---- acting ----------------------------------------------------------------------------------------------

    async def submit(
        self, source: str, text: str, *, attachments: Sequence[str] = (), shown: SessionId | None = None
    ) -> CommandOutcome | None:
        match read_typed(text):
            case TypedText(text=said):
                await self._enter(source, shown)
                await self._hub.send_message(source, said, attachments=attachments, typed=text if said != text else "")
                return None
            case TypedCommand() as command:
                return await self._carry_out(source, text, command, attachments, shown)

    async def _carry_out(
        self, source: str, text: str, typed: TypedCommand, attachments: Sequence[str], shown: SessionId | None
    ) -> CommandOutcome | None:
        if (builtin := _table().get(typed.name)) is not None:
            if attachments:
                raise UsageError(f"/{typed.name} takes no files.", hint="Take them off, or send them with a message.")
            return await self._builtin(source, builtin, typed, shown)
        own = self._files()[0].get(typed.name)
        if own is None:
            raise self._unknown(typed.name)
        await self._enter(source, shown)
        expanded = own.expand(typed.arguments)
        await self._hub.send_message(source, expanded, attachments=attachments, typed=text.strip(), tools=own.tools)
        return None

    async def _builtin(
        self, source: str, builtin: Builtin, typed: TypedCommand, shown: SessionId | None
    ) -> CommandOutcome | None:
        from placet.core.hub.asked import Asked

        if typed.arguments and not builtin.info.arguments_hint:
            raise UsageError(f"/{typed.name} takes nothing after it.", hint="Send the rest as a message of its own.")
        active = await self._active_session(source)
        asked = Asked(
            hub=self._hub,
            source=source,
            active=active,
            session_id=shown or active,
            argument=typed.arguments,
            max_rounds=self._max_rounds,
            enter=lambda: self._enter(source, shown),
        )
        return await builtin.act(asked)

    async def _enter(self, source: str, shown: SessionId | None) -> None:
        """What is done in a session that was only looked at makes it the active one. Raises: SessionBusy."""
        if shown is not None and shown != await self._active_session(source):
            await self._hub.continue_session(source, shown)

    def _unknown(self, name: str) -> UsageError:
        names = [info.name for info in self.known()]
        near = nearest(name, names)
        meant = f"Did you mean /{near}? " if near else ""
        every = ", ".join(sorted(names))
        return UsageError(
            f"There is no command /{name}.", hint=f"{meant}There are: {every}. To send it as text, begin with //{name}."
        )


def _table() -> Mapping[str, Builtin]:
    from placet.core.hub.command_table import BUILTINS

    return BUILTINS
