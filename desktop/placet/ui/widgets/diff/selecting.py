"""The mouse's and the clipboard's part of a text view: press, drag, double click, copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QBasicTimer, QEvent, QObject, QPointF, Qt, QTimerEvent, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QMenu

from placet.ui.widgets.diff.selection import Place, Selection

if TYPE_CHECKING:
    from placet.ui.widgets.diff.text_view import TextView


class Selecting(QObject):
    """Owns a view's selection. Copies the real characters, hidden ones included."""

    pressed = Signal(QPointF)

    def __init__(self, view: TextView) -> None:
        super().__init__(view)
        self.selection = Selection()
        self.side = 0  # the column that it is in
        self._view = view
        self._dragging = QBasicTimer()
        self._mouse = QPointF()

    def handle(self, event: QEvent) -> bool:
        """Take a mouse event of the viewport; says whether it was one of these."""
        if not isinstance(event, QMouseEvent):
            return False
        left = Qt.MouseButton.LeftButton
        match event.type():
            case QEvent.Type.MouseButtonPress if event.button() == left:
                self._press(event)
            case QEvent.Type.MouseButtonDblClick if event.button() == left:
                self._double_click(event.position())
            case QEvent.Type.MouseMove if event.buttons() & left:
                self._move(event.position())
            case QEvent.Type.MouseButtonRelease if event.button() == left:
                self._dragging.stop()
            case _:
                return False
        return True

    def _press(self, event: QMouseEvent) -> None:
        self.pressed.emit(event.position())
        if not self._view.rows().line_count:
            return
        extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not extends:
            self.side = self.side_at(event.position().x())
        place = self.place_at(event.position(), self.side)
        if extends:
            self.selection.caret = place
        else:
            self.selection.begin(place)
        self._view.viewport().update()

    def _double_click(self, point: QPointF) -> None:
        if self._view.rows().line_count:
            self.side = self.side_at(point.x())
            place = self.place_at(point, self.side)
            self.selection.select_word(place, self._raw(place.line))
            self._view.viewport().update()

    def _move(self, point: QPointF) -> None:
        if not self._view.rows().line_count:
            return
        self._mouse = point
        self._drag()
        if self._view.viewport().rect().contains(point.toPoint()):
            self._dragging.stop()
        elif not self._dragging.isActive():
            self._dragging.start(30, self)

    def _drag(self) -> None:
        self.selection.caret = self.place_at(self._mouse, self.side)
        self._view.viewport().update()

    def timerEvent(self, event: QTimerEvent) -> None:
        """Scroll on while the mouse drags outside; the further out the faster."""
        box, bar = self._view.viewport().rect(), self._view.verticalScrollBar()
        over = min(self._mouse.y() - box.top(), 0) + max(self._mouse.y() - box.bottom(), 0)
        bar.setValue(bar.value() + round(over / 2))
        self._drag()

    def _raw(self, line: int) -> str:
        return self._view.rows().visible(line).raw

    def side_at(self, x: float) -> int:
        """The column at `x`."""
        return max((side for side, column in enumerate(self._view.columns()) if column.left <= x), default=0)

    def place_at(self, point: QPointF, side: int = 0) -> Place:
        """The character of one side that is nearest to a point of the viewport."""
        rows, column = self._view.rows(), self._view.columns()[side]
        row = rows.heights.row_at(self._view.verticalScrollBar().value() + point.y())
        while (strip := rows.strip(row, side)) is None and row + 1 < len(rows.heights):
            row += 1  # a head stands for the line below it
        if strip is None:
            last = rows.line_count - 1
            return Place(last, len(rows.visible(last).raw))
        visible = rows.visible(strip.line)
        x = point.x() - column.code_x + self._view.horizontalScrollBar().value()
        return Place(strip.line, visible.to_raw(strip.start + self._view.strips.code(strip, visible).offset_at(x)))

    def _stands_here(self, line: int) -> bool:
        return self._view.has_line(line, self.side)

    def forget(self) -> None:
        self._dragging.stop()
        self.selection = Selection()

    def text(self) -> str:
        """The selected characters as they really are."""
        return "" if self.selection.is_empty else self.selection.text(self._raw, self._stands_here)

    def copy(self) -> None:
        if not self.selection.is_empty:
            QGuiApplication.clipboard().setText(self.text())

    def select_all(self) -> None:
        last = self._view.rows().line_count - 1
        if last >= 0:
            self.selection.anchor = Place(0, 0)
            self.selection.caret = Place(last, len(self._raw(last)))
            self._view.viewport().update()

    def select_line(self, line: int, side: int = 0) -> None:
        self.side = side
        self.selection.anchor, self.selection.caret = Place(line, 0), Place(line, len(self._raw(line)))
        self._view.viewport().update()

    def menu(self) -> QMenu:
        """The context menu; it deletes itself when closed."""
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(self.tr("Copy"), QKeySequence.StandardKey.Copy)
        copy.triggered.connect(self.copy)
        copy.setEnabled(not self.selection.is_empty)
        every = menu.addAction(self.tr("Select all"), QKeySequence.StandardKey.SelectAll)
        every.triggered.connect(self.select_all)
        return menu
