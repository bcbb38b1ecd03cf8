"""Any stored history becomes alternating turns in which every call has one result."""

from __future__ import annotations

import pytest

from placet.core.context.wellformed import (
    FRAME_NOTE,
    INTERRUPTED_NOTE,
    NOT_BEGUN,
    START_NOTE,
    UNKNOWN_OUTCOME,
    AssistantTurn,
    CallIds,
    UserTurn,
    ending_with_user,
    well_formed,
)
from placet.core.domain.messages import CallStatus, Message, MessageStatus
from support.rows import answer, call, interrupted, user


def test_consecutive_user_rows_become_one_message() -> None:
    turns = well_formed([user(1, "one"), user(2, "two")], CallIds())
    assert [turn.texts for turn in turns if isinstance(turn, UserTurn)] == [["one", "two"]]
    assert turns[-1].last_row == 2


def test_failed_rows_are_never_sent() -> None:
    turns = well_formed([user(1, "lost", status=MessageStatus.FAILED), user(2, "kept")], CallIds())
    assert [turn.texts for turn in turns if isinstance(turn, UserTurn)] == [["kept"]]


def test_t6_every_call_is_followed_by_exactly_one_result() -> None:
    rows = [user(1, "go"), answer(2, "", call(1, "a"), call(2, "b", status=CallStatus.FAILED, result="no file"))]
    turns = well_formed(rows, CallIds())
    results = turns[-1]
    assert isinstance(results, UserTurn)
    assert [(r.id, r.text, r.is_error) for r in results.results] == [("a", "ok", False), ("b", "Error: no file", True)]


def test_f01_calls_left_by_a_crash_get_a_result_that_says_so() -> None:
    rows = [
        user(1, "do it"),
        answer(
            2,
            "",
            call(1, "c1"),
            call(2, "c2", "execute_cmd", status=CallStatus.RUNNING, result="", started_at=1.0),
            call(3, "c3", "execute_cmd", status=CallStatus.PENDING, result=""),
        ),
        user(3, "continue"),
    ]
    turns = well_formed(rows, CallIds())
    last = turns[-1]
    assert isinstance(last, UserTurn)
    assert [result.text for result in last.results] == ["ok", UNKNOWN_OUTCOME, NOT_BEGUN]
    assert last.texts == ["continue"]


def test_repeated_and_odd_ids_are_made_unique() -> None:
    rows = [
        user(1, "go"),
        answer(2, "", call(7, "same"), call(8, "same"), call(9, "")),
        answer(3, "", call(10, "has space"), call(11, "call_8")),
    ]
    sent = [c.id for turn in well_formed(rows, CallIds()) if isinstance(turn, AssistantTurn) for c in turn.calls]
    assert sent == ["same", "call_8", "call_9", "call_10", "call_11"]


def test_an_interrupted_answer_is_sent_with_a_note_and_without_its_calls() -> None:
    turns = well_formed([user(1, "go"), interrupted(2, "half", call(1, "x")), user(3, "on")], CallIds())
    middle = turns[1]
    assert isinstance(middle, AssistantTurn)
    assert middle.text == f"half\n\n{INTERRUPTED_NOTE}"
    assert not middle.calls


def test_two_answers_without_a_result_between_are_one() -> None:
    turns = well_formed(
        [user(1, "go"), interrupted(2, "half"), answer(3, "whole", parts='[{"type":"text"}]')], CallIds()
    )
    assert len(turns) == 2
    middle = turns[1]
    assert isinstance(middle, AssistantTurn)
    assert middle.text.endswith("whole")
    assert middle.parts == ""


def test_a_history_that_begins_with_an_answer_gets_a_first_word() -> None:
    turns = well_formed([answer(1, "a notification")], CallIds())
    assert isinstance(turns[0], UserTurn)
    assert turns[0].texts == [START_NOTE]


def test_the_last_word_is_the_users() -> None:
    turns = ending_with_user(well_formed([user(1, "hi"), answer(2, "hello")], CallIds()))
    assert isinstance(turns[-1], UserTurn)


def test_a08_lone_surrogates_are_replaced_before_they_are_sent() -> None:
    turns = well_formed([user(1, "done \ud83c now")], CallIds())
    assert isinstance(turns[0], UserTurn)
    assert turns[0].texts == ["done \N{REPLACEMENT CHARACTER} now"]


def test_p2_arguments_that_are_no_object_are_sent_as_an_empty_one() -> None:
    turns = well_formed([user(1, "go"), answer(2, "", call(1, "a", arguments="[1,2]"))], CallIds())
    assert isinstance(turns[1], AssistantTurn)
    assert turns[1].calls[0].arguments == "{}"


def test_attachments_and_context_stand_behind_the_clean_text() -> None:
    row = user(1, "look", metadata={"attachments": ["/a.txt"]}, context_block="<context>\nx\n</context>")
    turns = well_formed([row], CallIds())
    assert isinstance(turns[0], UserTurn)
    assert turns[0].texts == ["look\n\nAttached:\n- /a.txt\n\n<context>\nx\n</context>"]


def test_s7_an_unreadable_row_hides_only_itself() -> None:
    turns = well_formed([user(1, "a"), user(2, "", unreadable=True), user(3, "b")], CallIds())
    assert isinstance(turns[0], UserTurn)
    assert turns[0].texts == ["a", "b"]


def told(row: int, result: str = "[1]") -> Message:
    return answer(row, "", call(row, f"notification_{row}", "read_notification", result=result), synthetic=True)


def test_h9_what_the_program_told_is_merged_with_the_answer_before_it() -> None:
    turns = well_formed([user(1, "hi"), answer(2, "hello"), told(3), answer(4, "noted")], CallIds())
    assert [type(turn) for turn in turns] == [UserTurn, AssistantTurn, UserTurn, AssistantTurn]
    merged, results = turns[1], turns[2]
    assert isinstance(merged, AssistantTurn) and isinstance(results, UserTurn)
    assert (merged.text, [sent.name for sent in merged.calls]) == ("hello", ["read_notification"])
    assert [result.text for result in results.results] == ["[1]"]


@pytest.mark.parametrize("values", [{"parts": '{"reasoning_details":[]}'}, {"reasoning": "hm"}])
def test_h9_behind_an_answer_with_reasoning_it_is_framed_text(values: dict[str, str]) -> None:
    turns = well_formed([user(1, "hi"), answer(2, "hello", **values), told(3), user(4, "and?")], CallIds())
    kept, said = turns[1], turns[2]
    assert isinstance(kept, AssistantTurn) and isinstance(said, UserTurn)
    assert (kept.parts, kept.calls) == (values.get("parts", ""), [])
    assert said.texts == [f"{FRAME_NOTE.format('read_notification')}\n[1]", "and?"]


def test_h9_a_dialect_that_signs_its_calls_gets_text_also_at_the_beginning() -> None:
    (turn,) = well_formed([told(1)], CallIds(), signs_calls=True)
    assert isinstance(turn, UserTurn)
    assert turn.texts == [f"{FRAME_NOTE.format('read_notification')}\n[1]"]


def test_h9_a_long_one_is_shortened_like_any_result() -> None:
    (turn,) = well_formed([told(1, "x" * 1000)], CallIds(), signs_calls=True, result_limit=100)
    assert isinstance(turn, UserTurn)
    assert len(turn.texts[0]) < 300
