"""Light, dark, or what the system says, live (`D-9`)."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from placet.ui.theme.theme import Theme
from placet.ui.window_state import Preferences


class Look(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Appearance(QObject):
    """Keeps the theme in step with a person's choice and, where they chose so, with the system."""

    chosen = Signal(str)  # a Look

    def __init__(self, theme: Theme, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        stored = preferences.read("look")
        self._choice = Look(stored) if stored in set(Look) else Look.SYSTEM
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._apply)
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
            is_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            name = "dark" if is_dark else "light"
        if name != self._theme.name:
            self._theme.use(name)
