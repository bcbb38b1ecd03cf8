"""What happens beside the conversations: events, the ticks that look through them, and the folders they come from."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.ids import SessionId

TIC_SOURCE = TIC_AGENT = TIC_GROUP = "tic"
NOTIFY = "notify"
"""The tool that only the background agent has."""


class BackgroundEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a server or a folder told. `payload` is JSON text, written by whoever told it: data only."""

    id: int
    source: str
    method: str
    payload: str
    created_at: float


class TickStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """One look through waiting events. `told` counts the notifications it made; `session_id` is empty before its turn."""

    id: int
    started_at: float
    ended_at: float | None = None
    status: TickStatus = TickStatus.RUNNING
    error: str = ""
    session_id: SessionId = SessionId("")
    events: int = 0
    told: int = 0
    can_put_back: bool = False  # its events are still bound to it


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that a person named. `problem` says why it is not watched now."""

    folder: str
    created_at: float
    problem: str = ""


class TicState(msgspec.Struct, frozen=True, kw_only=True):
    """How the background agent stands. `lost` counts events that came while too many waited."""

    enabled: bool
    interval_minutes: int
    waiting: int = 0
    lost: int = 0
    is_running: bool = False
    next_at: float | None = None
