"""A model that plays a script: implements the port `ModelClient`, records every request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.messages import Usage
from placet.core.domain.model_calls import Answer, Finish, ModelPiece, ModelRequest, RequestedCall, TextDelta


@dataclass
class Say:
    """One answer: text in pieces, then calls. `stalls` keeps the stream open until it is closed."""

    text: str = ""
    calls: list[RequestedCall] = field(default_factory=list)
    stalls: bool = False
    fault: ProviderFault | None = None
    finish: Finish = Finish.STOP

    def calling(self, name: str, arguments: dict[str, Any] | str, call_id: str = "") -> Say:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self.calls.append(
            RequestedCall(provider_id=call_id or f"c{id(self)}_{len(self.calls)}", name=name, arguments=raw)
        )
        return self


class ScriptedModel:
    """Answers in the order of the script; without one it says that it has nothing to say."""

    def __init__(self, *script: Say) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []
        self.streaming = asyncio.Event()
        self.open_streams = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        self.bodies.append(request.body)
        self.requests.append(json.loads(request.body))
        step = self.script.pop(0) if self.script else Say("I have nothing to say.")
        self.open_streams += 1
        try:
            for piece in step.text.split(" "):
                if piece:
                    yield TextDelta(piece + " ")
            self.streaming.set()
            if step.stalls:
                await asyncio.Event().wait()
            if step.fault is not None:
                raise ProviderError(step.fault, f"scripted {step.fault}", hint="Try again.")
            yield Answer(
                text=step.text,
                calls=tuple(step.calls),
                finish=step.finish,
                usage=Usage(input_tokens=10, output_tokens=5),
            )
        finally:
            self.open_streams -= 1
            self.streaming.clear()


def say(text: str = "", **values: Any) -> Say:
    return Say(text, **values)


class CastModel(ScriptedModel):
    """A script for each frame: the one whose key stands in the frame's first message. Without one: a plain answer."""

    def __init__(self, cast: dict[str, list[Say]]) -> None:
        super().__init__()
        self.cast = cast

    def bodies_of(self, key: str) -> list[bytes]:
        return [body for body in self.bodies if key in first_message(json.loads(body))]

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        opening = first_message(json.loads(request.body))
        steps = next((steps for key, steps in self.cast.items() if key in opening), [])
        self.script = [steps.pop(0)] if steps else [Say("I have nothing to say.")]
        stream = super().stream(request)
        try:
            async for piece in stream:
                yield piece
        finally:
            await stream.aclose()


def first_message(request: dict[str, Any]) -> str:
    """The text of the first message that is not the static prompt."""
    return str(next(m["content"] for m in request["messages"] if m["role"] != "system"))
