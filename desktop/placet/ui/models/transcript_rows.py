"""What a conversation looks like as rows: frozen values that a view lays out and paints. No Qt.

A change is a new row in the place of the old one. Fields with `compare=False` are known only while a turn is
watched, and never worth a repaint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from placet.core.domain.commands import masked
from placet.ui.widgets.text.blocks import Fence, language_of, read_fence
from placet.ui.widgets.text.markdown import References, plain_text

GAP = 10
"""Air above a row, in pixels."""


class CallState(StrEnum):
    """How a call is shown. A command that ended with another code than 0 is `FAILED`, though the call is done."""

    PREPARING = "preparing"  # the model is still writing its arguments
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    REJECTED = "rejected"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self not in (CallState.PREPARING, CallState.RUNNING, CallState.WAITING)


class Remedy(StrEnum):
    """What a person can do about an error; the window carries it out."""

    RETRY = "retry"
    MODELS = "models"
    NEW_CHAT = "new_chat"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`source` is what is copied as Markdown. `gap` is the air above."""

    source: str = ""
    gap: int = GAP

    def plain(self) -> str:
        """The visible text, close enough to copy and read out, without building a view."""
        return self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow(Row):
    """What a person said. `failed` says that it got no answer and is never sent again by itself.

    `is_typed` says that the model got something else, made from `source`: a command.
    """

    message_id: int = 0
    attachments: tuple[str, ...] = ()
    failed: bool = False
    is_typed: bool = False
    at: float = field(default=0.0, compare=False)

    @property
    def again(self) -> str:
        """What one types to say the same again."""
        return self.source if self.is_typed else masked(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseRow(Row):
    """A block of Markdown. `lead` is rendered before it: the head of a table that goes on."""

    lead: str = ""
    references: References = ()

    def plain(self) -> str:
        return plain_text(self.source, self.references)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRow(Row):
    """A fenced block; `source` has its marks."""

    def fence(self) -> Fence:
        return read_fence(self.source)

    def plain(self) -> str:
        return self.fence().code

    @property
    def language(self) -> str:
        return language_of(self.fence().language)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningRow(Row):
    """What the model thought before it answered; shown as one closed line."""

    key: int = field(default=0, compare=False)
    duration_s: float | None = field(default=None, compare=False)
    at: float = field(default=0.0, compare=False)
    live: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One tool call inside a ledger.

    `word` stands in the state column's place for "exit 1" and the like; `note` is what was said about a
    rejection or a stop; `output` are the last lines while it runs.
    """

    call_id: int
    name: str
    target: str
    state: CallState
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    counts: tuple[int, int] | None = None
    detail: str = ""
    word: str = ""
    note: str = ""
    change_id: int | None = None
    undone: bool = False
    output: tuple[str, ...] = ()
    duration_ms: float | None = field(default=None, compare=False)
    started_at: float | None = field(default=None, compare=False)
    decision: str = field(default="", compare=False)

    def plain(self) -> str:
        counts = f" +{self.counts[0]} −{self.counts[1]}" if self.counts else ""
        words = [
            f"{self.name} {self.target}{counts}".strip(),
            self.detail,
            self.word or self.state.value,
            "undone" if self.undone else "",
            self.note,
        ]
        return ", ".join(word for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow(Row):
    """All calls of one answer."""

    calls: tuple[CallRow, ...] = ()

    def plain(self) -> str:
        return "\n".join(call.plain() for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow(Row):
    """A thin remark between messages; `source` is its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRow(Row):
    """What a command answered: a sentence, and names with what is to be said about them. No part of the history."""

    command: str
    words: str = ""
    pairs: tuple[tuple[str, str], ...] = ()

    def plain(self) -> str:
        return "\n".join([*([self.words] if self.words else []), *(f"{name}: {about}" for name, about in self.pairs)])


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow(Row):
    """What happened, what it means and what to do, and the remedies as buttons (`D-12`)."""

    title: str
    meaning: str = ""
    detail: str = ""
    remedies: tuple[Remedy, ...] = ()
    message_id: int = 0

    def plain(self) -> str:
        return "\n".join(part for part in (self.title, self.meaning, self.detail) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptedRow(Row):
    """The turn was cut here. Only the last one can be resumed."""

    resumable: bool = False

    def plain(self) -> str:
        return "Interrupted"


AnyRow = UserRow | ProseRow | CodeRow | ReasoningRow | LedgerRow | NoteRow | CommandRow | ErrorRow | InterruptedRow
