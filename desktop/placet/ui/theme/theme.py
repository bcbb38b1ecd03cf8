"""The colours in force: tokens become palette and style sheet.

A painter asks `theme.color("hairline")` at paint time and never stores the answer, so switching between light and
dark is one signal, one palette, one sheet and one repaint.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from placet.ui.theme.fonts import load_fonts, ui_font
from placet.ui.theme.icons import tinted_icon
from placet.ui.theme.tokens import color_tokens

_PALETTE_ROLES = {
    QPalette.ColorRole.Window: "bg",
    QPalette.ColorRole.Base: "raised",
    QPalette.ColorRole.AlternateBase: "surface",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.PlaceholderText: "text-3",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.Link: "accent-text",
    QPalette.ColorRole.Accent: "accent",
}

# Only native widgets are styled here. Our own controls paint themselves: a sheet can neither right-align a key
# hint nor leave room for a ring outside its box.
_SHEET = """
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {hairline-2}; padding: 4px 8px; }}
QTextEdit#message {{ background: transparent; border: none; padding: 0; selection-background-color: {selection};
    selection-color: {text}; }}
QLineEdit {{ background: {raised}; border: 1px solid {hairline-2}; border-radius: 6px; padding: 0 8px; min-height: 26px;
    selection-background-color: {selection}; selection-color: {text}; }}
QLineEdit:focus {{ border: 2px solid {accent}; padding: 0 7px; min-height: 24px; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {hairline-2}; min-height: 32px; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical:hover {{ background: {control}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


class Theme(QObject):
    """The colours in force. `changed` fires after palette and sheet are in place.

    With `sheet` False the sheet of native widgets waits for `dress`. Under a sheet a widget is styled anew, with all
    in it, each time it is put into another one: half of the time that it takes to make a window.
    """

    changed = Signal()

    def __init__(self, app: QApplication, *, sheet: bool = True) -> None:
        super().__init__(app)
        self._app, self._has_sheet = app, sheet
        self._tokens = color_tokens()
        self._colors: dict[str, QColor] = {}
        self.name = ""
        load_fonts()
        app.setFont(ui_font(13))

    def use(self, name: str) -> None:
        """Switch to "light" or "dark"; following the system is the caller's business."""
        self.name = name
        self._colors = {role: QColor(value) for role, value in self._tokens[name].items()}
        palette = QPalette()
        for role, token in _PALETTE_ROLES.items():
            palette.setColor(role, self._colors[token])
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self._colors["disabled"])
        self._app.setPalette(palette)
        if self._has_sheet:
            self.dress()
        tinted_icon.cache_clear()
        self.changed.emit()

    def dress(self) -> None:
        """Put the sheet in force, for all widgets there are and to come."""
        self._has_sheet = True
        self._app.setStyleSheet(_SHEET.format_map(self._tokens[self.name]))

    def color(self, role: str) -> QColor:
        return self._colors[role]

    def icon(self, name: str, size: int, role: str, dpr: float) -> QPixmap:
        """The pixmap for one state at one scale. A QIcon would tint by palette and round the size its own way."""
        return tinted_icon(name, size, self._colors[role].name(), dpr)

    def draw_icon(self, p: QPainter, name: str, box: QRectF, role: str, size: int = 16) -> None:
        """Paint the icon centred in `box`, on whole device pixels so that its strokes stay as drawn."""
        dpr = p.device().devicePixelRatioF()
        x, y = box.center().x() - size / 2, box.center().y() - size / 2
        p.drawPixmap(QPointF(round(x * dpr) / dpr, round(y * dpr) / dpr), self.icon(name, size, role, dpr))
