"""Built-in commands that change something: the chat, its model, its mode, its limits."""

from __future__ import annotations

from placet.core.domain.commands import CommandOutcome
from placet.core.domain.errors import UsageError
from placet.core.domain.messages import Mode
from placet.core.domain.text import nearest
from placet.core.hub.asked import Asked
from placet.core.hub.commands_that_tell import MODES, current_model

TITLE_LIMIT = 200
MOST_ROUNDS = 100_000
DEFAULT = "default"


async def start_new(asked: Asked) -> CommandOutcome:
    return CommandOutcome(command="new", opened=await asked.hub.clear(asked.source))


async def stop(asked: Asked) -> CommandOutcome:
    """What was queued goes back to the person (`H-6`); the chat itself shows where the turn ended."""
    if not asked.hub.is_running(asked.active) and not asked.hub.queued(asked.source):
        return CommandOutcome(command="stop", words="Nothing is running in this chat.")
    return CommandOutcome(command="stop", returned=tuple(await asked.hub.cancel(asked.source)))


async def resume(asked: Asked) -> None:
    """Raises: UsageError where there is nothing to go on with."""
    session = await asked.session()
    if asked.hub.is_running(session.id):
        raise UsageError("The turn is running.")
    if not session.interrupted and not session.waiting:
        raise UsageError("No turn was interrupted in this chat.", hint="Send a message to go on.")
    await asked.enter()
    await asked.hub.resume(session.id)


async def compact(asked: Asked) -> None:
    """The chat itself shows what becomes of it."""
    await asked.enter()
    await asked.hub.summaries.compact(asked.source, asked.argument)


async def model(asked: Asked) -> CommandOutcome:
    """Raises: NoModel, SessionBusy."""
    if not asked.argument:
        name = await current_model(asked)
        words = f"{name} answers in this chat." if name else "No model is configured. Add one in the settings."
        return CommandOutcome(command="model", words=words)
    await asked.enter()
    await asked.hub.select_model(asked.source, asked.argument)
    return CommandOutcome(command="model", words=f"{asked.argument} answers from the next turn on.")


async def agent(asked: Asked) -> CommandOutcome:
    """Raises: UnknownItem, UsageError, SessionBusy."""
    if not asked.argument:
        name = (await asked.session()).agent
        return CommandOutcome(command="agent", words=f"{name} answers in this chat.")
    await asked.enter()
    await asked.hub.select_agent(asked.source, asked.argument)
    return CommandOutcome(command="agent", words=f"{asked.argument} answers from the next turn on.")


async def set_home(asked: Asked) -> CommandOutcome:
    await asked.hub.set_home(asked.source)
    return CommandOutcome(command="sethome", words="Notifications arrive in this chat from now on.")


async def mode(asked: Asked) -> CommandOutcome:
    """Raises: UsageError, SessionBusy."""
    if not asked.argument:
        chosen = (await asked.session()).context.mode
        return CommandOutcome(command="mode", words=f"Mode {chosen}: {MODES[chosen]}.")
    name = "_".join(asked.argument.lower().replace("-", " ").replace("_", " ").split())
    if name not in MODES:
        near = nearest(name, list(MODES))
        meant = f"Did you mean {near}? " if near else ""
        raise UsageError(f"There is no mode {asked.argument}.", hint=f"{meant}There are: {', '.join(MODES)}.")
    await asked.enter()
    await asked.hub.set_policy(asked.source, mode=Mode(name))
    return CommandOutcome(command="mode", words=f"Mode {name}: {MODES[Mode(name)]}.")


async def title(asked: Asked) -> CommandOutcome:
    if not asked.argument:
        session = await asked.session()
        words = f"The title is “{session.title}”." if session.title else "This chat has no title yet."
        return CommandOutcome(command="title", words=words)
    wanted = " ".join(asked.argument.split())[:TITLE_LIMIT]
    await asked.hub.history.rename(asked.session_id, wanted)
    return CommandOutcome(command="title", words=f"The title is now “{wanted}”.")


async def steps(asked: Asked) -> CommandOutcome:
    """Raises: UsageError, SessionBusy."""
    if not asked.argument:
        own = (await asked.session()).context.max_rounds
        if own is None:
            return CommandOutcome(command="steps", words=f"{_limit(asked.max_rounds)}, as the program's settings say.")
        return CommandOutcome(command="steps", words=f"{_limit(own)}. /steps {DEFAULT} goes back to the settings.")
    wanted = None if asked.argument.lower() == DEFAULT else _rounds(asked.argument)
    await asked.enter()
    await asked.hub.set_policy(asked.source, max_rounds=wanted)
    words = f"{_limit(asked.max_rounds if wanted is None else wanted)}, from the next turn on."
    return CommandOutcome(command="steps", words=words)


def _rounds(argument: str) -> int:
    if not (argument.isascii() and argument.isdigit() and len(argument) < 7 and int(argument) <= MOST_ROUNDS):
        raise UsageError(
            f"{argument} is no number of rounds.", hint=f"Give a whole number, 0 for no limit, or {DEFAULT}."
        )
    return int(argument)


def _limit(rounds: int) -> str:
    match rounds:
        case 0:
            return "A turn may take any number of rounds here"
        case 1:
            return "A turn may take one round here"
        case _:
            return f"A turn may take {rounds:,} rounds here"
