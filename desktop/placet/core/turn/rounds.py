"""The loop: one model call, then the calls it asked for, until a final text."""

from __future__ import annotations

from itertools import count
from typing import Any

from placet.core.domain import events
from placet.core.domain.messages import Message
from placet.core.domain.model_calls import Finish
from placet.core.domain.outcomes import Exhausted, Final
from placet.core.domain.text import clean_text
from placet.core.turn.answer import ask_model
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Turn
from placet.core.turn.tool_calls import run_calls


async def run_turn(turn: Turn) -> Final | Exhausted:
    """Run rounds until the model gives a final text or the limit is reached (0: none).

    Raises: TurnStopped, NoModel, ProviderError.
    """
    await turn.bind()
    for number in count(1):
        if turn.max_rounds and number > turn.max_rounds:
            return Exhausted(turn.max_rounds)
        turn.stop.check()
        for message in turn.drain():
            await add_message(turn, message)
        answer, finish = await ask_model(turn)
        if not answer.calls:
            return _final(turn, answer, finish)
        if answer.content.strip():
            turn.emit(events.Thinking(message_id=answer.id, content=answer.content))
        turn.words = answer.content
        await run_calls(turn, answer.calls)
    raise AssertionError("unreachable")


async def add_message(turn: Turn, message: Incoming, *, synthetic: bool = False) -> None:
    """Store a message as a row of its own; a person's is echoed, and only then shown."""
    block = await turn.parts.context.context_block(turn.frame, turn.policy())
    metadata: dict[str, Any] = {}
    if message.attachments:
        metadata["attachments"] = list(message.attachments)
    if message.typed:
        metadata["typed"] = message.typed
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
        input_tokens=turn.input_tokens,
        output_tokens=turn.output_tokens,
        cost=turn.cost,
        truncated=finish is Finish.LENGTH,
    )
