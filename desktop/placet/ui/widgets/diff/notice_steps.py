"""The buttons of a notice that lead to the lines it is about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton
from placet.ui.widgets.plane import row_of


class NoticeSteps(QWidget):
    """To the line that its words name, and where there are several to the one before and the next."""

    line_requested = Signal(int)

    def __init__(self, lines: Sequence[int], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines, self._at = lines, 0
        self.go = Button("", theme, kind="ghost", height=24, pad=6, px=12, weight=400)
        self.previous = IconButton("chevron-up", self.tr("The place before"), theme, size=24)
        self.next = IconButton("chevron-down", self.tr("The next place"), theme, size=24)
        row_of(self.go, self.previous, self.next, parent=self)
        self.go.clicked.connect(lambda: self._go_to(self._at))
        self.previous.clicked.connect(lambda: self._go_to(self._at - 1))
        self.next.clicked.connect(lambda: self._go_to(self._at + 1))
        self.previous.setVisible(len(lines) > 1)
        self.next.setVisible(len(lines) > 1)
        self._name()

    def _name(self) -> None:
        self.go.setText(self.tr("Go to line {}").format(f"{self._lines[self._at]:,}"))
        place = self.tr("{} of {}").format(self._at + 1, len(self._lines))
        self.go.setToolTip(place if len(self._lines) > 1 else "")
        self.go.updateGeometry()

    def _go_to(self, at: int) -> None:
        """Behind the last place comes the first one again."""
        self._at = at % len(self._lines)
        self._name()
        self.line_requested.emit(self._lines[self._at])

    def begin(self, *, from_end: bool = False) -> None:
        self._go_to(len(self._lines) - 1 if from_end else 0)

    def step(self, by: int) -> bool:
        """Go on in this direction; says whether there was a place to go to."""
        if not 0 <= self._at + by < len(self._lines):
            return False
        self._go_to(self._at + by)
        return True
