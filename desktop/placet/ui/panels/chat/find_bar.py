"""Ctrl+F: type to mark, Enter for the next, Escape to close."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import IconButton, Label
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.plane import Plane, row_of


class FindBar(Plane):
    """A strip under the chat's head. Knows no transcript: it tells what to look for."""

    wanted = Signal(str)
    stepped = Signal(int)  # 1 forwards, -1 backwards
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "b", height=44)
        self.field = SearchField(self.tr("Find in chat"), self.tr("Find in chat"), theme)
        self.field.setObjectName("findField")
        self.field.setFixedWidth(260)
        self.count = Label("", theme, "text-3", 12)
        back = IconButton("chevron-up", self.tr("Previous match"), theme, size=24, icon_size=14)
        on = IconButton("chevron-down", self.tr("Next match"), theme, size=24, icon_size=14)
        close = IconButton("x", self.tr("Close"), theme, size=24, icon_size=14)
        parts: tuple[QWidget | int | None, ...] = (self.field, 10, self.count, None, back, 4, on, 8, close)
        row_of(*parts, margins=(20, 0, 16, 0), parent=self)
        self.field.textChanged.connect(self.wanted)
        self.field.escaped.connect(self.close_bar)
        back.clicked.connect(lambda: self.stepped.emit(-1))
        on.clicked.connect(lambda: self.stepped.emit(1))
        close.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.wanted.emit(self.field.text())

    def close_bar(self) -> None:
        self.hide()
        self.wanted.emit("")
        self.closed.emit()

    def show_count(self, count: int, current: int) -> None:
        """Number of matches and which one is current, from 1; nothing while nothing is looked for."""
        if not self.field.text():
            self.count.setText("")
        elif not count:
            self.count.setText(self.tr("no match"))
        elif current:
            self.count.setText(self.tr("{} of {}").format(current, count))
        else:
            self.count.setText(self.tr("1 match") if count == 1 else self.tr("{} matches").format(count))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)
