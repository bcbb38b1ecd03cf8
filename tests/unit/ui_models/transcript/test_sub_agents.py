"""Sub-agents, plans and questions as rows: while they happen, and as the store has them."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication

from placet.core.domain import events
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId, MessageId, RequestId
from placet.core.domain.messages import CallStatus, Role
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_rows import (
    AgentLine,
    AsideRow,
    CallRow,
    CallState,
    ErrorRow,
    InterruptedRow,
    LedgerRow,
    NestedRow,
    PlanRow,
    ProseRow,
    QuestionRow,
    UserRow,
)
from unit.ui_models.transcript.told import answer, call, done, finished, page, said, started, tell, user, waiting

TODOS = [
    {"content": "Read", "status": "completed"},
    {"content": "Write", "status": "in_progress"},
    {"content": "Test", "status": "pending"},
]


@pytest.fixture
def model(qapp: QCoreApplication) -> TranscriptModel:
    ticks = itertools.count(1_000.0, 0.5)
    return TranscriptModel(clock=lambda: next(ticks))


def below(call_id: int, event: AnyEvent) -> AnyEvent:
    """The event as it happens in the frame of the sub-agent that this call started."""
    return msgspec.structs.replace(event, agent_call_id=CallId(call_id))


def task(number: int, message: int = 2, agent: str = "tester", words: str = "Run the tests") -> AnyEvent:
    return started(number, message, "execute_task", agent, agent=agent, task=words)


def begun(number: int, agent: str = "tester", depth: int = 1) -> AnyEvent:
    return events.AgentStart(tool_call_id=CallId(number), agent_id=agent, depth=depth, prompt="Run the tests")


def over(number: int, outcome: str = "done", agent: str = "tester") -> AnyEvent:
    return events.AgentDone(tool_call_id=CallId(number), agent_id=agent, depth=1, outcome=outcome)


def words(text: str) -> AnyEvent:
    return events.TextDelta(text=text)


def thought(number: int, text: str) -> AnyEvent:
    return events.Thinking(message_id=MessageId(number), content=text)


def asked(number: int) -> AnyEvent:
    return events.AgentQuestion(
        request_id=RequestId("q"), tool_call_id=CallId(number), title="Which?", question="This or that?"
    )


def question(number: int, message: int = 2) -> AnyEvent:
    return started(number, message, "ask_user_clarification", "Which?", title="Which?", question="This or that?")


def calls(model: TranscriptModel) -> list[CallRow]:
    return [one for row in model.rows if isinstance(row, LedgerRow) for one in row.calls]


def line(model: TranscriptModel, call_id: int) -> AgentLine:
    agent = next(one.agent for one in calls(model) if one.call_id == call_id)
    assert agent is not None
    return agent


def nested(model: TranscriptModel) -> list[tuple[int, Any]]:
    return [(row.depth, type(row.inner)) for row in model.rows if isinstance(row, NestedRow)]


# ---- whose words ---------------------------------------------------------------------------------------------


def test_words_of_a_sub_agent_are_never_the_roots(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("child")), below(5, started(6, 3)))
    assert [type(row) for row in model.rows] == [UserRow, LedgerRow]
    assert model.message_count() == 2
    assert "child" not in model.plain_text(1)
    tell(model, over(5), done(5, "execute_task", "child"), words("mine"), finished(4, "mine"))
    assert model.plain_text(-1) == "mine"


def test_a_folded_sub_agent_tells_what_it_does_now(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5, words="Run the tests\nall of them"))
    assert line(model, 5) == AgentLine(name="tester", task="Run the tests", is_begun=False)
    tell(model, begun(5), below(5, words("I **begin**\nwith the first")))
    assert (line(model, 5).rounds, line(model, 5).doing) == (1, "with the first")
    tell(model, below(5, thought(3, "I begin")), below(5, started(6, 3, "grep", "needle")))
    assert (line(model, 5).tool, line(model, 5).doing) == ("grep", "needle")
    tell(model, below(5, done(6, "grep")), below(5, events.ReasoningDelta(text="hm")))
    assert (line(model, 5).rounds, line(model, 5).tool, line(model, 5).doing) == (2, "", "")


def test_words_that_go_on_do_not_change_a_folded_line(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("word " * 60)))
    splices = list[int]()
    model.spliced.connect(lambda first, removed, added: splices.append(first))
    for _ in range(20):
        tell(model, below(5, words("and more ")))
    assert splices == []


def test_an_ended_sub_agent_tells_its_result_and_how_much_it_did(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, started(6, 3)), below(5, done(6)), below(5, words("All pass.")), over(5))
    tell(model, done(5, "execute_task", "All pass."))
    (shown,) = calls(model)
    assert (shown.state, shown.detail, line(model, 5).doing) == (CallState.DONE, "1 call", "All pass.")


@pytest.mark.parametrize(
    ("outcome", "end", "state", "word"),
    [
        ("failed", events.ToolError(tool_call_id=CallId(5), name="execute_task", error="no key"), "failed", ""),
        ("cancelled", events.ToolCancelled(tool_call_id=CallId(5), name="execute_task", note="stop"), "cancelled", ""),
        ("exhausted", done(5, "execute_task", "It used all rounds."), "failed", "limit"),
    ],
)
def test_t_3_another_outcome_is_told(
    model: TranscriptModel, outcome: str, end: AnyEvent, state: str, word: str
) -> None:
    tell(model, task(5), begun(5), below(5, words("half")), over(5, outcome), end)
    (shown,) = calls(model)
    assert (shown.state, shown.word) == (state, word)
    model.toggle_agent(5)
    assert nested(model)[-1] == (1, AsideRow)  # what the caller got


def test_an_error_inside_offers_no_remedy_of_the_turn(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, events.Error(code="auth", message="Refused.")))
    model.toggle_agent(5)
    (error,) = [row.inner for row in model.rows if isinstance(row, NestedRow) and isinstance(row.inner, ErrorRow)]
    assert error.remedies == ()


# ---- opening -------------------------------------------------------------------------------------------------


def test_an_open_sub_agent_stands_inside_the_card(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), started(4, 2), task(5), task(7, agent="coder"), begun(5), begun(7))
    tell(model, below(5, words("I look.")), below(5, thought(3, "I look.")), below(5, started(6, 3)))
    model.toggle_agent(5)
    above, *inside, after = model.rows[1:]
    assert isinstance(above, LedgerRow)
    assert isinstance(after, LedgerRow)
    assert [one.call_id for one in above.calls] == [4, 5]
    assert [one.call_id for one in after.calls] == [7]
    assert (above.joins_below, after.joins_above, after.joins_below) == (True, True, False)
    assert [type(row.inner) for row in inside if isinstance(row, NestedRow)] == [ProseRow, LedgerRow]
    model.toggle_agent(5)
    assert [type(row) for row in model.rows] == [UserRow, LedgerRow]


def test_the_last_row_of_an_open_sub_agent_ends_the_card(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, words("one\n\ntwo")))
    model.toggle_agent(5)
    assert [row.is_last for row in model.rows if isinstance(row, NestedRow)] == [False, True]


def test_a_long_task_is_read_whole_inside(model: TranscriptModel) -> None:
    tell(model, task(5, words="first line\nsecond line"), begun(5))
    model.toggle_agent(5)
    (inside,) = [row for row in model.rows if isinstance(row, NestedRow)]
    assert (type(inside.inner), inside.plain()) == (AsideRow, "first line\nsecond line")
    assert inside.spoken() == "tester: first line\nsecond line"
    assert inside.markdown() == "> first line\n> second line\n"


def test_t_2_sub_agents_nest_five_deep(model: TranscriptModel) -> None:
    tell(model, task(10))
    for depth in range(1, 6):
        number = depth * 10
        event = begun(number, depth=depth)
        tell(model, event if depth == 1 else below(number - 10, event), below(number, words(f"level {depth}")))
        deeper = started(number + 10, number + 1, "execute_subtask", "x", agent="deeper", task="on")
        tell(model, below(number, deeper))
    for number in range(10, 60, 10):
        model.toggle_agent(number)
    prose = [row for row in model.rows if isinstance(row, NestedRow) and isinstance(row.inner, ProseRow)]
    assert [(row.depth, row.plain()) for row in prose] == [(depth, f"level {depth}") for depth in range(1, 6)]


def test_t_4_eight_at_once_keep_their_own_state(model: TranscriptModel) -> None:
    tell(model, *(task(number, agent=f"a{number}") for number in range(11, 19)))
    tell(model, *(begun(number) for number in range(11, 15)))
    for number in range(11, 15):
        tell(model, below(number, words(f"I am {number}")))
    tell(model, over(12), done(12, "execute_task", "I am 12"), begun(15))
    told = [line(model, number) for number in range(11, 19)]
    assert [one.doing for one in told] == ["I am 11", "I am 12", "I am 13", "I am 14", "", "", "", ""]
    assert [one.is_begun for one in told] == [True] * 5 + [False] * 3
    assert [one.state for one in calls(model)] == [CallState.RUNNING, CallState.DONE, *[CallState.RUNNING] * 6]


def test_rows_of_an_open_sub_agent_that_did_not_change_stay_the_objects_they_are(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("one\n\ntwo\n\nthree")))
    model.toggle_agent(5)
    seen = list(model.rows)
    tell(model, below(5, words(" and more")))
    kept = [row for row, old in zip(model.rows, seen, strict=True) if row is old]
    assert kept == seen[:-1]


# ---- waiting -------------------------------------------------------------------------------------------------


def test_a_call_that_waits_below_marks_the_folded_block(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, started(20, 3, "execute_subtask", agent="deeper", task="on")))
    tell(model, below(5, begun(20, "deeper", 2)), below(20, started(21, 4, "edit_file")), below(20, waiting(21)))
    assert calls(model)[0].state is CallState.WAITING
    assert (line(model, 5).waits, line(model, 5).asks) == (21, False)
    model.toggle_agent(5)
    model.toggle_agent(20)
    states = [one.state for row in model.rows if isinstance(row, NestedRow) and isinstance(row.inner, LedgerRow)
              for one in row.inner.calls]  # fmt: skip
    assert calls(model)[0].state is CallState.RUNNING
    assert states == [CallState.RUNNING, CallState.WAITING]
    model.toggle_agent(5)
    tell(
        model,
        below(20, events.ApprovalResolved(request_id=RequestId("r1"), tool_call_id=CallId(21), decision="approved")),
    )
    assert calls(model)[0].state is CallState.RUNNING


def test_what_became_of_a_nested_call_is_told_at_it_wherever_the_event_comes_from(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, started(6, 3, "edit_file")))
    tell(model, below(5, done(6, "edit_file", added=1, removed=0, change_id=9)))
    assert model.has_writes()
    model.toggle_agent(5)
    undone = events.FileChanged(path="a", change="reverted", change_id=10, tool_call_id=CallId(6))  # type: ignore[arg-type]
    tell(model, undone)
    (ledger,) = [row.inner for row in model.rows if isinstance(row, NestedRow) and isinstance(row.inner, LedgerRow)]
    assert ledger.calls[0].undone


# ---- from the store ------------------------------------------------------------------------------------------


AGENT_CALL = call(
    5, 2, "execute_task", arguments='{"agent":"tester","task":"Run the tests"}', result="All pass.",
    started_at=1.0, ended_at=32.0, label="tester",
)  # fmt: skip
FRAME = (
    answer(3, "", call(6, 3)),
    answer(4, "All pass."),
)


def test_a_stored_sub_agent_is_read_when_it_is_opened(model: TranscriptModel) -> None:
    wanted = list[int]()
    model.nested_wanted.connect(wanted.append)
    model.load(page(user(1), answer(2, "", AGENT_CALL)), running=False)
    assert wanted == []
    assert (line(model, 5).name, line(model, 5).doing) == ("tester", "All pass.")
    model.toggle_agent(5)
    assert (wanted, line(model, 5).is_open) == ([5], False)
    model.add_nested(5, page(*FRAME))
    assert line(model, 5).is_open
    assert nested(model) == [(1, LedgerRow), (1, ProseRow)]
    assert calls(model)[0].detail == "1 call"
    model.toggle_agent(5)
    model.toggle_agent(5)
    assert wanted == [5]


def test_a_sub_agent_that_cannot_be_read_stays_closed_and_can_be_tried_again(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "", AGENT_CALL)), running=False)
    model.toggle_agent(5)
    model.add_nested(5, None)
    assert not line(model, 5).is_open
    wanted = list[int]()
    model.nested_wanted.connect(wanted.append)
    model.toggle_agent(5)
    assert wanted == [5]


def test_a_running_sub_agent_is_read_at_once_and_goes_on(model: TranscriptModel) -> None:
    wanted = list[int]()
    model.nested_wanted.connect(wanted.append)
    running = msgspec.structs.replace(AGENT_CALL, status=CallStatus.RUNNING, result="", ended_at=None)
    model.load(page(user(1), answer(2, "", running)), running=True)
    assert wanted == [5]
    tell(model, below(5, words("All ")))
    model.add_nested(5, page(FRAME[0]))
    assert (line(model, 5).rounds, line(model, 5).doing) == (2, "All")
    tell(model, below(5, words("pass.")), over(5), done(5, "execute_task", "All pass."))
    model.toggle_agent(5)
    assert nested(model) == [(1, LedgerRow), (1, ProseRow)]


def test_what_an_ended_program_left_is_interrupted_and_does_not_run(model: TranscriptModel) -> None:
    running = msgspec.structs.replace(AGENT_CALL, status=CallStatus.RUNNING, result="", ended_at=None)
    model.load(page(user(1), answer(2, "", running), interrupted=True), running=False)
    assert calls(model)[0].word == "interrupted"
    assert model.rows[-1] == InterruptedRow(resumable=True)
    tell(model, events.TurnRunning(running=True))
    assert calls(model)[0].word == ""
    assert not any(isinstance(row, InterruptedRow) for row in model.rows)


def test_a_page_of_another_session_is_not_taken_for_a_frame(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "", AGENT_CALL)), running=False)
    model.toggle_agent(5)
    model.clear()
    model.add_nested(5, page(*FRAME))
    assert model.rows == []


def test_an_undone_change_of_a_frame_that_was_read_late_is_told(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "", AGENT_CALL)), running=False)
    model.mark_calls({6: CallMark(undone=True)})
    model.toggle_agent(5)
    model.add_nested(5, page(answer(3, "", call(6, 3, "edit_file", facts={"change_id": 9}))))
    (inner,) = [row.inner for row in model.rows if isinstance(row, NestedRow) and isinstance(row.inner, LedgerRow)]
    assert inner.calls[0].undone


# ---- plans ---------------------------------------------------------------------------------------------------


def plans(model: TranscriptModel) -> list[PlanRow]:
    return [row for row in model.rows if isinstance(row, PlanRow)]


def test_a_plan_is_a_checklist_and_the_newest_one_is_shown_at_length(model: TranscriptModel) -> None:
    tell(model, said(1, "go"), started(5, 2, "write_todos", todos=TODOS[:1]), done(5, "write_todos"))
    tell(model, started(6, 2), done(6), started(7, 3, "write_todos", todos=TODOS), done(7, "write_todos"))
    assert [type(row) for row in model.rows] == [UserRow, PlanRow, LedgerRow, PlanRow]
    assert [plan.is_latest for plan in plans(model)] == [False, True]
    assert plans(model)[1].plain() == "Plan 1 of 3\nRead\nWrite\nTest"
    assert plans(model)[1].spoken() == "Plan, 1 of 3 done\nRead, done\nWrite, in progress\nTest, open"
    assert plans(model)[1].source == "- [x] Read\n- [ ] **Write**\n- [ ] Test\n"


def test_a_plan_reads_the_same_from_the_store(model: TranscriptModel) -> None:
    tell(model, said(1, "hello"), started(5, 2, "write_todos", todos=TODOS), done(5, "write_todos"))
    loaded = TranscriptModel()
    arguments = msgspec.json.encode({"todos": TODOS}).decode()
    loaded.load(page(user(1), answer(2, "", call(5, 2, "write_todos", arguments=arguments))))
    assert loaded.rows == model.rows
    assert plans(loaded)[0].is_latest


def test_a_plan_of_a_sub_agent_leaves_that_of_the_root_alone(model: TranscriptModel) -> None:
    tell(model, started(4, 2, "write_todos", todos=TODOS), done(4, "write_todos"), task(5, 3), begun(5))
    tell(model, below(5, started(6, 9, "write_todos", todos=TODOS[:1])), below(5, done(6, "write_todos")))
    model.toggle_agent(5)
    (inner,) = [row.inner for row in model.rows if isinstance(row, NestedRow)]
    assert isinstance(inner, PlanRow)
    assert (inner.is_latest, plans(model)[0].is_latest) == (True, True)


@pytest.mark.parametrize("given", [{}, {"todos": "no list"}, {"todos": [{"content": ""}, 7]}])
def test_a_plan_that_cannot_be_read_is_an_ordinary_call(model: TranscriptModel, given: dict[str, Any]) -> None:
    tell(model, started(5, 2, "write_todos", **given), done(5, "write_todos"))
    assert [one.name for one in calls(model)] == ["write_todos"]


def test_a_plan_that_failed_gives_its_place_back(model: TranscriptModel) -> None:
    tell(model, started(4, 2, "write_todos", todos=TODOS), done(4, "write_todos"))
    tell(model, started(5, 3, "write_todos", todos=TODOS[:1]))
    assert [plan.is_latest for plan in plans(model)] == [False, True]
    tell(model, events.ToolError(tool_call_id=CallId(5), name="write_todos", error="no"))
    assert [plan.is_latest for plan in plans(model)] == [True]


# ---- questions -----------------------------------------------------------------------------------------------


def test_a_question_waits_as_a_line_and_ends_as_a_card(model: TranscriptModel) -> None:
    tell(model, said(1, "hello"), question(5), asked(5))
    assert calls(model)[0].state is CallState.WAITING
    answered = events.ApprovalResolved(request_id=RequestId("q"), tool_call_id=CallId(5), decision="answered")
    tell(model, answered, done(5, "ask_user_clarification", "That."))
    assert model.rows[1:] == [QuestionRow(source="This or that?", call_id=5, title="Which?", answer="That.")]
    assert model.rows[1].plain() == "Which?\nThis or that?\nThat."


def test_a_question_that_was_withdrawn_says_so(model: TranscriptModel) -> None:
    tell(model, said(1, "hello"), question(5), asked(5))
    tell(model, events.ToolCancelled(tool_call_id=CallId(5), name="ask_user_clarification", note="Stopped."))
    (row,) = model.rows[1:]
    assert isinstance(row, QuestionRow)
    assert row.answer is None
    assert row.plain().endswith("Not answered")


def test_a_question_left_by_an_ended_program_waits_with_resume(model: TranscriptModel) -> None:
    arguments = '{"title":"Which?","question":"This or that?"}'
    pending = call(5, 2, "ask_user_clarification", arguments=arguments, status=CallStatus.PENDING, result="")
    model.load(page(user(1), answer(2, "", pending), interrupted=True), running=False)
    assert calls(model)[0].state is CallState.WAITING
    assert model.rows[-1] == InterruptedRow(resumable=True)


def test_a_question_of_a_folded_sub_agent_asks_at_its_block(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, question(6, 3)), below(5, asked(6)))
    assert (line(model, 5).waits, line(model, 5).asks, line(model, 5).doing) == (6, True, "Which?")


def test_the_prompt_of_a_frame_is_no_message(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "", AGENT_CALL)), running=False)
    model.toggle_agent(5)
    prompt = msgspec.structs.replace(user(9, "Run the tests"), role=Role.AGENT)
    model.add_nested(5, page(prompt, *FRAME))
    assert nested(model) == [(1, LedgerRow), (1, ProseRow)]


def test_an_exhausted_sub_agent_reads_the_same_from_the_store(model: TranscriptModel) -> None:
    facts = {"agent": "tester", "exhausted": True}
    tell(model, task(5), begun(5), over(5, "exhausted"), done(5, "execute_task", "All rounds used.", **facts))
    loaded = TranscriptModel()
    stored = msgspec.structs.replace(AGENT_CALL, result="All rounds used.", facts=facts)
    loaded.load(page(answer(2, "", stored)), running=False)
    assert (calls(loaded)[0].state, calls(loaded)[0].word) == (calls(model)[0].state, calls(model)[0].word)
    assert calls(model)[0].word == "limit"


def test_what_the_program_says_for_a_wordless_sub_agent_is_not_its_words(model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, started(6, 3)), below(5, done(6)), over(5))
    tell(model, done(5, "execute_task", "tester ended without a word."))
    model.toggle_agent(5)
    assert nested(model) == [(1, LedgerRow), (1, AsideRow)]


def test_a_sub_agent_that_was_joined_in_the_middle_is_read_again_when_it_has_ended(model: TranscriptModel) -> None:
    wanted = list[int]()
    model.nested_wanted.connect(wanted.append)
    running = msgspec.structs.replace(AGENT_CALL, status=CallStatus.RUNNING, result="", ended_at=None)
    model.load(page(user(1), answer(2, "", running)), running=True)
    model.add_nested(5, page(FRAME[0]))
    model.toggle_agent(5)
    tell(model, below(5, words("pass.")))  # "All " was told before anybody looked
    tell(model, over(5), done(5, "execute_task", "All pass."))
    assert wanted == [5, 5]
    assert line(model, 5).is_open  # it does not close meanwhile
    model.add_nested(5, page(*FRAME))
    assert nested(model) == [(1, LedgerRow), (1, ProseRow)]
