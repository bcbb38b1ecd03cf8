"""A thread that owns one connection and does jobs on it, one after the other.

Handing over through a `SimpleQueue` and `call_soon_threadsafe` costs half of what a general pool does.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future as ThreadFuture
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from placet.core.domain.errors import StoreError
from placet.core.store.connection import Connection
from placet.core.store.failures import DRIVER_ERRORS, store_error

T = TypeVar("T")
Chore = Callable[[Connection], bool]

_log = logging.getLogger(__name__)

_QUIET_S = 0.25  # nothing was asked for this long: time for chores
_BETWEEN_CHORES_S = 0.02


class _Job(msgspec.Struct, eq=False):
    work: Callable[[Connection], Any]
    deliver: Callable[[Any, BaseException | None], None]
    dropped: bool = False


class Worker:
    """Runs work in order on its own thread and connection.

    `chore` is called when nothing was asked for a while; it returns whether there is more to do.
    """

    def __init__(self, name: str, path: Path, connect: Callable[[], Connection], chore: Chore | None = None) -> None:
        self._path, self._connect, self._chore = path, connect, chore
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._running: _Job | None = None
        self._lock = threading.Lock()  # guards `_running`, so that an interrupt hits the job it is meant for
        self._connection: Connection | None = None
        self._closed = False
        self.foreign_version = 0  # changes whenever another connection committed; as of the last job
        self._thread = threading.Thread(target=self._loop, name=f"placet-{name}", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[Connection], T], *, droppable: bool = False) -> T:
        """Do `work` on the thread and return what it returns.

        Cancelling the wait does not undo it: work that was handed over is done, except for `droppable` work,
        which is interrupted or not begun. Raises: StoreError, and whatever `work` raises.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def deliver(result: Any, error: BaseException | None) -> None:
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(settle, result, error)

        job = _Job(work, deliver)
        self._put(job)
        try:
            return await future
        except asyncio.CancelledError:
            if droppable:
                self._drop(job)
            raise

    def hand_over(self, work: Callable[[Connection], object]) -> None:
        """Do `work` in its turn; nobody waits for it. Never raises."""

        def deliver(_: Any, error: BaseException | None) -> None:
            if error is not None:
                _log.warning("something was not stored: %s", error)

        try:
            self._put(_Job(work, deliver))
        except StoreError as error:
            deliver(None, error)

    def call(self, work: Callable[[Connection], T]) -> T:
        """Do `work` and block until it is done; for the moments before there is a loop."""
        future: ThreadFuture[T] = ThreadFuture()

        def deliver(result: Any, error: BaseException | None) -> None:
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        self._put(_Job(work, deliver))
        return future.result()

    def close(self) -> None:
        """Finish what was handed over, close the connection, end the thread. Blocks; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _put(self, job: _Job) -> None:
        if self._closed:
            raise StoreError("The database is closed.", hint="The program is ending; nothing was stored.")
        self._jobs.put(job)

    def _drop(self, job: _Job) -> None:
        with self._lock:
            job.dropped = True
            if self._running is job and self._connection is not None:
                self._connection.interrupt()

    def _loop(self) -> None:
        wait_s = _QUIET_S if self._chore else None
        while True:
            try:
                job = self._jobs.get(timeout=wait_s)
            except queue.Empty:
                wait_s = _BETWEEN_CHORES_S if self._do_chore() else None
                continue
            if job is None:
                break
            self._do(job)
            wait_s = _QUIET_S if self._chore else None
        if self._connection is not None:
            self._connection.close()

    def _do(self, job: _Job) -> None:
        with self._lock:
            if job.dropped:
                return
            self._running = job
        result: Any = None
        failure: BaseException | None = None
        try:
            result = job.work(self._connected())
        except DRIVER_ERRORS as error:
            failure = store_error(error, self._path)
            failure.__cause__ = error
        except BaseException as error:  # noqa: BLE001 - the thread's boundary: whoever waits gets it
            failure = error
        with self._lock:
            self._running = None
        self._look_for_others()
        job.deliver(result, failure)

    def _look_for_others(self) -> None:
        with suppress(*DRIVER_ERRORS):  # whoever needs the connection next is told
            if self._connection is not None:
                self.foreign_version = self._connection.foreign_version()

    def _do_chore(self) -> bool:
        assert self._chore is not None
        try:
            return self._chore(self._connected())
        except DRIVER_ERRORS as error:
            _log.info("a chore of the database was put off: %s", error)
        except Exception:  # noqa: BLE001 - the thread's boundary: without it everything would wait for ever
            _log.exception("a chore of the database failed")
        return False

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
            # An interrupt that comes between two statements of a job would be lost.
            self._connection.end_queries_when(self._is_dropped)
        return self._connection

    def _is_dropped(self) -> bool:
        return self._running is not None and self._running.dropped
