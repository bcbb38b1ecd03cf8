"""The demo provider: offline, deterministic, streamed like a real one."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator

from placet.core.domain.messages import Usage
from placet.core.domain.model_calls import Answer, ArgumentsDelta, Finish, ModelPiece, RequestedCall, TextDelta
from placet.core.providers.accumulating import list_of, table_of
from placet.core.providers.demo_script import next_step

PACE_S = 0.015
CHARS_PER_TOKEN = 4
_WORDS = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


async def demo_stream(body: bytes, pace_s: float = PACE_S) -> AsyncGenerator[ModelPiece, None]:
    """Answer a Chat Completions body. `pace_s` passes before each piece; 0 only yields to the loop."""
    for piece in demo_pieces(body):
        if not isinstance(piece, Answer):
            await asyncio.sleep(pace_s)
        yield piece


def demo_pieces(body: bytes) -> Iterator[ModelPiece]:
    """Give the pieces of the answer; what is no request gets the first answer."""
    try:
        request = table_of(json.loads(body))
    except ValueError:
        request = {}
    step = next_step(request)
    yield from (TextDelta(word) for word in _WORDS.findall(step.text))
    calls: tuple[RequestedCall, ...] = ()
    if step.tool:
        arguments = json.dumps(step.arguments, ensure_ascii=False)
        yield ArgumentsDelta(0, step.tool, "")
        yield from (ArgumentsDelta(0, step.tool, word) for word in _WORDS.findall(arguments))
        number = sum(len(list_of(table_of(message).get("tool_calls"))) for message in list_of(request.get("messages")))
        calls = (RequestedCall(provider_id=f"demo_{number + 1}", name=step.tool, arguments=arguments),)
    written = len(step.text) + sum(len(call.arguments) for call in calls)
    yield Answer(
        text=step.text,
        calls=calls,
        finish=Finish.TOOL_CALLS if calls else Finish.STOP,
        usage=Usage(input_tokens=len(body) // CHARS_PER_TOKEN, output_tokens=written // CHARS_PER_TOKEN, cost=0.0),
    )
