"""Messages that wait for the next round, joined to the top of the composer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.text import first_line
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import IconButton
from placet.ui.widgets.plane import column_of, row_of

_ROW = 30


class _Waiting(QWidget):
    def __init__(self, message: str, theme: Theme) -> None:
        super().__init__()
        self._message, self._theme = first_line(message, 400), theme
        self.setFixedHeight(_ROW)
        self.setAccessibleName(self.tr("Queued: {}").format(self._message))
        self.take_back = IconButton("x", self.tr("Take back"), theme, size=24, icon_size=14)
        row_of(None, self.take_back, margins=(0, 1, 5, 0), parent=self)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        theme = self._theme
        theme.draw_icon(p, "corner-down-right", QRectF(10, 0, 16, 31), "text-2", 14)
        x = 34 + text(p, 34, 0, 31, self.tr("Queued"), ui_font(12), theme.color("text-2")) + 8
        note = self.tr("sent at the next round")
        right = self.width() - 36
        left_of_note = right - text_width(note, ui_font(12)) - 12
        if left_of_note - x > 120:
            text(p, right, 0, 31, note, ui_font(12), theme.color("text-3"), right=True)
            right = round(left_of_note)
        shown = elided(self._message, ui_font(12), right - x)
        text(p, x, 0, 31, shown, ui_font(12), theme.color("text"))


class QueueStrip(QWidget):
    """All queued messages, oldest on top. Hidden when there are none."""

    take_back_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[str, ...] = ()
        self._column = column_of(parent=self)
        self.setVisible(False)
        theme.changed.connect(self.update)

    def show_messages(self, messages: Sequence[str]) -> None:
        if tuple(messages) == self._shown:
            return
        self._shown = tuple(messages)
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for index, message in enumerate(self._shown):
            waiting = _Waiting(message, self._theme)
            waiting.take_back.clicked.connect(lambda _=False, at=index: self.take_back_requested.emit(at))
            self._column.addWidget(waiting)
        self.setFixedHeight(_ROW * len(self._shown))
        self.setVisible(bool(self._shown))

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0, 0, 0, 10)  # its lower corners are under the composer
        rounded(p, box, 8, self._theme.color("surface"))
        frame(p, box, 8, self._theme.color("hairline"))
        for row in range(1, len(self._shown)):
            hairline(p, 1, row * _ROW, self.width() - 2, self._theme.color("hairline"))
