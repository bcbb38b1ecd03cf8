"""What a command answered, as a row. Pure."""

from __future__ import annotations

from placet.core.domain.commands import CommandOutcome
from placet.ui.models.transcript_rows import CommandRow, NoteRow

NOTE_LIMIT = 72
"""A longer sentence gets a block: a note is one line, and cut where there is no room."""


def answer_row(outcome: CommandOutcome) -> NoteRow | CommandRow:
    words = outcome.words.strip()
    if not outcome.pairs and "\n" not in words and len(words) <= NOTE_LIMIT:
        return NoteRow(source=words)
    lines = [f"- `{name}`: {about}" for name, about in outcome.pairs]
    source = "\n\n".join(part for part in (words, "\n".join(lines)) if part)
    return CommandRow(source=source, command=outcome.command, words=words, pairs=outcome.pairs)
