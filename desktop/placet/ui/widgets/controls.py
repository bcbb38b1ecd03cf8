"""Buttons, segments, gauge and labels. Painted by us, behaving as Qt's own abstract buttons do."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, ring, rounded, text, text_width
from placet.ui.theme.theme import Theme


class Button(QAbstractButton):
    """A push button with an icon before and a key hint after its label.

    Its kind is "primary", "plain", "ghost", or "warn", which is a ghost in the colour of warnings.
    """

    def __init__(
        self,
        label: str,
        theme: Theme,
        *,
        kind: str = "plain",
        icon: str = "",
        hint: str = "",
        hint_icon: str = "",
        tail: str = "",
        height: int = 28,
        pad: int = 12,
        px: int = 13,
        weight: int = 500,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._kind, self._icon, self._hint, self._hint_icon = theme, kind, icon, hint, hint_icon
        self._tail, self._height, self._pad, self._font = tail, height, pad, ui_font(px, weight)
        self.setText(label)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def relabel(self, label: str, icon: str) -> None:
        """Say something else from now on."""
        self._icon = icon
        self.setText(label)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = 2.0 * self._pad + text_width(self.text(), self._font)
        width += 17 if self._icon else 0
        width += 8 + text_width(self._hint, ui_font(11)) if self._hint else 0
        width += 8 + 12 if self._hint_icon else 0
        width += 4 + 14 if self._tail else 0
        return QSize(round(width), self._height)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        under = self.underMouse() and self.isEnabled()
        if self._kind == "primary" and self.isEnabled():
            role = "accent-press" if self.isDown() else "accent-hover" if under else "accent"
            rounded(p, box, 6, theme.color(role))
            ink, ink2 = "on-accent", "on-accent-2"
        else:
            is_flat = self._kind in ("ghost", "warn")
            if self.isDown() or under or not is_flat:
                role = "press" if self.isDown() else "hover" if under else "raised"
                rounded(p, box, 6, theme.color(role))
            if not is_flat:
                frame(p, box, 6, theme.color("hairline-2"))
            inks = {"plain": ("text", "text-2"), "warn": ("warn-text", "warn-text")}
            ink, ink2 = inks.get(self._kind, ("text-2", "text-2"))
        if not self.isEnabled():
            ink = ink2 = "disabled"
        x, h = float(self._pad), box.height()
        if self._icon:
            theme.draw_icon(p, self._icon, QRectF(x, 0, 12, h), ink, 12)
            x += 17
        x += text(p, x, 0, h, self.text(), self._font, theme.color(ink))
        if self._hint:
            text(p, x + 9, 0, h, self._hint, ui_font(11), theme.color(ink2))
        if self._hint_icon:
            theme.draw_icon(p, self._hint_icon, QRectF(x + 8, 0, 12, h), ink2, 12)
        if self._tail:
            theme.draw_icon(p, self._tail, QRectF(x + 4, 0, 14, h), "text-3", 12)


class IconButton(QAbstractButton):
    """A square ghost button; needs a name, for nothing is written on it."""

    def __init__(
        self,
        icon: str,
        name: str,
        theme: Theme,
        *,
        size: int = 28,
        icon_size: int = 16,
        kind: str = "ghost",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon, self._theme, self._icon_size, self._kind = icon, theme, icon_size, kind
        self.setFixedSize(34 if kind == "primary" else size, size)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        ink = "text-2" if self.isEnabled() else "disabled"
        if self._kind == "primary" and self.isEnabled():
            role = "accent-press" if self.isDown() else "accent-hover" if self.underMouse() else "accent"
            ink = "on-accent-2"
        elif self._kind == "primary" or not self.isEnabled():
            role = ""
        else:
            resting = "surface-2" if self.isChecked() else "hover" if self.underMouse() else ""
            role = "press" if self.isDown() else resting
        if role:
            rounded(p, box, 6, self._theme.color(role))
        if self._kind == "primary" and not self.isEnabled():
            frame(p, box, 6, self._theme.color("hairline-2"))
        self._theme.draw_icon(p, self._icon, box, ink, self._icon_size)


class _Segment(QRadioButton):
    """A radio button in everything but looks: one tab stop a group, arrow keys and the radio role come with it."""

    def __init__(self, label: str, icon: str, name: str, theme: Theme, height: int, *, is_warning: bool) -> None:
        super().__init__(label)
        self._theme, self._icon, self._height, self._is_warning = theme, icon, height, is_warning
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        if self._icon:
            return QSize(28, self._height)
        return QSize(round(text_width(self.text(), ui_font(12, 500)) + 18), self._height)

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:  # QRadioButton counts only the area of its own label
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme, ink = QRectF(self.rect()), self._theme, "text-2"
        if self.isChecked():
            warn = self._is_warning
            rounded(p, box, 5, theme.color("warn-bg" if warn else "raised"))
            frame(p, box, 5, theme.color("warn-line" if warn else "hairline-2"))
            ink = "warn-text" if warn else "text"
        elif self.underMouse():
            rounded(p, box, 5, theme.color("press"))
        if self._icon:
            theme.draw_icon(p, self._icon, box, "text-2")
        else:
            font = ui_font(12, 500 if self.isChecked() else 400)
            width = text_width(self.text(), font)
            text(p, box.center().x() - width / 2, 0, box.height(), self.text(), font, theme.color(ink))


class Segmented(QWidget):
    """A track with exclusive segments: the mode dial and the view switch. `segments` are (label, icon, name).

    `chosen` gives the name a person picked; `choose` picks one without telling. The segment called `warned` is
    painted as a warning while it is chosen.
    """

    chosen = Signal(str)

    def __init__(
        self, segments: list[tuple[str, str, str]], theme: Theme, height: int = 28, *, warned: str = ""
    ) -> None:
        super().__init__()
        self._theme = theme
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(0)
        for index, (label, icon, name) in enumerate(segments):
            segment = _Segment(label, icon, name, theme, height - 4, is_warning=bool(warned) and name == warned)
            segment.setChecked(index == 0)
            self._group.addButton(segment)
            layout.addWidget(segment)
        self._group.buttonClicked.connect(lambda button: self.chosen.emit(button.accessibleName()))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def choose(self, name: str) -> None:
        """Check the segment called `name`; an unknown name changes nothing."""
        for button in self._group.buttons():
            if button.accessibleName() == name:
                button.setChecked(True)

    def take_focus(self) -> None:
        """Put the keyboard on the chosen segment."""
        if (button := self._group.checkedButton()) is not None:
            button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def current(self) -> str:
        button = self._group.checkedButton()
        return button.accessibleName() if button is not None else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        rounded(p, QRectF(self.rect()), 6, self._theme.color("surface-2"))


class Gauge(QWidget):
    """How full the context is: a ring and two numbers."""

    def __init__(self, used: int, window: int, theme: Theme) -> None:
        super().__init__()
        self._used, self._window, self._theme = used, window, theme
        self.setFixedHeight(28)
        self._fit()
        theme.changed.connect(self.update)

    @property
    def label(self) -> str:
        return f"{_thousands(self._used)} / {_thousands(self._window)}"

    def show_use(self, used: int, window: int) -> None:
        if (used, window) != (self._used, self._window):
            self._used, self._window = used, window
            self._fit()
            self.update()

    def _fit(self) -> None:
        self.setFixedWidth(round(20 + text_width(self.label, ui_font(12, tabular=True)) + 2))

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        share = min(1.0, self._used / self._window) if self._window else 0.0
        ring(p, QRectF(0, 0, 16, 28), self._theme, share, "warn-icon" if share >= 0.8 else "text-2", width=2.5, size=15)
        text(p, 20, 0, 28, self.label, ui_font(12, tabular=True), self._theme.color("text-2"))


def _thousands(tokens: int) -> str:
    return f"{tokens / 1000:.0f}k" if tokens >= 1000 else str(tokens)


class Label(QLabel):
    """A label whose colour is a role. A palette entry, not a sheet: sheets cost a re-polish a label."""

    def __init__(
        self,
        string: str,
        theme: Theme,
        role: str = "text",
        px: float = 13,
        weight: int = 400,
        font: QFont | None = None,
    ) -> None:
        super().__init__(string)
        self._theme, self._role = theme, role
        self.setFont(font or ui_font(px, weight))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._tint()
        theme.changed.connect(self._tint)

    def set_role(self, role: str) -> None:
        """Change the colour by its role."""
        self._role = role
        self._tint()

    def _tint(self) -> None:
        palette = self.palette()
        palette.setColor(self.foregroundRole(), self._theme.color(self._role))
        self.setPalette(palette)
