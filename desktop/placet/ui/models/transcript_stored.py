"""Stored messages as entries, with the notes that were told between them and can be told again. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placet.core.domain.messages import Message, Role
from placet.ui.models.transcript_answers import Entry, EntryKind, stored_entry
from placet.ui.models.transcript_rows import NoteRow

TRUNCATED = "The answer ends here because it reached the model's output limit"


def stored_entries(messages: Sequence[Message], next_model: str = "") -> list[Entry]:
    """`next_model` is the model of the answer behind them, where that is known."""
    return list(_entries(messages, next_model))


def first_model(messages: Sequence[Message]) -> str:
    """The model of the first answer that names one."""
    return next((message.model for message in messages if _names_model(message)), "")


def note(text: str) -> Entry:
    return Entry(EntryKind.REMARK, (NoteRow(source=text),))


def _entries(messages: Sequence[Message], next_model: str) -> Iterator[Entry]:
    model = ""
    for message in messages:
        if _names_model(message):
            if model and message.model != model:
                yield _switched(model, message.model)
            model = message.model
        if (entry := stored_entry(message)) is not None:
            yield entry
        if message.metadata.get("truncated") is True:
            yield note(TRUNCATED)
    if model and next_model and next_model != model:
        yield _switched(model, next_model)


def _names_model(message: Message) -> bool:
    return message.role is Role.ASSISTANT and bool(message.model) and not message.synthetic


def _switched(old: str, new: str) -> Entry:
    return note(f"Switched from {old} to {new}")
