"""The mouse in the transcript: hovering, pressing, selecting by dragging, also past the edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from placet.ui.widgets.text.links import LinkKind, read_link
from placet.ui.widgets.transcript.acting import perform
from placet.ui.widgets.transcript.row_view import Action

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView

AUTOSCROLL_MS = 30


class Pointer(QObject):
    """`view` gives geometry and carries out what was pressed."""

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view
        self._dragged = QPointF()
        self._pressed: tuple[int, Action] | None = None
        self._since_double = QElapsedTimer()
        self._autoscroll = QTimer(self)
        self._autoscroll.setInterval(AUTOSCROLL_MS)
        self._autoscroll.timeout.connect(self._scroll_on)

    @property
    def is_scrolling(self) -> bool:
        return self._autoscroll.isActive()

    def press(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        view = self._view
        view.set_focus_action(None)
        place = view.place_at(event.position())
        self._pressed = self._action_under(event.position())
        if place is None:
            return
        selection = view.selection
        if self._since_double.isValid() and self._since_double.elapsed() < QApplication.doubleClickInterval():
            self._since_double.invalidate()
            selection.paragraph_at(place)
        else:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) and selection.start is not None
            selection.set(selection.start if extend else place, place)
        view.viewport().update()

    def double_click(self, event: QMouseEvent) -> None:
        place = self._view.place_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._since_double.start()
            self._view.selection.word_at(place)
            self._view.viewport().update()

    def move(self, event: QMouseEvent) -> None:
        if not event.buttons() & Qt.MouseButton.LeftButton or self._view.selection.start is None:
            self.hover(event.position())
            return
        self._dragged = event.position()
        outside = not 0 <= self._dragged.y() < self._view.viewport().height()
        if outside != self._autoscroll.isActive():
            self._autoscroll.start() if outside else self._autoscroll.stop()
        self._select_to_pointer()

    def release(self, event: QMouseEvent) -> None:
        self._autoscroll.stop()
        view = self._view
        if event.button() != Qt.MouseButton.LeftButton or not view.selection.is_empty:
            return
        hit = view.row_at(event.position())
        if hit is None:
            return
        if link := hit[1].link_at(hit[2]):
            view.follow_link(link)
        elif (action := self._action_under(event.position())) is not None and action == self._pressed:
            perform(view, *action)

    def leave(self) -> None:
        self.hover(QPointF(-1, -1))

    def hover(self, point: QPointF) -> None:
        """Show what is under the pointer: the row of a call, a link's real target, the shape of the cursor."""
        view = self._view
        hit = view.row_at(point)
        link = hit[1].link_at(hit[2]) if hit else None
        action = self._action_under(point)
        if action != view.hover:
            view.repaint_row(view.hover)
            view.hover, view.copied = action, None
            view.repaint_row(action)
        over_text = hit is not None and hit[1].is_text_at(hit[2])
        view.viewport().setCursor(_cursor(bool(link), action, over_text))
        view.show_target(read_link(link).target if link else "")

    def tip_at(self, point: QPointF) -> str:
        """What a tool tip says: where a link really goes, or more about an action."""
        hit = self._view.row_at(point)
        if hit is None:
            return ""
        if link := hit[1].link_at(hit[2]):
            target = read_link(link)
            return target.target if target.kind is not LinkKind.INERT else ""
        action = hit[1].action_at(hit[2])
        return action.tip if action is not None else ""

    def _action_under(self, point: QPointF) -> tuple[int, Action] | None:
        hit = self._view.row_at(point)
        action = hit[1].action_at(hit[2]) if hit else None
        return (hit[0], action) if hit and action else None

    def _select_to_pointer(self) -> None:
        selection = self._view.selection
        place = self._view.place_at(self._dragged)
        if place is not None and place != selection.end:
            selection.set(selection.start, place)
            self._view.viewport().update()

    def _scroll_on(self) -> None:
        """Faster the farther the pointer is past the edge."""
        y, height = self._dragged.y(), self._view.viewport().height()
        past = y if y < 0 else y - height
        self._view.scroll_by(max(-60.0, min(60.0, past)))
        self._select_to_pointer()


def _cursor(is_link: bool, action: tuple[int, Action] | None, over_text: bool) -> Qt.CursorShape:
    if is_link:
        return Qt.CursorShape.PointingHandCursor
    return Qt.CursorShape.IBeamCursor if over_text and action is None else Qt.CursorShape.ArrowCursor
