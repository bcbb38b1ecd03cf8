"""Half a second in which a new request decides nothing: a key meant for the one before must not answer it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer

HOLD_MS = 500


def elapsed_ms() -> Callable[[], int]:
    """A monotonic clock in milliseconds."""
    timer = QElapsedTimer()
    timer.start()
    return timer.elapsed


class AttentionGuard:
    """Closed for `HOLD_MS` after each `restart`, and before the first one."""

    def __init__(self, now_ms: Callable[[], int] | None = None) -> None:
        self._now = now_ms or elapsed_ms()
        self._since: int | None = None

    def restart(self) -> None:
        self._since = self._now()

    @property
    def is_open(self) -> bool:
        return self._since is not None and self._now() - self._since >= HOLD_MS
