"""Whole-row buttons: places of the sidebar, and choices inside a card."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme


class PlaceRow(QAbstractButton):
    """A 28 px row with icon and label, at the right a key hint or a badge. Checked: the current place."""

    def __init__(self, label: str, icon: str, theme: Theme, *, hint: str = "", ground: str = "sidebar") -> None:
        super().__init__()
        self._icon, self._hint, self._theme, self._badge = icon, hint, theme, 0
        self._hover, self._chosen = (
            ("hover-sidebar", "selected-sidebar") if ground == "sidebar" else ("hover", "surface-2")
        )
        self.setText(label)
        self.setFixedHeight(28)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_hint(self, hint: str) -> None:
        """The keys that do the same."""
        self._hint = hint
        self.update()

    @property
    def icon_name(self) -> str:
        return self._icon

    def show_badge(self, count: int) -> None:
        """How many things wait there; 0 shows nothing."""
        if count != self._badge:
            self._badge = count
            self.setAccessibleName(self.tr("{}, {} waiting").format(self.text(), count) if count else self.text())
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, 28)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        role = (
            "press" if self.isDown() else self._chosen if self.isChecked() else self._hover if self.underMouse() else ""
        )
        if role:
            rounded(p, box, 6, theme.color(role))
        theme.draw_icon(p, self._icon, QRectF(8, 0, 16, 28), "text-2")
        font = ui_font(13, 500 if self.isChecked() else 400)
        text(
            p,
            32,
            0,
            29,
            elided(self.text(), font, box.width() - (72 if self._badge or self._hint else 40)),
            font,
            theme.color("text"),
        )
        if self._badge:
            label = str(self._badge)
            width = max(19.0, text_width(label, ui_font(11, 500, True)) + 12)
            rounded(p, QRectF(box.right() - 7 - width, 6, width, 16), 8, theme.color("accent"))
            x = box.right() - 7 - (width + text_width(label, ui_font(11, 500, True))) / 2
            text(p, x, 0, 28, label, ui_font(11, 500, True), theme.color("on-accent"))
        elif self._hint:
            text(p, box.right() - 8, 0, 29, self._hint, ui_font(11), theme.color("text-3"), right=True)


class ChoiceRow(QAbstractButton):
    """A row of a card with icon or radio, a title and a sentence below; all of it can be pressed.

    `first` and `last` say which of the card's corners are the row's own.
    """

    def __init__(
        self,
        title: str,
        sentence: str,
        theme: Theme,
        *,
        icon: str = "",
        tail: str = "",
        mono_tail: bool = False,
        first: bool = False,
        last: bool = False,
    ) -> None:
        super().__init__()
        self._sentence, self._theme, self._icon, self._tail = sentence, theme, icon, tail
        self._tail_font = mono_font(12) if mono_tail else ui_font(12)
        self._first, self._last = first, last
        self.setText(title)
        self.setAccessibleName(f"{title}. {sentence}")
        self.setCheckable(not icon)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(57)
        theme.changed.connect(self.update)

    def mark_end(self, *, first: bool = False, last: bool = False) -> None:
        """Give the row the upper or lower corners of its card."""
        self._first, self._last = self._first or first, self._last or last
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        self._draw_ground(p, box)
        if self._icon:
            theme.draw_icon(p, self._icon, QRectF(13, 12, 16, 20), "text-2")
        else:
            middle = QRectF(14, (box.height() - 16) / 2, 16, 16)
            self._draw_radio(p, middle)
        left = 40.0 if self._icon else 42.0
        right = box.width() - 15
        if self._tail:
            right -= (
                text(p, right, 0, box.height(), self._tail, self._tail_font, theme.color("text-2"), right=True) + 16
            )
        text(p, left, 10, 20, self.text(), ui_font(13, 500), theme.color("text"))
        text(p, left, 28, 18, elided(self._sentence, ui_font(12), right - left), ui_font(12), theme.color("text-2"))

    def _draw_ground(self, p: QPainter, box: QRectF) -> None:
        """The row's part of the card: fill, the card's outline at its sides, a hairline to the row above."""
        theme = self._theme
        p.save()
        p.setClipRect(box)
        whole = box.adjusted(0, 0 if self._first else -20, 0, 0 if self._last else 20)
        role = "press" if self.isDown() else "accent-bg" if self.isChecked() else "hover" if self.underMouse() else "bg"
        rounded(p, whole, 8, theme.color(role))
        frame(p, whole, 8, theme.color("hairline"))
        p.restore()
        if not self._first:
            hairline(p, 0, 0, box.width(), theme.color("hairline"))

    def _draw_radio(self, p: QPainter, box: QRectF) -> None:
        theme = self._theme
        if self.isChecked():
            rounded(p, box, 8, theme.color("accent"))
            rounded(p, box.adjusted(5, 5, -5, -5), 3, theme.color("on-accent"))
        else:
            rounded(p, box, 8, theme.color("raised"))
            frame(p, box, 8, theme.color("control"), 1.5)


class Card(QWidget):
    """A ground with an outline and round corners, for things that belong together."""

    def __init__(self, theme: Theme, fill: str = "bg", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._fill = theme, fill
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        rounded(p, QRectF(self.rect()), 8, self._theme.color(self._fill))
        frame(p, QRectF(self.rect()), 8, self._theme.color("hairline"))
