"""Fields to type into and to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QSizePolicy, QWidget

from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.menu import Menu


class TextField(QLineEdit):
    """One line of text with a name for screen readers."""

    def __init__(self, name: str, *, hint: str = "", mono: bool = False, secret: bool = False) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(mono_font(12) if mono else ui_font(13))
        if secret:
            self.setEchoMode(QLineEdit.EchoMode.Password)


class SearchField(QLineEdit):
    """A line with a magnifier inside. `escaped` when Escape is pressed while it is empty, else Escape empties it."""

    escaped = Signal()

    def __init__(self, name: str, hint: str, theme: Theme, *, large: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(ui_font(14 if large else 13))
        self.setTextMargins(24, 0, 0, 0)
        if large:  # the sheet's heights would win over a fixed height
            self.setStyleSheet("QLineEdit { min-height: 34px; } QLineEdit:focus { min-height: 32px; }")
        self.setClearButtonEnabled(False)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p = QPainter(self)
        self._theme.draw_icon(p, "search", QRectF(8, 0, 16, self.height()), "text-2", 14)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.escaped.emit()
        else:
            super().keyPressEvent(event)


class Select(QAbstractButton):
    """One of several values, chosen from a menu. Values are (key, label)."""

    chosen = Signal(str)

    def __init__(
        self, name: str, values: Sequence[tuple[str, str]], theme: Theme, *, icon: str = "", mono: bool = False
    ) -> None:
        super().__init__()
        self._name, self._values, self._theme = name, list(values), theme
        self._icon, self._font = icon, mono_font(12) if mono else ui_font(13)
        self._key = ""
        self.setFixedHeight(28)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        theme.changed.connect(self.update)
        self.choose(values[0][0] if values else "")

    @property
    def key(self) -> str:
        return self._key

    def offer(self, values: Sequence[tuple[str, str]]) -> None:
        """Replace the values; the chosen one stays if it is still there."""
        self._values = list(values)
        if self._key not in [key for key, _ in values]:
            self.choose(values[0][0] if values else "")

    def choose(self, key: str) -> None:
        self._key = key
        label = dict(self._values).get(key, "")
        self.setText(label)
        self.setAccessibleName(f"{self._name}: {label}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, 28)

    def _open(self) -> None:
        menu = Menu(self._theme, self)
        for key, label in self._values:
            menu.add(label, lambda key=key: self._pick(key), checked=key == self._key)  # type: ignore[misc]
        menu.setMinimumWidth(self.width())
        menu.open_below(self)

    def _pick(self, key: str) -> None:
        self.choose(key)
        self.chosen.emit(key)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        rounded(p, box, 6, theme.color("press" if self.isDown() else "hover" if self.underMouse() else "raised"))
        frame(p, box, 6, theme.color("hairline-2"))
        ink = theme.color("text" if self.isEnabled() else "disabled")
        left = 9
        if self._icon:
            theme.draw_icon(p, self._icon, QRectF(left, 0, 14, box.height()), "text-2", 14)
            left += 20
        shown = elided(self.text(), self._font, box.width() - 27 - left)
        text(p, left, 0, box.height(), shown, self._font, ink)
        theme.draw_icon(p, "chevron-down", QRectF(box.width() - 24, 0, 16, box.height()), "text-3", 14)


class Mark(QWidget):
    """A tag of 18 px: a fact about one thing. `kind` is "plain", "accent" or "warn"."""

    def __init__(self, label: str, theme: Theme, kind: str = "plain") -> None:
        super().__init__()
        self._label, self._theme, self._kind = label, theme, kind
        self.setAccessibleName(label)
        self.setFixedSize(round(text_width(label, ui_font(11)) + 14), 18)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        fills = {"plain": ("surface", "hairline", "text-2"), "accent": ("accent-bg", "accent-line", "accent-text")}
        fill, line, ink = fills.get(self._kind, ("warn-bg", "warn-line", "warn-text"))
        rounded(p, box, 4, theme.color(fill))
        frame(p, box, 4, theme.color(line))
        text(p, 7, 0, box.height(), self._label, ui_font(11), theme.color(ink))
