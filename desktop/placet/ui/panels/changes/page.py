"""The page: files at the left, the chosen one's steps and diff in the middle, who changed it at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.review import Change, RevertOutcome, RevertStatus
from placet.core.domain.undo import ChangedFile, UndoWish
from placet.ui.models.changes import ChangedFilesModel, FileRole, FileStory
from placet.ui.models.undo import UndoModel, outcome_sentences
from placet.ui.panels.changes.step_bar import StepBar
from placet.ui.panels.changes.two_lines import TwoLineList, TwoLines, when
from placet.ui.panels.changes.undo_view import UndoView
from placet.ui.panels.changes.who_changed import WhoChanged
from placet.ui.panels.review.head import SubjectLine
from placet.ui.paths import short_path
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of, row_of

_TYPING_MS = 150
_MOST_SENTENCES = 8


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
        self._files, self._story, self._theme = files, story, theme
        self._here: SessionId | None = None
        self._folder = ""
        self._came_from_elsewhere = False
        self.list = TwoLineList(self.tr("Changed files"), files, theme, self._lines)
        self.list.setObjectName("changesList")
        self.search = SearchField(self.tr("Find a file"), self.tr("Which session changed …"), theme)
        self.steps = StepBar(theme)
        self.diff = DiffView(theme)
        self.banner = Banner(theme)
        self.subject = SubjectLine(theme)
        self.who = WhoChanged(story, theme)
        self.undo_view = UndoView(undoing, theme, now_ms)
        self.undo_button = Button(self.tr("Undo file"), theme, icon="undo-2", height=24, pad=10)
        self.all_button = Button(self.tr("Undo everything of this session …"), theme, icon="undo-2", pad=12)
        self._scope_bar = Plane(theme, lines="b")
        self._scope = Segmented([(self.tr("This session"), "", "here"), (self.tr("All sessions"), "", "all")], theme)
        self._count = Label("", theme, "text-3", 12)
        self._body, self._stack = QStackedWidget(), QStackedWidget()
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        looking = QWidget()
        body = row_of(self._left(), self._right(), parent=looking)
        body.setStretch(1, 1)
        self._stack.addWidget(looking)
        self._stack.addWidget(self.undo_view)
        column_of(self._stack, parent=self)
        self._connect()
        self._show_list_state()

    # ---- building ------------------------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        side = Plane(self._theme, lines="r")
        side.setFixedWidth(300)
        head, foot = Plane(self._theme, lines="b", height=48), Plane(self._theme, lines="t")
        title = Label(self.tr("Changes"), self._theme, "text", 14, 600)
        row_of(title, None, self._count, margins=(16, 0, 16, 1), parent=head)
        column_of(row_of(self._scope, None), 8, self.search, margins=(16, 8, 16, 9), parent=self._scope_bar)
        note = Label(
            self.tr(
                "Only writes that Placet made itself are listed. What commands changed is not, and cannot be undone here."
            ),
            self._theme,
            "text-3",
            11,
        )
        note.setWordWrap(True)
        column_of(row_of(self.all_button, None), 8, note, margins=(16, 10, 16, 12), parent=foot)
        column = column_of(head, self._scope_bar, parent=side, margins=(0, 0, 1, 0))
        column.addWidget(self.list, 1)
        column.addWidget(foot)
        return side

    def _right(self) -> QWidget:
        shown_page, empty = Plane(self._theme), Plane(self._theme)
        head, bar = Plane(self._theme, lines="b", height=48), Plane(self._theme, lines="b", height=41)
        buttons = row_of(self.subject, self.undo_button, parent=head, margins=(0, 0, 16, 1))
        buttons.setStretch(0, 1)
        row_of(self.steps, margins=(12, 0, 16, 1), parent=bar)
        middle = column_of(head, bar, Inset(self.banner))
        middle.addWidget(self.diff, 1)
        row = row_of(middle, self.who, parent=shown_page)
        row.setStretch(0, 1)
        self._empty_title = Label("", self._theme, "text", 14, 600)
        self._empty_words = Label("", self._theme, "text-2", 13)
        self._empty_words.setWordWrap(True)
        column_of(self._empty_title, 6, self._empty_words, None, margins=(24, 24, 24, 24), parent=empty)
        self._body.addWidget(empty)
        self._body.addWidget(shown_page)
        return self._body

    def _connect(self) -> None:
        files, story, view = self._files, self._story, self.undo_view
        files.loaded.connect(self._show_list_state)
        files.failed.connect(self._show_error)
        story.told.connect(self._show_story)
        story.diff_shown.connect(self._show_diff)
        story.moved_on.connect(self._show_moved_on)
        story.failed.connect(self._show_error)
        self.list.chosen.connect(self._choose)
        self.steps.chosen.connect(self._go_to_step)
        self.who.step_chosen.connect(self._go_to_step)
        self.who.undo_requested.connect(self._undo_step)
        self.who.again_requested.connect(self._apply_again)
        self.who.place_requested.connect(self.place_requested)
        self.undo_button.clicked.connect(self._undo_file)
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
        self._here, self._folder = session_id, folder
        self._scope.setVisible(session_id is not None)
        self._scope.choose("here" if session_id is not None else "all")
        self._stack.setCurrentIndex(0)
        self._files.show_session(session_id)

    def _choose_scope(self, name: str) -> None:
        self._files.show_session(self._here if name == "here" else None)

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
            row = files.row_of(self._story.path)
            self.list.choose(max(row, 0))
            return
        if files.text:
            self._empty_title.setText(self.tr("No such file"))
            self._empty_words.setText(self.tr("No file with these words in its path was changed by Placet."))
        else:
            self._empty_title.setText(self.tr("No changes yet"))
            words = self.tr(
                "Every file that is written here will be listed, with what it was before, so that it can be undone."
            )
            self._empty_words.setText(words)
        self.diff.clear()

    # ---- the chosen file -----------------------------------------------------------------------------------------

    def select_file(self, path: str) -> bool:
        """Choose a file; says whether it is in the list."""
        row = self._files.row_of(path)
        if row >= 0:
            self.list.choose(row)
        return row >= 0

    def _choose(self, row: int) -> None:
        file: ChangedFile = self._files.data(self._files.index(row, 0), FileRole)
        if file.path != self._story.path:
            self.banner.hide()
        self.subject.show_file(short_path(file.path, self._folder), file.path, file.added, file.removed, [])
        self._story.show(file.path, self._files.session_id)

    def _show_story(self) -> None:
        story = self._story
        self.steps.show_steps(story.steps, story.at)
        self.who.show_story()
        self.undo_button.setVisible(story.holds)

    def _go_to_step(self, at: int) -> None:
        self._story.go_to(at)
        self.steps.show_steps(self._story.steps, self._story.at)
        self.who.show_story()
        step = self._story.current
        if step is not None and step.change.conflict:
            self.banner.show_words(
                "warn", self.tr("Another program wrote this file at the same moment"), step.change.conflict
            )

    def _show_diff(self, diff: FileDiff) -> None:
        self.diff.set_diff(diff)
        path = short_path(self._story.path, self._folder)
        self.subject.show_file(path, self._story.path, diff.added, diff.removed, [])

    def _show_moved_on(self) -> None:
        if not self.banner.isVisible():
            self.banner.show_words(
                "warn",
                self.tr("This file was changed since by somebody else"),
                self.tr("Undoing it shows first what was changed, and what would stay."),
            )

    # ---- undoing -------------------------------------------------------------------------------------------------

    def begin_undo(self, wish: UndoWish, title: str, folder: str = "") -> None:
        """Show an undo that was asked for elsewhere; when it is over `left` says that one may go back there."""
        self._came_from_elsewhere = True
        self._begin(wish, title, folder)

    def _begin(self, wish: UndoWish, title: str, folder: str) -> None:
        self.undo_view.begin(wish, title, folder)
        self._stack.setCurrentWidget(self.undo_view)
        self.undo_view.list.setFocus()

    def _undo_here(self, wish: UndoWish, title: str) -> None:
        self._came_from_elsewhere = False
        self._begin(wish, title, self._folder)

    def _undo_file(self) -> None:
        path = self._story.path
        wish = UndoWish(path=path, session_id=self._story.session_id)
        self._undo_here(wish, self.tr("Undo all changes of {}").format(shown(path.rpartition("/")[2])))

    def _undo_all(self) -> None:
        wish = UndoWish(message_id=MessageId(0), whole_rest=True, session_id=self._files.session_id)
        self._undo_here(wish, self.tr("Undo everything of this session"))

    def _undo_step(self, change: Change) -> None:
        self._undo_here(UndoWish(changes=(change.id,)), self.tr("Undo step {}").format(self._story.at))

    def _apply_again(self, change: Change) -> None:
        self._undo_here(UndoWish(again=(change.id,)), self.tr("Apply step {} again").format(self._story.at))

    def _leave_undo(self) -> None:
        self._stack.setCurrentIndex(0)
        if self._came_from_elsewhere:
            self._came_from_elsewhere = False
            self.left.emit()
        else:
            self.list.setFocus()

    def _finish_undo(self, outcomes: Sequence[RevertOutcome]) -> None:
        missed = [outcome for outcome in outcomes if outcome.status is not RevertStatus.REVERTED]
        was_elsewhere = self._came_from_elsewhere
        self._files.refresh()
        if missed:
            self._came_from_elsewhere = False
            self._stack.setCurrentIndex(0)
            told = self.tr("{} of {} changes could not be undone").format(len(missed), len(outcomes))
            self.banner.show_words("warn", told, self._sentences(outcomes))
            return
        count = len(outcome_sentences(outcomes))
        if was_elsewhere:
            words = self.tr("Done in {} files.").format(count) if count > 1 else self._sentences(outcomes)
            self.hinted.emit(words)
        self._leave_undo()
        self.banner.show_words("info", self.tr("Done. This can be undone too."), self._sentences(outcomes))

    def _sentences(self, outcomes: Sequence[RevertOutcome]) -> str:
        """One line a file, named from the session's folder on; of very many the first ones."""
        names = {outcome.path: short_path(outcome.path, self._folder) for outcome in outcomes}
        lines = list(outcome_sentences(outcomes))
        for path, name in names.items():
            lines = [line.replace(path, name) if path else line for line in lines]
        if len(lines) > _MOST_SENTENCES:
            lines[_MOST_SENTENCES:] = [self.tr("And {} more.").format(len(lines) - _MOST_SENTENCES)]
        return "\n".join(map(shown, lines))

    def _show_error(self, error: PlacetError) -> None:
        self.banner.show_error(error)
        if self.diff.diff.path != self._story.path:
            self.diff.clear()
