"""Times as the command line prints them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(timestamp: float) -> str:
    """Seconds since 1970 as UTC with milliseconds."""
    moment = datetime.fromtimestamp(timestamp, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def local(timestamp: float) -> str:
    return f"{datetime.fromtimestamp(timestamp).astimezone():%Y-%m-%d %H:%M}"
