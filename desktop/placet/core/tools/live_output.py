"""Live output on its way from a reader's thread to the window: in few pieces, and never more than it can show."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

_INTERVAL_S = 0.05
_MAX_CHARS = 65_536


class LiveOutput:
    """Gathers text and passes it on, on the loop, at most twenty times a second.

    What comes faster loses its middle, said in words, so that a flood of output costs no memory.
    """

    def __init__(self, emit: Callable[[str], None]) -> None:
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._pending = ""
        self._dropped = 0
        self._is_scheduled = False
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0

    def feed(self, text: str) -> None:
        """Called in any thread."""
        with self._lock:
            self._pending += text
            if (over := len(self._pending) - _MAX_CHARS) > 0:
                self._dropped += over
                self._pending = self._pending[over:]
            if self._is_scheduled:
                return
            self._is_scheduled = True
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody looks any more
            self._loop.call_soon_threadsafe(self._schedule)

    def close(self) -> None:
        """Pass on what is left; on the loop, after the last `feed`."""
        if self._timer:
            self._timer.cancel()
        self._flush()

    def _schedule(self) -> None:
        self._timer = self._loop.call_at(max(self._next, self._loop.time()), self._flush)

    def _flush(self) -> None:
        with self._lock:
            text, dropped = self._pending, self._dropped
            self._pending, self._dropped, self._is_scheduled = "", 0, False
        self._next = self._loop.time() + _INTERVAL_S
        if dropped:
            text = f"\n[… {dropped:,} characters not shown …]\n{text}"
        if text:
            self._emit(text)
