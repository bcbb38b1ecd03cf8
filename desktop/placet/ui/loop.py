"""asyncio on Qt's event loop, without a Qt timer for every callback.

qasync starts and kills a Qt timer for each `call_soon` and `call_later`, and makes a socket notifier for each read.
This subclass keeps ready handles in a deque and timers in a heap, wakes itself with one posted event, needs one
precise QTimer in all, and keeps its notifiers. Cancelled timers cost nothing, and nested Qt event loops do no harm:
the task that opened one is stepped out of while others run.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import os
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any, ClassVar

import qasync
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer

from placet.ui.loop_readers import HasFileno, Readers

_WAKE = QEvent.Type(QEvent.registerEventType())


class _Waker(QObject):
    """Lives on the loop's thread and turns the posted event into one pass over the queue."""

    def __init__(self, drain: Callable[[], None]) -> None:
        super().__init__()
        self._drain: Callable[[], None] | None = drain
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(drain)

    def event(self, event: QEvent) -> bool:
        if event.type() != _WAKE:
            return super().event(event)
        if self._drain is not None:
            self._drain()
        return True

    def retire(self) -> None:
        """Stop reacting, also to what is already posted."""
        self._drain = None
        self.timer.stop()


class FastEventLoop(qasync.QEventLoop):  # type: ignore[misc]  # qasync is untyped
    """A drop-in for `qasync.QEventLoop`. One pass takes at most `budget_s`, then Qt may paint and read input."""

    budget_s: ClassVar[float] = 0.008

    def __init__(self, app: QCoreApplication | None = None) -> None:
        self._ready_handles: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timer_numbers = itertools.count()  # equal times fire in the order they were asked for
        self._cancelled_timers = 0
        self._is_wake_posted = False
        self._armed_for = math.inf
        self._waker = _Waker(self._drain)
        self._readers = Readers(self)
        super().__init__(app)

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready_handles.append(handle)
        self._wake()
        return handle

    call_soon_threadsafe = call_soon  # a deque and postEvent may be used from any thread

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + max(delay, 0), callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self._check_closed()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        handle._scheduled = True  # type: ignore[attr-defined]  # so that cancel() tells us
        heapq.heappush(self._timers, (when, next(self._timer_numbers), handle))
        self._arm()
        return handle

    def close(self) -> None:
        if not self.is_running():
            self._waker.retire()
            self._ready_handles.clear()
            self._timers.clear()
        super().close()
        if self.is_closed():
            self._readers.close()

    def _add_reader(self, fd: int | HasFileno, callback: Callable[..., object], *args: Any) -> None:
        self._check_closed()
        self._readers.add(fd, callback, *args)

    def _remove_reader(self, fd: int | HasFileno) -> bool:
        return self._readers.remove(fd)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Called by `TimerHandle.cancel`: drop the dead once they are the majority."""
        self._cancelled_timers += 1
        if self._cancelled_timers > 100 and 2 * self._cancelled_timers > len(self._timers):
            self._timers = [entry for entry in self._timers if not entry[2].cancelled()]
            heapq.heapify(self._timers)
            self._cancelled_timers = 0

    def _wake(self) -> None:
        if not self._is_wake_posted:
            self._is_wake_posted = True
            QCoreApplication.postEvent(self._waker, QEvent(_WAKE))

    def _arm(self) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
            self._cancelled_timers = max(0, self._cancelled_timers - 1)
        if self._timers and (when := self._timers[0][0]) < self._armed_for:
            self._armed_for = when
            self._waker.timer.start(max(0, math.ceil((when - self.time()) * 1000)))

    def _drain(self) -> None:
        """One pass. Inside a task step (a nested Qt loop) that task is not the current one meanwhile."""
        current = asyncio.current_task(self)
        if current is not None:
            asyncio.tasks._leave_task(self, current)
        try:
            self._run_ready()
        finally:
            if current is not None:
                asyncio.tasks._enter_task(self, current)

    def _run_ready(self) -> None:
        self._is_wake_posted = False
        self._armed_for = math.inf
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            due = heapq.heappop(self._timers)[2]
            due._scheduled = False  # type: ignore[attr-defined]
            if not due.cancelled():
                self._ready_handles.append(due)
        self._arm()  # before running: a handle may open a nested loop, which needs its timers
        ready = self._ready_handles
        if ready:
            self._wake()
        end = time.perf_counter() + self.budget_s
        for _ in range(len(ready)):
            if not ready:  # a nested pass took the rest
                break
            handle = ready.popleft()
            if not handle.cancelled():
                handle._run()
            if time.perf_counter() > end:
                break
        if ready:
            self._wake()


def make_event_loop(app: QCoreApplication) -> asyncio.AbstractEventLoop:
    """The loop to run the window on; `PLACET_STOCK_LOOP=1` chooses qasync's own, for comparison and as a way out."""
    if os.environ.get("PLACET_STOCK_LOOP") == "1":
        return qasync.QEventLoop(app)  # type: ignore[no-any-return]
    return FastEventLoop(app)
