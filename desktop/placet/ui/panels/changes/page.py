"""The page: the list at the left, the chosen change's diff at the right, and what undoing came to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import ChangeId, SessionId
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.ui.models.changes import ChangesModel, outcome_sentence
from placet.ui.panels.changes.change_list import ChangeList, state_words
from placet.ui.panels.review.head import SubjectLine
from placet.ui.paths import short_path
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of, row_of


class ChangesPage(QWidget):
    """Files that the program changed, newest first. Reverting is itself a change and can be undone (`R-9`)."""

    session_requested = Signal(str)  # a session that a person wants to see

    def __init__(self, model: ChangesModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("changesPage")
        self._model, self._theme = model, theme
        self._here: SessionId | None = None
        self._folder = ""
        self._current: Change | None = None
        self.list = ChangeList(model, theme)
        self.diff = DiffView(theme)
        self.banner = Banner(theme)
        self.subject = SubjectLine(theme)
        self.revert_button = Button(self.tr("Revert"), theme, icon="undo-2", height=24, pad=10)
        self.again_button = Button(self.tr("Apply again"), theme, icon="redo-2", height=24, pad=10)
        self.session_button = Button(self.tr("Go to session"), theme, kind="ghost", height=24, pad=8, weight=400)
        self._scope_bar = Plane(theme, lines="b")
        self._scope = Segmented([(self.tr("This session"), "", "here"), (self.tr("All sessions"), "", "all")], theme)
        self._count = Label("", theme, "text-3", 12)
        self._body = QStackedWidget()
        body = row_of(self._left(), self._right(), parent=self)
        body.setStretch(1, 1)
        self._connect()
        self._show_list_state()

    # ---- building ------------------------------------------------------------------------------------------------

    def _left(self) -> QWidget:
        side = Plane(self._theme, lines="r")
        side.setFixedWidth(300)
        head, foot = Plane(self._theme, lines="b"), Plane(self._theme, lines="t")
        head.setFixedHeight(48)
        row_of(
            Label(self.tr("Changes"), self._theme, "text", 14, 600),
            None,
            self._count,
            margins=(16, 0, 16, 1),
            parent=head,
        )
        row_of(self._scope, None, margins=(16, 8, 16, 9), parent=self._scope_bar)
        note = Label(
            self.tr(
                "Only writes that Placet made itself are listed. What commands changed is not, and cannot be undone here."
            ),
            self._theme,
            "text-3",
            11,
        )
        note.setWordWrap(True)
        column_of(note, margins=(16, 10, 16, 12), parent=foot)
        column = column_of(head, self._scope_bar, parent=side, margins=(0, 0, 1, 0))
        column.addWidget(self.list, 1)
        column.addWidget(foot)
        return side

    def _right(self) -> QWidget:
        shown_page, empty = Plane(self._theme), Plane(self._theme)
        head = Plane(self._theme, lines="b", height=48)
        buttons = row_of(self.subject, self.session_button, 4, self.again_button, self.revert_button, parent=head)
        buttons.setContentsMargins(0, 0, 16, 1)
        buttons.setStretch(0, 1)
        column = column_of(head, parent=shown_page)
        column.addWidget(Inset(self.banner))
        column.addWidget(self.diff, 1)
        title = Label(self.tr("No changes yet"), self._theme, "text", 14, 600)
        words = self.tr(
            "Every file that is written here will be listed, with what it was before, so that it can be undone."
        )
        sentence = Label(words, self._theme, "text-2", 13)
        sentence.setWordWrap(True)
        column_of(title, 6, sentence, None, margins=(24, 24, 24, 24), parent=empty)
        self._body.addWidget(empty)
        self._body.addWidget(shown_page)
        return self._body

    def _connect(self) -> None:
        model = self._model
        model.loaded.connect(self._show_list_state)
        model.diff_shown.connect(self._show_diff)
        model.reverted.connect(self._show_outcomes)
        model.failed.connect(self._show_error)
        self.list.chosen.connect(self._choose)
        self.list.selectionModel().selectionChanged.connect(self._show_actions)
        self.revert_button.clicked.connect(lambda: model.undo(self.list.selected()))
        self.again_button.clicked.connect(self._apply_again)
        self.session_button.clicked.connect(self._go_to_session)
        self._scope.chosen.connect(self._choose_scope)

    # ---- what is listed ------------------------------------------------------------------------------------------

    def show_session(self, session_id: SessionId | None, folder: str = "") -> None:
        """List this session's changes; None: all. A person may switch between this session and all.

        Files in `folder`, that of the session, are named from there on.
        """
        self._here = session_id
        self._folder = self.list.folder = folder
        self._scope_bar.setVisible(session_id is not None)
        self._scope.choose("here" if session_id is not None else "all")
        self._model.show_session(session_id)

    def _choose_scope(self, name: str) -> None:
        self._model.show_session(self._here if name == "here" else None)

    def select_change(self, change_id: ChangeId) -> bool:
        """Choose a change; says whether it is in the list."""
        row = self._model.row_of(change_id)
        if row >= 0:
            self.list.setCurrentIndex(self._model.index(row, 0))
        return row >= 0

    def _show_list_state(self) -> None:
        total = self._model.total
        self._count.setText(self.tr("{} in all").format(f"{total:,}") if total else "")
        self._body.setCurrentIndex(1 if total else 0)
        if total and not (self._current is not None and self.select_change(self._current.id)):
            self.list.setCurrentIndex(self._model.index(0, 0))
        if not total:
            self._current = None
            self.diff.clear()
        self._show_actions()

    # ---- the chosen change ---------------------------------------------------------------------------------------

    def _choose(self, change: Change) -> None:
        if self._current is None or self._current.id != change.id:
            self._model.show_diff(change)
            self.banner.hide()
        self._current = change
        tags = [(words, "danger" if change.conflict else "info")] if (words := state_words(change)) else []
        self.subject.show_file(short_path(change.path, self._folder), change.path, change.added, change.removed, tags)
        if change.conflict:
            self.banner.show_words(
                "warn", self.tr("Another program wrote this file at the same moment"), change.conflict
            )
        self._show_actions()

    def _show_diff(self, change: Change, diff: FileDiff) -> None:
        self.diff.set_diff(diff)

    def _show_actions(self) -> None:
        chosen, change = self.list.selected(), self._current
        count = sum(one.state is ChangeState.APPLIED for one in chosen)
        self.revert_button.setText(self.tr("Revert {}").format(count) if count > 1 else self.tr("Revert"))
        self.revert_button.updateGeometry()
        self.revert_button.setVisible(count > 0)
        self.again_button.setVisible(len(chosen) == 1 and change is not None and change.state is ChangeState.REVERTED)
        self.session_button.setVisible(change is not None and change.session_id != self._here)
        self.session_button.setToolTip(shown(change.session_title) if change is not None else "")

    def _apply_again(self) -> None:
        if self._current is not None:
            self._model.apply_again(self._current)

    def _go_to_session(self) -> None:
        if self._current is not None:
            self.session_requested.emit(self._current.session_id)

    # ---- what undoing came to ------------------------------------------------------------------------------------

    def _show_outcomes(self, outcomes: Sequence[RevertOutcome]) -> None:
        done = sum(outcome.status is RevertStatus.REVERTED for outcome in outcomes)
        missed = len(outcomes) - done
        if not missed:
            title = (
                self.tr("Reverted. This can be undone too.")
                if done == 1
                else self.tr("Reverted {} changes.").format(done)
            )
        else:
            title = self.tr("{} of {} could not be reverted").format(missed, len(outcomes))
        sentences = "\n".join(shown(outcome_sentence(outcome)) for outcome in outcomes)
        self.banner.show_words("warn" if missed else "info", title, sentences)

    def _show_error(self, error: PlacetError) -> None:
        self.banner.show_error(error)
        if self._current is not None and self.diff.diff.path != self._current.path:
            self.diff.clear()
