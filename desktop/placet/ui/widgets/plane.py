"""Grounds of panes, and rows and columns of widgets without Qt's default margins."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from placet.ui.theme.paint import hairline
from placet.ui.theme.theme import Theme

Layout = TypeVar("Layout", bound=QBoxLayout)


class Plane(QWidget):
    """A pane's ground: a fill and hairlines on the sides named in `lines` ("t", "b", "l", "r")."""

    def __init__(
        self, theme: Theme, lines: str = "", fill: str = "bg", height: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._lines, self._fill = theme, lines, fill
        if height:
            self.setFixedHeight(height)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.fillRect(event.rect(), self._theme.color(self._fill))
        color, w, h = self._theme.color("hairline"), self.width(), self.height()
        if "b" in self._lines:
            hairline(p, 0, h - 1, w, color)
        if "t" in self._lines:
            hairline(p, 0, 0, w, color)
        if "l" in self._lines:
            hairline(p, 0, 0, h, color, vertical=True)
        if "r" in self._lines:
            hairline(p, w - 1, 0, h, color, vertical=True)


def row_of(
    *parts: QWidget | QLayout | int | None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    parent: QWidget | None = None,
) -> QHBoxLayout:
    """A row of widgets and layouts; an int is a gap, None takes the free space."""
    return _fill(QHBoxLayout(parent) if parent is not None else QHBoxLayout(), parts, margins)


def column_of(
    *parts: QWidget | QLayout | int | None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    parent: QWidget | None = None,
) -> QVBoxLayout:
    """A column of widgets and layouts; an int is a gap, None takes the free space."""
    return _fill(QVBoxLayout(parent) if parent is not None else QVBoxLayout(), parts, margins)


def _fill(
    layout: Layout, parts: tuple[QWidget | QLayout | int | None, ...], margins: tuple[int, int, int, int]
) -> Layout:
    layout.setContentsMargins(*margins)
    layout.setSpacing(0)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        elif isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part)
    return layout


def centred(widget: QWidget, width: int, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QWidget:
    """A ground with `widget` in its middle, as wide as there is room but at most `width`."""
    ground = QWidget()
    widget.setMaximumWidth(width)
    row = row_of(None, widget, None, margins=margins, parent=ground)
    for index, share in enumerate((0, 1, 0)):
        row.setStretch(index, share)
    return ground
