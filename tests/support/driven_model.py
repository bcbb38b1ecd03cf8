"""A model whose answers come when the test says so: every call waits, open, until it is answered or given up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Answer, Dialect, ModelPiece, ModelRequest
from support.dialects import assert_well_formed_chat, assert_well_formed_messages

CHECKS = {Dialect.OPENAI: assert_well_formed_chat, Dialect.ANTHROPIC: assert_well_formed_messages}


class OpenCall:
    """One request that waits. `opening` is the text of the frame's first message."""

    def __init__(self, request: ModelRequest) -> None:
        messages = json.loads(request.body)["messages"]
        self.opening = json.dumps(next(m["content"] for m in messages if m["role"] != "system"), ensure_ascii=False)
        self.pieces: asyncio.Queue[ModelPiece | ProviderFault] = asyncio.Queue()

    def give(self, piece: ModelPiece) -> None:
        self.pieces.put_nowait(piece)

    def fail(self, fault: ProviderFault) -> None:
        self.pieces.put_nowait(fault)


class DrivenModel:
    """Implements the port `ModelClient`. Refuses what the vendors' servers would refuse. `changed` is told of each move."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.open: list[OpenCall] = []
        self.refused: list[AssertionError] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        try:
            CHECKS[request.binding.provider.type](request.body)
        except AssertionError as error:
            self.refused.append(error)
        call = OpenCall(request)
        self.open.append(call)
        self._changed()
        try:
            while True:
                piece = await call.pieces.get()
                if isinstance(piece, ProviderFault):
                    raise ProviderError(piece, "driven to fail")
                yield piece
                if isinstance(piece, Answer):
                    return
        finally:
            self.open.remove(call)
            self._changed()
