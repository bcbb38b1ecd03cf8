"""What tests of the chat view share: a theme, a model with a view on it, and ways to point at what is painted."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRectF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from placet.ui.models.transcript import TranscriptModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.transcript.row_view import Action, ActionName
from placet.ui.widgets.transcript.view import TranscriptView


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    made = Theme(qapp)
    made.use("light")
    return made


@pytest.fixture
def model(qapp: QApplication) -> TranscriptModel:
    return TranscriptModel()


@pytest.fixture
def view(model: TranscriptModel, theme: Theme, qtbot: QtBot) -> Generator[TranscriptView]:
    made = TranscriptView(model, theme)  # not given to qtbot, which would delete it before the wait below
    made.resize(700, 600)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    qtbot.waitUntil(lambda: not made.context.highlighter.is_busy, timeout=5000)
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(made, QEvent.Type.DeferredDelete)


def action(view: TranscriptView, name: ActionName, number: int = 0) -> tuple[int, Action]:
    """The painted action of that name, of those that can be seen."""
    found = [(row, act) for row, _y, seen in view.column.visible() for act in seen.actions if act.name is name]
    return found[number]


def point_of(view: TranscriptView, row: int, rect: QRectF) -> QPoint:
    return view.rect_of(row, rect).center().toPoint()


@pytest.fixture
def press(view: TranscriptView, qtbot: QtBot) -> Callable[..., None]:
    """Click on a painted action."""

    def click(name: ActionName, number: int = 0) -> None:
        row, found = action(view, name, number)
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point_of(view, row, found.rect))

    return click


def text_point(view: TranscriptView, words: str) -> QPoint:
    """The middle of the first character of `words`, where they can be seen."""
    for row, _y, seen in view.column.visible():
        at = seen.plain.find(words)
        if at >= 0:
            return view.rect_of(row, seen.caret(at)).center().toPoint() + QPoint(3, 0)
    raise AssertionError(f"{words!r} cannot be seen")
