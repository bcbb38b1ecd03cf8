"""Sub-agents, plans and questions as they are painted: opening, walking by keys, reading, copying, finding."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.core.domain.ids import CallId
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import LedgerRow, NestedRow, ProseRow
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.view import TranscriptView
from ui.chat.conftest import action
from unit.ui_models.transcript.test_sub_agents import TODOS, asked, begun, below, over, question, task, thought, words
from unit.ui_models.transcript.told import answer, done, page, said, started, tell, user, waiting

Press = Callable[..., None]


@pytest.fixture
def told(model: TranscriptModel, view: TranscriptView) -> TranscriptModel:
    """A long conversation that ends with two sub-agents at work."""
    rows = [user(n, f"question {n}") if n % 2 else answer(n, f"answer {n} " * 30) for n in range(100, 140)]
    model.load(page(*rows))
    tell(model, said(1, "go"), task(5), task(7, agent="coder", words="Write it"), begun(5), begun(7))
    tell(model, below(5, words("I look at **it** first.\n\n- one\n- two")), below(5, thought(3, "I look at it first.")))
    tell(model, below(5, started(6, 3, "grep", "needle")), below(5, done(6, "grep", "hit")))
    for number in range(30):
        tell(model, below(5, words(f"round {number}")), below(5, thought(50 + number, f"round {number}")),
             below(5, started(200 + number, 50 + number)), below(5, done(200 + number)))  # fmt: skip
    return model


def place(view: TranscriptView, words: str) -> float:
    """Where those words stand in the viewport."""
    for row, _y, seen in view.column.visible():
        if (at := seen.plain.find(words)) >= 0:
            return view.rect_of(row, seen.caret(at)).top()
    raise AssertionError(f"{words!r} cannot be seen")


def test_a_folded_block_keeps_its_height_from_start_to_result(view: TranscriptView, model: TranscriptModel) -> None:
    """Nothing jumps."""
    tell(model, said(1, "go"), task(5))
    heights = {view.column.view(1).height}
    for event in (begun(5), below(5, words("words")), below(5, started(6, 3, "edit_file")), below(5, waiting(6)),
                  over(5), done(5, "execute_task", "All pass.\n\nReally.")):  # fmt: skip
        tell(model, event)
        heights.add(view.column.view(1).height)
    assert len(heights) == 1
    assert "All pass." in view.visible_text()


def test_opening_leaves_what_was_pressed_where_it_is(view: TranscriptView, told: TranscriptModel, press: Press) -> None:
    before = place(view, "tester")
    press(ActionName.UNFOLD)
    assert place(view, "tester") == before
    assert "I look at it first." in view.visible_text()
    assert not view.jump.isVisible()
    press(ActionName.UNFOLD)
    assert place(view, "tester") == before
    assert "I look at it first." not in view.visible_text()


def test_heights_are_exact_when_one_scrolls_through_an_open_block(
    view: TranscriptView, told: TranscriptModel, press: Press
) -> None:
    press(ActionName.UNFOLD)
    view.to_bottom()
    worst = 0.0
    for _ in range(60):
        before = {id(shown.row): y for _row, y, shown in view.column.visible()}
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 20)
        after = {id(shown.row): y for _row, y, shown in view.column.visible()}
        worst = max([worst, *(abs(after[row] - before[row] - 20) for row in before.keys() & after.keys())])
    assert worst < 1e-6


def test_what_an_open_sub_agent_says_moves_nothing_that_is_read(
    view: TranscriptView, told: TranscriptModel, press: Press
) -> None:
    press(ActionName.UNFOLD)
    before = place(view, "tester")
    tell(told, below(5, words("more words\n\nand more")), below(7, words("and others")))
    assert place(view, "tester") == before


def test_an_arc_turns_only_where_something_runs(view: TranscriptView, model: TranscriptModel) -> None:
    """`D-2`."""
    tell(model, said(1, "go"), task(5))
    assert view.column.view(1).spinners == []  # queued
    tell(model, begun(5), below(5, started(6, 3)))
    model.toggle_agent(5)
    assert [bool(view.column.view(row).spinners) for row in (1, 2)] == [True, True]
    tell(model, events.TurnRunning(running=False))
    assert [bool(view.column.view(row).spinners) for row in (1, 2)] == [False, False]


def test_times_and_states_of_all_depths_stand_in_one_column(view: TranscriptView, model: TranscriptModel) -> None:
    tell(model, task(5), begun(5), below(5, started(6, 3, "execute_subtask", agent="x", task="y")))
    tell(model, below(5, begun(6, "x", 2)), below(6, started(8, 4)))
    model.toggle_agent(5)
    model.toggle_agent(6)
    right = {box.right() for _row, _y, seen in view.column.visible() for box in seen.spinners}
    assert len(right) == 1
    assert [row.depth for row in model.rows if isinstance(row, NestedRow)] == [1, 2]


def test_d_7_a_running_block_is_opened_by_keys(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("one")))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    tell(model, below(5, thought(3, "one")), below(5, started(6, 3)))  # the row is another one now
    assert view.focus_action is not None
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert isinstance(model.rows[1], LedgerRow)
    assert isinstance(model.rows[2], NestedRow)
    assert view.focus_action is not None
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert len(model.rows) == 2


@pytest.mark.parametrize(
    ("asks", "name", "signal"),
    [(False, ActionName.REVIEW, "review_requested"), (True, ActionName.ANSWER, "answer_requested")],
)
@pytest.mark.parametrize("is_open", [False, True])
def test_what_waits_below_is_reached_from_the_block_and_from_its_own_line(
    view: TranscriptView,
    model: TranscriptModel,
    press: Press,
    qtbot: QtBot,
    *,
    asks: bool,
    name: ActionName,
    signal: str,
    is_open: bool,
) -> None:
    tell(model, said(1, "go"), task(5), begun(5))
    if asks:
        tell(model, below(5, question(6, 3)), below(5, asked(6)))
    else:
        tell(model, below(5, started(6, 3, "edit_file")), below(5, waiting(6)))
    if is_open:
        model.toggle_agent(5)
    with qtbot.waitSignal(getattr(view, signal), timeout=1000) as told:
        press(name)
    assert told.args == [6]


def test_a_nested_call_opens_and_is_copied_as_any_other(
    view: TranscriptView, model: TranscriptModel, press: Press
) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, started(6, 3, "grep", "needle", pattern="needle x")))
    tell(model, below(5, done(6, "grep", "hit 1")))
    model.toggle_agent(5)
    press(ActionName.TOGGLE)
    assert "pattern: needle x" in view.visible_text()
    press(ActionName.COPY)
    assert QGuiApplication.clipboard().text() == "needle\nhit 1"


def test_words_inside_are_selected_found_and_copied_as_a_quotation(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("I look at **it**.\n\n- one")))
    model.toggle_agent(5)
    assert view.search("look at") == 1
    assert view.finder.current is not None
    assert view.finder.marks(view.finder.current.row, view.column.view(view.finder.current.row))
    view.select_all()
    view.copy(markdown=True)
    assert "> I look at **it**.\n\n> - one" in QGuiApplication.clipboard().text()
    view.copy()
    assert "I look at it.\n\n•\tone" in QGuiApplication.clipboard().text()


def test_d_8_a_screen_reader_hears_who_says_what(view: TranscriptView, model: TranscriptModel) -> None:
    tell(model, said(1, "go"), task(5), begun(5), below(5, words("Looking.")))
    assert view.item_text(1) == "tester: Run the tests, Looking., running"
    model.toggle_agent(5)
    assert view.item_text(2) == "tester: Looking."
    assert not view.item_rect(2).isEmpty()


def test_narrow_windows_leave_room_for_five_levels(view: TranscriptView, model: TranscriptModel) -> None:
    view.resize(440, 600)
    tell(model, task(10))
    for depth in range(1, 6):
        number = depth * 10
        event = begun(number, depth=depth)
        tell(model, event if depth == 1 else below(number - 10, event), below(number, words("word " * 20)))
        deeper = started(number + 10, number + 1, "execute_subtask", "x", agent="deeper", task="on")
        tell(model, below(number, deeper))
        model.toggle_agent(number)
    view.grab()
    inside = [seen for _row, _y, seen in view.column.visible() if isinstance(seen.row, NestedRow)]
    prose = [seen for seen in inside if isinstance(seen.row.inner, ProseRow)]
    assert len(prose) == 5
    assert min(seen.areas[0].rect.width() for seen in prose) > 250
    assert all(area.rect.right() <= view.context.width for seen in inside for area in seen.areas)


# ---- plans and questions -------------------------------------------------------------------------------------


def test_the_latest_plan_is_read_at_once_and_earlier_ones_when_opened(
    view: TranscriptView, model: TranscriptModel, press: Press
) -> None:
    first = [{"content": "Only this", "status": "pending"}]
    tell(model, started(5, 2, "write_todos", todos=first), done(5, "write_todos"))
    tell(model, started(6, 3, "write_todos", todos=TODOS), done(6, "write_todos"))
    assert "Earlier plan, 0 of 1 Only this\n\nPlan 1 of 3\nRead\nWrite\nTest" in view.visible_text()
    press(ActionName.TOGGLE)
    assert "Earlier plan, 0 of 1\nOnly this\n\n" in view.visible_text()
    assert view.item_text(1).startswith("Plan, 1 of 3 done\nRead, done")


def test_in_a_narrow_window_a_plan_is_a_line(view: TranscriptView, model: TranscriptModel, press: Press) -> None:
    view.resize(440, 600)
    tell(model, started(6, 3, "write_todos", todos=TODOS), done(6, "write_todos"))
    assert view.visible_text() == "Plan 1 of 3 Write"
    press(ActionName.TOGGLE)
    assert view.visible_text() == "Plan 1 of 3\nRead\nWrite\nTest"


def test_a_plan_that_is_being_written_has_no_items_yet(view: TranscriptView, model: TranscriptModel) -> None:
    tell(model, events.ToolArgsDelta(index=0, name="write_todos", text='{"todos"'))
    assert view.visible_text() == "Plan is being written"
    assert view.column.view(0).actions == []


def test_an_answered_question_shows_the_answer(view: TranscriptView, model: TranscriptModel) -> None:
    tell(model, question(5), asked(5))
    assert action(view, ActionName.ANSWER)[1].key == 5
    tell(model, done(5, "ask_user_clarification", "<b>That</b>"))
    assert view.visible_text() == "Which?\nThis or that?\n<b>That</b>"


def test_a_withdrawn_question_says_so(view: TranscriptView, model: TranscriptModel) -> None:
    cancelled = events.ToolCancelled(tool_call_id=CallId(5), name="ask_user_clarification", note="Stopped.")
    tell(model, question(5), asked(5), cancelled)
    assert view.visible_text().endswith("Not answered: the turn was stopped")
