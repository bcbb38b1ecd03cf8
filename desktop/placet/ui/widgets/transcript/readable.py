"""The transcript as a list that a screen reader can walk (`D-8`)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from placet.ui.widgets.accessible import viewport_rect
from placet.ui.widgets.transcript.surface import TranscriptSurface


class ReadableSurface(TranscriptSurface):
    """`accessible.PaintedItems`: one item a row, its visible text as its name."""

    def item_count(self) -> int:
        return len(self.column.rows)

    def item_text(self, index: int) -> str:
        return self.column.rows[index].spoken()

    def item_rect(self, index: int) -> QRect:
        for seen, y, view in self.column.visible():
            if seen == index:
                return viewport_rect(self.viewport(), self.left, y, view.width, view.height)
        return QRect()

    def item_checked(self, index: int) -> bool | None:
        return None

    def item_widgets(self) -> Sequence[QWidget]:
        return [self.jump]

    def item_current(self) -> int:
        end = self.selection.end
        return end.row if end is not None else len(self.column.rows) - 1
