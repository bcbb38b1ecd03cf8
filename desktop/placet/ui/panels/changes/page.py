"""The page: changed files at the left, the chosen one at the right; or an undo that waits to be carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.review import RevertOutcome, RevertStatus
from placet.core.domain.undo import ChangedFile, UndoWish
from placet.ui.models.changes import ChangedFilesModel, FileRole, FileStory
from placet.ui.models.undo import UndoModel, outcome_sentences
from placet.ui.panels.changes.file_pane import FilePane
from placet.ui.panels.changes.two_lines import TwoLineList, TwoLines, when
from placet.ui.panels.changes.undo_view import UndoView
from placet.ui.paths import short_path
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.plane import Plane, column_of, row_of

_TYPING_MS = 150
_MIDDLE = 640


class ChangesPage(QWidget):
    """What was done to files. Undoing shows first what it would do; it is itself a change and can be undone (`R-9`)."""

    place_requested = Signal(object)  # a ChangeStep: its session, at the message that asked for it
    left = Signal()  # an undo that was begun elsewhere is over, or was not wanted
    hinted = Signal(str)  # what an undo that was begun elsewhere came to

    def __init__(
        self,
        files: ChangedFilesModel,
        story: FileStory,
        undoing: UndoModel,
        theme: Theme,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        super().__init__()
        self.setObjectName("changesPage")
        self._files, self._theme = files, theme
        self._here: SessionId | None = None
        self._folder = self._path = ""
        self._came_from_elsewhere = False
        self.list = TwoLineList(self.tr("Changed files"), files, theme, self._lines)
        self.list.setObjectName("changesList")
        self.search = SearchField(self.tr("Find a file"), self.tr("Which session changed …"), theme)
        self.file = FilePane(story, theme)
        self.undo_view = UndoView(undoing, theme, now_ms)
        self.all_button = Button(self.tr("Undo everything of this session …"), theme, icon="undo-2", pad=12)
        self._scope_bar = Plane(theme, lines="b")
        self._scope = Segmented([(self.tr("This session"), "", "here"), (self.tr("All sessions"), "", "all")], theme)
        self._count = Label("", theme, "text-3", 12)
        self._body, self._stack = QStackedWidget(), QStackedWidget()
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._body.addWidget(self._empty())
        self._body.addWidget(self.file)
        looking = QWidget()
        body = row_of(self._left(), self._body, parent=looking)
        body.setStretch(1, 1)
        self._stack.addWidget(looking)
        self._stack.addWidget(self.undo_view)
        column_of(self._stack, parent=self)
        self._connect()
        self._show_list_state()

    # ---- building ------------------------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        self._side = side = Plane(self._theme, lines="r")
        side.setFixedWidth(300)
        head, foot = Plane(self._theme, lines="b", height=48), Plane(self._theme, lines="t")
        title = Label(self.tr("Changes"), self._theme, "text", 14, 600)
        row_of(title, None, self._count, margins=(16, 0, 16, 1), parent=head)
        column_of(row_of(self._scope, None), 8, self.search, margins=(16, 8, 16, 9), parent=self._scope_bar)
        words = self.tr(
            "Only writes that Placet made itself are listed. What commands changed is not, and cannot be undone here."
        )
        note = Label(words, self._theme, "text-3", 11)
        note.setWordWrap(True)
        column_of(row_of(self.all_button, None), 8, note, margins=(16, 10, 16, 12), parent=foot)
        column = column_of(head, self._scope_bar, parent=side, margins=(0, 0, 1, 0))
        column.addWidget(self.list, 1)
        column.addWidget(foot)
        return side

    def _empty(self) -> QWidget:
        empty = Plane(self._theme)
        self._empty_title = Label("", self._theme, "text", 14, 600)
        self._empty_words = Label("", self._theme, "text-2", 13)
        self._empty_words.setWordWrap(True)
        column_of(self._empty_title, 6, self._empty_words, None, margins=(24, 24, 24, 24), parent=empty)
        return empty

    def _connect(self) -> None:
        files, view = self._files, self.undo_view
        files.loaded.connect(self._show_list_state)
        files.failed.connect(self.file.show_error)
        self.list.chosen.connect(self._choose)
        self.file.place_requested.connect(self.place_requested)
        self.file.wished.connect(self._undo_here)
        self.all_button.clicked.connect(self._undo_all)
        self._scope.chosen.connect(self._choose_scope)
        self.search.textChanged.connect(lambda _: self._typing.start())
        self._typing.timeout.connect(lambda: files.look_for(self.search.text()))
        view.left.connect(self._leave_undo)
        view.finished.connect(self._finish_undo)

    # ---- what is listed ------------------------------------------------------------------------------------------

    def show_session(self, session_id: SessionId | None, folder: str = "") -> None:
        """List what this session changed; None: all. A person may switch between this session and all.

        Files in `folder`, that of the session, are named from there on.
        """
        self._here = session_id
        self._folder = self.file.folder = folder
        self._scope.setVisible(session_id is not None)
        self._scope.choose("here" if session_id is not None else "all")
        self._stack.setCurrentIndex(0)
        self._files.show_session(session_id)

    def select_file(self, path: str) -> bool:
        """Choose a file; says whether it is in the list."""
        row = self._files.row_of(path)
        if row >= 0:
            self.list.choose(row)
        return row >= 0

    def _choose_scope(self, name: str) -> None:
        self._files.show_session(self._here if name == "here" else None)

    def _choose(self, row: int) -> None:
        file: ChangedFile = self._files.data(self._files.index(row, 0), FileRole)
        self._path = file.path
        self.file.show_file(file, self._files.session_id)

    def _lines(self, file: ChangedFile) -> TwoLines:
        folder, _, name = short_path(file.path, self._folder).rpartition("/")
        told = []
        if file.has_conflict:
            told.append(self.tr("conflict"))
        if file.reverted == file.steps:
            told.append(self.tr("undone"))
        elif file.reverted:
            told.append(self.tr("{} of {} steps undone").format(file.reverted, file.steps))
        if self._files.session_id is None and file.sessions > 1:
            told.append(self.tr("{} sessions").format(file.sessions))
        return TwoLines(
            letter="A" if file.is_new else "M",
            name=name,
            added=file.added,
            removed=file.removed,
            words=" · ".join(part for part in (*told, folder) if part),
            aside=when(file.newest),
            role="danger-text" if file.has_conflict else "text-3",
            struck=file.reverted == file.steps,
        )

    def _show_list_state(self) -> None:
        files = self._files
        total = files.total
        self._count.setText((self.tr("{} files") if total != 1 else self.tr("{} file")).format(f"{total:,}"))
        self._count.setVisible(total > 0)
        self.all_button.setVisible(files.session_id is not None and not files.text and files.can_undo)
        self._body.setCurrentIndex(1 if total else 0)
        if total:
            self.list.choose(max(files.row_of(self._path), 0))
            return
        if files.text:
            title, words = self.tr("No such file"), self.tr("Placet changed no file with these words in its path.")
        else:
            title = self.tr("No changes yet")
            words = self.tr(
                "Every file that is written here will be listed, with what it was before, so that it can be undone."
            )
        self._empty_title.setText(title)
        self._empty_words.setText(words)
        self.file.clear()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._side.setFixedWidth(300 if self.width() >= _MIDDLE else 220)

    # ---- undoing -------------------------------------------------------------------------------------------------

    def begin_undo(self, wish: UndoWish, title: str, folder: str = "") -> None:
        """Show an undo that was asked for elsewhere; when it is over `left` says that one may go back there."""
        self._came_from_elsewhere = True
        self._begin(wish, title, folder)

    def _begin(self, wish: UndoWish, title: str, folder: str) -> None:
        self._stack.setCurrentWidget(self.undo_view)
        self.undo_view.begin(wish, title, folder)

    def _undo_here(self, wish: UndoWish, title: str) -> None:
        self._came_from_elsewhere = False
        self._begin(wish, title, self._folder)

    def _undo_all(self) -> None:
        wish = UndoWish(message_id=MessageId(0), whole_rest=True, session_id=self._files.session_id)
        self._undo_here(wish, self.tr("Undo everything of this session"))

    def _leave_undo(self) -> None:
        self._stack.setCurrentIndex(0)
        if self._came_from_elsewhere:
            self._came_from_elsewhere = False
            self.left.emit()
        else:
            self.list.setFocus()

    def _finish_undo(self, outcomes: Sequence[RevertOutcome]) -> None:
        missed = sum(outcome.status is not RevertStatus.REVERTED for outcome in outcomes)
        self._files.refresh()
        if missed:
            self._came_from_elsewhere = False
            self._stack.setCurrentIndex(0)
            self.file.show_missed(missed, outcomes)
            return
        if self._came_from_elsewhere:
            count = len(outcome_sentences(outcomes))
            words = self.tr("Done in {} files.").format(count) if count > 1 else self.file.sentences(outcomes)
            self.hinted.emit(words)
        self._leave_undo()
        self.file.show_done(outcomes)
