"""`R-17`: what was looked at, left out and written goes on after the program ended and began again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from placet.core.domain.stopping import TaskScope
from placet.core.review.diffing import diff_contents
from placet.ui.models.review import ReviewModel
from placet.ui.theme.theme import Theme
from support.fake_clock import FakeClock
from support.fake_hub import FakeHub
from support.review_desk import Desk
from support.review_samples import command_request, file_diff, hunk, write_request

THREE = file_diff(*(hunk(20 * n, (f"old {n}", f"new {n}")) for n in (1, 2, 3)), can_choose=True, of="shown first")
CONTROL = Qt.KeyboardModifier.ControlModifier
OLD = "".join(f"line {n}\n" for n in range(1, 60))
NEW = OLD.replace("line 5\n", "line five\n").replace("line 40\n", "line forty\n")

Again = Callable[[], Desk]


@pytest.fixture
def again(qtbot, hub: FakeHub, scope: TaskScope, theme: Theme, clock: FakeClock) -> Again:
    """Another run of the program: a model and a pane that know only what the hub kept."""

    def make() -> Desk:
        model = ReviewModel(hub, scope)
        model.refresh()
        return Desk(qtbot, model, theme, clock)

    return make


async def asked(hub, model, settle, diff=THREE, **fields) -> None:
    hub.ask(write_request(**fields), diff)
    model.refresh()
    await settle()


async def test_r_17_marks_and_choices_are_there_after_a_restart(desk, hub, model, settle, again: Again) -> None:
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_N)
    desk.key(Qt.Key.Key_S)
    desk.pane.keep()

    new = again()
    await settle()
    assert new.diff.states.seen == {0, 1, 2}  # the last one was in sight
    assert new.diff.states.skipped == {1}
    assert new.diff.states.changed == frozenset()
    assert new.diff.current == 2
    assert new.button("approveButton").text() == "Approve 2 of 3 hunks"


async def test_r_17_no_mark_is_of_another_difference(desk, hub, model, settle, again: Again) -> None:
    """The file changed while the program did not run: the same numbers are other hunks."""
    await asked(hub, model, settle)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_S)
    desk.pane.keep()
    hub.diffs["request-1"] = msgspec.structs.replace(THREE, of="made anew")

    new = again()
    await settle()
    assert new.diff.states.seen == frozenset()
    assert new.diff.states.skipped == frozenset()
    assert new.diff.states.changed == {0, 1, 2}
    assert new.button("approveButton").text() == "Approve all 3 hunks"


async def test_r_17_what_nobody_touched_leaves_nothing_to_keep(desk, hub, model, settle) -> None:
    await asked(hub, model, settle, file_diff(hunk(20, *[(f"old {n}", f"new {n}") for n in range(99)]), of="long"))
    desk.pane.keep()
    assert [request.notes for request in hub.requests] == [None]


@pytest.mark.parametrize("leaves", [Qt.Key.Key_Escape, None])
async def test_r_17_a_text_that_was_being_written_is_there_after_a_restart(
    desk, hub, model, settle, again: Again, leaves: Qt.Key | None
) -> None:
    hub.contents["request-1"] = OLD, NEW
    diff = diff_contents("src/parser.py", OLD.encode(), NEW.encode())
    await asked(hub, model, settle, msgspec.structs.replace(diff, of="shown first"))
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_E)
    await settle()
    QTest.keyClicks(desk.editor, "half a thought")
    if leaves is not None:
        desk.key(leaves)
    desk.pane.keep()

    new = again()
    await settle()
    assert "half a thought" not in new.diff.plain_text()  # nothing of it is in force
    assert "E opens it again" in new.pane.bar.hint.text()
    new.diff.setFocus()
    new.key(Qt.Key.Key_E)
    await settle()
    assert new.editor.content() == NEW.replace("line five", "half a thoughtline five")


async def test_r_17_an_editor_in_which_nothing_was_written_leaves_nothing_to_keep(desk, hub, model, settle) -> None:
    hub.contents["request-1"] = OLD, NEW
    diff = diff_contents("src/parser.py", OLD.encode(), NEW.encode())
    await asked(hub, model, settle, msgspec.structs.replace(diff, of="shown first"))
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_E)
    await settle()
    assert desk.editor.isVisible()
    desk.pane.keep()
    assert [request.notes and request.notes.text for request in hub.requests] == [None]


async def test_r_17_a_command_that_was_being_edited_is_there_after_a_restart(
    desk, hub, model, settle, again: Again
) -> None:
    hub.ask(command_request("ls"))
    model.refresh()
    await settle()
    desk.exact.setFocus()
    desk.key(Qt.Key.Key_E)
    QTest.keyClicks(desk.editor, "sudo ")
    desk.pane.keep()

    new = again()
    await settle()
    new.exact.setFocus()
    new.key(Qt.Key.Key_E)
    assert new.editor.content() == "sudo ls"


async def test_r_17_a_reason_that_was_being_written_is_there_again(
    desk, hub, model, clock, settle, again: Again
) -> None:
    await asked(hub, model, settle)
    clock.pass_ms(500)
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_R)
    QTest.keyClicks(desk.note, "not now")
    desk.key(Qt.Key.Key_Escape)
    assert "R opens it again" in desk.pane.bar.hint.text()
    desk.pane.keep()

    new = again()
    await settle()
    clock.pass_ms(500)
    new.diff.setFocus()
    new.key(Qt.Key.Key_R)
    assert new.note.text() == "not now"
    new.key(Qt.Key.Key_Return)
    await settle()
    assert hub.decided == [("request-1", "rejected", "not now")]
