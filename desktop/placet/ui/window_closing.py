"""The question before the window closes in the middle of a turn (`D-5`)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.focus_ring import FocusRing
from placet.ui.widgets.plane import column_of, row_of

KEPT = 2  # beside QDialog's own answers


class ClosingQuestion(QDialog):
    """Accepted: stop the turn and quit. `KEPT`: go on without the window. Rejected: nothing happens.

    Without a tray there would be no way back to a hidden window, so it is made small instead. Shown with `ask`, never
    with a nested loop.
    """

    def __init__(self, parent: QWidget, theme: Theme, *, has_tray: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("closingQuestion")
        self.setWindowTitle(self.tr("A turn is running"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._theme = theme
        self._ring = FocusRing(self, theme)
        title = Label(self.tr("A turn is running. What should become of it?"), theme, px=14, weight=600)
        words = Label(
            self.tr(
                "Kept running, it goes on without the window and tells you when it waits for you. Stopped, what it "
                "already did stays done and can be undone later; what is still waiting for you is asked again when "
                "you resume the chat."
            ),
            theme, "text-2", 13,
        )  # fmt: skip
        words.setWordWrap(True)
        self.cancel = Button(self.tr("Cancel"), theme, kind="ghost")
        self.cancel.setObjectName("keepOpen")
        keep = self.tr("Keep running in the tray") if has_tray else self.tr("Keep running, window minimised")
        self.keep = Button(keep, theme)
        self.keep.setObjectName("keepRunning")
        self.quit = Button(self.tr("Stop and quit"), theme, kind="primary")
        self.quit.setObjectName("stopAndQuit")
        column_of(
            title,
            6,
            words,
            18,
            row_of(self.cancel, None, self.keep, 8, self.quit),
            margins=(20, 18, 20, 16),
            parent=self,
        )
        self.setFixedWidth(480)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(lambda: self.done(KEPT))
        self.quit.clicked.connect(self.accept)
        self.keep.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("bg"))
