"""The keys of one action, to be pressed anew."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from placet.ui.models.actions import spoken
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, rounded, text, text_width
from placet.ui.theme.theme import Theme

_HEIGHT, _PAD, _NARROWEST = 24, 9, 72
_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


class KeyButton(QAbstractButton):
    """Pressed, it listens: the next stroke is `struck`, Escape and another place for the focus end that.

    Backspace or Delete gives "": no keys.
    """

    struck = Signal(str)

    def __init__(self, words: str, theme: Theme) -> None:
        super().__init__()
        self._words, self._theme = words, theme
        self._keys = ""
        self.is_listening = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: self._listen(not self.is_listening))
        theme.changed.connect(self.update)

    def show_keys(self, keys: str) -> None:
        self._keys = keys
        self._tell()

    def _listen(self, listens: bool) -> None:
        self.is_listening = listens
        self._tell()

    def _tell(self) -> None:
        listening, none = self.tr("Press keys, Esc to leave"), self.tr("None")
        self.setText(listening if self.is_listening else spoken(self._keys) or none)
        self.setAccessibleName(self.tr("{}: {}. Press to change").format(self._words, self.text()))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(max(_NARROWEST, round(text_width(self.text(), ui_font(12)) + 2 * _PAD)), _HEIGHT)

    # ---- keys ----------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self.is_listening:
            event.accept()  # no shortcut of the window acts on what is pressed now
            return True
        return super().event(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        return False if self.is_listening else super().focusNextPrevChild(next)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._listen(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self.is_listening:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.click()
            else:
                super().keyPressEvent(event)
        elif key not in _MODIFIERS:
            self._listen(False)
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
                self.struck.emit("")
            elif not (plain and key == Qt.Key.Key_Escape):
                modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
                stroke = QKeySequence(QKeyCombination(modifiers, key))
                self.struck.emit(stroke.toString(QKeySequence.SequenceFormat.PortableText))

    # ---- painting ------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, box = self._theme, QRectF(self.rect())
        under = "press" if self.isDown() else "hover" if self.underMouse() else "surface"
        rounded(p, box, 4, theme.color("accent-bg" if self.is_listening else under))
        frame(p, box, 4, theme.color("accent" if self.is_listening else "hairline-2"), 2 if self.is_listening else 1)
        ink = "text" if self._keys or self.is_listening else "text-2"
        width = text_width(self.text(), ui_font(12))
        text(p, (box.width() - width) / 2, 0, _HEIGHT, self.text(), ui_font(12), theme.color(ink))
