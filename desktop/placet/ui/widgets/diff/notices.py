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
from placet.ui.widgets.diff.notice_steps import NoticeSteps
from placet.ui.widgets.diff.visible import shown

_LEFT, _RIGHT, _LINE = 40, 16, 20
_BREAK = Qt.TextFlag.TextWordWrap


class NoticeStrip(QWidget):
    """Rows of 32 px, higher where a sentence needs more lines. Lies over the top of its parent and asks for room.

    A notice that is about certain lines has buttons that lead to them.
    """

    height_changed = Signal(int)
    line_requested = Signal(int)  # of the new side, from 1

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._over = theme, parent
        self._notices: Sequence[DiffNotice] = ()
        self._steps: list[NoticeSteps | None] = []
        self._stepped: NoticeSteps | None = None
        self.setFont(ui_font(12))
        self.hide()
        parent.installEventFilter(self)
        theme.changed.connect(self.update)

    def set_notices(self, notices: Sequence[DiffNotice]) -> None:
        """Warnings come first."""
        self._notices = sorted(notices, key=lambda notice: notice.level is not NoticeLevel.WARNING)
        self._make_steps()
        words = [shown(notice.text) for notice in self._notices]
        self.setAccessibleName(" ".join(words))
        self.setVisible(bool(words))
        self._place()

    def _make_steps(self) -> None:
        for old in self._steps:
            if old is not None:
                old.hide()
                old.deleteLater()
        self._stepped = None
        self._steps = [NoticeSteps(each.lines, self._theme, self) if each.lines else None for each in self._notices]
        for made in self._steps:
            if made is not None:
                made.line_requested.connect(self._on_requested)
                made.show()

    def _on_requested(self, line: int) -> None:
        sender = self.sender()
        self._stepped = sender if isinstance(sender, NoticeSteps) else None
        self.line_requested.emit(line)

    def step(self, by: int) -> bool:
        """Go to the next place (1) or the one before (-1), from notice to notice; says whether there is one."""
        steps = [each for each in self._steps if each is not None]
        if not steps:
            return False
        at = steps.index(self._stepped) if self._stepped in steps else -1
        if at < 0 or not steps[at].step(by):
            steps[(at + by) % len(steps) if at >= 0 else 0].begin(from_end=by < 0)
        return True

    def _place(self) -> None:
        width = self._over.width()
        height = 0
        for index, steps in enumerate(self._steps):
            if steps is not None:
                size = steps.sizeHint()
                steps.setGeometry(width - size.width() - 8, height + 4, size.width(), 24)
            height += self._height(index, width)
        if self.geometry() != QRect(0, 0, width, height):
            self.setGeometry(0, 0, width, height)
        self.height_changed.emit(height)

    def _room(self, index: int, width: int) -> int:
        """The width of a sentence, left of its buttons."""
        steps = self._steps[index]
        taken = _RIGHT if steps is None else steps.sizeHint().width() + 16
        return max(width - _LEFT - taken, 40)

    def _height(self, index: int, width: int) -> int:
        room = QRect(0, 0, self._room(index, width), 10000)
        needed = self.fontMetrics().boundingRect(room, _BREAK.value, shown(self._notices[index].text)).height()
        return 12 + _LINE * max(1, round(needed / self.fontMetrics().height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        p, y, theme = QPainter(self), 0, self._theme
        p.setFont(ui_font(12))
        for index, notice in enumerate(self._notices):
            warns = notice.level is NoticeLevel.WARNING
            kind, icon = ("warn", "triangle-alert") if warns else ("info", "wrap-text")
            height = self._height(index, self.width())
            p.fillRect(0, y, self.width(), height, theme.color(f"{kind}-bg"))
            hairline(p, 0, y + height - 1, self.width(), theme.color(f"{kind}-line"))
            theme.draw_icon(p, icon, QRectF(16, y, 16, 32), f"{kind}-icon")
            p.setPen(theme.color(f"{kind}-text"))
            room = QRectF(_LEFT, y + 6, self._room(index, self.width()), height - 12)
            p.drawText(room, _BREAK.value | Qt.AlignmentFlag.AlignVCenter.value, shown(notice.text))
            y += height
