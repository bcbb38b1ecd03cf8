"""What has been in sight: long enough to be read, in a window that one works in, to its end or only its beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QAbstractScrollArea

from placet.core.domain.ids import RequestId
from placet.ui.models.batch import BatchModel
from placet.ui.widgets.guard import HOLD_MS


class Looking(QObject):
    """Watches one view. `shown` says which requests are in it now; `look` is to be called when that may have changed."""

    def __init__(
        self,
        view: QAbstractScrollArea,
        shown: Callable[[], Sequence[RequestId]],
        batch: BatchModel,
        hold_ms: int = HOLD_MS,
    ) -> None:
        super().__init__(view)
        self._view, self._shown, self._batch = view, shown, batch
        self._ids: tuple[RequestId, ...] = ()
        self._hold = QTimer(self)
        self._hold.setSingleShot(True)
        self._hold.setInterval(hold_ms)
        self._hold.timeout.connect(self._mark)
        view.verticalScrollBar().valueChanged.connect(self._mark)
        view.installEventFilter(self)

    def look(self) -> None:
        ids = tuple(self._shown())
        if ids != self._ids:
            self._ids = ids
            self._begin()

    def _begin(self) -> None:
        if self._ids and self._is_seen():
            self._hold.start()
        else:
            self._hold.stop()

    def _is_seen(self) -> bool:
        return self._view.isVisible() and self._view.isActiveWindow()

    def _mark(self) -> None:
        if self._ids and not self._hold.isActive() and self._is_seen():
            bar = self._view.verticalScrollBar()
            self._batch.mark(self._ids, to_the_end=bar.value() >= bar.maximum())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.WindowActivate):
            self._begin()
        return False
