"""Light, dark, or what the system says, live (`D-9`)."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication

from placet.ui.theme.theme import Theme
from placet.ui.window_state import Preferences


class Look(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class System(Protocol):
    """What the platform says about light and dark; Qt's style hints do."""

    @property
    def colorSchemeChanged(self) -> SignalInstance: ...

    def colorScheme(self) -> Qt.ColorScheme: ...


class Appearance(QObject):
    """Keeps the theme in step with a person's choice and, where they chose so, with the system."""

    chosen = Signal(str)  # a Look

    def __init__(
        self, theme: Theme, preferences: Preferences, parent: QObject | None = None, system: System | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self._system: System = system or QGuiApplication.styleHints()
        stored = preferences.read("look")
        self._choice = Look(stored) if stored in set(Look) else Look.SYSTEM
        self._system.colorSchemeChanged.connect(self._apply)
        self._apply()

    @property
    def choice(self) -> Look:
        return self._choice

    def choose(self, look: Look) -> None:
        self._choice = look
        self._preferences.write("look", look)
        self._apply()
        self.chosen.emit(look)

    def toggle(self) -> None:
        """From light to dark or back, whatever was followed before."""
        self.choose(Look.LIGHT if self._theme.name == "dark" else Look.DARK)

    def _apply(self) -> None:
        name = self._choice.value
        if self._choice is Look.SYSTEM:
            # Unknown where the platform has no theme plug-in: light then.
            is_dark = self._system.colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if is_dark else "light"
        if name != self._theme.name:
            self._theme.use(name)
