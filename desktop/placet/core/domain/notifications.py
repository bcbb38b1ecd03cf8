"""What happened in the background and is worth telling."""

from __future__ import annotations

import msgspec

READ_NOTIFICATION = "read_notification"
"""The tool whose finished call carries notifications into a conversation."""


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is who tells it (a task, a schedule), `refs` are ids or paths to look at. Times are Unix seconds."""

    source: str
    event_type: str
    summary: str
    event_time: float
    refs: tuple[str, ...] = ()
