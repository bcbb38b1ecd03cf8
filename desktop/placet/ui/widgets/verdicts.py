"""The three words for what rules say, and their colours: the same wherever a verdict is shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.review import Action
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, rounded, text, text_width
from placet.ui.theme.theme import Theme

_ROLES = {Action.ALLOW: "text", Action.REQUIRE: "accent-text", Action.DENY: "danger-text"}
_TAGS = {
    Action.ALLOW: ("surface", "hairline-2", "text"),
    Action.REQUIRE: ("accent-bg", "accent-line", "accent-text"),
    Action.DENY: ("danger-bg", "danger-line", "danger-text"),
}


def word(action: Action) -> str:
    translate = QCoreApplication.translate
    if action is Action.ALLOW:
        return translate("Verdict", "allow")
    return translate("Verdict", "ask") if action is Action.REQUIRE else translate("Verdict", "deny")


def role(action: Action) -> str:
    """The role of the colour that the word has."""
    return _ROLES[action]


class VerdictTag(QWidget):
    """The word of a verdict in a small frame of its colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._action = theme, Action.REQUIRE
        self.setFixedHeight(18)
        theme.changed.connect(self.update)
        self.show_action(Action.REQUIRE)

    def show_action(self, action: Action) -> None:
        self._action = action
        self.setAccessibleName(word(action))
        self.setFixedWidth(round(text_width(word(action), ui_font(11, 500)) + 14))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        fill, line, ink = _TAGS[self._action]
        rounded(p, box, 4, theme.color(fill))
        frame(p, box, 4, theme.color(line))
        text(p, 7, 0, box.height(), word(self._action), ui_font(11, 500), theme.color(ink))
