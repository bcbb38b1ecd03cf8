"""Whether the system is to tell what waits."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from placet.ui.window_state import Preferences

_OFF = "off"
_NAME = "notifications"


class Notifying(QObject):
    """Whether the person wants notifications; kept between runs."""

    changed = Signal(bool)

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences

    @property
    def is_on(self) -> bool:
        return self._preferences.read(_NAME) != _OFF

    def choose(self, on: bool) -> None:
        if on != self.is_on:
            self._preferences.write(_NAME, "on" if on else _OFF)
            self.changed.emit(on)
