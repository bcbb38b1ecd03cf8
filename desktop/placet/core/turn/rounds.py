"""The loop: one model call, then the calls it asked for, until a final text."""

from __future__ import annotations

from itertools import count
from typing import Any

from placet.core.domain import events
from placet.core.domain.errors import PlacetError
from placet.core.domain.messages import Message
from placet.core.domain.model_calls import Finish
from placet.core.domain.outcomes import Exhausted, Final
from placet.core.domain.text import clean_text
from placet.core.turn.answer import ask_model
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Turn
from placet.core.turn.tool_calls import run_calls

EMPTY_ANSWER = "Your answer was empty. Answer in words, or call a tool."


async def run_turn(turn: Turn) -> Final | Exhausted:
    """Run rounds until the model gives a final text or the limit is reached (0: none).

    Raises: TurnStopped, NoModel, ProviderError, PlacetError where the model says nothing twice.
    """
    await turn.bind()
    was_empty = False
    for number in count(1):
        if turn.max_rounds and number > turn.max_rounds:
            return Exhausted(turn.max_rounds)
        turn.stop.check()
        await take_what_arrived(turn)
        answer, finish = await ask_model(turn)
        if answer.calls:
            was_empty = False
            if answer.content.strip():
                turn.emit(events.Thinking(message_id=answer.id, content=answer.content))
            turn.words = answer.content
            await run_calls(turn, answer.calls)
        elif answer.content.strip() or finish in (Finish.LENGTH, Finish.FILTER):
            return _final(turn, answer, finish)
        elif was_empty:
            raise PlacetError(
                "The model answered nothing, twice.",
                hint="Send the message again, say it in other words, or choose another model.",
            )
        else:
            was_empty = True
            await add_message(turn, Incoming(text=EMPTY_ANSWER), synthetic=True)
    raise AssertionError("unreachable")


async def take_what_arrived(turn: Turn) -> None:
    """Between two rounds: messages of the person (`H-3`), and notes that other agents of the session made."""
    for message in turn.drain():
        await add_message(turn, message)
    if turn.notes_read != turn.scratchpad.revision:
        turn.notes_read = turn.scratchpad.revision
        news = await turn.parts.context.news(turn.frame, await turn.scratchpad.lines())
        if news:
            await turn.parts.store.append_user(turn.frame.id, "", context_block=news, synthetic=True)


async def add_message(turn: Turn, message: Incoming, *, synthetic: bool = False) -> None:
    """Store a message as a row of its own; a person's is echoed, and only then shown."""
    notes = await turn.scratchpad.lines()
    block = await turn.parts.context.context_block(turn.frame, turn.policy(), notes)
    metadata: dict[str, Any] = {}
    if message.attachments:
        metadata["attachments"] = list(message.attachments)
    if message.typed:
        metadata["typed"] = message.typed
    if message.tools is not None:
        metadata["tools"] = list(message.tools)
    row = await turn.parts.store.append_user(
        turn.frame.id, message.text, context_block=block, synthetic=synthetic, metadata=metadata
    )
    if not synthetic:
        turn.emit(
            events.UserMessage(
                message_id=row.id,
                content=row.content,
                typed=clean_text(message.typed),
                attachments=tuple(message.attachments),
            )
        )


def _final(turn: Turn, answer: Message, finish: Finish) -> Final:
    return Final(
        text=answer.content,
        message_id=answer.id,
        input_tokens=turn.tally.input_tokens,
        output_tokens=turn.tally.output_tokens,
        cost=turn.tally.cost,
        truncated=finish is Finish.LENGTH,
    )
