"""The whole of a large diff in a strip at its right: where lines go, come, warn, and what is in sight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from placet.core.domain.diff import Sign
from placet.core.domain.hidden import HIDDEN
from placet.ui.theme.paint import hairline
from placet.ui.theme.theme import Theme

if TYPE_CHECKING:
    from placet.ui.widgets.diff.view import DiffView

WIDTH = 14
_LARGE = 150  # lines; what is shorter is seen whole by scrolling a little
_TICK = 5
_HIDDEN = re.compile(f"[{HIDDEN}]")
# What goes at the left and what comes at the right, so that neither hides the other; then what stands over both.
_PLACES = {"del-text": (4, 3), "add-text": (8, 3), "accent-mark": (4, 7), "warn-icon": (4, 7)}
_ROLES = {Sign.REMOVED: "del-text", Sign.ADDED: "add-text"}


class Overview(QWidget):
    """Takes the place of the scroll bar: a press or a drag goes there. Marks come after the first paint."""

    def __init__(self, view: DiffView, theme: Theme) -> None:
        super().__init__(view)
        self._view, self._theme = view, theme
        self._ground: QPixmap | None = None  # the marks, painted once for all scrolling
        self._marking = QTimer(self)
        self._marking.setSingleShot(True)
        self._marking.timeout.connect(self._mark)
        self.setFixedWidth(WIDTH)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self.refresh)

    @property
    def is_wanted(self) -> bool:
        return sum(len(hunk.lines) for hunk in self._view.diff.hunks) > _LARGE

    def refresh(self) -> None:
        """The rows or what is known of them changed."""
        self._ground = None
        self.update()

    def _on_scrolled(self) -> None:
        if self.isVisible():
            self.update()

    def _mark(self) -> None:
        ratio = self.devicePixelRatioF()
        ground = QPixmap(round(WIDTH * ratio), round(self.height() * ratio))
        ground.setDevicePixelRatio(ratio)
        ground.fill(self._theme.color("surface"))
        p = QPainter(ground)
        for role, pixel in sorted(self._ticks(), key=lambda tick: list(_PLACES).index(tick[0])):
            left, width = _PLACES[role]
            p.fillRect(QRectF(left, pixel, width, _TICK), self._theme.color(role))
        p.end()
        self._ground = ground
        self.update()

    def _ticks(self) -> set[tuple[str, int]]:
        """Colour roles with the pixels where they are."""
        rows = self._view.rows()
        scale = (self.height() - _TICK) / max(1, rows.heights.total)
        return {(role, round(rows.heights.top(rows.rows_of(line).start) * scale)) for line, role in self._changes()}

    def _changes(self) -> Iterator[tuple[int, str]]:
        """The first line of each run of changes, and each line that must not be missed."""
        diff, yours = self._view.diff, self._view.states.yours
        at = 0
        for hunk in diff.hunks:
            for sign, run in groupby(hunk.lines, key=lambda line: line.sign):
                lines = list(run)
                if sign in _ROLES:
                    yield at, _ROLES[sign]
                    for index, line in enumerate(lines):
                        if yours and (line.old, line.new) in yours:
                            yield at + index, "accent-mark"
                        if not line.text.isascii() and _HIDDEN.search(line.text):
                            yield at + index, "warn-icon"
                at += len(lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        p, theme = QPainter(self), self._theme
        if self._ground is None:
            p.fillRect(event.rect(), theme.color("surface"))
            self._marking.start(0)
        else:
            p.drawPixmap(0, 0, self._ground)
        hairline(p, 0, 0, self.height(), theme.color("hairline"), vertical=True)
        bar, total = self._view.verticalScrollBar(), max(1, self._view.rows().heights.total)
        scale = self.height() / total
        for y in (bar.value() * scale, min((bar.value() + bar.pageStep()) * scale, self.height() - 1)):
            hairline(p, 0, round(y), WIDTH, theme.color("control"))
        p.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event.position().y())

    def _go(self, y: float) -> None:
        """Bring what is at this height to the middle."""
        bar, total = self._view.verticalScrollBar(), self._view.rows().heights.total
        bar.setValue(round(y / max(1, self.height()) * total - bar.pageStep() / 2))
