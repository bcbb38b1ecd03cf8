"""What was told between messages is there again after a reload; after an error there is one way on."""

from __future__ import annotations

from typing import Any

import pytest

from placet.core.domain import events
from placet.core.domain.ids import MessageId
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import ErrorRow, InterruptedRow, NoteRow, Remedy
from unit.ui_models.transcript.told import CUT, answer, page, said, tell, user


@pytest.fixture
def model(qapp: Any) -> TranscriptModel:
    return TranscriptModel()


def notes(model: TranscriptModel) -> list[str]:
    return [row.source for row in model.rows if isinstance(row, NoteRow)]


def test_a_switch_of_models_is_told_where_it_happened(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "a", model="big"), user(3), answer(4, "b", model="small"), answer(5, "c")))
    assert notes(model) == ["Switched from big to small"]
    kinds = [type(row).__name__ for row in model.rows]
    assert kinds == ["UserRow", "ProseRow", "UserRow", "NoteRow", "ProseRow", "ProseRow"]


def test_a_switch_between_two_pages_is_told_too(model: TranscriptModel) -> None:
    model.load(page(user(3), answer(4, "b", model="small"), has_older=True))
    model.prepend(page(user(1), answer(2, "a", model="big")))
    assert notes(model) == ["Switched from big to small"]


def test_an_answer_that_reached_the_limit_says_so(model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "a", metadata={"truncated": True})))
    assert notes(model) == ["The answer ends here because it reached the model's output limit"]


def broken(model: TranscriptModel, **more: Any) -> ErrorRow:
    tell(
        model,
        said(1, "go"),
        events.TurnRunning(running=True),
        events.TextDelta(text="half an ans"),
        events.Error(code="network", message="The connection broke.", **more),
        events.TurnRunning(running=False),
    )
    (row,) = (row for row in model.rows if isinstance(row, ErrorRow))
    return row


def test_a_stream_that_broke_offers_one_way_on(model: TranscriptModel) -> None:
    row = broken(model)
    assert row.remedies == (Remedy.RETRY,)
    assert [row.resumable for row in model.rows if isinstance(row, InterruptedRow)] == [False]


def test_after_a_reload_the_way_on_is_at_the_answer(model: TranscriptModel) -> None:
    broken(model)
    model.load(page(user(1, "go"), answer(2, "half an ans", status=CUT), interrupted=True), running=False)
    assert [row.resumable for row in model.rows if isinstance(row, InterruptedRow)] == [True]
    assert not any(isinstance(row, ErrorRow) for row in model.rows)


def test_an_error_offers_nothing_any_more_once_a_turn_runs_again(model: TranscriptModel) -> None:
    broken(model)
    tell(model, events.TurnRunning(running=True))
    (row,) = (row for row in model.rows if isinstance(row, ErrorRow))
    assert (row.title, row.remedies) == ("The connection broke.", ())


def test_what_came_back_to_the_message_field_is_not_offered_twice(model: TranscriptModel) -> None:
    assert broken(model, draft="go").remedies == ()


def test_a_person_who_stopped_can_resume(model: TranscriptModel) -> None:
    tell(
        model,
        said(1, "go"),
        events.TurnRunning(running=True),
        events.TextDelta(text="half an ans"),
        events.Error(code="interrupted", message="Interrupted by user."),
        events.TurnRunning(running=False),
    )
    assert [row.resumable for row in model.rows if isinstance(row, InterruptedRow)] == [True]
    assert MessageId(1) == model.oldest_id


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (
            events.CompactionDone(tokens_before=9_000, tokens_after=4_000, summarised=True),
            "Earlier messages summarised: 9,000 tokens became 4,000",
        ),
        (
            events.CompactionDone(tokens_before=9_000, tokens_after=7_000, problem="No summary could be made: down."),
            "Long results of earlier calls left out for the model: 9,000 tokens became 7,000. "
            "No summary could be made: down",
        ),
        (
            events.CompactionDone(tokens_before=9_000, tokens_after=9_000, problem="It was stopped."),
            "The conversation was not shortened. It was stopped.",
        ),
    ],
)
def test_making_room_is_told_while_it_lasts_and_what_came_of_it(
    model: TranscriptModel, done: events.CompactionDone, words: str
) -> None:
    tell(model, said(1, "go"), events.CompactionStarted())
    assert notes(model) == ["Making room in the conversation…"]
    tell(model, done)
    assert notes(model) == [words]
    tell(model, done)
    assert notes(model) == [words, words], "one that began before the window looked"
