"""Commands in a transcript: bubbles show what was typed, answers are rows beside the history."""

from __future__ import annotations

from placet.core.domain import events
from placet.core.domain.commands import CommandOutcome
from placet.core.domain.ids import MessageId
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_commands import answer_row
from placet.ui.models.transcript_rows import CommandRow, NoteRow, UserRow
from unit.ui_models.transcript.told import answer, finished, page, said, tell, user

TYPED = events.UserMessage(message_id=MessageId(1), content="Review the parser.", typed="/review the parser")


def _bubbles(model: TranscriptModel) -> list[UserRow]:
    return [row for row in model.rows if isinstance(row, UserRow)]


def test_a_bubble_shows_what_was_typed_live_and_after_a_reload() -> None:
    model = TranscriptModel()
    tell(model, TYPED)
    live = _bubbles(model)
    model.load(page(user(1, "Review the parser.", metadata={"typed": "/review the parser"})))
    assert live == _bubbles(model)
    assert [row.source for row in live] == ["/review the parser"]


def test_what_is_said_again_is_the_command_or_exactly_the_text() -> None:
    model = TranscriptModel()
    tell(model, TYPED, said(2, "/review is a text here"), said(3, "plain"))
    assert [row.again for row in _bubbles(model)] == ["/review the parser", "//review is a text here", "plain"]


def test_metadata_that_makes_no_sense_shows_the_content() -> None:
    model = TranscriptModel()
    model.load(page(user(1, "hello", metadata={"typed": 7})))
    assert [row.source for row in _bubbles(model)] == ["hello"]


def test_a_short_answer_is_a_note_and_a_longer_one_a_block() -> None:
    assert answer_row(CommandOutcome(command="mode", words="Mode ask.")) == NoteRow(source="Mode ask.")
    long = answer_row(CommandOutcome(command="cost", words="word " * 30))
    assert isinstance(long, CommandRow) and long.source == ("word " * 30).strip()
    listed = answer_row(CommandOutcome(command="models", words="Two.", pairs=(("a", "first"), ("b", "second"))))
    assert isinstance(listed, CommandRow)
    assert listed.plain() == "Two.\na: first\nb: second"
    assert listed.source == "Two.\n\n- `a`: first\n- `b`: second"


def test_an_answer_is_no_message_and_is_gone_with_the_next_loading() -> None:
    model = TranscriptModel()
    tell(model, said(1, "hi"), finished(2, "hello"))
    model.add_answer(CommandOutcome(command="mode", words="Mode ask."))
    assert isinstance(model.rows[-1], NoteRow)
    assert model.message_count() == 2
    model.load(page(user(1, "hi"), answer(2, "hello")))
    assert not any(isinstance(row, NoteRow) for row in model.rows)
