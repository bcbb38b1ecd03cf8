"""How large everything is and in which letters: chosen in Settings, in force from the next start on (`D-9`).

Qt takes the scale once, before its application is made, and then scales all there is, sharp at every value. Light to
import, for that comes first of all.
"""

from __future__ import annotations

from placet.ui.window_state import Preferences

ZOOMS = (70, 80, 90, 100, 110, 125, 150, 175, 200)  # percent
_ZOOM, _UI_FONT, _MONO_FONT = "zoom", "ui_font", "mono_font"
SYSTEM = "system"  # the system's own font; "" is the one that comes with the program


def chosen_zoom(preferences: Preferences) -> int:
    """Percent; 100 without a choice or with one that is none."""
    stored = preferences.read(_ZOOM)
    return int(stored) if stored in {str(each) for each in ZOOMS} else 100


def choose_zoom(preferences: Preferences, percent: int) -> None:
    preferences.write(_ZOOM, str(percent))


def next_zoom(percent: int, step: int) -> int:
    """One step larger or smaller, at most to the ends."""
    at = ZOOMS.index(percent) + step
    return ZOOMS[min(max(at, 0), len(ZOOMS) - 1)]


def chosen_fonts(preferences: Preferences) -> tuple[str, str]:
    """The families for the interface and for code."""
    return preferences.read(_UI_FONT), preferences.read(_MONO_FONT)


def choose_ui_font(preferences: Preferences, family: str) -> None:
    preferences.write(_UI_FONT, family)


def choose_mono_font(preferences: Preferences, family: str) -> None:
    preferences.write(_MONO_FONT, family)
