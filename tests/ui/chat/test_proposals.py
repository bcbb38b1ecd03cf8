"""`R-13`: the review of a write in place: what was proposed is one key away, whatever became of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.core.domain.ids import CallId
from placet.core.domain.messages import CallStatus, HistoryPage
from placet.core.domain.proposals import Basis, ProposedText, ProposedWrite
from placet.core.review.diffing import diff_contents
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_proposals import SHOWN_LINES, ShownProposal, shown_proposal
from placet.ui.widgets.transcript.acting import perform
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.view import TranscriptView
from ui.chat.conftest import text_point
from unit.ui_models.transcript.told import answer, call, page, tell, waiting

Press = Callable[..., None]
OLD = "".join(f"line {n}\n" for n in range(1, 31))


def text(old: str | None, new: str) -> ProposedText:
    diff = diff_contents("/w/a.py", None if old is None else old.encode(), new.encode())
    return ProposedText(diff=diff, patch="a patch", new_text=new)


def write(proposed: ProposedText | None, written: ProposedText | None = None, **more: object) -> ProposedWrite:
    return ProposedWrite(
        call_id=CallId(5), path="/w/a.py", label="a.py", proposed=proposed, written=written, **more  # type: ignore[arg-type]
    )  # fmt: skip


EDIT = write(text(OLD, OLD.replace("line 9\n", "nine\n")))


@pytest.fixture
def answers(view: TranscriptView, model: TranscriptModel) -> list[ProposedWrite]:
    """What the hub would answer; the last one counts."""
    given = [EDIT]
    for asked in (view.proposal_wanted, model.proposal_changed):
        asked.connect(lambda call_id: model.set_proposal(call_id, shown_proposal(given[-1])))
    return given


def rejected(**more: object) -> HistoryPage:
    return page(answer(1, "", call(5, 1, "edit_file", status=CallStatus.REJECTED, facts={"note": "no"}, **more)))


def names(view: TranscriptView) -> set[ActionName]:
    return {act.name for _row, _y, seen in view.column.visible() for act in seen.actions}


def test_r_13_a_rejected_write_unfolds_into_what_was_proposed(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite]
) -> None:
    model.load(rejected())
    assert "nine" not in view.visible_text()
    press(ActionName.TOGGLE)
    assert "-line 9\n+nine\n line 10" in view.visible_text()
    assert {ActionName.OPEN_PROPOSAL, ActionName.TAKE_UP, ActionName.COPY_PATCH} <= names(view)
    press(ActionName.TOGGLE)
    assert "nine" not in view.visible_text()
    assert "nine" not in model.plain_text(0)


def test_r_13_an_amended_write_shows_both(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite], qtbot: QtBot
) -> None:
    answers.append(write(EDIT.proposed, text(OLD, OLD.replace("line 9\n", "neuf\n"))))
    facts = {"added": 1, "removed": 1, "change_id": 3, "amended": True}
    model.load(page(answer(1, "", call(5, 1, "edit_file", facts=facts))))
    press(ActionName.TOGGLE)
    shown = view.visible_text()
    assert shown.index("As it was proposed") < shown.index("+nine") < shown.index("As you changed it")
    assert shown.index("As you changed it") < shown.index("+neuf")
    with qtbot.waitSignal(view.proposal_copied, timeout=1000) as asked:
        press(ActionName.COPY_NEW_TEXT, 1)
    assert asked.args == [5, True, False]
    assert ActionName.TAKE_UP not in names(view)


def test_r_13_a_waiting_write_opens_in_place_and_leads_to_its_review(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite], qtbot: QtBot
) -> None:
    model.load(page(answer(1, "", call(5, 1, "edit_file", status=CallStatus.PENDING))))
    tell(model, waiting(5))
    press(ActionName.TOGGLE)
    assert "+nine" in view.visible_text()
    with qtbot.waitSignal(view.review_requested, timeout=1000) as asked:
        press(ActionName.REVIEW, 1)
    assert asked.args == [5]


def test_what_is_shown_follows_what_becomes_of_it(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite]
) -> None:
    model.load(page(answer(1, "", call(5, 1, "edit_file", status=CallStatus.PENDING))))
    tell(model, waiting(5))
    press(ActionName.TOGGLE)
    answers.append(write(EDIT.proposed, text(OLD, OLD.replace("line 9\n", "neuf\n"))))
    tell(model, events.ToolDone(tool_call_id=CallId(5), name="edit_file", result="ok", facts={"change_id": 3}))
    assert "+neuf" in view.visible_text()


def test_a_large_difference_shows_its_beginning_and_the_way_to_all_of_it(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite], qtbot: QtBot
) -> None:
    answers.append(write(text(None, "".join(f"row {n}\n" for n in range(50_000)))))
    model.load(rejected())
    press(ActionName.TOGGLE)
    shown = model.plain_text(0)
    assert f"+row {SHOWN_LINES - 1}" in shown
    assert f"+row {SHOWN_LINES}" not in shown
    opened = [act for act in view.column.view(0).actions if act.name is ActionName.OPEN_PROPOSAL]
    assert f"{50_000 - SHOWN_LINES:,} more lines" in opened[0].label
    with qtbot.waitSignal(view.proposal_opened, timeout=1000) as asked:
        perform(view, 0, opened[0])
    assert asked.args == [5]


def test_hidden_characters_are_named_in_the_painting_and_copied_as_they_are(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite], qtbot: QtBot
) -> None:
    answers.append(write(text("a\n", "a\u202eb\n")))
    model.load(rejected())
    press(ActionName.TOGGLE)
    assert "hidden" in view.visible_text()
    view.select_all()
    view.copy()
    assert "+a\u202eb" in QGuiApplication.clipboard().text()


def test_text_of_a_difference_is_selected_and_copied_like_any_other(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite], qtbot: QtBot
) -> None:
    model.load(rejected())
    press(ActionName.TOGGLE)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=text_point(view, "nine"))
    view.copy()
    assert QGuiApplication.clipboard().text() == "nine"
    view.select_all()
    view.copy(markdown=True)
    assert "```diff\n" in QGuiApplication.clipboard().text()


def test_why_nothing_can_be_shown_is_said_beside_the_arguments(
    view: TranscriptView, model: TranscriptModel, press: Press
) -> None:
    view.proposal_wanted.connect(lambda call_id: model.set_proposal(call_id, ShownProposal(note="It is gone.")))
    model.load(rejected(arguments='{"old_string": "needle"}'))
    press(ActionName.TOGGLE)
    assert "It is gone." in view.visible_text()
    assert "old_string: needle" in view.visible_text()


def test_the_file_of_now_is_named_as_such(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite]
) -> None:
    answers.append(write(EDIT.proposed, basis=Basis.NOW, note="It is not kept."))
    model.load(rejected())
    press(ActionName.TOGGLE)
    assert "It is not kept." in view.visible_text()
    assert "On the file as it is now" in view.visible_text()


def test_r_13_what_a_person_took_up_says_so_and_can_be_undone(
    view: TranscriptView, model: TranscriptModel, press: Press, qtbot: QtBot
) -> None:
    model.load(rejected())
    model.mark_calls({5: CallMark(waits_again=True)})
    with qtbot.waitSignal(view.review_requested, timeout=1000):
        press(ActionName.REVIEW)
    model.mark_calls({5: CallMark(waits_again=False)})
    written = events.FileChanged(path="a", change="modified", change_id=9, tool_call_id=5, added=1, removed=1)  # type: ignore[arg-type]
    tell(model, written)
    assert "no then applied by you" in view.visible_text()
    with qtbot.waitSignal(view.undo_requested, timeout=1000) as asked:
        press(ActionName.UNDO)
    assert asked.args == [9]


def test_a_waiting_write_of_an_earlier_run_has_its_counts_without_being_opened(
    view: TranscriptView, model: TranscriptModel
) -> None:
    model.load(page(answer(1, "", call(5, 1, "edit_file", status=CallStatus.PENDING))))
    model.mark_calls({5: CallMark(counts=(7, 2))})
    assert "+7 −2" in view.visible_text()


def test_d_8_a_screen_reader_gets_the_changed_lines(
    view: TranscriptView, model: TranscriptModel, press: Press, answers: list[ProposedWrite]
) -> None:
    model.load(rejected())
    press(ActionName.TOGGLE)
    assert "removed line 9\nadded nine" in view.item_text(0)
