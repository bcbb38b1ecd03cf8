"""When the data folder cannot be used: what happened, and two ways on (`S-3`)."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from placet.core.domain.errors import PlacetError
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.plane import column_of, row_of


class StartTrouble(QDialog):
    """Accepted: give the database another name and begin with an empty one. Rejected: quit."""

    def __init__(self, error: PlacetError, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("startTrouble")
        self.setWindowTitle(self.tr("Placet cannot start"))
        self._theme = theme
        told = Label(error.message, theme, px=14, weight=600)
        hint = Label(error.hint, theme, "text-2", 13)
        kept = Label(
            self.tr("Beginning anew deletes nothing: the old database stays in the same folder under another name."),
            theme, "text-2", 13,
        )  # fmt: skip
        detail = Label(error.detail, theme, "text-3", 12)
        for label in (told, hint, kept, detail):
            label.setWordWrap(True)
        quit_button = Button(self.tr("Quit"), theme)
        quit_button.setObjectName("quitButton")
        anew = Button(self.tr("Begin anew"), theme, kind="primary")
        anew.setObjectName("beginAnew")
        buttons = row_of(None, quit_button, 8, anew)
        column_of(told, 6, hint, 6, kept, 10, detail, 18, buttons, margins=(20, 18, 20, 16), parent=self)
        self.setFixedWidth(520)
        quit_button.clicked.connect(self.reject)
        anew.clicked.connect(self.accept)
        quit_button.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("bg"))
