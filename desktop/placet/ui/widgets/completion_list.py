"""A small list of ways to go on, over the page beside the field that is written in. Never takes the focus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.commands import Completion
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce, viewport_rect

ROW = 28
PAD = 4
_MOST_ROWS = 8
_INSET = 10


class CompletionList(QWidget):
    """`accessible.PaintedItems`. `current` is -1 where nothing is chosen; `reader` is the field a screen reader is in."""

    taken = Signal(int)

    def __init__(self, name: str, reader: QWidget, theme: Theme) -> None:
        super().__init__()
        self._theme, self._reader = theme, reader
        self.items: Sequence[Completion] = ()
        self.current = -1
        self._first = self._rows = 0
        self._pressed = -1
        self.setObjectName("completionList")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)
        self.hide()

    def show_items(self, items: Sequence[Completion], current: int, room: int) -> None:
        """Take the height that fits `room` pixels; whoever shows the list gives it its place and width."""
        is_new = self.isHidden()
        self.items, self._first, self._pressed = items, 0, -1
        self._rows = max(1, min(len(items), _MOST_ROWS, (room - 2 * PAD) // ROW))
        self.resize(self.width(), self._rows * ROW + 2 * PAD)
        self.current = -1
        if is_new:
            announce(self._reader, self.tr("{}, {} entries").format(self.accessibleName(), len(items)))
        self._choose(current)

    def move_current(self, step: int) -> None:
        """To the next or previous row, and from the last one to the first."""
        at = (len(self.items) if step < 0 else -1) if self.current < 0 else self.current
        self._choose((at + step) % len(self.items))

    def _choose(self, index: int) -> None:
        if index >= 0:
            self._first = min(max(self._first, index - self._rows + 1), index)
        if index != self.current:
            self.current = index
            if index >= 0:
                announce(self._reader, self.item_text(index))
        self.update()

    # ---- painting ------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, box = self._theme, QRectF(self.rect())
        rounded(p, box, 8, theme.color("raised"))
        names = min(max(map(_name_width, self.items), default=0.0), box.width() * 0.5)
        for index in range(self._first, min(self._first + self._rows, len(self.items))):
            self._draw_row(p, index, QRectF(self._row_rect(index)), names)
        frame(p, box, 8, theme.color("hairline-2"))
        if len(self.items) > self._rows:
            track = box.height() - 12
            handle = QRectF(
                box.right() - 5, 6 + track * self._first / len(self.items), 3, track * self._rows / len(self.items)
            )
            rounded(p, handle, 1.5, theme.color("hairline-2"))

    def _draw_row(self, p: QPainter, index: int, row: QRectF, names: float) -> None:
        theme, item = self._theme, self.items[index]
        if index == self.current:
            rounded(p, row, 6, theme.color("accent-bg"))
        x, right = row.left() + _INSET, row.right() - _INSET
        label = elided(item.label, mono_font(12), names)
        used = text(p, x, row.top(), ROW, label, mono_font(12), theme.color("text"))
        if item.hint and used + 8 < names:
            hint = elided(item.hint, mono_font(12), names - used - 8)
            text(p, x + used + 8, row.top(), ROW, hint, mono_font(12), theme.color("text-3"))
        if item.is_own:
            right -= (
                text(p, right, row.top(), ROW, self.tr("yours"), ui_font(11), theme.color("text-3"), right=True) + 12
            )
        x += names + 20
        if right - x > 40:
            words = elided(item.description, ui_font(12), right - x)
            text(p, x, row.top(), ROW, words, ui_font(12), theme.color("text-2"))

    def _row_rect(self, index: int) -> QRect:
        return QRect(PAD, PAD + (index - self._first) * ROW, self.width() - 2 * PAD, ROW)

    # ---- the mouse -----------------------------------------------------------------------------------------------

    def _row_at(self, point: QPointF) -> int:
        index = int((point.y() - PAD) // ROW) + self._first
        is_row = point.y() >= PAD and self._first <= index < min(self._first + self._rows, len(self.items))
        return index if is_row else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if (index := self._row_at(event.position())) >= 0:
            self._choose(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self._row_at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index, self._pressed = self._pressed, -1
        if event.button() == Qt.MouseButton.LeftButton and index >= 0 and index == self._row_at(event.position()):
            self.taken.emit(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        step = -1 if event.angleDelta().y() > 0 else 1
        self._first = max(0, min(self._first + step, len(self.items) - self._rows))
        self.update()

    # ---- for screen readers --------------------------------------------------------------------------------------

    def item_count(self) -> int:
        return len(self.items)

    def item_text(self, index: int) -> str:
        item = self.items[index]
        return ", ".join(part for part in (f"{item.label} {item.hint}".strip(), item.description) if part)

    def item_rect(self, index: int) -> QRect:
        row = self._row_rect(index)
        return viewport_rect(self, row.x(), row.y(), row.width(), row.height())

    def item_checked(self, index: int) -> bool | None:
        return None

    def item_widgets(self) -> Sequence[QWidget]:
        return ()

    def item_current(self) -> int:
        return self.current


def _name_width(item: Completion) -> float:
    hint = 8 + text_width(item.hint, mono_font(12)) if item.hint else 0.0
    return text_width(item.label, mono_font(12)) + hint + 1  # a name that fits exactly must not be cut
