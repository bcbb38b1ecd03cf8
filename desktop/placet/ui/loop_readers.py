"""What the event loop listens to: one Qt notifier for each file descriptor, kept while it is paused.

An HTTP client pauses and resumes its connection around every read. qasync makes a notifier each time; here the one
there is is switched off and on. A connection that speaks without end, as a streaming model does, is heard at most
every `PACE_S`: what came meanwhile is then read at once, which costs a fraction of reading it piece by piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QSocketNotifier

PACE_S = 0.020  # the screen shows what streams every 50 ms
STREAK = 16
"""So many reads in quick succession are a stream. Whatever is shorter is never made to wait."""


class HasFileno(Protocol):
    def fileno(self) -> int: ...


class _Reader:
    """One descriptor. `turn` grows when its callback changes, so that what was under way for the old one is dropped."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int) -> None:
        self._loop = loop
        self._notifier = QSocketNotifier(fd, QSocketNotifier.Type.Read)
        self._notifier.setEnabled(False)
        self._notifier.activated.connect(self._on_ready)
        self._work: tuple[Callable[..., object], tuple[Any, ...]] | None = None
        self._turn = 0
        self._heard_at = 0.0
        self._streak = 0

    @property
    def is_listening(self) -> bool:
        return self._work is not None

    def listen(self, callback: Callable[..., object], args: tuple[Any, ...]) -> None:
        self._turn += 1
        self._work = (callback, args)
        due = self._heard_at + PACE_S
        if self._streak >= STREAK and self._loop.time() < due:
            self._notifier.setEnabled(False)
            self._loop.call_at(due, self._switch_on, self._turn)
        else:
            self._notifier.setEnabled(True)

    def pause(self) -> None:
        self._turn += 1
        self._work = None
        self._notifier.setEnabled(False)

    def retire(self) -> None:
        self.pause()
        self._notifier.activated.disconnect(self._on_ready)

    def _switch_on(self, turn: int) -> None:
        if turn == self._turn:
            self._notifier.setEnabled(True)

    def _on_ready(self) -> None:
        if self._work is None:
            return
        self._notifier.setEnabled(False)
        now = self._loop.time()
        self._streak = self._streak + 1 if now - self._heard_at < 2 * PACE_S else 0
        self._heard_at = now
        self._loop.call_soon(self._run, self._turn)

    def _run(self, turn: int) -> None:
        if turn != self._turn or self._work is None:
            return
        callback, args = self._work
        try:
            callback(*args)
        finally:
            self._switch_on(turn)


class Readers:
    """The descriptors of one loop. They may be closed while they are paused, and their numbers used again."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._known: dict[int, _Reader] = {}

    def add(self, fd: int | HasFileno, callback: Callable[..., object], *args: Any) -> None:
        """Call back whenever `fd` can be read; replaces the callback that it had."""
        number = fd if isinstance(fd, int) else fd.fileno()
        reader = self._known.get(number)
        if reader is None:
            reader = self._known[number] = _Reader(self._loop, number)
        reader.listen(callback, args)

    def remove(self, fd: int | HasFileno) -> bool:
        """Listen no more; returns whether there was a callback."""
        reader = self._known.get(fd if isinstance(fd, int) else fd.fileno())
        if reader is None or not reader.is_listening:
            return False
        reader.pause()
        return True

    def close(self) -> None:
        for reader in self._known.values():
            reader.retire()
        self._known.clear()
