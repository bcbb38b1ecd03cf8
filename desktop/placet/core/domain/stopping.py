"""Stopping and owning work: the flag of one turn, and the scope that owns every task."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Coroutine, Iterable
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
        self._racing: Counter[asyncio.Task[Any]] = Counter()

    @property
    def is_set(self) -> bool:
        return self._thread_event.is_set()

    def set(self) -> None:
        """Stop. On the loop's thread only; a second call does nothing."""
        if self.is_set:
            return
        self._thread_event.set()
        for task in list(self._racing):
            task.cancel()

    def check(self) -> None:
        """Raise `TurnStopped` if stopped."""
        if self.is_set:
            raise TurnStopped

    async def race(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work`; when stopped, cancel it, let it finish its clean-up, and raise `TurnStopped`.

        Works like `asyncio.timeout`: the calling task is cancelled for a moment, and nothing is started. Cancelling
        the caller cancels `work` and is passed on.
        """
        if self.is_set:
            work.close()
            raise TurnStopped
        task = asyncio.current_task()
        assert task is not None
        others = task.cancelling()
        self._racing[task] += 1
        try:
            return await work
        except asyncio.CancelledError:
            if self._thread_event.is_set() and task.cancelling() <= others + 1:
                raise TurnStopped from None
            raise
        finally:
            self._leave(task)

    def _leave(self, task: asyncio.Task[Any]) -> None:
        """The innermost race takes back the cancellation that the stop asked for."""
        self._racing[task] -= 1
        if self._racing[task] == 0:
            del self._racing[task]
        if self.is_set and task.cancelling():
            task.uncancel()


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

    async def finish(self) -> None:
        """Wait until every task has ended by itself."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def close(self) -> None:
        """Cancel every task and wait until each has ended. Idempotent."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run `works` at the same time; none is left behind, however it ends.

    After a stop each one ends by itself. Any other error, and a cancellation from outside, cancels the others. Raises
    the first such error, else TurnStopped if one was stopped.
    """
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(work) for work in works]
    pending = set(tasks)
    try:
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_EXCEPTION)
            if any(_is_broken(task) for task in done):
                break
    finally:
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending)
    errors = [error for task in tasks if not task.cancelled() and (error := task.exception()) is not None]
    errors.sort(key=lambda error: isinstance(error, TurnStopped))
    if errors:
        raise errors[0]


def _is_broken(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or not isinstance(task.exception(), (TurnStopped, type(None)))
