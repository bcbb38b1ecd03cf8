"""Widgets in rows, as many in each as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button

_GAP = 8


class Choice(Button):
    """A button whose label is shortened to the room there is; the whole of it is its name and its tip."""

    def __init__(self, label: str, theme: Theme) -> None:
        super().__init__(" ".join(label.split()), theme, weight=400)
        self.whole = label
        self._line = self.text()
        self.setAccessibleName(label)

    def fit(self, room: int) -> None:
        shown = elided(self._line, ui_font(13), max(20, room - 24))
        self.setText(shown)
        self.setToolTip(self.whole if shown != self.whole else "")
        self.resize(self.sizeHint())


class Wrapping(QWidget):
    """Takes the height it needs."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: Sequence[Choice] = ()
        self.setFixedHeight(0)

    def show_choices(self, choices: Sequence[Choice]) -> None:
        for old in self.choices:
            old.hide()
            old.deleteLater()
        self.choices = tuple(choices)
        for choice in self.choices:
            choice.setParent(self)
            choice.show()
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._place()

    def _place(self) -> None:
        x = y = bottom = 0
        for choice in self.choices:
            choice.fit(self.width())
            if x and x + choice.width() > self.width():
                x, y = 0, bottom + _GAP
            choice.move(x, y)
            x += choice.width() + _GAP
            bottom = y + choice.height()
        if self.height() != bottom:
            self.setFixedHeight(bottom)
        self.setVisible(bool(self.choices))
