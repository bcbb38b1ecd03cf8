"""Menus in the theme's colours. Always shown with `popup`, which returns at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.theme import Theme

_SHEET = """
QMenu {{ background: {raised}; color: {text}; border: 1px solid {line}; border-radius: 8px; padding: 4px; }}
QMenu::item {{ padding: 0 24px 0 10px; height: 28px; min-width: 140px; border-radius: 6px; background: transparent; }}
QMenu::item:selected {{ background: {chosen}; color: {text}; }}
QMenu::item:disabled {{ color: {quiet}; background: transparent; }}
QMenu::separator {{ height: 1px; background: {hairline}; margin: 4px 0; }}
QMenu::indicator {{ width: 0; height: 0; }}
"""


class Menu(QMenu):
    """A popup menu that deletes itself once it is closed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(
            self.windowFlags() | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setFont(ui_font(13))
        roles = {"raised": "raised", "text": "text", "line": "hairline-2", "chosen": "accent-bg"}
        roles |= {"quiet": "text-3", "hairline": "hairline"}
        self.setStyleSheet(_SHEET.format(**{name: theme.color(role).name() for name, role in roles.items()}))
        self.aboutToHide.connect(self.deleteLater)

    def add(
        self, label: str, act: Callable[[], object], *, checked: bool = False, tail: str = "", enabled: bool = True
    ) -> QAction:
        """Add a row; `tail` stands at its right end. The checked row is set in medium weight."""
        action = self.addAction(f"{label}\t{tail}" if tail else label)
        action.setEnabled(enabled)
        if checked:
            action.setCheckable(True)
            action.setChecked(True)
            action.setFont(ui_font(13, 600))
        action.triggered.connect(lambda _=False: act())
        return action

    def add_head(self, label: str) -> None:
        """Words above the rows that say what choosing does."""
        action = self.addAction(label)
        action.setEnabled(False)
        action.setFont(ui_font(11, 500))

    def open_below(self, widget: QWidget) -> None:
        self.popup(widget.mapToGlobal(QPoint(0, widget.height() + 4)))

    def open_above(self, widget: QWidget) -> None:
        self.popup(widget.mapToGlobal(QPoint(0, -self.sizeHint().height() - 4)))
