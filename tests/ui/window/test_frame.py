"""The window before anything is in it: it looks like the filled one without its content, and is the same window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from placet.ui.frame import Frame
from placet.ui.theme.theme import Theme
from placet.ui.window_state import FilePreferences
from ui.window.conftest import OpenWindow, until


def look_of(window: QWidget) -> QImage:
    return window.grab().toImage()


def colors(image: QImage, points: list[tuple[int, int]]) -> list[str]:
    return [image.pixelColor(QPoint(x, y)).name() for x, y in points]


@pytest.fixture
def frame(theme: Theme, preferences: FilePreferences) -> Iterator[Frame]:
    made = Frame(preferences)
    made.resize(1200, 800)
    yield made
    made.hide()  # closing does not do it
    made.deleteLater()


@pytest.mark.parametrize(("width", "page"), [(1200, 232), (800, 0)])
async def test_the_empty_frame_has_the_grounds_and_lines_of_the_filled_window(
    width: int, page: int, frame: Frame, open_window: OpenWindow
) -> None:
    filled = look_of((await open_window(width, 800)).frame)
    frame.resize(width, 800)
    empty = look_of(frame)
    # Between the rows of the sidebar, down the left edge of the page, and along the lower edge.
    places = [(3, y) for y in range(300, 600)] + [(page + 8, y) for y in range(2, 800)]
    places += [(x, 799) for x in range(0, width)] + [(x, 400) for x in range(page + 20)]
    assert colors(empty, places) == colors(filled, places)


def test_d9_the_frame_is_dark_where_a_person_chose_dark(
    qtbot: QtBot, theme: Theme, preferences: FilePreferences
) -> None:
    preferences.write("look", "dark")
    frame = Frame(preferences)
    qtbot.addWidget(frame)
    frame.resize(1200, 800)
    assert all(QColor(name).lightness() < 60 for name in colors(look_of(frame), [(10, 10), (600, 400), (600, 790)]))


def test_nothing_half_filled_is_painted(qtbot: QtBot, frame: Frame) -> None:
    class Content(QWidget):
        painted = 0

        def paintEvent(self, event: object) -> None:
            self.painted += 1

    frame.show()
    qtbot.waitExposed(frame)
    content = Content()
    with qtbot.waitSignal(frame.painted):
        frame.fill(content)
        frame.update()
    assert content.size() == frame.size()  # laid out where it will be seen
    assert content.painted == 0
    frame.reveal()
    qtbot.waitUntil(lambda: content.painted > 0)
    frame.reveal()  # harmless


async def test_the_content_shows_once_the_session_is_there(open_window: OpenWindow) -> None:
    window = await open_window()
    await until(lambda: window.chat.empty.isVisible() and not window.visibleRegion().isEmpty())
    assert window.parentWidget() is window.frame


def test_d5_closing_is_told_and_never_done(qtbot: QtBot, frame: Frame) -> None:
    frame.show()
    assert not frame.is_close_requested
    with qtbot.waitSignal(frame.close_requested):
        frame.close()
    assert frame.isVisible() and frame.is_close_requested


def test_the_place_on_the_screen_is_kept(qtbot: QtBot, frame: Frame, preferences: FilePreferences) -> None:
    frame.resize(611, 533)
    frame.keep_geometry()
    again = Frame(preferences)
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (611, 533)


@pytest.mark.parametrize("stored", ["", "no base64 at all", bytes(QByteArray(b"1234").toBase64().data()).decode()])
def test_a_damaged_place_on_the_screen_is_no_obstacle(stored: str, qtbot: QtBot, theme: Theme, tmp_path: Path) -> None:
    preferences = FilePreferences(tmp_path / "other.ini")
    preferences.write("geometry", stored)
    frame = Frame(preferences)
    qtbot.addWidget(frame)
    assert frame.width() >= 440 and frame.height() >= 420
