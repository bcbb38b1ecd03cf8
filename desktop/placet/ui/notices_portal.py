"""System notifications on Linux desktops without a tray: through the desktop portal, over D-Bus.

Not `org.freedesktop.Notifications`: it wants an unsigned number, which PySide6 cannot send.
"""

from __future__ import annotations

import logging

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

from placet.ui.notices_outside import Outside

SERVICE = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
INTERFACE = "org.freedesktop.portal.Notification"
_ID = "waiting"  # always the same: a newer one stands in the place of the one before

log = logging.getLogger(__name__)


class Portal(Outside):
    """Asks and never waits for the answer. Where there is no portal, nothing is shown and the log says so once."""

    def __init__(self, bus: QDBusConnection | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus = bus or QDBusConnection.sessionBus()
        self._is_missing = not self._bus.isConnected()
        self._calls: set[QDBusPendingCallWatcher] = set()
        self._has_shown = False
        if not self._is_missing:
            # The stubs want bytes, which PySide6 6.11 refuses: it takes what `SLOT` gives.
            slot = SLOT("on_action(QDBusMessage)")
            self._bus.connect(SERVICE, PATH, INTERFACE, "ActionInvoked", self, slot)  # type: ignore[call-overload]

    def notify(self, title: str, words: str) -> None:
        self._has_shown = True
        self._call("AddNotification", [_ID, {"title": title, "body": words, "default-action": "open"}])

    def hide(self) -> None:
        if self._has_shown:
            self._call("RemoveNotification", [_ID])

    def _call(self, verb: str, arguments: list[object]) -> None:
        if self._is_missing:
            return
        message = QDBusMessage.createMethodCall(SERVICE, PATH, INTERFACE, verb)
        message.setArguments(arguments)
        watcher = QDBusPendingCallWatcher(self._bus.asyncCall(message), self)
        self._calls.add(watcher)
        watcher.finished.connect(self._on_answered)

    def _on_answered(self, watcher: QDBusPendingCallWatcher) -> None:
        self._calls.discard(watcher)
        if watcher.isError() and not self._is_missing:
            self._is_missing = True
            log.info("no system notifications: %s", watcher.error().message())
        watcher.deleteLater()

    @Slot(QDBusMessage)
    def on_action(self, message: QDBusMessage) -> None:
        """A person clicked on a notification of some program; ours is known by its id."""
        if message.arguments()[:1] == [_ID]:
            self.clicked.emit()
