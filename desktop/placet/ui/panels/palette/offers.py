"""The rows of the palette, painted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from placet.ui.models.actions import spoken
from placet.ui.models.palette import Offer
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce, viewport_rect

ROW = 28
_MOST_ROWS = 12
_ICON, _WORDS, _END = 10, 36, 10


class OfferList(QWidget):
    """`accessible.PaintedItems`. Never takes the focus: the field above it keeps it, and moves the current row."""

    taken = Signal(int)

    def __init__(self, reader: QWidget, theme: Theme) -> None:
        super().__init__()
        self._theme, self._reader = theme, reader
        self.offers: Sequence[Offer] = ()
        self.current = -1
        self._first = 0
        self._pressed = -1
        self.setObjectName("paletteList")
        self.setAccessibleName(self.tr("What can be done"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        theme.changed.connect(self.update)

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """Show these, with the first one current."""
        self.offers, self._first, self._pressed = offers, 0, -1
        self.current = -1
        self._choose(0 if offers else -1)
        if not offers:
            announce(self._reader, self.tr("Nothing has this name"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, max(1, min(len(self.offers), _MOST_ROWS)) * ROW)

    @property
    def _rows(self) -> int:
        return max(1, self.height() // ROW)

    def move_current(self, step: int) -> None:
        """Up or down; from the last row to the first. A step of more than one stays inside."""
        if not self.offers:
            return
        at = self.current + step
        self._choose(at % len(self.offers) if abs(step) == 1 else min(max(at, 0), len(self.offers) - 1))

    def page(self) -> int:
        return self._rows

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
        if not self.offers:
            words = self.tr("Nothing has this name. Fewer letters find more.")
            text(p, _ICON, 0, ROW, words, ui_font(13), self._theme.color("text-2"))
            return
        for index in range(self._first, min(self._first + self._rows, len(self.offers))):
            self._draw_row(p, index, QRectF(self._row_rect(index)))
        if len(self.offers) > self._rows:
            track, count = self.height() - 8.0, len(self.offers)
            handle = QRectF(self.width() - 4, 4 + track * self._first / count, 3, track * self._rows / count)
            rounded(p, handle, 1.5, self._theme.color("hairline-2"))

    def _draw_row(self, p: QPainter, index: int, row: QRectF) -> None:
        theme, offer = self._theme, self.offers[index]
        entry = offer.entry
        if index == self.current:
            rounded(p, row, 6, theme.color("accent-bg"))
        if entry.icon:
            theme.draw_icon(p, entry.icon, QRectF(row.left() + _ICON, row.top(), 16, ROW), "text-2")
        right = row.right() - _END
        if entry.kind:
            right -= text(p, right, row.top(), ROW, entry.kind, ui_font(11), theme.color("text-2"), right=True) + 16
        if entry.keys:
            keys = spoken(entry.keys)
            width = text_width(keys, ui_font(11)) + 12
            box = QRectF(right - width, row.top() + 5, width, 18)
            rounded(p, box, 4, theme.color("surface"))
            frame(p, box, 4, theme.color("hairline-2"))
            text(p, box.left() + 6, row.top(), ROW, keys, ui_font(11), theme.color("text-2"))
            right -= width + 12
        x = row.left() + _WORDS
        words = elided(entry.words, ui_font(13), right - x)
        x += self._draw_words(p, x, row.top(), words, offer.places)
        if entry.detail and right - x > 60:
            detail = elided(entry.detail, ui_font(12), right - x - 12)
            text(p, x + 12, row.top(), ROW, detail, ui_font(12), theme.color("text-2"))

    def _draw_words(self, p: QPainter, x: float, top: float, words: str, places: frozenset[int]) -> float:
        """Runs of meant and other letters; returns their width."""
        begin, start = x, 0
        for at in range(1, len(words) + 1):
            if at == len(words) or (at in places) != (start in places):
                is_meant = start in places
                font = ui_font(13, 600 if is_meant else 400)
                x += text(p, x, top, ROW, words[start:at], font, self._theme.color("text"))
                start = at
        return x - begin

    def _row_rect(self, index: int) -> QRect:
        return QRect(0, (index - self._first) * ROW, self.width() - 6, ROW)

    # ---- the mouse -----------------------------------------------------------------------------------------------

    def _row_at(self, point: QPointF) -> int:
        index = int(point.y() // ROW) + self._first
        is_row = point.y() >= 0 and self._first <= index < min(self._first + self._rows, len(self.offers))
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
        self._first = max(0, min(self._first + step, len(self.offers) - self._rows))
        self.update()

    # ---- for screen readers --------------------------------------------------------------------------------------

    def item_count(self) -> int:
        return len(self.offers)

    def item_text(self, index: int) -> str:
        entry = self.offers[index].entry
        return ", ".join(part for part in (entry.words, entry.kind, entry.detail, spoken(entry.keys)) if part)

    def item_rect(self, index: int) -> QRect:
        row = self._row_rect(index)
        return viewport_rect(self, row.x(), row.y(), row.width(), row.height())

    def item_checked(self, index: int) -> bool | None:
        return None

    def item_widgets(self) -> Sequence[QWidget]:
        return ()

    def item_current(self) -> int:
        return self.current
