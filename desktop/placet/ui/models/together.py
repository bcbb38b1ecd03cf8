"""Several waiting edits of one file as what they come to together."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError, UnknownItem
from placet.core.domain.ids import RequestId
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi
from placet.ui.models.batch import BatchModel, BatchRow, BatchState


class TogetherModel(QObject):
    """Open or not; open it follows the batch, and closes when fewer than two edits of the file wait."""

    changed = Signal()

    def __init__(self, batch: BatchModel, hub: HubApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._batch, self._hub, self._scope = batch, hub, scope
        self.path = ""
        self.ids: Sequence[RequestId] = ()
        self.diff: FileDiff | None = None  # None while it loads
        self.error: PlacetError | None = None
        batch.changed.connect(self._follow)

    @property
    def is_open(self) -> bool:
        return bool(self.path)

    @property
    def row(self) -> BatchRow | None:
        """The first of the edits."""
        return next((row for row in self._batch.rows if row.request.id in self.ids), None)

    def can_open(self) -> bool:
        """Whether the edit that is looked at has others of its file beside it."""
        return len(self._batch.steps_of(self._path_here())) > 1

    def open(self) -> None:
        if self.can_open():
            self.path = self._path_here()
            self._follow()

    def close(self) -> None:
        if self.is_open:
            self._forget()
            self.changed.emit()

    def _forget(self) -> None:
        self.path, self.ids, self.diff, self.error = "", (), None, None

    def _path_here(self) -> str:
        at = self._batch.current
        return self._batch.rows[at].request.path if at >= 0 else ""

    def _follow(self) -> None:
        """Another file is looked at: that one, if it has several edits; other edits of it: their diff."""
        if not self.is_open:
            return
        ids = self._batch.steps_of(self._path_here())
        if len(ids) < 2 and self._is_sending():
            return  # what was answered is not gone from the list yet
        if len(ids) < 2:
            self._forget()
        elif ids != self.ids:
            self.path, self.ids, self.diff, self.error = self._path_here(), ids, None, None
            self._scope.start(self._read(ids), "review: edits together")
        self.changed.emit()

    def _is_sending(self) -> bool:
        return any(row.request.id in self.ids and row.state is BatchState.SENDING for row in self._batch.rows)

    async def _read(self, ids: Sequence[RequestId]) -> None:
        try:
            diff, error = await self._hub.request_diff_together(ids), None
        except UnknownItem:
            return  # decided elsewhere: the list that follows shows which
        except PlacetError as failure:
            diff, error = None, failure
        if ids == self.ids:
            self.diff, self.error = diff, error
            self.changed.emit()

    # ---- answering -----------------------------------------------------------------------------------------------

    def approve(self) -> None:
        """Approve all of these edits; nothing if they are not those that wait now."""
        if self.diff is not None:
            self._batch.approve_steps(self.path, self.ids)

    def reject(self, note: str = "") -> None:
        self._batch.reject(self.ids, note)
