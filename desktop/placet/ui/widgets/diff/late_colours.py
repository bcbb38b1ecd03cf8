"""Paints the lines that got their colours after they were on the screen: a few a frame, so that scrolling stays smooth."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from placet.ui.widgets.diff.text_view import TextView

_AT_ONCE = 5  # rows painted again in one frame, which may also scroll


class LateColours(QObject):
    """Of one view. Lines that are out of sight when their turn comes need nothing."""

    def __init__(self, view: TextView) -> None:
        super().__init__(view)
        self._view = view
        self._lines: deque[int] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._paint_some)

    def add(self, first: int, last: int) -> None:
        """Lines from `first` to the one before `last` have colours now."""
        self._lines.extend(range(first, min(last, self._view.rows().line_count)))
        self._timer.start(0)

    def forget(self) -> None:
        """There are other rows now, and all are painted anew."""
        self._lines.clear()

    def _paint_some(self) -> None:
        rows, viewport, painted = self._view.rows(), self._view.viewport(), 0
        while self._lines and painted < _AT_ONCE:
            mine = rows.rows_of(self._lines.popleft())
            top = self._view.row_y(mine.start)
            height = rows.heights.top(mine.stop) - rows.heights.top(mine.start)
            if top + height > 0 and top < viewport.height():
                viewport.update(0, top, viewport.width(), height)
                painted += len(mine)
        if self._lines:
            self._timer.start(0)
