"""Time that passes when a test says so."""

from __future__ import annotations

import asyncio

WAIT_S = 5.0


class HeldPause:
    """Takes the place of `asyncio.sleep`. `asked` has the length of every pause so far."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._arrived = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self.asked.append(seconds)
        self._waiting.append(future)
        self._arrived.set()
        await future

    async def begun(self) -> None:
        """Wait until something pauses."""
        async with asyncio.timeout(WAIT_S):
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()

    def end(self) -> None:
        """Let the time of all pauses pass."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def pass_once(self) -> None:
        await self.begun()
        self.end()
