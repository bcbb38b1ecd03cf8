"""The undo before it happens: every file with what it would be, and the one button that does it (`R-9`).

A page like any other, never a window on top: one may look at it for as long as one likes, or leave it.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from placet.core.domain.errors import PlacetError
from placet.core.domain.undo import CAN_UNDO, FileUndo, UndoStatus, UndoWish
from placet.ui.models.undo import UndoModel
from placet.ui.panels.changes.three_way import ThreeWayView
from placet.ui.panels.changes.two_lines import TwoLineList, TwoLines
from placet.ui.panels.review.head import SubjectLine
from placet.ui.paths import short_path
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Button, IconButton, Label, Segmented
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of, row_of

_WIDE = 900


class UndoView(QWidget):
    """`left` when a person goes back; `finished` gives the outcomes of what was done."""

    left = Signal()
    finished = Signal(object)

    def __init__(self, model: UndoModel, theme: Theme, now_ms: Callable[[], int] | None = None) -> None:
        super().__init__()
        self._guard = AttentionGuard(now_ms)
        self._is_new = True  # the plan has not been seen yet
        self.setObjectName("undoView")
        self._model, self._theme, self._folder = model, theme, ""
        self.title = Label("", theme, "text", 14, 600)
        self.list = TwoLineList(self.tr("Files of this undo"), model, theme, self._lines)
        self.list.setObjectName("undoList")
        self.subject = SubjectLine(theme)
        self.how = Segmented(
            [(self.tr("Result"), "", "result"), (self.tr("Three sides"), "", "sides")], theme, height=26
        )
        self.banner = Banner(theme)
        self.diff, self.sides = DiffView(theme), ThreeWayView(theme)
        self._pages = QStackedWidget()
        self._nothing = Label("", theme, "text-2", 13)
        self.undo_button = Button(self.tr("Undo"), theme, kind="primary", icon="undo-2", height=32, pad=14)
        self.undo_button.setObjectName("undoButton")
        self.cancel_button = Button(self.tr("Cancel"), theme, height=32, pad=14)
        self._words = Label("", theme, "text-2", 12)
        self._words.setWordWrap(True)
        column = column_of(self._head(), parent=self)
        body = row_of(self._left(), self._right())
        body.setStretch(1, 1)
        column.addLayout(body, 1)
        column.addWidget(self._foot())
        self._connect()

    # ---- building ------------------------------------------------------------------------------------------------

    def _head(self) -> QWidget:
        head = Plane(self._theme, lines="b", height=48)
        back = IconButton("arrow-left", self.tr("Back, nothing is undone"), self._theme)
        back.clicked.connect(self.left)
        row_of(back, 8, self.title, None, margins=(12, 0, 16, 1), parent=head)
        return head

    def _left(self) -> QWidget:
        self._side = side = Plane(self._theme, lines="r")
        side.setFixedWidth(300)
        note = Label(
            self.tr("What commands changed is not in the journal. It stays as it is, whatever is undone here."),
            self._theme, "text-3", 11,
        )  # fmt: skip
        note.setWordWrap(True)
        foot = Plane(self._theme, lines="t")
        column_of(note, margins=(16, 10, 16, 12), parent=foot)
        column = column_of(parent=side, margins=(0, 0, 1, 0))
        column.addWidget(self.list, 1)
        column.addWidget(foot)
        return side

    def _right(self) -> QWidget:
        right = Plane(self._theme)
        head = Plane(self._theme, lines="b", height=48)
        row = row_of(self.subject, self.how, margins=(0, 0, 16, 1), parent=head)
        row.setStretch(0, 1)
        nothing = Plane(self._theme)
        self._nothing.setWordWrap(True)
        column_of(self._nothing, None, margins=(24, 24, 24, 24), parent=nothing)
        for page in (self.diff, self.sides, nothing):
            self._pages.addWidget(page)
        self._blank = nothing
        column = column_of(head, Inset(self.banner), parent=right)
        column.addWidget(self._pages, 1)
        return right

    def _foot(self) -> QWidget:
        foot = Plane(self._theme, lines="t", height=56)
        row = row_of(*(self.undo_button, 8, self.cancel_button, 16, self._words), margins=(16, 1, 16, 0), parent=foot)
        row.setStretch(row.count() - 1, 1)
        return foot

    def _connect(self) -> None:
        model = self._model
        model.planned.connect(self._show_plan)
        model.shown.connect(self._show_file)
        model.done.connect(self.finished)
        model.failed.connect(self._show_error)
        self.list.chosen.connect(lambda row: model.choose(row) if row != model.at else None)
        self.how.chosen.connect(lambda _: self._show_page())
        self.sides.decided.connect(model.decide)
        self.sides.all_decided.connect(model.decide_all)
        self.undo_button.clicked.connect(self._carry_out)
        self.cancel_button.clicked.connect(self.left)

    # ---- showing -------------------------------------------------------------------------------------------------

    def begin(self, wish: UndoWish, title: str, folder: str = "") -> None:
        """Show what `wish` would do; nothing is done before the button is pressed."""
        self._folder = folder
        self.title.setText(title)
        self.banner.hide()
        self._is_new = True
        self._model.begin(wish)
        self._pages.setCurrentWidget(self._blank)
        self._nothing.setText("")
        self.how.hide()
        self._show_foot()
        self.list.setFocus()

    def _carry_out(self) -> None:
        """A press that was meant for what was there before does nothing."""
        if self._guard.is_open:
            self._model.carry_out()

    def _show_plan(self) -> None:
        if not self._model.plans:
            self.subject.show_file("", "", 0, 0, [])
            self._nothing.setText(self.tr("Placet changed no file there, so there is nothing to undo."))
            self._pages.setCurrentWidget(self._blank)
        elif self.list.currentIndex().row() != self._model.at:
            self.list.choose(self._model.at)
        self._show_foot()
        if self._is_new:
            self._is_new = False
            self._guard.restart()
            self.undo_button.setFocus()

    def _show_foot(self) -> None:
        model = self._model
        files, waiting = len(model.doable), len(model.undecided)
        again = model.is_again
        if files == 1:
            words = self.tr("Apply again") if again else self.tr("Undo in 1 file")
        else:
            template = self.tr("Apply again in {} files") if again else self.tr("Undo in {} files")
            words = template.format(files) if files else self.tr("Undo")
        self.undo_button.relabel(words, "redo-2" if again else "undo-2")
        self.undo_button.setAccessibleName(words)
        self.undo_button.setEnabled(files > 0)
        told = [self.tr("Nothing is changed yet.")]
        if waiting:
            told.append(
                self.tr("1 file waits for your decision and is left as it is until then.")
                if waiting == 1
                else self.tr("{} files wait for your decision and are left as they are until then.").format(waiting)
            )
        elif files:
            told.append(self.tr("What you do now can itself be undone."))
        self._words.setText(" ".join(told))

    def _show_file(self) -> None:
        plan, model = self._model.current, self._model
        if plan is None:
            return
        status, _ = status_words(plan)
        tags = [(status, "info" if plan.is_decided and plan.conflicts else "warn")] if status else []
        self.subject.show_file(short_path(plan.path, self._folder), plan.path, plan.added, plan.removed, tags)
        self.how.setVisible(model.sides is not None)
        if model.diff is not None:
            self.diff.set_diff(model.diff)
        if model.sides is not None:
            self.sides.show_sides(model.sides, again=model.is_again)
            if not plan.is_decided and not plan.choices:
                self.how.choose("sides")
        self._nothing.setText(shown(plan.message))
        if plan.status in (UndoStatus.MERGED, UndoStatus.CONFLICT):
            level = "info" if plan.is_decided else "warn"
            self.banner.show_words(level, self.tr("This file has changed since"), _meaning(plan, model.is_again))
        else:
            self.banner.hide()
        self._show_page()

    def _show_page(self) -> None:
        if self._model.diff is None:
            self._pages.setCurrentWidget(self._blank)
        elif self._model.sides is not None and self.how.current() == "sides":
            self._pages.setCurrentWidget(self.sides)
        else:
            self._pages.setCurrentWidget(self.diff)

    def _show_error(self, error: PlacetError) -> None:
        self.banner.show_error(error)
        self._show_foot()

    def _lines(self, plan: FileUndo) -> TwoLines:
        path = short_path(plan.path, self._folder)
        folder, _, name = path.rpartition("/")
        status, role = status_words(plan)
        return TwoLines(
            letter=_letter(plan),
            name=name,
            added=plan.added,
            removed=plan.removed,
            words=" · ".join(part for part in (status, folder) if part),
            role=role,
            struck=plan.status not in CAN_UNDO,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._side.setFixedWidth(300 if self.width() >= _WIDE else 220)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.focusWidget() is self.undo_button:
            self._carry_out()
        else:
            super().keyPressEvent(event)


def _letter(plan: FileUndo) -> str:
    if plan.after_digest == "absent" != plan.now_digest:
        return "D"
    return "A" if plan.now_digest == "absent" != plan.after_digest else "M"


def status_words(plan: FileUndo) -> tuple[str, str]:
    """What is to be said of a file in the list, and in which colour."""
    tr = QCoreApplication.translate
    open_ones = plan.conflicts - sum(choice is not None for choice in plan.choices)
    match plan.status:
        case UndoStatus.CONFLICT if open_ones:
            return tr("UndoView", "to be decided: {}").format(open_ones), "warn-text"
        case UndoStatus.CONFLICT:
            return tr("UndoView", "decided"), "text-3"
        case UndoStatus.MERGED:
            return tr("UndoView", "changed since, fits together"), "warn-text"
        case UndoStatus.NOTHING:
            return tr("UndoView", "nothing to undo"), "text-3"
        case UndoStatus.GONE:
            return tr("UndoView", "contents no longer kept"), "text-3"
        case UndoStatus.FAILED:
            return tr("UndoView", "cannot be undone"), "danger-text"
        case _:
            return "", "text-3"


def _meaning(plan: FileUndo, again: bool) -> str:
    tr = QCoreApplication.translate
    if plan.status is UndoStatus.MERGED and again:
        return tr("UndoView", "The change is put in again. What was changed elsewhere in the file stays.")
    if plan.status is UndoStatus.MERGED:
        return tr("UndoView", "Only what Placet changed is taken out. What was changed elsewhere in the file stays.")
    if plan.is_decided:
        return tr("UndoView", "Where both sides changed the same place, it becomes what you decided.")
    return tr("UndoView", "Both sides changed the same place. Decide what stays; until then the file is left as it is.")
