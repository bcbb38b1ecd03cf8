"""One ring a window, drawn over whatever has the keyboard focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from placet.ui.theme.paint import focus_ring
from placet.ui.theme.theme import Theme


class FocusRing(QWidget):
    """One ring a window, drawn over whatever has the keyboard focus.

    A ring inside each control needs 3 px of margin everywhere and is lost wherever a style sheet takes over the
    drawing; an overlay does neither. It goes by the last input, key or mouse, and not by WA_KeyboardFocusChange, which
    Tab sets but the arrow keys of a radio group do not.
    """

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._theme = theme
        self._target: QWidget | None = None
        self._by_keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._moved)

    def _moved(self, old: QWidget | None, now: QWidget | None) -> None:
        if self._target is not None:
            self._target.removeEventFilter(self)
            self._target = None
        if now is not None and self.window().isAncestorOf(now):
            if (handle := self.window().windowHandle()) is not None:
                handle.installEventFilter(self)  # input of this window only; on the application, every event
            if isinstance(now, QAbstractButton):
                self._target = now
                now.installEventFilter(self)
        self._place()

    def _place(self) -> None:
        target = self._target
        if target is None or not target.isVisible() or not self._by_keyboard:
            self.hide()
            return
        corner = target.mapTo(self.window(), target.rect().topLeft())
        self.setGeometry(QRect(corner, target.size()).adjusted(-3, -3, 3, 3))
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.KeyPress and not self._by_keyboard:
            self._by_keyboard = True
        elif kind == QEvent.Type.MouseButtonPress and self._by_keyboard:
            self._by_keyboard = False
            self.hide()
        elif watched is self._target and kind in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Hide):
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus_ring(p, QRectF(self.rect()).adjusted(3, 3, -3, -3), 6, self._theme)
