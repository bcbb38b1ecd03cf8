"""Light, dark, or what the system says, live (`D-9`)."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from placet.ui.look import Look, System, chosen_look, theme_of
from placet.ui.text_choices import (
    choose_mono_font,
    choose_ui_font,
    choose_zoom,
    chosen_fonts,
    chosen_zoom,
    next_zoom,
)
from placet.ui.theme.theme import Theme
from placet.ui.window_state import Preferences


class Appearance(QObject):
    """Keeps the theme in step with a person's choice and, where they chose so, with the system."""

    chosen = Signal(str)  # a Look
    zoom_chosen = Signal(int)  # percent, from the next start on
    restart_requested = Signal()  # to see it now

    def __init__(
        self, theme: Theme, preferences: Preferences, parent: QObject | None = None, system: System | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self._system: System = system or QGuiApplication.styleHints()
        self._choice = chosen_look(preferences)
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

    @property
    def zoom(self) -> int:
        """Percent, as it will be at the next start."""
        return chosen_zoom(self._preferences)

    def choose_zoom(self, percent: int) -> None:
        choose_zoom(self._preferences, percent)
        self.zoom_chosen.emit(percent)

    def step_zoom(self, step: int) -> None:
        """Larger or smaller by one step."""
        self.choose_zoom(next_zoom(self.zoom, step))

    @property
    def fonts(self) -> tuple[str, str]:
        """The families for the interface and for code, as they will be at the next start."""
        return chosen_fonts(self._preferences)

    def choose_ui_font(self, family: str) -> None:
        choose_ui_font(self._preferences, family)

    def choose_mono_font(self, family: str) -> None:
        choose_mono_font(self._preferences, family)

    def _apply(self) -> None:
        name = theme_of(self._choice, self._system)
        if name != self._theme.name:
            self._theme.use(name)
