"""A conversation as it is told by events is the conversation as it is stored."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QCoreApplication

from placet.core.domain import events
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId, ChangeId, MessageId, RequestId
from placet.core.domain.messages import CallStatus
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import (
    CallRow,
    CallState,
    CodeRow,
    ErrorRow,
    InterruptedRow,
    LedgerRow,
    NoteRow,
    ProseRow,
    ReasoningRow,
    Remedy,
    UserRow,
)
from unit.ui_models.transcript.told import (
    CUT,
    FAILED,
    answer,
    call,
    done,
    envelope,
    finished,
    page,
    said,
    started,
    tell,
    user,
    waiting,
)

TEXT = "I will **read** it.\n\n```python\nprint(1)\n```\n\nSee [r].\n\n- one\n- two\n\n[r]: https://example.org\n"


@pytest.fixture
def model(qapp: QCoreApplication) -> TranscriptModel:
    ticks = itertools.count(1_000.0, 0.5)
    return TranscriptModel(clock=lambda: next(ticks))


def last_call(model: TranscriptModel) -> CallRow:
    return next(row.calls[-1] for row in reversed(model.rows) if isinstance(row, LedgerRow))


def streamed(text: str, size: int = 3) -> list[AnyEvent]:
    return [events.TextDelta(text=text[at : at + size]) for at in range(0, len(text), size)]


def whole_turn() -> list[AnyEvent]:
    facts = {"added": 2, "removed": 1, "change_id": 9, "path": "a.py", "change": "modified"}
    return [
        events.TurnRunning(running=True),
        said(1, "fix it"),
        events.ReasoningDelta(text="hm, "),
        events.ReasoningDelta(text="well"),
        *streamed(TEXT),
        events.ToolArgsDelta(index=0, name="edit_file", text='{"path"'),
        events.Thinking(message_id=MessageId(2), content=TEXT),
        started(5, 2, "edit_file", path="a.py"),
        waiting(5),
        events.ApprovalResolved(request_id=RequestId("r1"), tool_call_id=CallId(5), decision="approved"),
        done(5, "edit_file", "written", **facts),
        events.FileChanged(
            path="a.py", change="modified", change_id=ChangeId(9), tool_call_id=CallId(5), added=2, removed=1
        ),
        *streamed("It is *done*."),
        finished(3, "It is *done*."),
        events.TurnRunning(running=False),
    ]


STORED = page(
    user(1, "fix it"),
    answer(
        2,
        TEXT,
        call(
            5, 2, "edit_file", arguments='{"path":"a.py"}', result="written",
            facts={"added": 2, "removed": 1, "change_id": 9, "path": "a.py", "change": "modified"},
        ),
        reasoning="hm, well",
    ),
    answer(3, "It is *done*."),
)  # fmt: skip


def test_after_done_the_rows_are_what_the_store_would_give(model: TranscriptModel) -> None:
    tell(model, *whole_turn())
    loaded = TranscriptModel()
    loaded.load(STORED)
    assert model.rows == loaded.rows
    assert [type(row) for row in model.rows] == [
        UserRow, ReasoningRow, ProseRow, CodeRow, ProseRow, ProseRow, ProseRow, LedgerRow, ProseRow,
    ]  # fmt: skip


def test_the_hand_over_replaces_no_row_that_says_the_same(model: TranscriptModel) -> None:
    *before, last, _ = whole_turn()
    tell(model, *before)
    seen = list(model.rows)
    splices = list[tuple[int, int, int]]()
    model.spliced.connect(lambda *splice: splices.append(splice))
    tell(model, last)
    assert splices == []
    assert all(a is b for a, b in zip(seen, model.rows, strict=True))


def test_splices_tell_the_whole_story(model: TranscriptModel) -> None:
    mirror = list[object]()

    def follow(first: int, removed: int, added: int) -> None:
        mirror[first : first + removed] = model.rows[first : first + added]

    model.spliced.connect(follow)
    for event in whole_turn():
        tell(model, event)
        assert mirror == model.rows
    model.prepend(page())  # of the same session only
    model.load(STORED)
    model.prepend(page(user(0, "older"), has_older=True))
    assert mirror == model.rows
    assert model.has_older
    assert model.oldest_id == 0
    model.clear()
    assert mirror == model.rows == []


def test_messages_are_bubbles_and_answers(model: TranscriptModel) -> None:
    tell(model, *whole_turn(), events.ModelFallback(from_model="a", to_model="b", reason="overloaded"))
    assert model.message_count() == 3
    assert model.plain_text(0) == "fix it"
    assert model.plain_text(2) == model.plain_text(-1) == "It is done."
    assert "edit_file a.py +2 −1" in model.plain_text(1)
    assert isinstance(model.rows[-1], NoteRow)


def test_a_late_definition_reaches_blocks_that_are_finished(model: TranscriptModel) -> None:
    tell(model, *streamed("see [r].\n\nmore\n\n[r]: https://example.org/q\n"))
    first = model.rows[0]
    assert isinstance(first, ProseRow)
    assert first.references == (("R", "https://example.org/q", ""),)


def test_deltas_wait_for_one_timer_and_other_events_do_not(model: TranscriptModel) -> None:
    splices = list[int]()
    model.spliced.connect(lambda first, removed, added: splices.append(first))
    for _ in range(500):
        model.apply(envelope(events.TextDelta(text="word ")))
    assert splices == []
    model.apply(envelope(events.TurnRunning(running=True)))
    assert len(splices) == 1


def test_events_of_another_session_change_nothing(model: TranscriptModel) -> None:
    model.load(STORED)
    model.apply(envelope(said(7, "elsewhere"), session="other"))
    assert model.message_count() == 3


def test_a_message_that_is_known_is_not_told_twice(model: TranscriptModel) -> None:
    model.load(STORED)
    tell(model, said(1, "fix it"), finished(3, "It is *done*."))
    assert model.message_count() == 3


def test_a_restarted_round_discards_what_streamed(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), *streamed("half an answ"), events.RoundRestarted(reason="overloaded"))
    assert [type(row) for row in model.rows] == [UserRow]
    tell(model, *streamed("whole"), finished(2, "whole"))
    assert model.plain_text(1) == "whole"


def test_a_restarted_round_discards_what_was_loaded_while_it_streamed(model: TranscriptModel) -> None:
    tell(model, events.TurnRunning(running=True))
    model.load(page(user(1, "go"), answer(2, "half an answ", status=CUT)))
    tell(model, events.RoundRestarted(reason="overloaded"))
    assert [type(row) for row in model.rows] == [UserRow]
    tell(model, *streamed("whole"), finished(3, "whole"))
    assert (model.message_count(), model.plain_text(1)) == (2, "whole")


def test_the_note_of_a_switch_stands_before_what_the_other_model_says(model: TranscriptModel) -> None:
    switch = events.ModelFallback(from_model="a", to_model="b", reason="overloaded")
    tell(model, said(1, "go"), *streamed("half"), events.RoundRestarted(reason="overloaded"), switch)
    tell(model, *streamed("whole"), finished(2, "whole"))
    assert [type(row) for row in model.rows] == [UserRow, NoteRow, ProseRow]
    assert model.rows[1].source == "Switched from a to b: overloaded"


def test_a_stop_after_a_restart_marks_the_message_and_nothing_else(model: TranscriptModel) -> None:
    tell(model, events.TurnRunning(running=True), said(1, "go"), *streamed("half"))
    tell(model, events.RoundRestarted(reason="overloaded"), events.Error(code="interrupted", message="Interrupted."))
    [row] = model.rows
    assert isinstance(row, UserRow)
    assert row.failed


# ---- calls ---------------------------------------------------------------------------------------------------


def test_calls_of_one_answer_share_a_ledger(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), started(5, 2), done(5, lines=240), started(6, 2), *streamed("next"), started(7, 3))
    ledgers = [row for row in model.rows if isinstance(row, LedgerRow)]
    assert [len(ledger.calls) for ledger in ledgers] == [2, 1]
    assert ledgers[0].calls[0].detail == "240 lines"


def test_a_call_goes_through_its_states(model: TranscriptModel) -> None:
    states = []
    for event in (
        events.ToolArgsDelta(index=0, name="edit_file", text="{"),
        started(5, 2, "edit_file"),
        waiting(5),
        events.PreviewStale(request_id=None, tool_call_id=CallId(5), path="a.py"),
        events.ApprovalResolved(request_id=RequestId("r"), tool_call_id=CallId(5), decision="approved"),
        events.ToolRejected(tool_call_id=CallId(5), name="edit_file", note="keep it"),
    ):
        tell(model, event)
        states.append(last_call(model).state)
    assert states == [
        CallState.PREPARING, CallState.RUNNING, CallState.WAITING, CallState.WAITING, CallState.RUNNING,
        CallState.REJECTED,
    ]  # fmt: skip
    assert last_call(model).note == "“keep it”"


def test_a_rejection_reads_the_same_from_the_store(model: TranscriptModel) -> None:
    tell(model, started(5, 2, "edit_file"), events.ToolRejected(tool_call_id=CallId(5), name="edit_file", note="no"))
    loaded = TranscriptModel()
    stored = call(
        5, 2, "edit_file", status=CallStatus.REJECTED, result="User rejected this tool call. Reason: no",
        facts={"note": "no"},
    )  # fmt: skip
    loaded.load(page(answer(2, "", stored)))
    assert loaded.rows == model.rows


def test_a_command_that_ends_badly_says_how(model: TranscriptModel) -> None:
    tell(model, started(5, 2, "execute_cmd"), done(5, "execute_cmd", "[exit 1]\nno", exit=1))
    assert (last_call(model).state, last_call(model).word) == (CallState.FAILED, "exit 1")
    tell(model, started(6, 2, "execute_cmd"), done(6, "execute_cmd", "[exit 0]\nok", exit=0))
    assert (last_call(model).state, last_call(model).word) == (CallState.DONE, "")


def test_live_output_keeps_the_last_lines_and_ends_with_the_call(model: TranscriptModel) -> None:
    output = "".join(f"line {number}\n" for number in range(40))
    tell(model, started(5, 2, "execute_cmd"))
    tell(
        model, *(events.ToolOutput(tool_call_id=CallId(5), text=output[at : at + 7]) for at in range(0, len(output), 7))
    )
    assert [line for line in last_call(model).output if line][-2:] == ["line 38", "line 39"]
    assert len(last_call(model).output) <= 9
    tell(model, events.ToolOutput(tool_call_id=CallId(5), text="10 %\r50 %\r90 %"))
    assert last_call(model).output[-1] == "90 %"
    tell(model, done(5, "execute_cmd", "all", exit=0))
    assert last_call(model).output == ()


def test_a_reverted_change_is_told_at_its_call(model: TranscriptModel) -> None:
    model.load(STORED)
    reverted = events.FileChanged(path="a.py", change="reverted", change_id=ChangeId(10), tool_call_id=CallId(5))
    tell(model, reverted)
    call_row = last_call(model)
    assert (call_row.undone, call_row.change_id) == (True, 9)


def test_a_call_that_was_never_announced_still_ends(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), started(5, 2))
    tell(model, events.ToolCancelled(tool_call_id=CallId(6), name="write_file", note="Not begun."))
    assert (last_call(model).name, last_call(model).state) == ("write_file", CallState.CANCELLED)


# ---- turns that end badly ------------------------------------------------------------------------------------


def test_a_failed_model_is_one_error_with_remedies(model: TranscriptModel) -> None:
    tell(
        model,
        events.TurnRunning(running=True),
        said(1, "go"),
        events.LlmFailed(tried=(), last_error="The key was refused.", fault="auth"),
        events.Error(code="auth", message="The key was refused.", hint="Put in a new one.", detail="HTTP 401"),
        events.TurnRunning(running=False),
    )
    (error,) = [row for row in model.rows if isinstance(row, ErrorRow)]
    assert (error.title, error.meaning, error.detail) == ("The key was refused.", "Put in a new one.", "HTTP 401")
    assert error.remedies == (Remedy.MODELS, Remedy.RETRY)
    assert error.message_id == 1


def test_a_stopped_answer_is_kept_and_can_go_on(model: TranscriptModel) -> None:
    tell(
        model,
        events.TurnRunning(running=True),
        said(1, "go"),
        *streamed("half"),
        events.Error(code="interrupted", message="Interrupted by user."),
        events.TurnRunning(running=False),
    )
    assert [type(row) for row in model.rows] == [UserRow, ProseRow, InterruptedRow]
    assert model.rows[-1] == InterruptedRow(resumable=True)
    tell(model, events.TurnRunning(running=True))
    assert model.rows[-1] == InterruptedRow(resumable=False)


def test_a_stopped_message_without_answer_offers_retry(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), events.Error(code="interrupted", message="Interrupted by user."))
    loaded = TranscriptModel()
    loaded.load(page(user(1, "go", status=FAILED)))
    assert model.rows == loaded.rows
    assert isinstance(model.rows[0], UserRow)
    assert model.rows[0].failed


def test_an_interrupted_session_loads_with_resume(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "half", status=CUT), user(3), answer(4, "ha", status=CUT), interrupted=True))
    markers = [row for row in model.rows if isinstance(row, InterruptedRow)]
    assert [marker.resumable for marker in markers] == [False, True]


def test_a_page_loaded_during_the_turn_goes_on_streaming(model: TranscriptModel) -> None:
    tell(model, events.TurnRunning(running=True))
    model.load(page(user(1), answer(2, "half an ", status=CUT)))
    assert not any(isinstance(row, InterruptedRow) for row in model.rows)
    tell(model, *streamed("answer"), finished(2, "half an answer"), events.TurnRunning(running=False))
    assert model.message_count() == 2
    assert model.plain_text(1) == "half an answer"
    assert len(model.rows) == 2


def test_a_done_of_an_answer_loaded_as_cut_completes_it(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "half an ", status=CUT)))
    tell(model, events.TurnRunning(running=True), *streamed("answer"), finished(2, "half an answer"))
    assert model.message_count() == 2
    assert model.plain_text(1) == "half an answer"


def test_what_a_person_does_not_see_has_no_row(model: TranscriptModel) -> None:
    model.load(page(user(1, "go on", synthetic=True), answer(2, "hi")))
    assert model.message_count() == 1


def test_h9_rows_of_the_program_and_their_calls_are_not_shown(model: TranscriptModel) -> None:
    told = answer(3, "", call(1, 3, "read_notification"), synthetic=True)
    model.load(page(user(1), answer(2, "hello"), told, answer(4, "noted"), user(5, "hidden", synthetic=True)))
    assert [row.plain() for row in model.rows] == ["hello", "hello", "noted"]
    assert not any(isinstance(row, LedgerRow) for row in model.rows)


def test_h9_a_notification_that_got_no_answer_can_be_resumed(model: TranscriptModel) -> None:
    told = answer(3, "", call(1, 3, "read_notification"), synthetic=True)
    model.load(page(user(1), answer(2, "hello"), told, interrupted=True))
    assert model.rows[-1] == InterruptedRow(resumable=True)
