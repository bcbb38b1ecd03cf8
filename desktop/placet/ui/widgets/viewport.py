"""The widget inside a scroll area, made here instead of by Qt."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def own_viewport(area: QAbstractScrollArea) -> QWidget:
    """Give `area` a viewport like the one that Qt made for it, and return it. For areas that the first paint shows.

    PySide knows what this one is. To find out about one that Qt made, it prepares every class of widget there is,
    which is a tenth of the start.
    """
    viewport = QWidget(area)  # owned by it from the start: setViewport alone does not tell PySide
    viewport.setBackgroundRole(QPalette.ColorRole.Base)
    viewport.setAutoFillBackground(True)
    area.setViewport(viewport)
    return viewport
