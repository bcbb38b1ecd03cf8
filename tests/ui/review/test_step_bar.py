"""The line of steps: walked by keys and pointer, whole also where there are very many."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.domain.ids import ChangeId, SessionId
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.undo import ChangeStep
from placet.ui.panels.changes.step_bar import StepBar
from placet.ui.theme.theme import Theme


def step(number: int, state: ChangeState = ChangeState.APPLIED) -> ChangeStep:
    change = Change(
        id=ChangeId(number), session_id=SessionId("s"), call_id=None, path="/w/a", before_digest="a", after_digest="b",
        state=state, created_at=1.0,
    )  # fmt: skip
    return ChangeStep(change=change)


@pytest.fixture
def bar(theme: Theme, qtbot: QtBot) -> StepBar:
    made = StepBar(theme)
    qtbot.addWidget(made)
    made.resize(600, 40)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_it_says_how_many_steps_there_are_and_which_are_undone(bar: StepBar) -> None:
    bar.show_steps([step(1), step(2, ChangeState.REVERTED), step(3)], 0)
    assert bar.accessibleName() == "3 steps, undone: 2"
    assert bar.accessibleDescription() == "All steps"
    bar.show_steps([step(1)], 1)
    assert (bar.accessibleName(), bar.accessibleDescription()) == ("1 step", "1")


def test_keys_walk_and_stay_on_the_line(bar: StepBar) -> None:
    told: list[int] = []
    bar.chosen.connect(told.append)
    bar.show_steps([step(number) for number in range(1, 4)], 0)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Home):
        QTest.keyClick(bar, key)
    assert told == [1, 3, 0]


def test_a_step_is_chosen_where_it_is_painted(bar: StepBar) -> None:
    told: list[int] = []
    bar.chosen.connect(told.append)
    bar.show_steps([step(number) for number in range(1, 4)], 0)
    for x in range(0, 300, 5):
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(x, 20))
    assert told == [1, 2, 3]


def test_of_very_many_steps_those_around_the_current_one_can_be_reached(bar: StepBar) -> None:
    told: list[int] = []
    bar.chosen.connect(told.append)
    steps = [step(number) for number in range(1, 501)]
    bar.grab()
    for x in range(0, 600, 5):
        bar.show_steps(steps, 250)
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(x, 20))
    assert {0, 249, 251, 500} <= {*told}
