"""`D-9`: how large everything is, and in which letters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from placet.ui.text_choices import SYSTEM, ZOOMS, choose_zoom, chosen_zoom, next_zoom
from placet.ui.theme.fonts import mono_font, ui_font, use_families
from placet.ui.theme.theme import Theme
from placet.ui.widgets.fields import Select
from placet.ui.window_state import FilePreferences
from unit.project.tree import ROOT

from .conftest import OpenWindow

CTRL = Qt.KeyboardModifier.ControlModifier
SCALED = """
import os, sys
import placet.ui
from placet.ui.qt_application import qt_application
app = qt_application(zoom=int(sys.argv[1]))
print(app.primaryScreen().devicePixelRatio(), os.environ.get("QT_SCALE_FACTOR"))
"""


def scaled(zoom: int, **extra: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "desktop"), "QT_QPA_PLATFORM": "offscreen", **extra}
    done = subprocess.run(
        [sys.executable, "-c", SCALED, str(zoom)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_d_9_the_zoom_scales_all_and_is_not_handed_to_other_programs() -> None:
    assert scaled(100) == "1.0 None"
    assert scaled(150) == "1.5 None"


def test_d_9_what_the_environment_says_comes_first() -> None:
    assert scaled(150, QT_SCALE_FACTOR="2") == "2.0 2"


@pytest.mark.parametrize("stored", ["", "0", "1000", "-100", "much", "100.5"])
def test_a_zoom_that_is_none_is_the_normal_size(preferences: FilePreferences, stored: str) -> None:
    preferences.write("zoom", stored)
    assert chosen_zoom(preferences) == 100


def test_zoom_ends_at_its_ends(preferences: FilePreferences) -> None:
    assert next_zoom(ZOOMS[-1], 1) == ZOOMS[-1]
    assert next_zoom(ZOOMS[0], -1) == ZOOMS[0]
    choose_zoom(preferences, next_zoom(100, 1))
    assert chosen_zoom(preferences) == 110


async def test_d_9_ctrl_plus_minus_and_zero_choose_and_the_window_says_so(
    open_window: OpenWindow, preferences: FilePreferences
) -> None:
    window = await open_window()
    for key, percent in (
        (Qt.Key.Key_Plus, 110),
        (Qt.Key.Key_Equal, 125),
        (Qt.Key.Key_Minus, 110),
        (Qt.Key.Key_0, 100),
    ):
        QTest.keyClick(QApplication.focusWidget() or window, key, CTRL)
        assert chosen_zoom(preferences) == percent
        assert f"{percent} %" in window.status.text


async def test_d_9_fonts_and_zoom_are_chosen_in_settings(open_window: OpenWindow, preferences: FilePreferences) -> None:
    window = await open_window()
    window.places.go_to("settings")
    section = window.pages.settings.appearance
    for field, key in ((section.zoom, "125"), (section.ui_font, SYSTEM), (section.mono_font, SYSTEM)):
        assert isinstance(field, Select)
        field.chosen.emit(key)
    assert chosen_zoom(preferences) == 125
    await window.aclose()
    second = await open_window()
    second.places.go_to("settings")
    section = second.pages.settings.appearance
    assert [section.zoom.key, section.ui_font.key, section.mono_font.key] == ["125", SYSTEM, SYSTEM]


@pytest.fixture
def own_families() -> Iterator[None]:
    yield
    use_families("", "")


@pytest.mark.usefixtures("own_families")
def test_d_9_a_chosen_family_is_used_and_one_that_is_gone_is_not(theme: Theme) -> None:
    use_families("JetBrains Mono", "No Such Family")
    assert (ui_font(13).family(), mono_font(12).family()) == ("JetBrains Mono", "JetBrains Mono")
    use_families("", "Inter")
    assert (ui_font(13).family(), mono_font(12).family()) == ("Inter", "Inter")
