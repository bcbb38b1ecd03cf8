"""Twenty writes as one list: each alone, those looked at, all of them with a second step, a file's edits together."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QRadioButton

from placet.core.domain.errors import StoreError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.review import ChosenHunks, PendingRequest
from support.review_samples import command_request, file_diff, hunk, write_request

from .conftest import Desk

ENTER, UP, DOWN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Escape


def edits(*numbers: int) -> list[PendingRequest]:
    return [write_request(number, path=f"/w/{number:02}.py", label=f"{number:02}.py") for number in numbers]


def states(desk: Desk) -> list[str]:
    return [row.state.value for row in desk.batch.batch.rows]


async def test_r_10_twenty_writes_are_one_item_and_one_list_above_the_diff(desk) -> None:
    await desk.ask(*edits(*range(1, 21)), command_request("ls", 30))
    assert desk.page.count.text() == "2 waiting"
    assert desk.page.batch.review is None
    await desk.press(DOWN)
    assert desk.panel.isVisible()
    assert desk.panel.summary.text() == "20 edits"
    assert len(desk.panel.list.rows) == 20
    assert desk.panel.progress.text() == "1 of 20 looked at"


async def test_r_10_one_after_the_other_by_keys_without_losing_the_place(desk) -> None:
    await desk.ask(*edits(1, 2, 3))
    await desk.press(ENTER)
    for decided in ("1", "2"):
        desk.clock.pass_ms(500)
        await desk.press(ENTER)
        assert desk.decided[-1] == (decided, "approved")
    assert states(desk) == ["approved", "approved", "seen"]
    desk.clock.pass_ms(500)
    await desk.press(Qt.Key.Key_R, ENTER)
    assert desk.decided[-1] == ("3", "rejected")


async def test_enter_in_the_list_of_edits_goes_to_the_diff_and_approves_nothing(desk) -> None:
    await desk.ask(*edits(1, 2, 3))
    desk.panel.list.setFocus()
    desk.clock.pass_ms(1000)
    await desk.press(DOWN, ENTER)
    assert desk.decided == []
    assert desk.model.review.current.id == "request-2"
    desk.clock.pass_ms(500)
    await desk.press(ENTER)
    assert desk.decided == [("2", "approved")]


async def test_r_10_only_those_looked_at_are_approved_at_once(desk) -> None:
    await desk.ask(*edits(1, 2, 3, 4))
    desk.panel.list.setFocus()
    await desk.press(DOWN, DOWN)
    assert states(desk) == ["seen", "seen", "seen", "unseen"]
    desk.clock.pass_ms(500)
    assert desk.panel.approve_seen.text() == "Approve 3 looked at"
    await desk.click(desk.panel.approve_seen)
    assert desk.decided == [(number, "approved") for number in ("1", "2", "3")]


async def test_r_5_many_at_once_are_approved_as_the_person_left_each(desk, hub) -> None:
    for request in edits(1, 2, 3):
        desk.tell(hub.ask(request, file_diff(hunk(10, ("a", "b")), hunk(40, ("c", "d")), can_choose=True)))
    await desk.settle()
    draft = desk.model.review.draft
    draft.marks.decide(1, accepted=False)
    desk.panel.list.setFocus()
    await desk.press(DOWN, DOWN)
    desk.model.review.draft.marks.decide(0, accepted=False)
    desk.model.review.draft.marks.decide(1, accepted=False)  # nothing is left of the third
    desk.clock.pass_ms(500)
    await desk.click(desk.panel.approve_all)
    desk.clock.pass_ms(500)
    await desk.click(desk.panel.confirm)
    assert desk.decided == [("1", "approved"), ("2", "approved")]
    assert hub.amendments == {RequestId("request-1"): ChosenHunks((0,))}
    assert states(desk) == ["approved", "approved", "failed"]


async def test_a_diff_whose_end_was_not_in_sight_is_not_looked_at(desk, hub) -> None:
    long = file_diff(*(hunk(20 * number, ("a", "b"), ("c", "d")) for number in range(1, 60)))
    for request in edits(1, 2):
        desk.tell(hub.ask(request, long))
    await desk.settle()
    assert states(desk) == ["part", "unseen"]
    bar = desk.pane.content.diff_view.verticalScrollBar()
    bar.setValue(bar.maximum())
    await desk.settle()
    assert states(desk) == ["seen", "unseen"]


async def test_r_10_all_are_approved_only_by_a_second_step_that_names_the_unseen(desk) -> None:
    await desk.ask(*edits(1, 2, 3))
    await desk.click(desk.panel.approve_all)
    assert desk.decided == []
    assert desk.panel.question.text() == "2 of 3 were not looked at to their end."
    assert desk.panel.confirm.text() == "Approve 3, 2 of them unseen"
    await desk.click(desk.panel.confirm)  # within the half second: nothing
    assert desk.decided == []
    desk.clock.pass_ms(500)
    await desk.click(desk.panel.confirm)
    assert desk.decided == [(number, "approved") for number in ("1", "2", "3")]


async def test_the_second_step_is_about_what_waited_when_it_was_read(desk) -> None:
    await desk.ask(*edits(1, 2, 3))
    await desk.click(desk.panel.approve_all)
    desk.clock.pass_ms(500)
    QTest.mousePress(desk.panel.confirm, Qt.MouseButton.LeftButton)
    desk.tell(desk.hub.ask(edits(4)[0], file_diff()))
    await desk.settle()
    QTest.mouseRelease(desk.panel.confirm, Qt.MouseButton.LeftButton)
    await desk.settle()
    assert desk.decided == []
    assert desk.panel.confirm.text() == "Approve 4, 3 of them unseen"


async def test_escape_and_enter_in_the_second_step_decide_nothing(desk) -> None:
    await desk.ask(*edits(1, 2, 3))
    await desk.click(desk.panel.approve_all)
    desk.clock.pass_ms(1000)
    await desk.press(ENTER)  # the focus is on Back
    assert not desk.panel.is_asking
    await desk.click(desk.panel.approve_all)
    desk.clock.pass_ms(1000)
    await desk.press(ESCAPE)
    assert (desk.panel.is_asking, desk.decided) == (False, [])


async def test_r_13_all_are_rejected_with_one_reason_by_keys(desk, hub) -> None:
    await desk.ask(*edits(1, 2, 3))
    await desk.click(desk.panel.reject_all)
    assert desk.panel.confirm.text() == "Reject 3"
    QTest.keyClicks(desk.panel.note, "first the tests")
    desk.clock.pass_ms(500)
    await desk.press(ENTER)
    assert hub.decided == [(f"request-{number}", "rejected", "first the tests") for number in (1, 2, 3)]


async def test_enter_in_the_reason_too_early_neither_rejects_nor_approves_what_is_below(desk) -> None:
    await desk.ask(*edits(1, 2))
    desk.clock.pass_ms(1000)
    await desk.click(desk.panel.reject_all)
    await desk.press(ENTER)
    assert desk.decided == []
    assert desk.panel.is_asking


async def test_r_15_one_that_fails_says_so_in_its_row_and_the_others_are_decided(desk, hub) -> None:
    await desk.ask(*edits(1, 2, 3))
    hub.refusals["approve"] = StoreError("The database is busy.")
    await desk.click(desk.panel.approve_all)
    desk.clock.pass_ms(500)
    await desk.click(desk.panel.confirm)
    assert desk.decided == [("2", "approved"), ("3", "approved")]
    row = QAccessible.queryAccessibleInterface(desk.panel.list).child(0)
    assert row.text(QAccessible.Text.Name).endswith("The database is busy.")


async def test_r_17_an_edit_made_anew_says_that_it_changed_and_is_not_among_those_looked_at(desk, hub) -> None:
    await desk.ask(*edits(1, 2))
    anew = msgspec.structs.replace(write_request(9, path="/w/01.py"), call_id=CallId(1))
    desk.panel.list.setFocus()
    await desk.press(DOWN)
    desk.tell(*hub.make_stale(RequestId("request-1"), anew, file_diff()))
    await desk.settle()
    assert states(desk) == ["changed", "seen"]
    assert desk.panel.approve_seen.text() == "Approve 1 looked at"


# ---- edits of one file together --------------------------------------------------------------------------------


@pytest.fixture
async def steps(desk: Desk) -> Desk:
    await desk.ask(*(write_request(number, path="/w/a.py") for number in (1, 2, 3)), *edits(9))
    desk.panel.list.setFocus()
    await desk.press(UP, UP, UP)
    return desk


async def go_together(desk: Desk) -> None:
    await desk.press(DOWN)  # 09.py is before a.py
    await desk.click(next(b for b in desk.panel.view.findChildren(QRadioButton) if b.text() == "Together"))


async def test_r_17_edits_of_one_file_can_be_seen_together_and_approved_as_one(steps) -> None:
    await go_together(steps)
    assert steps.batch.page.isVisible()
    assert not steps.pane.bar.isVisible()
    steps.clock.pass_ms(500)
    assert steps.batch.page.bar.approve.text() == "Approve 3 edits"
    await steps.click(steps.batch.page.bar.approve)
    assert steps.decided == [(number, "approved") for number in ("1", "2", "3")]


async def test_while_edits_are_seen_together_no_key_reaches_the_single_one(steps) -> None:
    await go_together(steps)
    steps.pane.setFocus()
    await steps.press(ENTER)
    assert steps.decided == []  # it appeared a moment ago
    steps.clock.pass_ms(500)
    await steps.press(Qt.Key.Key_R)
    assert steps.batch.page.bar.is_note_open
    assert not steps.pane.bar.is_note_open
    await steps.press(ESCAPE)
    await steps.press(ENTER)
    assert steps.decided == [(number, "approved") for number in ("1", "2", "3")]


async def test_seen_together_to_the_end_all_steps_are_looked_at(steps) -> None:
    await go_together(steps)
    await steps.settle()
    assert [row.state.value for row in steps.batch.batch.rows if row.request.path == "/w/a.py"] == ["seen"] * 3
