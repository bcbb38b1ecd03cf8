"""The scrolling surface under the chat view: places rows, paints them, scrolls and follows the end (`D-1`)."""

from __future__ import annotations

import time

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from placet.ui.models.transcript import TranscriptModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button
from placet.ui.widgets.text.flow import Mark
from placet.ui.widgets.text.syntax import Highlighter
from placet.ui.widgets.transcript.column import Column
from placet.ui.widgets.transcript.finder import Finder
from placet.ui.widgets.transcript.row_view import Action, Paint, RowContext, RowView
from placet.ui.widgets.transcript.selection import Place, Selection
from placet.ui.widgets.transcript.spinning import Spinning
from placet.ui.widgets.viewport import own_viewport

COLUMN = 760
MARGIN = 24


class TranscriptSurface(QAbstractScrollArea):
    """Owns scroll position, selection and folds, and no fact about the session."""

    older_wanted = Signal()
    _near_top = Signal()

    def __init__(self, model: TranscriptModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model, self.theme = model, theme
        self.context = RowContext(theme, Highlighter(self))
        self.column = Column(model.rows, self.context)
        self.selection, self.finder = Selection(self.column), Finder(self.column)
        self.hover: tuple[int, Action] | None = None
        self.focus_action: tuple[int, Action] | None = None
        self.copied: Action | None = None
        self._moving = False
        self._asked_older = False
        self._spinning = Spinning(self)
        self.jump = Button(self.tr("New messages"), theme, icon="arrow-down", parent=own_viewport(self))
        self.jump.hide()
        self.jump.clicked.connect(self.to_bottom)
        self._set_up()
        model.spliced.connect(self._on_spliced)
        theme.changed.connect(self._on_theme_changed)
        self.context.highlighter.ready.connect(self._on_coloured)
        self._near_top.connect(self.older_wanted, Qt.ConnectionType.QueuedConnection)

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(20)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    @property
    def is_animated(self) -> bool:
        """Whether a timer runs because something that turns can be seen."""
        return self._spinning.is_running

    # ---- geometry ----------------------------------------------------------------------------------------------

    @property
    def left(self) -> int:
        """Where the column of text begins. The scroll bar lies in the margin: that it appears moves nothing."""
        room = self.width() - 2 * MARGIN
        return MARGIN + max(0, room - self.context.width) // 2

    def row_at(self, point: QPointF) -> tuple[int, RowView, QPointF] | None:
        """The row under a point of the viewport, and the point in the row's coordinates."""
        for index, y, view in self.column.visible():
            if y <= point.y() < y + view.height:
                return index, view, point - QPointF(self.left, round(y))
        return None

    def place_at(self, point: QPointF) -> Place | None:
        """The nearest place in the text."""
        found = None
        for index, y, view in self.column.visible():
            found = Place(index, view.offset_at(point - QPointF(self.left, round(y))))
            if point.y() < y + view.height + 5:
                break
        return found

    def rect_of(self, index: int, rect: QRectF) -> QRectF:
        """A rectangle of a row in the viewport's coordinates; empty while the row is not seen."""
        for seen, y, _view in self.column.visible():
            if seen == index:
                return rect.translated(self.left, round(y))
        return QRectF()

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = max(160, min(COLUMN, self.width() - 2 * MARGIN))
        if width != self.context.width:
            self.context.width = width
            self.column.forget(heights=True)
        self._place_jump()
        self.settle()

    # ---- scrolling ---------------------------------------------------------------------------------------------

    def settle(self, changed: int | None = None) -> None:
        """Place the rows anew and tell the scroll bar what that means.

        `changed` is the first row that looks different; what stands above it is moved, not painted again.
        """
        column, bar = self.column, self.verticalScrollBar()
        before = column.y_of(changed) if changed is not None else 0.0
        column.port = self.viewport().height()
        column.settle()
        self._moving = True
        bar.setRange(0, max(0, round(column.total - column.port)))
        bar.setPageStep(max(20, column.port - 40))
        bar.setValue(round(column.value))
        self._moving = False
        if column.follow:
            self.jump.hide()
        self._ask_for_older()
        if changed is None:
            self.viewport().update()
        else:
            self._repaint_from(column.y_of(changed), before)

    def _ask_for_older(self) -> None:
        """Once on the way up; again if one went away and came back, for the first answer may have failed."""
        is_near = self.column.value < 2 * self.column.port
        if is_near and self.model.has_older and not self._asked_older:
            self._near_top.emit()
        self._asked_older = is_near and self.model.has_older

    def _repaint_from(self, y: float, before: float) -> None:
        """Paint what is below `y`; what is above stood at `before` and is copied, which costs next to nothing."""
        port, shift = self.viewport(), y - before
        if not 0 <= y < port.height() or (shift and (self.jump.isVisible() or shift != round(shift))):
            port.update()
            return
        if shift:
            port.scroll(0, round(shift), port.rect())
        port.update(0, int(y) - 1, port.width(), port.height() - int(y) + 1)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Nothing: what has to be painted is known here, and Qt would paint all of it."""

    def _on_scrolled(self, value: int) -> None:
        if not self._moving:
            self.column.scroll_to(value, value >= self.verticalScrollBar().maximum())
            self.settle()

    def scroll_by(self, pixels: float) -> None:
        """Move by exact pixels, as a drag past the edge does."""
        self.column.follow = False
        self.column.walk(pixels)
        self.settle()
        self._follow_if_at_end()

    def _follow_if_at_end(self) -> None:
        bar = self.verticalScrollBar()
        if self.column.value >= bar.maximum() - 1:
            self.column.follow = True
            self.jump.hide()

    def to_bottom(self) -> None:
        """Go to the end and follow what comes."""
        self.column.follow = True
        self.settle()

    def show_row(self, index: int) -> None:
        self.column.show(index)
        self.settle()

    def reveal(self, place: Place) -> None:
        """Scroll as little as needed to see a place."""
        rect = self.column.view(place.row).caret(place.offset)
        y = self.column.y_of(place.row) + rect.top()
        room = self.viewport().height() - rect.height()
        if y < 0 or y > room:
            self.scroll_by(y if y < 0 else y - room)

    def relayout(self, index: int) -> None:
        """A fold has changed: what was clicked stays under the pointer."""
        self.column.rebuild(index)
        self.column.follow = False
        self.settle()
        self._follow_if_at_end()

    # ---- model and theme ---------------------------------------------------------------------------------------

    def _on_spliced(self, first: int, removed: int, added: int) -> None:
        is_folding = self.model.is_folding
        is_new_page = removed >= len(self.column.heights) and first == 0 and not is_folding
        at_end = first + added >= len(self.model.rows)
        self.column.rows = self.model.rows
        self.column.splice(first, removed, added)
        self.selection.splice(first, removed, added)
        self.hover = None
        self.focus_action = self.column.moved_action(self.focus_action, first, removed, added)
        if first == 0:
            self._asked_older = False
        if is_new_page:
            self.selection.set(None, None)
            self.focus_action = None
            self.context.folds.clear()
            self.column.forget(heights=False)
            self.column.follow = True
        elif is_folding:
            self.column.follow = False  # what was pressed stays under the pointer
        moved = is_new_page or first <= self.column.anchor
        self.settle(None if moved else min(first, len(self.model.rows) - 1))
        if is_folding:
            self._follow_if_at_end()
        elif at_end and added and not self.column.follow and not self.jump.isVisible():
            self._place_jump()
            self.jump.show()

    def _on_theme_changed(self) -> None:
        self.column.forget(heights=False)
        self.settle()

    def _on_coloured(self) -> None:
        for _index, y, view in self.column.visible():
            if view.awaits_colours:
                self.viewport().update(QRectF(self.left, round(y), view.width, view.height).toAlignedRect())

    def _place_jump(self) -> None:
        self.jump.adjustSize()
        port = self.viewport()
        self.jump.move((port.width() - self.jump.width()) // 2, port.height() - self.jump.height() - 8)

    # ---- painting ----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self.viewport())
        dirty = QRectF(event.rect())
        p.fillRect(dirty, self.theme.color("bg"))
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        now, phase = time.time(), self._spinning.phase
        turning = False
        for index, y, view in self.column.visible():
            turning = turning or bool(view.spinners)
            if not dirty.intersects(QRectF(self.left, y, view.width, view.height)):
                continue
            p.save()
            p.translate(self.left, round(y))
            view.paint(p, self._moment(index, view, dirty.translated(-self.left, -round(y)), phase, now))
            p.restore()
        self._spinning.set_needed(turning)

    def _moment(self, index: int, view: RowView, dirty: QRectF, phase: float, now: float) -> Paint:
        span = self.selection.span(index, view)
        marks = [Mark(*span, "selection")] if span is not None else []
        return Paint(
            dirty=dirty,
            marks=marks + self.finder.marks(index, view),
            hover=self.hover[1] if self.hover and self.hover[0] == index else None,
            focus=self.focus_action[1] if self.focus_action and self.focus_action[0] == index else None,
            copied=self.copied,
            phase=phase,
            now=now,
        )


def _moved_focus(
    column: Column, focus: tuple[int, Action] | None, first: int, removed: int, added: int
) -> tuple[int, Action] | None:
    """Where the action with the keyboard's ring is after a change: in its row, or in the one in its place."""
    if focus is None or focus[0] < first:
        return focus
    index, action = focus
    if index >= first + removed:
        return index + added - removed, action
    if index < first + added:
        for kept in column.view(index).actions:
            if (kept.name, kept.key) == (action.name, action.key):
                return index, kept
    return None
