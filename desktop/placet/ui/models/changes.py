"""The files that were changed as a list, and what was done to the chosen one step by step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Envelope, FileChanged, Lagged
from placet.core.domain.ids import SessionId
from placet.core.domain.review import ChangeState
from placet.core.domain.stopping import TaskScope
from placet.core.domain.undo import ChangedFile, ChangeStep, UndoStatus, UndoWish
from placet.core.hub.api import ChangesApi

T = TypeVar("T")

FileRole = Qt.ItemDataRole.UserRole + 1
_PAGE = 100


class ChangedFilesModel(QAbstractListModel):
    """Files of one session or all, the one changed last first, fetched by pages. Main thread only."""

    loaded = Signal()  # the list was read anew
    failed = Signal(object)  # a PlacetError

    def __init__(self, changes: ChangesApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._api, self._scope = changes, scope
        self._session: SessionId | None = None
        self._text = ""
        self._files: list[ChangedFile] = []
        self._total = 0
        self._asked = 0  # newest question; an answer to an older one is dropped
        self._is_fetching = False

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._files)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        file = self._files[index.row()]
        if role == FileRole:
            return file
        return file.path if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole) else None

    def canFetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> bool:
        return not parent.isValid() and not self._is_fetching and 0 < len(self._files) < self._total

    def fetchMore(self, parent: QModelIndex | QPersistentModelIndex) -> None:
        if self.canFetchMore(parent):  # a list that is read anew meanwhile may not lose its answer to this
            self._ask(len(self._files) // _PAGE + 1, _PAGE)

    @property
    def total(self) -> int:
        return self._total

    @property
    def session_id(self) -> SessionId | None:
        return self._session

    @property
    def text(self) -> str:
        """What is looked for in the paths."""
        return self._text

    @property
    def can_undo(self) -> bool:
        """Whether a step of the files that are loaded holds."""
        return any(file.steps > file.reverted for file in self._files)

    def row_of(self, path: str) -> int:
        """The row of a file, -1 if it is not loaded."""
        return next((row for row, file in enumerate(self._files) if file.path == path), -1)

    def show_session(self, session_id: SessionId | None) -> None:
        """List what one session changed; None: all sessions."""
        self._session = session_id
        self._ask(1, _PAGE)

    def look_for(self, text: str) -> None:
        """List only files with `text` in their path."""
        self._text = text.strip()
        self._ask(1, _PAGE)

    def handle(self, envelope: Envelope) -> None:
        """Follow an event of the bus."""
        if isinstance(envelope.event, FileChanged | Lagged):
            self.refresh()

    def refresh(self) -> None:
        """Read all anew that is listed; the list becomes no shorter by that, so one stays where one reads."""
        self._ask(1, max(_PAGE, -(-len(self._files) // _PAGE) * _PAGE))

    def _ask(self, page: int, count: int) -> None:
        if self._scope.is_closed:  # a late wish of a timer or a view, while the window closes
            return
        self._asked += 1
        self._is_fetching = True
        self._scope.start(self._read(page, count, self._asked), "changes: files")

    async def _read(self, page: int, count: int, question: int) -> None:
        try:
            found, total = await self._api.files(self._session, text=self._text, page=page, per_page=count)
        except PlacetError as error:
            if question == self._asked:
                self._is_fetching = False
                self.failed.emit(error)
            return
        if question != self._asked:
            return
        self._is_fetching = False
        self._total = total
        if page == 1:
            self.beginResetModel()
            self._files = list(found)
            self.endResetModel()
            self.loaded.emit()
        elif found:
            self.beginInsertRows(QModelIndex(), len(self._files), len(self._files) + len(found) - 1)
            self._files += found
            self.endInsertRows()


class FileStory(QObject):
    """The steps of the chosen file and the diff of one of them, or of all together. Main thread only."""

    told = Signal()  # the steps were read
    diff_shown = Signal(object)  # a FileDiff
    moved_on = Signal()  # the file is not as the steps left it
    failed = Signal(object)  # a PlacetError

    def __init__(self, changes: ChangesApi, scope: TaskScope, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._api, self._scope = changes, scope
        self._asked = self._asked_diff = 0
        self.path = ""
        self.session_id: SessionId | None = None
        self.every: Sequence[ChangeStep] = ()  # of all sessions, first step first
        self.at = 0  # the step that is shown, from 1 on; 0: all of them together

    @property
    def steps(self) -> Sequence[ChangeStep]:
        """Those of the session that is looked at, or of all."""
        return [step for step in self.every if self.session_id in (None, step.change.session_id)]

    @property
    def others(self) -> Sequence[ChangeStep]:
        """The newest step of each other session, newest first."""
        here = self.session_id
        newest = {step.change.session_id: step for step in self.every if here not in (None, step.change.session_id)}
        return sorted(newest.values(), key=lambda step: step.change.id, reverse=True)

    @property
    def current(self) -> ChangeStep | None:
        return self.steps[self.at - 1] if 0 < self.at <= len(self.steps) else None

    @property
    def holds(self) -> bool:
        """Whether a step is there to be undone."""
        return any(step.change.state is ChangeState.APPLIED for step in self.steps)

    def show(self, path: str, session_id: SessionId | None) -> None:
        """Read a file's story; the place on its line is kept where it is the same file."""
        if (path, session_id) != (self.path, self.session_id):
            self.at = 0
            self.every = ()
        self.path, self.session_id = path, session_id
        self._asked += 1
        self._scope.start(self._read(self._asked), "changes: steps")

    async def _read(self, question: int) -> None:
        found = await self._answer(self._api.steps(self.path), lambda: question == self._asked)
        if found is not None:
            self.every = found
            self.at = min(self.at, len(self.steps))
            self.told.emit()
            self.go_to(self.at)
        if found and self.holds:
            wish = UndoWish(path=self.path, session_id=self.session_id)
            plans = await self._answer(self._api.plan_undo(wish), lambda: question == self._asked)
            if plans and plans[0].status in (UndoStatus.MERGED, UndoStatus.CONFLICT):
                self.moved_on.emit()

    def go_to(self, at: int) -> None:
        """Show one step, or with 0 what all came to."""
        self.at = max(0, min(at, len(self.steps)))
        self._asked_diff += 1
        self._scope.start(self._read_diff(self._asked_diff), "changes: diff")

    async def _read_diff(self, question: int) -> None:
        step = self.current
        wanted = (
            self._api.diff(step.change.id) if step is not None else self._api.cumulative(self.path, self.session_id)
        )
        diff: FileDiff | None = await self._answer(wanted, lambda: question == self._asked_diff)
        if diff is not None:
            self.diff_shown.emit(diff)

    async def _answer(self, question: Awaitable[T], is_wanted: Callable[[], bool]) -> T | None:
        """None where it failed, which is told, or where something else is wanted by now."""
        try:
            found = await question
        except PlacetError as error:
            if is_wanted():
                self.failed.emit(error)
            return None
        return found if is_wanted() else None
