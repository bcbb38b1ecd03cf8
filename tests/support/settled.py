"""Waiting for work that was started, without sleeping."""

from __future__ import annotations

import asyncio


async def settled(limit_s: float = 5) -> None:
    """Wait until no other task of this loop is left, those included that finishing ones started."""
    async with asyncio.timeout(limit_s):
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)
