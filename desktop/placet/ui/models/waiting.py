"""What waits for a person in any session: how much it is, for badges, and what is new, for notifications."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.events import (
    AgentQuestion,
    ApprovalRequired,
    ApprovalResolved,
    Envelope,
    PendingCommand,
    PendingWrite,
    PreviewStale,
)
from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.ui.bridge import Bridge
from placet.ui.models.inbox_items import count_of

WAITS = (AgentQuestion, ApprovalRequired, ApprovalResolved, PendingCommand, PendingWrite, PreviewStale)
"""Events after which other things wait than before."""


class WaitingModel(QObject):
    """Follows the hub from the moment of `begin`. Counts what the Inbox lists: the writes of one turn are one thing."""

    changed = Signal(int)  # how many things wait
    arrived = Signal(object)  # a sequence of requests that were not there before; never those of the first reading

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._requests: Sequence[PendingRequest] = ()
        self._count = 0
        self._has_read = self._is_reading = self._again = False
        bridge.fact_arrived.connect(self._on_event)
        bridge.reload_needed.connect(self.begin)

    @property
    def count(self) -> int:
        return self._count

    def waits(self, request_id: RequestId) -> bool:
        return any(request.id == request_id for request in self._requests)

    def begin(self) -> None:
        """Read, soon; several calls in a row become one or two readings."""
        self._again = True
        if not self._is_reading:
            self._is_reading = True
            self._bridge.run(self._read())

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, WAITS):
            self.begin()

    async def _read(self) -> None:
        try:
            while self._again:
                self._again = False
                self._take(await self._bridge.hub.pending(None))
        except PlacetError:
            return  # the list itself tells what is wrong; a badge has no room for it
        finally:
            self._is_reading = False

    def _take(self, requests: Sequence[PendingRequest]) -> None:
        known = {request.id for request in self._requests}
        calls = {(request.session_id, request.call_id) for request in self._requests}
        new = [each for each in requests if each.id not in known and (each.session_id, each.call_id) not in calls]
        had_read, self._has_read = self._has_read, True
        self._requests = requests
        count = count_of(requests)
        if count != self._count:
            self._count = count
            self.changed.emit(count)
        if new and had_read:
            self.arrived.emit(new)
