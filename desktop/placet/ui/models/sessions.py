"""Recent sessions and search over everything, as list models."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from placet.core.domain.events import (
    AgentQuestion,
    ApprovalRequired,
    ApprovalResolved,
    Done,
    Envelope,
    Error,
    NewSession,
    PendingCommand,
    PendingWrite,
    SessionChanged,
    TurnRunning,
    UserMessage,
)
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import SearchHit, Session
from placet.ui.bridge import Bridge

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
_CHANGES_LIST = (
    AgentQuestion, ApprovalRequired, ApprovalResolved, Done, Error, NewSession, PendingCommand, PendingWrite, SessionChanged,
    TurnRunning, UserMessage,
)  # fmt: skip
_PAGE = 50
_NO_INDEX = QModelIndex()


class Keep(StrEnum):
    """What a person wants done with a session as a whole."""

    FORK = "fork"
    PIN = "pin"
    UNPIN = "unpin"
    PUT_AWAY = "put_away"
    EXPORT = "export"
    INSPECT = "inspect"
    DELETE = "delete"


class SessionsModel(QAbstractListModel):
    """Sessions that are not put away, the pinned ones first, then by newest activity. Reads anew shortly after something changed, never in between.

    `ROW_ROLE` gives the `Session`. `waiting_changed` tells how many sessions wait for a person.
    """

    waiting_changed = Signal(int)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._rows: list[Session] = []
        self._total = self._asked = 0  # rows in the store; rows asked for, of which empty sessions are left out
        self._waiting = 0
        self._is_reading = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(120)
        self._soon.timeout.connect(self._read)
        bridge.fact_arrived.connect(self._on_event)
        bridge.reload_needed.connect(self._soon.start)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        session = self._rows[index.row()]
        if role == ROW_ROLE:
            return session
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            title = title_of(session) or self.tr("New chat")
            if role == Qt.ItemDataRole.AccessibleTextRole and session.pinned:
                title = self.tr("{}, pinned").format(title)
            if role == Qt.ItemDataRole.AccessibleTextRole and session.waiting:
                return self.tr("{}, waiting for you").format(title)
            if role == Qt.ItemDataRole.AccessibleTextRole and self.is_running(session):
                return self.tr("{}, running").format(title)
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(part for part in (title_of(session), session.context.workdir) if part)
        return None

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and 0 < self._asked < self._total

    def fetchMore(self, parent: Index) -> None:
        self._read(more=True)

    def is_running(self, session: Session) -> bool:
        return self._bridge.hub.is_running(session.id)

    def any_running(self) -> bool:
        return any(self.is_running(session) for session in self._rows)

    def row_of(self, session_id: SessionId) -> int:
        """The row that shows `session_id`, -1 if none does."""
        return next((row for row, session in enumerate(self._rows) if session.id == session_id), -1)

    async def reload(self) -> None:
        """Read as many rows as are shown. Raises: PlacetError."""
        await self._fill(max(_PAGE, self._asked))

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, _CHANGES_LIST) and not self._soon.isActive():
            self._soon.start()

    def _read(self, more: bool = False) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._bridge.run(self._fill(max(_PAGE, self._asked) + (_PAGE if more else 0)))

    async def _fill(self, count: int) -> None:
        try:
            rows, self._total = await self._bridge.hub.history.sessions(
                archived=False, pinned_first=True, per_page=count
            )
        finally:
            self._is_reading = False
        self._asked = count
        rows = [session for session in rows if session.messages or session.title]
        if [row.id for row in rows] != [row.id for row in self._rows]:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()
        else:
            self._rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
        waiting = sum(1 for session in rows if session.waiting)
        if waiting != self._waiting:
            self._waiting = waiting
            self.waiting_changed.emit(waiting)


def title_of(session: Session) -> str:
    return session.title or session.snippet


class FoundSession(msgspec.Struct, frozen=True):
    """A head in the list of matches."""

    id: SessionId
    title: str
    created_at: float


class SearchModel(QAbstractListModel):
    """Matches of one search, grouped by session: a `FoundSession`, then its `SearchHit`s.

    `finished` tells the number of matches in all. A newer search makes the answer of an older one void.
    """

    finished = Signal(int)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._rows: list[FoundSession | SearchHit] = []
        self._wanted = ""
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(80)
        self._soon.timeout.connect(self._ask)

    def search(self, text: str) -> None:
        """Search shortly, so that typing asks once. A blank text empties the list at once."""
        self._wanted = text.strip()
        if self._wanted:
            self._soon.start()
        else:
            self._soon.stop()
            self._show([], 0)

    def _ask(self) -> None:
        wanted = self._wanted
        self._bridge.run(
            self._bridge.hub.history.search(wanted, per_page=60),
            lambda found: self._show(*found) if wanted == self._wanted else None,
        )

    def _show(self, hits: Sequence[SearchHit], total: int) -> None:
        groups: dict[SessionId, list[SearchHit]] = {}
        for hit in hits:
            groups.setdefault(hit.session_id, []).append(hit)
        rows: list[FoundSession | SearchHit] = []
        for session_id, members in groups.items():
            rows.append(FoundSession(session_id, members[0].title or self.tr("New chat"), members[0].created_at))
            rows.extend(members)
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()
        self.finished.emit(total)

    def session_of(self, index: Index) -> SessionId:
        """Where the row leads."""
        row = self._rows[index.row()]
        return row.id if isinstance(row, FoundSession) else row.session_id

    def session_count(self) -> int:
        return sum(isinstance(row, FoundSession) for row in self._rows)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.title if isinstance(row, FoundSession) else row.snippet
        return None
