"""A scripted model that also writes summaries, and counts tokens as a provider does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import msgspec

from placet.core.domain.model_calls import Answer, ModelPiece, ModelRequest
from support.scripted_model import Say, ScriptedModel, say

_SUMMARISES = "You keep the memory of a long conversation"


class SummarisingModel(ScriptedModel):
    """`play` gives the answer to the n-th request of the conversation; `summarise` to one for a summary.

    Reported tokens are a quarter of the bytes, times `ratio`.
    """

    def __init__(self, play: Callable[[int], Say], summarise: Callable[[str], Say] | None = None) -> None:
        super().__init__()
        self._play = play
        self._summarise = summarise or (lambda _: say("SUMMARY"))
        self.ratio = 1.0
        self.summary_requests: list[dict[str, Any]] = []
        self.asked: list[bytes] = []  # bodies of the conversation itself
        self.reports: list[int] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        if _SUMMARISES in request.body.decode():
            decoded = json.loads(request.body)
            self.summary_requests.append(decoded)
            self.script = [self._summarise(str(decoded["messages"][-1]["content"]))]
        else:
            self.asked.append(request.body)
            self.script = [self._play(len(self.asked))]
        stream = super().stream(request)
        try:
            async for piece in stream:
                if isinstance(piece, Answer) and piece.usage is not None:
                    tokens = round(len(request.body) / 4 * self.ratio)
                    self.reports.append(tokens)
                    usage = msgspec.structs.replace(piece.usage, input_tokens=tokens)
                    yield msgspec.structs.replace(piece, usage=usage)
                else:
                    yield piece
                await asyncio.sleep(0)
        finally:
            await stream.aclose()
