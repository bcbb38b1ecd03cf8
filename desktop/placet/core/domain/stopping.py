"""Stopping and owning work: the flag of one turn, and the scope that owns every task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class TurnStopped(Exception):
    """A person stopped the turn. Raised out of whatever was being waited for."""


class StopFlag:
    """The stop of one turn; shared by value through the whole tree of calls and never reset.

    Coroutines wait through `race`; work in threads looks at `is_set` at least every 20 ms (`T-8`).
    """

    def __init__(self) -> None:
        self._thread_event = threading.Event()
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def is_set(self) -> bool:
        return self._thread_event.is_set()

    def set(self) -> None:
        """Stop. On the loop's thread only; a second call does nothing."""
        self._thread_event.set()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    def check(self) -> None:
        """Raise `TurnStopped` if stopped."""
        if self.is_set:
            raise TurnStopped

    async def race(self, work: Awaitable[T]) -> T:
        """Await `work`, or cancel it, let it finish its clean-up, and raise `TurnStopped` when stopped.

        A result that was ready at the moment of the stop is still returned: what has happened has happened.
        Cancelling the caller cancels `work` too.
        """
        task = asyncio.ensure_future(work)
        if self.is_set:
            await _end(task)
            raise TurnStopped
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait((task, waiter), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            await _end(task)
            raise TurnStopped
        except asyncio.CancelledError:
            if not task.done():
                await _end(task)
            raise
        finally:
            self._waiters.discard(waiter)
            waiter.cancel()


async def _end(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled():
        task.exception()  # retrieved: what a cancelled work raises while ending is of no interest


class TaskScope:
    """Owner of background tasks. Closing cancels and awaits them all; a crash in one is reported, not lost."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    @property
    def is_closed(self) -> bool:
        return self._closed

    def start(self, work: Coroutine[Any, Any, T], name: str = "") -> asyncio.Task[T]:
        """Run `work` as a child of this scope."""
        if self._closed:
            work.close()
            raise RuntimeError(f"task scope {self.name} is closed")
        task = asyncio.get_running_loop().create_task(work, name=name or self.name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            task.get_loop().call_exception_handler({
                "message": f"task {task.get_name()} of {self.name} crashed", "exception": error, "task": task,
            })  # fmt: skip

    def __len__(self) -> int:
        return len(self._tasks)

    async def close(self) -> None:
        """Cancel every task and wait until each has ended. Idempotent."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
