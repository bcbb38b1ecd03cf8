"""Waiting for a signal of Qt on the loop, with a bound."""

from __future__ import annotations

import asyncio
from typing import Any

from PySide6.QtCore import SignalInstance


class Heard:
    """Keeps what a signal gave from now on; `once` takes the oldest, waiting for it if need be."""

    def __init__(self, signal: SignalInstance) -> None:
        self._given: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        signal.connect(lambda *given: self._given.put_nowait(given))

    async def once(self, timeout_s: float = 10.0) -> tuple[Any, ...]:
        async with asyncio.timeout(timeout_s):
            return await self._given.get()
