"""Which keys do what."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.plane import column_of

_ROW = 34


class _Shortcut(QWidget):
    def __init__(self, words: str, keys: str, theme: Theme) -> None:
        super().__init__()
        self._words, self._keys, self._theme = words, keys, theme
        self.setFixedHeight(_ROW)
        self.setAccessibleName(f"{words}: {keys}")

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        text(p, 2, 0, _ROW, self._words, ui_font(13), theme.color("text"))
        width = text_width(self._keys, ui_font(12)) + 16
        box = QRectF(self.width() - width, 6, width, 22)
        rounded(p, box, 4, theme.color("surface"))
        frame(p, box, 4, theme.color("hairline-2"))
        text(p, box.left() + 8, 6, 22, self._keys, ui_font(12), theme.color("text-2"))
        hairline(p, 0, _ROW - 1, self.width(), theme.color("hairline"))


class ShortcutsSection(QWidget):
    """A list to read; the window that sets the keys fills it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._column = column_of(Label(self.tr("Shortcuts"), theme, px=20, weight=600), 12, None, parent=self)

    def show_keys(self, shortcuts: Sequence[tuple[str, str]]) -> None:
        """Add rows of (what happens, keys)."""
        for words, keys in shortcuts:
            self._column.insertWidget(self._column.count() - 1, _Shortcut(words, keys, self._theme))
