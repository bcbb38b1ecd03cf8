"""The palette: a field and what it names, over the window (`D-7`). A child of the window, so nothing stops meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from placet.ui.models.palette import PaletteModel
from placet.ui.panels.palette.offers import OfferList
from placet.ui.theme.paint import frame, hairline, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.fields import SearchField
from placet.ui.widgets.plane import column_of

_WIDEST, _TOP, _SIDE = 640, 72, 16
_SHADOW = 12  # px around the card
_PAD = 6


class _Field(SearchField):
    """Moves the row below it with the keys of a list; all other keys write."""

    def __init__(self, palette: Palette, theme: Theme) -> None:
        words = palette.tr("Command, chat, page, model, agent")
        super().__init__(palette.tr("What do you want to do?"), words, theme, large=True)
        self._palette = palette
        self.setStyleSheet("QLineEdit, QLineEdit:focus { border: none; background: transparent; min-height: 34px; }")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        pages = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        key, offers = Qt.Key(event.key()), self._palette.offers
        if key in steps:
            offers.move_current(steps[key])
        elif key in pages:
            offers.move_current(pages[key] * max(2, offers.page()))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._palette.take(offers.current)
        elif key == Qt.Key.Key_Escape:
            self._palette.close_palette()
        elif key not in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        self._palette.offers.move_current(1 if next else -1)  # Tab does not leave the palette
        return True


class Palette(QWidget):
    """Covers the window while it is open; a press beside the card, Escape, or another place for the focus closes it."""

    def __init__(self, model: PaletteModel, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._model, self._window, self._theme = model, window, theme
        self._before: QWidget | None = None
        self.setObjectName("palette")
        self.setAccessibleName(self.tr("Palette"))
        self.hide()
        self.card = _Card(self, theme)
        self.field = _Field(self, theme)
        self.offers = OfferList(self.field, theme)
        margin = _SHADOW + _PAD
        column_of(self.field, _PAD + 1 + _PAD, self.offers, margins=(margin, margin, margin, margin), parent=self.card)
        self.field.textEdited.connect(model.look_for)
        self.field.textChanged.connect(lambda typed: None if typed else model.look_for(""))
        self.offers.taken.connect(self.take)
        model.changed.connect(self._show_offers)
        window.installEventFilter(self)

    def toggle(self) -> None:
        if self.isVisible():
            self.close_palette()
        else:
            self.open_palette()

    def open_palette(self) -> None:
        """List everything and take the keyboard; it goes back to where it was when the palette closes."""
        self._before = QApplication.focusWidget()
        self.field.clear()
        self._model.begin()
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_palette(self) -> None:
        before, self._before = self._before, None
        had_focus = self.field.hasFocus()
        self.hide()
        if before is not None and had_focus and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)

    def take(self, index: int) -> None:
        """Close, then do what stands at `index`."""
        if 0 <= index < len(self._model.offers):
            act = self._model.take(index)
            self.close_palette()
            act()

    def _show_offers(self) -> None:
        self.offers.show_offers(self._model.offers)
        self._place()

    def _place(self) -> None:
        self.setGeometry(self._window.rect())
        width = min(_WIDEST, self.width() - 2 * _SIDE) + 2 * _SHADOW
        room = max(120, self.height() - _TOP - _SIDE)
        height = min(self.field.sizeHint().height() + self.offers.sizeHint().height() + 49, room)
        self.card.setGeometry((self.width() - width) // 2, min(_TOP, self.height() // 10) - _SHADOW, width, height)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.close_palette()


class _Card(QWidget):
    def __init__(self, palette: Palette, theme: Theme) -> None:
        super().__init__(palette)
        self._palette, self._theme = palette, theme
        theme.changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # inside: not a wish to close

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)
        for reach in range(_SHADOW, 0, -2):
            rounded(p, box.adjusted(-reach, -reach + 3, reach, reach), 8 + reach, QColor(0, 0, 0, 5))
        rounded(p, box, 8, self._theme.color("raised"))
        frame(p, box, 8, self._theme.color("hairline-2"))
        y = self._palette.field.geometry().bottom() + _PAD + 1
        hairline(p, box.left() + 1, y, box.width() - 2, self._theme.color("hairline"))
