"""`D-9`: light, dark, or what the system says, live."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt, Signal

from placet.ui.look import Look
from placet.ui.theme.theme import Theme
from placet.ui.window_appearance import Appearance
from placet.ui.window_state import FilePreferences


class FakeSystem(QObject):
    """A platform that can be told to be dark."""

    colorSchemeChanged = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._scheme = Qt.ColorScheme.Unknown

    def colorScheme(self) -> Qt.ColorScheme:
        return self._scheme

    def become(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self.colorSchemeChanged.emit(scheme)


@pytest.fixture
def system() -> FakeSystem:
    return FakeSystem()


@pytest.fixture
def appearance(theme: Theme, preferences: FilePreferences, system: FakeSystem) -> Iterator[Appearance]:
    preferences.write("look", "system")
    yield Appearance(theme, preferences, system=system)
    theme.use("light")


def test_d9_the_system_is_followed_live(appearance: Appearance, theme: Theme, system: FakeSystem) -> None:
    assert theme.name == "light"  # a platform that says nothing
    system.become(Qt.ColorScheme.Dark)
    assert theme.name == "dark"
    system.become(Qt.ColorScheme.Light)
    assert theme.name == "light"


def test_an_own_choice_wins_over_the_system_and_is_kept(
    appearance: Appearance, theme: Theme, system: FakeSystem, preferences: FilePreferences
) -> None:
    appearance.choose(Look.LIGHT)
    system.become(Qt.ColorScheme.Dark)
    assert theme.name == "light"
    assert Appearance(theme, preferences, system=system).choice is Look.LIGHT
    appearance.choose(Look.SYSTEM)
    assert theme.name == "dark"


def test_toggling_goes_to_the_other_side_of_what_is_seen(
    appearance: Appearance, theme: Theme, system: FakeSystem
) -> None:
    system.become(Qt.ColorScheme.Dark)
    appearance.toggle()
    assert theme.name == "light" and appearance.choice is Look.LIGHT
    appearance.toggle()
    assert theme.name == "dark"


def test_a_damaged_choice_means_the_system(theme: Theme, preferences: FilePreferences, system: FakeSystem) -> None:
    preferences.write("look", "purple")
    assert Appearance(theme, preferences, system=system).choice is Look.SYSTEM
