"""The journal of file changes as a list, the diff of the chosen one, and undoing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Envelope, FileChanged, Lagged
from placet.core.domain.ids import ChangeId, SessionId
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import ChangesApi

ChangeRole = Qt.ItemDataRole.UserRole + 1
_PAGE = 100


class ChangesModel(QAbstractListModel):
    """Changes of one session or all, newest first, fetched by pages. Main thread only."""

    loaded = Signal()  # the list was read anew
    diff_shown = Signal(object, object)  # Change, FileDiff
    reverted = Signal(object)  # a sequence of RevertOutcome
    failed = Signal(object)  # a PlacetError

    def __init__(self, changes: ChangesApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._api, self._scope = changes, scope
        self._session: SessionId | None = None
        self._changes: list[Change] = []
        self._total = self._pages = 0
        self._asked = 0  # newest question; an answer to an older one is dropped
        self._wanted: ChangeId | None = None
        self._reverting = False

    # ---- the list ------------------------------------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._changes)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        change = self._changes[index.row()]
        if role == ChangeRole:
            return change
        return change.path if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None

    def canFetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> bool:
        return not parent.isValid() and self._pages > 0 and len(self._changes) < self._total

    def fetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> None:
        self._ask(self._pages + 1)

    @property
    def total(self) -> int:
        return self._total

    @property
    def is_reverting(self) -> bool:
        return self._reverting

    @property
    def session_id(self) -> SessionId | None:
        return self._session

    def change(self, row: int) -> Change:
        return self._changes[row]

    def row_of(self, change_id: ChangeId) -> int:
        """The row of a change, -1 if it is not loaded."""
        return next((row for row, change in enumerate(self._changes) if change.id == change_id), -1)

    # ---- reading -------------------------------------------------------------------------------------------------

    def show_session(self, session_id: SessionId | None) -> None:
        """List one session's changes; None: all sessions'."""
        self._session = session_id
        self.refresh()

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if isinstance(envelope.event, FileChanged | Lagged):
            self.refresh()

    def refresh(self) -> None:
        self._ask(1)

    def _ask(self, page: int) -> None:
        self._asked += 1
        self._scope.start(self._read(page, self._asked), "changes: list")

    async def _read(self, page: int, question: int) -> None:
        try:
            found, total = await self._api.changes(self._session, page=page, per_page=_PAGE)
        except PlacetError as error:
            self.failed.emit(error)
            return
        if question != self._asked:
            return
        if page == 1:
            self.beginResetModel()
            self._changes = list(found)
            self._total, self._pages = total, 1
            self.endResetModel()
            self.loaded.emit()
        elif found:
            self.beginInsertRows(QModelIndex(), len(self._changes), len(self._changes) + len(found) - 1)
            self._changes += found
            self._total, self._pages = total, page
            self.endInsertRows()

    def show_diff(self, change: Change) -> None:
        """Load a change's diff; only the last one asked for is shown."""
        self._wanted = change.id
        self._scope.start(self._read_diff(change), "changes: diff")

    async def _read_diff(self, change: Change) -> None:
        try:
            diff: FileDiff = await self._api.diff(change.id)
        except PlacetError as error:
            if self._wanted == change.id:
                self.failed.emit(error)
            return
        if self._wanted == change.id:
            self.diff_shown.emit(change, diff)

    # ---- undoing -------------------------------------------------------------------------------------------------

    def undo_of(self, change: Change) -> Change | None:
        """The change that undid this one and is still in force: reverting that one applies this one again."""
        return next((c for c in self._changes if c.reverts == change.id and c.state is ChangeState.APPLIED), None)

    def undo(self, changes: Sequence[Change]) -> None:
        """Undo changes, newest first (`R-9`)."""
        if changes and not self._reverting:
            self._reverting = True
            newest_first = sorted((change.id for change in changes), reverse=True)
            self._scope.start(self._revert(newest_first), "changes: revert")

    def apply_again(self, change: Change) -> None:
        """Undo the undoing of a change."""
        if (undo := self.undo_of(change)) is not None:
            self.undo([undo])
        else:
            message = self.tr("What undid {} is not in this list.").format(change.path)
            hint = self.tr("Show all sessions and choose the change that reverted it.")
            self.failed.emit(PlacetError(message, hint=hint))

    async def _revert(self, ids: Sequence[ChangeId]) -> None:
        try:
            outcomes: Sequence[RevertOutcome] = await self._api.revert(ids)
        except PlacetError as error:
            self.failed.emit(error)
        else:
            self.reverted.emit(outcomes)
        finally:
            self._reverting = False
        self.refresh()


def outcome_sentence(outcome: RevertOutcome) -> str:
    """What reverting a change came to, in words; the core's own message where it gave one."""
    tr = QCoreApplication.translate
    words = {
        RevertStatus.REVERTED: tr("ChangesPage", "put back as it was before"),
        RevertStatus.MOVED_ON: tr("ChangesPage", "left as it is, because it has changed since"),
        RevertStatus.NOTHING: tr("ChangesPage", "left as it is, because there was nothing to undo"),
        RevertStatus.FAILED: tr("ChangesPage", "could not be put back"),
    }
    if outcome.path and outcome.path in outcome.message:
        return outcome.message
    return f"{outcome.path}: {outcome.message or words[outcome.status]}"
