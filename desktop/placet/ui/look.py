"""Light or dark: what a person chose, and what the system says. Light to import, for the frame comes before all else."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from placet.ui.window_state import Preferences

if TYPE_CHECKING:
    from PySide6.QtCore import Qt, SignalInstance


class Look(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class System(Protocol):
    """What the platform says about light and dark; Qt's style hints do."""

    @property
    def colorSchemeChanged(self) -> SignalInstance: ...

    def colorScheme(self) -> Qt.ColorScheme: ...


def chosen_look(preferences: Preferences) -> Look:
    """Return what a person chose; without a choice the system is followed."""
    stored = preferences.read("look")
    return Look(stored) if stored in set(Look) else Look.SYSTEM


def theme_of(look: Look, system: System) -> str:
    """Return "light" or "dark". A platform without a theme plug-in says neither: light then."""
    if look is Look.SYSTEM:
        return "dark" if system.colorScheme().name == "Dark" else "light"
    return look.value
