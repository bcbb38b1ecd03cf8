"""Rows of files: kind, name and counts; below, where it lies and what became of it. Painted, with Qt's own lists."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.visible import shown

_HEIGHT = 48


class TwoLines(msgspec.Struct, frozen=True, kw_only=True):
    """What a row says. `role` is the colour of the second line; `aside` stands at its right."""

    letter: str
    name: str
    added: int = 0
    removed: int = 0
    words: str = ""
    aside: str = ""
    role: str = "text-3"
    struck: bool = False


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, view: TwoLineList) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _HEIGHT)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row = self._view.lines_of(index)
        theme, box, state = self._theme, QRectF(option.rect), option.state
        if state & QStyle.StateFlag.State_Selected:
            p.fillRect(box, theme.color("accent-bg"))
            bar = "accent-mark" if self._view.isActiveWindow() else "control"
            p.fillRect(QRectF(box.left(), box.top(), 2, box.height()), theme.color(bar))
        elif state & QStyle.StateFlag.State_MouseOver:
            p.fillRect(box, theme.color("hover"))
        y, left, right = box.top() + 4, box.left() + 16, box.right() - 16
        text(p, left, y, 20, row.letter, ui_font(11, 500), theme.color("text-3"))
        for words, role in ((f"−{row.removed}", "del-text"), (f"+{row.added}", "add-text")):
            if row.added or row.removed:
                ink = theme.color("text-3" if row.struck else role)
                right -= text(p, right, y, 20, words, ui_font(12, 500, True), ink, right=True) + 4
        self._paint_name(p, row, left + 20, y, right - 8)
        y, right = y + 20, box.right() - 16
        right -= text(p, right, y, 18, row.aside, ui_font(11, 400, True), theme.color("text-3"), True) + 8
        words = elided(shown(row.words), ui_font(11), right - left - 20)
        text(p, left + 20, y, 18, words, ui_font(11), theme.color(row.role))

    def _paint_name(self, p: QPainter, row: TwoLines, x: float, y: float, right: float) -> None:
        font = ui_font(13)
        name = elided(shown(row.name), font, right - x)
        text(p, x, y, 20, name, font, self._theme.color("text-3" if row.struck else "text"))
        if row.struck:
            middle = y + 10 + QFontMetricsF(font).strikeOutPos() - 4
            p.fillRect(QRectF(x, round(middle), text_width(name, font), 1), self._theme.color("text-3"))


class TwoLineList(QListView):
    """`chosen` gives the row that became the current one; `lines` says what the rows of a model say."""

    chosen = Signal(int)

    def __init__(self, name: str, model: QAbstractItemModel, theme: Theme, lines: Callable[[Any], TwoLines]) -> None:
        super().__init__()
        self._lines = lines
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(_Delegate(theme, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)  # rows lie on the page, not in a field
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.changed.connect(self.viewport().update)

    def lines_of(self, index: QModelIndex | QPersistentModelIndex) -> TwoLines:
        return self._lines(index.data(Qt.ItemDataRole.UserRole + 1))

    def choose(self, row: int) -> None:
        """Make a row the current one."""
        self.setCurrentIndex(self.model().index(row, 0))

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.row())


def when(timestamp: float, now: datetime | None = None) -> str:
    """The time of today, the date of any other day."""
    moment, now = datetime.fromtimestamp(timestamp), now or datetime.now()
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}" if moment.year == now.year else f"{moment:%Y-%m-%d}"
