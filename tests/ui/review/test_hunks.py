"""Deciding hunks one by one: by key, by mouse, for a screen reader, and what Approve then does."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from placet.core.domain.review import ChosenHunks
from placet.ui.widgets.diff.heads import controls
from placet.ui.widgets.diff.view import DiffView
from support.review_samples import file_diff, hunk, write_request

THREE = file_diff(*(hunk(20 * n, (f"old {n}", f"new {n}")) for n in (1, 2, 3)), can_choose=True)


async def asked(hub, model, settle, diff=THREE, **fields) -> None:
    hub.ask(write_request(**fields), diff)
    model.refresh()
    await settle()


def control_of(view: DiffView, number: int, name: str) -> QPoint:
    head = dict(view.heads())[number]
    return next(part.rect.center().toPoint() for part in controls(head, view.states, number) if part.name == name)


async def test_r_5_approving_some_hunks_sends_exactly_those(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_A)
    desk.key(Qt.Key.Key_S)
    assert desk.diff.current == 2
    assert desk.button("approveButton").text() == "Approve 2 of 3 hunks"
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.amendments == {"request-1": ChosenHunks((0, 2))}


async def test_all_hunks_accepted_is_an_approval_of_what_was_proposed(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    desk.diff.setFocus()
    for key in (Qt.Key.Key_S, Qt.Key.Key_P, Qt.Key.Key_A):
        desk.key(key)
    assert desk.button("approveButton").text() == "Approve all 3 hunks"
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.decided == [("request-1", "approved", "")]
    assert hub.amendments == {}


async def test_with_every_hunk_skipped_there_is_nothing_to_approve(desk, hub, model, clock, settle) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    desk.diff.setFocus()
    for _ in range(3):
        desk.key(Qt.Key.Key_S)
    assert not desk.button("approveButton").isEnabled()
    assert "Reject it instead" in desk.pane.bar.hint.text()
    desk.key(Qt.Key.Key_Return)
    model.approve()
    await settle()
    assert hub.decided == []


async def test_space_takes_a_hunk_out_and_in_and_stays_there(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_Space)
    assert (desk.diff.current, desk.diff.painted_items.item_checked(0)) == (0, False)
    desk.key(Qt.Key.Key_Space)
    assert desk.diff.painted_items.item_checked(0) is True


async def test_a_click_at_the_end_of_a_head_decides_and_on_the_rest_of_it_does_not(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    skip = control_of(desk.diff, 1, "skip")
    QTest.mouseClick(desk.diff.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, skip.y()))
    assert desk.diff.states.skipped == frozenset()
    QTest.mouseClick(desk.diff.viewport(), Qt.MouseButton.LeftButton, pos=skip)
    assert desk.diff.states.skipped == {1}
    QTest.mouseClick(desk.diff.viewport(), Qt.MouseButton.LeftButton, pos=control_of(desk.diff, 1, "accept"))
    assert desk.diff.states.skipped == frozenset()


async def test_a_press_that_leaves_the_control_decides_nothing(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    viewport = desk.diff.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=control_of(desk.diff, 1, "skip"))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(40, 200))
    assert desk.diff.states.skipped == frozenset()


async def test_a_hunk_that_cannot_be_decided_alone_offers_nothing(desk, hub, model, settle) -> None:
    await asked(hub, model, settle, diff=msgspec.structs.replace(THREE, can_choose=False))
    desk.diff.setFocus()
    for key in (Qt.Key.Key_S, Qt.Key.Key_Space):
        desk.key(key)
    assert desk.button("approveButton").text() == "Approve"
    assert desk.diff.painted_items.item_checked(0) is None
    head = dict(desk.diff.heads())[0]
    assert [part.name for part in controls(head, desk.diff.states, 0)] == ["edit"]


def colours_of(view: DiffView) -> set[int]:
    image: QImage = view.viewport().grab().toImage()
    return {image.pixel(300, y) for y in range(image.height())}


async def test_a_skipped_hunk_loses_its_colours_and_keeps_its_signs(desk, hub, model, settle, theme) -> None:
    await asked(hub, model, settle, diff=file_diff(hunk(1, ("old", "new")), hunk(40, ("a", "b")), can_choose=True))
    desk.diff.setFocus()
    added, removed = theme.color("add-bg").rgb(), theme.color("del-bg").rgb()
    assert {added, removed} <= colours_of(desk.diff)
    for _ in range(2):
        desk.key(Qt.Key.Key_S)
    assert not {added, removed} & colours_of(desk.diff)
    assert desk.diff.plain_text().count("\n+") == 2


async def test_d_8_a_screen_reader_hears_whether_a_hunk_is_skipped_and_can_press(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    items = desk.diff.painted_items
    assert items.item_checked(1) is True
    items.place_buttons()
    skip = next(button for button in items.item_widgets() if button.accessibleName() == "Skip, hunk 1")
    skip.click()
    assert items.item_checked(0) is False
    assert items.item_text(0).startswith("Hunk 1, parse(), skipped, looked at: removed: old 1")


# ---- looking, and looking again ----------------------------------------------------------------------------------


async def test_r_17_hunks_looked_at_are_marked_and_stay_so(desk, hub, model, settle) -> None:
    hub.ask(write_request(2), file_diff())
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_N)
    assert desk.diff.states.seen == {0}
    desk.key(Qt.Key.Key_S)
    model.next()
    await settle()
    assert desk.diff.states.seen == frozenset()
    model.previous()
    await settle()
    assert desk.diff.states.seen == {0, 1, 2}  # all three were in sight when one went away
    assert desk.diff.states.skipped == {1}
    assert desk.diff.current == 2


async def test_r_17_of_a_proposal_made_anew_what_is_the_same_keeps_its_marks(desk, hub, model, settle) -> None:
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_S)
    other = hunk(41, ("old 2", "another 2"))
    anew = file_diff(hunk(21, ("old 1", "new 1")), other, hunk(61, ("old 3", "new 3")), can_choose=True)
    hub.make_stale("request-1", write_request(id="request-1b"), anew)
    model.refresh()
    await settle()
    assert desk.diff.states.skipped == {0}
    assert desk.diff.states.seen == {0, 2}
    assert desk.diff.states.changed == {1}
    assert "changed since you looked" in desk.diff.painted_items.item_text(1)


async def test_r_15_each_request_keeps_its_own_choice(desk, hub, model, clock, settle) -> None:
    hub.ask(write_request(2), THREE)
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_S)
    desk.key(Qt.Key.Key_BracketRight)
    await settle()
    assert desk.button("approveButton").text() == "Approve all 3 hunks"
    clock.pass_ms(500)
    desk.key(Qt.Key.Key_Return)
    await settle()
    assert hub.amendments == {}
    assert desk.button("approveButton").text() == "Approve 2 of 3 hunks"


# ---- folds -------------------------------------------------------------------------------------------------------

LINES = tuple(f"line {n}" for n in range(1, 101))
FOLDED = file_diff(hunk(61, ("line 62", "another"), before=60), unchanged_after=38, old_lines=LINES, added=1, removed=1)


@pytest.mark.parametrize(
    ("modifier", "first"), [(Qt.KeyboardModifier.NoModifier, 41), (Qt.KeyboardModifier.AltModifier, 1)]
)
def test_a_fold_opens_twenty_lines_or_all(qtbot, theme, modifier, first: int) -> None:
    view = DiffView(theme)
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    view.set_diff(FOLDED)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, QPoint(200, 10))
    line = view.diff.hunks[0].lines[0]
    assert (line.old, line.new, line.text) == (first, first, f"line {first}")
    assert view.diff.hunks[0].unchanged_before == first - 1
    assert len(view.diff.hunks) == 1


def test_folds_open_by_key_above_the_hunk_and_then_below_it(qtbot, theme) -> None:
    view = DiffView(theme)
    qtbot.addWidget(view)
    view.show()
    view.set_diff(FOLDED)
    QTest.keyClick(view, Qt.Key.Key_O)
    assert (view.diff.hunks[0].unchanged_before, view.diff.unchanged_after) == (40, 38)
    QTest.keyClick(view, Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(view, Qt.Key.Key_O)
    assert (view.diff.hunks[0].unchanged_before, view.diff.unchanged_after) == (0, 18)
    last = view.diff.hunks[0].lines[-1]
    assert (last.old, last.new, last.text) == (82, 82, "line 82")


def test_a_fold_without_its_lines_stays_closed(qtbot, theme) -> None:
    view = DiffView(theme)
    qtbot.addWidget(view)
    view.show()
    view.set_diff(msgspec.structs.replace(FOLDED, old_lines=()))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 10))
    QTest.keyClick(view, Qt.Key.Key_O)
    assert view.diff.hunks[0].unchanged_before == 60
