"""Times and durations as a transcript writes them. Pure."""

from __future__ import annotations

import time


def duration(ms: float | None) -> str:
    """Short, and never wider than the column of 52 pixels."""
    if ms is None:
        return ""
    if ms < 1000:
        return f"{max(1, round(ms))} ms"
    seconds = ms / 1000
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    return f"{round(seconds)} s" if seconds < 60 else stopwatch(seconds)


def stopwatch(seconds: float) -> str:
    """A running clock: its digits stand still but the last ones."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def clock_time(at: float) -> str:
    """The time of day of an epoch time; nothing for none."""
    return time.strftime("%H:%M", time.localtime(at)) if at else ""
