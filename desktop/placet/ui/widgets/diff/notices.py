"""What the lines of a diff alone do not show, as sentences above it: endings, encoding, hidden characters."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.diff import DiffNotice, NoticeLevel
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import hairline
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown

_LEFT, _RIGHT, _LINE = 40, 16, 20
_BREAK = Qt.TextFlag.TextWordWrap


class NoticeStrip(QWidget):
    """Rows of 32 px, higher where a sentence needs more lines. Lies over the top of its parent and asks for room."""

    height_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._over = theme, parent
        self._notices: Sequence[DiffNotice] = ()
        self.setFont(ui_font(12))
        self.hide()
        parent.installEventFilter(self)
        theme.changed.connect(self.update)

    def set_notices(self, notices: Sequence[DiffNotice]) -> None:
        """Warnings come first."""
        self._notices = sorted(notices, key=lambda notice: notice.level is not NoticeLevel.WARNING)
        words = [shown(notice.text) for notice in self._notices]
        self.setAccessibleName(" ".join(words))
        self.setVisible(bool(words))
        self._place()

    def _place(self) -> None:
        width = self._over.width()
        height = sum(self._height(notice, width) for notice in self._notices)
        if self.geometry() != QRect(0, 0, width, height):
            self.setGeometry(0, 0, width, height)
        self.height_changed.emit(height)

    def _height(self, notice: DiffNotice, width: int) -> int:
        room = QRect(0, 0, max(width - _LEFT - _RIGHT, 40), 10000)
        needed = self.fontMetrics().boundingRect(room, _BREAK.value, shown(notice.text)).height()
        return 12 + _LINE * max(1, round(needed / self.fontMetrics().height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        p, y, theme = QPainter(self), 0, self._theme
        p.setFont(ui_font(12))
        for notice in self._notices:
            warns = notice.level is NoticeLevel.WARNING
            kind, icon = ("warn", "triangle-alert") if warns else ("info", "wrap-text")
            height = self._height(notice, self.width())
            p.fillRect(0, y, self.width(), height, theme.color(f"{kind}-bg"))
            hairline(p, 0, y + height - 1, self.width(), theme.color(f"{kind}-line"))
            theme.draw_icon(p, icon, QRectF(16, y, 16, 32), f"{kind}-icon")
            p.setPen(theme.color(f"{kind}-text"))
            room = QRectF(_LEFT, y + 6, self.width() - _LEFT - _RIGHT, height - 12)
            p.drawText(room, _BREAK.value | Qt.AlignmentFlag.AlignVCenter.value, shown(notice.text))
            y += height
