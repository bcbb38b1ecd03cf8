"""Threads for blocking file work, so that the loop never waits for a disk."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_LEAVE_S = 0.1  # how long an abandoned work is waited for; one that hangs in the system is left to its end


class Abandoned(Exception):
    """Raised inside a work whose caller is gone."""


class Workers:
    """A small pool of threads. Owned by the toolbox, which closes it."""

    def __init__(self, threads: int = 4) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="placet-tools")

    async def run(self, work: Callable[[Callable[[], None]], T]) -> T:
        """Run `work(check)` in a thread. The work calls `check` at least every 20 ms (`T-8`).

        Cancelling makes the next `check` raise, and waits briefly for the work to end.
        """
        gone = threading.Event()

        def check() -> None:
            if gone.is_set():
                raise Abandoned

        future = asyncio.wrap_future(self._pool.submit(work, check))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            gone.set()
            await asyncio.wait((future,), timeout=_LEAVE_S)
            if future.done() and not future.cancelled():
                future.exception()  # retrieved: nobody asks any more
            raise

    def close(self) -> None:
        """Accept no more work and wait for what runs."""
        self._pool.shutdown(wait=True, cancel_futures=True)
