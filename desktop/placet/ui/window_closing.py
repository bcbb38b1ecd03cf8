"""The question before the window closes in the middle of a turn (`D-5`)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.focus_ring import FocusRing
from placet.ui.widgets.plane import column_of, row_of


class ClosingQuestion(QDialog):
    """Accepted: stop the turn and quit. Shown with `ask`, never with a nested loop."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setObjectName("closingQuestion")
        self.setWindowTitle(self.tr("A turn is running"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._theme = theme
        self._ring = FocusRing(self, theme)
        title = Label(self.tr("A turn is running. Stop it and quit?"), theme, px=14, weight=600)
        words = Label(
            self.tr(
                "What it already did stays done, and can be undone later. What is still waiting for you is asked "
                "again when you resume the chat."
            ),
            theme, "text-2", 13,
        )  # fmt: skip
        words.setWordWrap(True)
        self.keep = Button(self.tr("Keep running"), theme)
        self.keep.setObjectName("keepRunning")
        self.quit = Button(self.tr("Stop and quit"), theme, kind="primary")
        self.quit.setObjectName("stopAndQuit")
        column_of(title, 6, words, 18, row_of(None, self.keep, 8, self.quit), margins=(20, 18, 20, 16), parent=self)
        self.setFixedWidth(440)
        self.keep.clicked.connect(self.reject)
        self.quit.clicked.connect(self.accept)
        self.keep.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("bg"))
