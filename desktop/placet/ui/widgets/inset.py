"""Air around a widget that takes no room while the widget is hidden."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from placet.ui.widgets.plane import column_of


class Inset(QWidget):
    """Follows its child: shown and hidden with it."""

    def __init__(self, child: QWidget, margins: tuple[int, int, int, int] = (16, 8, 16, 8)) -> None:
        super().__init__()
        self._child = child
        column_of(child, margins=margins, parent=self)
        child.installEventFilter(self)
        if child.isHidden():  # never shown here: without a parent it would be a window for a moment, and take the focus
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(not self._child.isHidden())
        return False
