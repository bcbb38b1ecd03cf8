"""A notice that is about certain lines leads to them, by button and by key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.review.diffing import diff_contents
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button
from placet.ui.widgets.diff.notice_steps import NoticeSteps
from placet.ui.widgets.diff.places import line_numbered
from placet.ui.widgets.diff.view import DiffView
from support.review_desk import waiting
from support.review_samples import command_request

OLD = "".join(f"line {n}\n" for n in range(1, 401))
ODD = OLD.replace("line 90\n", "line\u202e 90\n").replace("line 300\n", "line 300\u200b\n")


def view_of(qtbot: QtBot, theme: Theme, old: str, new: str) -> DiffView:
    view = DiffView(theme)
    qtbot.addWidget(view)
    view.resize(520, 300)
    view.show()
    view.set_diff(diff_contents("a.txt", old.encode(), new.encode()))
    return view


def in_sight(view: DiffView, number: int) -> bool:
    line = line_numbered(view, number)
    assert line is not None
    y = view.row_y(view.rows().rows_of(line).start)
    return 0 <= y < view.viewport().height()


def steps_of(view: DiffView) -> list[NoticeSteps]:
    return [each for each in view.findChildren(NoticeSteps) if each.isVisible()]


def test_a_notice_leads_to_its_lines_and_round_again(qtbot: QtBot, theme: Theme) -> None:
    view = view_of(qtbot, theme, OLD, ODD)
    (steps,) = steps_of(view)
    assert steps.go.text() == "Go to line 90"
    for button, number in ((steps.go, 90), (steps.next, 300), (steps.next, 90), (steps.previous, 300)):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert in_sight(view, number)
        assert view.selecting.text() == ODD.split("\n")[number - 1]
        assert steps.go.text() == f"Go to line {number}"


@pytest.mark.parametrize("is_split", [False, True])
def test_a_folded_line_is_unfolded_to_be_shown(qtbot: QtBot, theme: Theme, is_split: bool) -> None:
    """Hidden characters in lines that do not change: far from every hunk, above it and below it."""
    view = view_of(qtbot, theme, ODD, ODD.replace("line 200\n", "line two hundred\n"))
    view.resize(900 if is_split else 520, 300)
    view.set_split(is_split)
    assert "line\u202e 90" not in view.plain_text()
    view.setFocus()
    for number in (90, 300):
        QTest.keyClick(view, Qt.Key.Key_L)
        assert in_sight(view, number)
        assert view.selecting.text() == ODD.split("\n")[number - 1]
    QTest.keyClick(view, Qt.Key.Key_L, Qt.KeyboardModifier.ShiftModifier)
    assert in_sight(view, 90)


def test_a_notice_about_no_line_has_no_button(qtbot: QtBot, theme: Theme) -> None:
    view = view_of(qtbot, theme, OLD, OLD.replace("\n", "\r\n"))
    assert view.notices.isVisible()
    assert steps_of(view) == []
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_L)
    assert view.verticalScrollBar().value() == 0


def test_the_key_goes_through_the_places_of_all_notices(qtbot: QtBot, theme: Theme) -> None:
    new = ODD.replace("line 200\n", "line\u00a0200\n").replace("line 250\n", "line 250\r\n")[:-1]
    view = view_of(qtbot, theme, OLD, new)
    view.setFocus()
    found = []
    for _ in range(6):
        QTest.keyClick(view, Qt.Key.Key_L)
        found.append(view.selecting.text())
    lines = [line.removesuffix("\r") for line in new.split("\n")]
    assert found == [lines[n - 1] for n in (90, 300, 250, 400, 200, 90)]


async def test_a_hidden_character_of_a_command_is_found_too(desk, hub, model, settle) -> None:
    await waiting(hub, model, settle, command_request("echo a\n" * 80 + "echo\u200b b\n"))
    go = next(each for each in desk.exact.findChildren(Button) if each.isVisible())
    assert go.text() == "Go to line 81"
    desk.click(go)
    assert desk.exact.selecting.text() == "echo\u200b b"
    assert hub.decided == []
