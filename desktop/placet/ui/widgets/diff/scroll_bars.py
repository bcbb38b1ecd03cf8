"""Thin scroll bars both ways; the application's sheet knows upright ones only."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractScrollArea

from placet.ui.theme.theme import Theme

_SHEET = """
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {handle}; min-width: 32px; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:horizontal:hover {{ background: {hover}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


class LowerBar(QObject):
    """Gives an area's lower bar the look of the upright one, in every theme. Owned by the area."""

    def __init__(self, area: QAbstractScrollArea, theme: Theme) -> None:
        super().__init__(area)
        self._area, self._theme = area, theme
        theme.changed.connect(self._style)
        self._style()

    def _style(self) -> None:
        handle, hover = self._theme.color("hairline-2").name(), self._theme.color("control").name()
        self._area.horizontalScrollBar().setStyleSheet(_SHEET.format(handle=handle, hover=hover))
