"""What a person sees of the window while another one is in front: an icon in the tray, a badge, a system notification."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import rounded, text, text_width

_SIZES = (16, 22, 24, 32, 48)
_FILL, _INK = QColor("#4552C9"), QColor("#FFFFFF")  # the tray has its own ground: neither the light nor the dark look


class Outside(QObject):
    """A place outside the window; this one shows nothing. `clicked`: to what the last notification was about."""

    clicked = Signal()

    def show_count(self, count: int) -> None: ...

    def notify(self, title: str, words: str) -> None:
        """Show a notification in place of the one before. Never takes the keyboard."""

    def hide(self) -> None: ...


class Tray(Outside):
    """The icon in the tray with the count on it, and the notification that hangs on it. Only where there is a tray."""

    def __init__(
        self, icon: QIcon, actions: Sequence[tuple[str, Callable[[], object]]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._plain = icon
        self.menu = QMenu()
        for words, act in actions:
            self.menu.addAction(words).triggered.connect(lambda _=False, act=act: act())
        self._open = actions[0][1]
        self._tray = QSystemTrayIcon(icon, self)
        self._tray.setContextMenu(self.menu)
        self._tray.activated.connect(self._on_activated)
        self._tray.messageClicked.connect(self.clicked)
        self.show_count(0)
        self._tray.show()

    @staticmethod
    def is_there() -> bool:
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def tip(self) -> str:
        return self._tray.toolTip()

    def show_count(self, count: int) -> None:
        self._tray.setIcon(badged(self._plain, count))
        waiting = self.tr("1 thing waits for you") if count == 1 else self.tr("{} things wait for you").format(count)
        self._tray.setToolTip(f"Placet: {waiting}" if count else "Placet")

    def notify(self, title: str, words: str) -> None:
        self._tray.showMessage(title, words, self._plain)

    def hide(self) -> None:
        self._tray.hide()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self._open()


class TaskBar(Outside):
    """The number on the program's icon in the task bar or the dock. Shows no notifications."""

    def show_count(self, count: int) -> None:
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.setBadgeNumber(count)

    def hide(self) -> None:
        self.show_count(0)


class DesktopNotices(Outside):
    """Notifications of a Linux desktop without a tray. What speaks with it is imported for the first one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._portal: Outside | None = None

    @staticmethod
    def are_there() -> bool:
        return "DBUS_SESSION_BUS_ADDRESS" in os.environ

    def notify(self, title: str, words: str) -> None:
        if self._portal is None:
            from placet.ui.notices_portal import Portal

            self._portal = Portal(parent=self)
            self._portal.clicked.connect(self.clicked)
        self._portal.notify(title, words)

    def hide(self) -> None:
        if self._portal is not None:
            self._portal.hide()


def badged(icon: QIcon, count: int) -> QIcon:
    """The icon with a number at its lower right, in the sizes of trays; the icon itself for 0."""
    if not count:
        return icon
    made = QIcon()
    for size in _SIZES:
        pixmap = QPixmap(icon.pixmap(size, size))
        p = QPainter(pixmap)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        high = max(9.0, size * 0.55)
        words = str(count) if count < 100 else "99"
        font = ui_font(round(high * 0.8), 600, True)
        wide = min(float(size), max(high, text_width(words, font) + high * 0.4))
        box = QRectF(size - wide, size - high, wide, high)
        rounded(p, box, high / 2, _FILL)
        text(p, box.center().x() - text_width(words, font) / 2, box.top(), box.height(), words, font, _INK)
        p.end()
        made.addPixmap(pixmap)
    return made
