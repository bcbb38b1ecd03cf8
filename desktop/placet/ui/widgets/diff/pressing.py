"""What can be pressed in a diff besides its text: the ends of heads, and folds. By mouse and by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from placet.ui.widgets.diff.folds import STEP, can_open
from placet.ui.widgets.diff.heads import controls
from placet.ui.widgets.diff.layout import RowKind

if TYPE_CHECKING:
    from placet.ui.widgets.diff.view import DiffView

NOWHERE = (-1, "")
_ALL = 1 << 30


class Pressing(QObject):
    """Takes the mouse where something can be pressed; the rest is the text's."""

    def __init__(self, view: DiffView) -> None:
        super().__init__(view)
        self._view = view
        self.hovered: tuple[int, str] = NOWHERE  # hunk and control
        self._down: tuple[int, str] = NOWHERE

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take an event of the viewport that is about something here."""
        if event.type() == QEvent.Type.Leave:
            self._hover(NOWHERE)
        if not isinstance(event, QMouseEvent):
            return False
        found = self._control_at(event.position())
        match event.type():
            case QEvent.Type.MouseMove if not event.buttons():
                self._hover(found)
                return False
            case QEvent.Type.MouseButtonPress | QEvent.Type.MouseButtonDblClick:
                return self._press(event, found)
            case QEvent.Type.MouseMove:
                return self._down != NOWHERE
            case QEvent.Type.MouseButtonRelease if self._down != NOWHERE:
                down, self._down = self._down, NOWHERE
                if down == found:
                    self.activate(*down)
                return True
        return False

    def _press(self, event: QMouseEvent, found: tuple[int, str]) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._down = found
        if found == NOWHERE and (fold := self._fold_at(event.position())) is not None:
            everything = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            self._view.open_fold(fold, _ALL if everything else STEP)
            return True
        return found != NOWHERE

    def _hover(self, found: tuple[int, str]) -> None:
        if found != self.hovered:
            self.hovered = found
            self._view.viewport().update()

    def _control_at(self, point: QPointF) -> tuple[int, str]:
        for hunk, head in self._view.heads():
            if head.contains(point):
                parts = controls(head, self._view.states, hunk)
                return next(((hunk, part.name) for part in parts if part.rect.contains(point)), NOWHERE)
        return NOWHERE

    def _fold_at(self, point: QPointF) -> int | None:
        view, layout = self._view, self._view.rows()
        if not can_open(view.diff) or any(head.contains(point) for _, head in view.heads()):
            return None
        y = view.verticalScrollBar().value() + point.y()
        if not 0 <= y < layout.heights.total:
            return None
        place = layout.row(layout.heights.row_at(y))
        return place.hunk if place.kind is RowKind.FOLD else None

    # ---- what a press does ---------------------------------------------------------------------------------------

    def activate(self, hunk: int, control: str) -> None:
        """Do what a control of a hunk's head does."""
        view = self._view
        view.make_current(hunk)
        if control == "edit":
            view.edit_requested.emit()
        else:
            view.decided.emit(hunk, control == "accept")

    def key(self, key: int) -> bool:
        """Do what a key does for the current hunk; says whether it does something."""
        view, hunk = self._view, self._view.current
        chooses = view.states.can_choose and bool(view.diff.hunks)
        match key:
            case Qt.Key.Key_A | Qt.Key.Key_S if chooses:
                view.decided.emit(hunk, key == Qt.Key.Key_A)
                view.go_to(hunk + 1)
            case Qt.Key.Key_Space if chooses:
                view.decided.emit(hunk, view.states.is_skipped(hunk))
            case Qt.Key.Key_L:
                return view.notices.step(1)
            case Qt.Key.Key_O:
                self.open_near(STEP)
            case _:
                return False
        return True

    def open_near(self, lines: int = _ALL) -> None:
        """Show more of what is folded above the current hunk; below the last one where nothing is folded above it."""
        view, hunk = self._view, self._view.current
        hunks = view.diff.hunks
        if not hunks:
            return
        is_last = hunk == len(hunks) - 1
        view.open_fold(hunk + 1 if is_last and not hunks[hunk].unchanged_before else hunk, lines)
        view.go_to(hunk)
