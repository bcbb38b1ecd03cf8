"""Time that a test owns: pauses that are asked for and do not pass by themselves."""

from __future__ import annotations

import asyncio


class Pauses:
    """Takes the place of `asyncio.sleep`: remembers what was asked and returns at once, or, with `holds`, never."""

    def __init__(self, *, holds: bool = False) -> None:
        self.asked: list[float] = []
        self.begun = asyncio.Event()
        self._holds = holds

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        self.begun.set()
        if self._holds:
            await asyncio.Event().wait()
