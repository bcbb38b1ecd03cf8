"""When something begins to wait and the window is not in front: badges, and one notification for a burst (`D-6`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.ui.models.inbox_items import announcement, items_of, origin
from placet.ui.models.waiting import WaitingModel
from placet.ui.notices_outside import Outside
from placet.ui.window_notifying import Notifying

FIRST_MS = 400  # a batch of sub-agents asks within a moment
NEXT_MS = 15_000  # between two notifications nobody looked at


class Attention(QObject):
    """Tells outside what waits. Decides nothing and takes no focus; a click on what it shows asks for the request."""

    request_wanted = Signal(object)  # a RequestId

    def __init__(
        self,
        waiting: WaitingModel,
        notifying: Notifying,
        outside: Sequence[Outside],
        is_in_front: Callable[[], bool],
        parent: QObject | None = None,
        *,
        first_ms: int = FIRST_MS,
        next_ms: int = NEXT_MS,
    ) -> None:
        super().__init__(parent)
        self._waiting, self._notifying, self._outside = waiting, notifying, outside
        self._is_in_front = is_in_front
        self._first_ms, self._next_ms = first_ms, next_ms
        self._gathered: list[PendingRequest] = []
        self._about: RequestId | None = None
        self._soon, self._quiet = QTimer(self), QTimer(self)
        for timer, act in ((self._soon, self._tell), (self._quiet, self._tell)):
            timer.setSingleShot(True)
            timer.timeout.connect(act)
        waiting.changed.connect(self._show_count)
        waiting.arrived.connect(self._gather)
        for place in outside:
            place.clicked.connect(self._on_clicked)
        self._show_count(waiting.count)

    def _show_count(self, count: int) -> None:
        for place in self._outside:
            place.show_count(count)

    def _gather(self, requests: Sequence[PendingRequest]) -> None:
        if self._is_in_front() or not self._notifying.is_on:
            return
        self._gathered += requests
        if not self._soon.isActive() and not self._quiet.isActive():
            self._soon.start(self._first_ms)

    def _tell(self) -> None:
        """One notification for all that came since the last one and still waits."""
        new = [each for each in self._gathered if self._waiting.waits(each.id)]
        self._gathered.clear()
        if not new or self._is_in_front() or not self._notifying.is_on:
            return
        items = items_of(new)
        self._about = items[0].first.id
        title = self.tr("Placet waits for you")
        words = announcement(new)
        if len(items) == 1:
            words = f"{words}\n{origin(new[0], with_agent=not items[0].is_batch)}"
        for place in self._outside:
            place.notify(title, words)
        self._quiet.start(self._next_ms)

    def _on_clicked(self) -> None:
        if self._about is not None:
            self.request_wanted.emit(self._about)

    def end(self) -> None:
        """Take away what is shown outside."""
        self._soon.stop()
        self._quiet.stop()
        for place in self._outside:
            place.hide()
