"""What a conversation looks like as rows: frozen values that a view lays out and paints. No Qt.

A change is a new row in the place of the old one. Fields with `compare=False` are known only while a turn is
watched, and never worth a repaint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from placet.core.domain.commands import masked
from placet.core.domain.tools import WRITE_TOOLS, Todo, TodoState
from placet.ui.models.transcript_proposals import ShownProposal
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


_WITH_PROPOSAL = frozenset({CallState.WAITING, CallState.DONE, CallState.REJECTED, CallState.CANCELLED})


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

    def spoken(self) -> str:
        """What a screen reader says: the text, and in words what only the painting shows."""
        return self.plain()

    def markdown(self) -> str:
        """What copying as Markdown gives for the whole row."""
        return self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRow(Row):
    """What a person said. `failed` says that it got no answer and is never sent again by itself.

    `is_typed` says that the model got something else, made from `source`: a command. `has_changes` says that its turn
    changed files, which can be undone.
    """

    message_id: int = 0
    attachments: tuple[str, ...] = ()
    failed: bool = False
    is_typed: bool = False
    has_changes: bool = False
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
class AgentLine:
    """What a sub-agent's call says of the agent. `doing` is its last activity, a call of `tool` where that is set;
    after its end the beginning of its result.

    `waits` is the call below it that waits for a person, 0 for none, and `asks` says that it wants an answer.
    """

    name: str
    task: str
    is_begun: bool = True
    is_open: bool = False
    rounds: int = 0
    tool: str = ""
    doing: str = ""
    waits: int = 0
    asks: bool = False

    def plain(self) -> str:
        doing = f"{self.tool} {self.doing}".strip()
        return ", ".join(part for part in (f"{self.name}: {self.task}", doing) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One tool call inside a ledger.

    `word` stands in the state column's place for "exit 1" and the like; `note` is what was said about a
    rejection or a stop; `output` are the last lines while it runs. `agent` is there where the call started one.
    `is_taken_up` says that a person wrote the proposal themselves, after it had not been, and `waits_again` that they
    put it to review again. `proposal` is there once it was asked for.
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
    is_taken_up: bool = False
    waits_again: bool = False
    proposal: ShownProposal | None = None
    output: tuple[str, ...] = ()
    agent: AgentLine | None = None
    duration_ms: float | None = field(default=None, compare=False)
    started_at: float | None = field(default=None, compare=False)
    decision: str = field(default="", compare=False)

    @property
    def has_proposal(self) -> bool:
        """Whether there is a difference to show of it: a write that waits, or that was decided."""
        return self.name in WRITE_TOOLS and self.state in _WITH_PROPOSAL

    @property
    def is_to_be_reviewed(self) -> bool:
        """Whether a person is to decide it now."""
        return self.state is CallState.WAITING or self.waits_again

    @property
    def can_be_taken_up(self) -> bool:
        """Whether it proposed something that was never written."""
        is_refused = self.state in (CallState.REJECTED, CallState.CANCELLED)
        return self.has_proposal and is_refused and self.change_id is None and not self.waits_again

    def plain(self) -> str:
        counts = f" +{self.counts[0]} −{self.counts[1]}" if self.counts else ""
        words = [
            self.agent.plain() if self.agent is not None else f"{self.name} {self.target}{counts}".strip(),
            self.detail,
            self.word or self.state.value,
            self.note,
            "then applied by you" if self.is_taken_up else "",
            "waits for your review again" if self.waits_again else "",
            "undone" if self.undone else "",
        ]
        return ", ".join(word for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow(Row):
    """All calls of one answer, or a part of them: an open sub-agent stands between two parts of one card.

    `is_bare` is a ledger inside a sub-agent, which draws no card of its own.
    """

    calls: tuple[CallRow, ...] = ()
    joins_above: bool = False
    joins_below: bool = False
    is_bare: bool = False

    def plain(self) -> str:
        return self._told(ShownProposal.text)

    def spoken(self) -> str:
        return self._told(ShownProposal.spoken)

    def markdown(self) -> str:
        blocks = [f"```diff\n{text}\n```\n" for call in self.calls if call.proposal and (text := call.proposal.text())]
        return "\n".join((self.source, *blocks))

    def _told(self, of: Callable[[ShownProposal], str]) -> str:
        lines = ((call.plain(), of(call.proposal) if call.proposal is not None else "") for call in self.calls)
        return "\n".join(part for pair in lines for part in pair if part)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow(Row):
    """A checklist as its call gave it. Only the latest one of a frame is shown at length."""

    call_id: int = 0
    items: tuple[Todo, ...] = ()
    is_latest: bool = False

    @property
    def done(self) -> int:
        return sum(item.status is TodoState.COMPLETED for item in self.items)

    @property
    def current(self) -> str:
        """What is being done, else what comes next."""
        for state in (TodoState.IN_PROGRESS, TodoState.PENDING):
            for item in self.items:
                if item.status is state:
                    return item.content
        return ""

    def plain(self) -> str:
        head = f"{'Plan' if self.is_latest else 'Earlier plan,'} {self.done} of {len(self.items)}"
        if not self.is_latest:
            return f"{head} {self.current}".strip()
        return "\n".join((head, *(item.content for item in self.items)))

    def spoken(self) -> str:
        if not self.is_latest:
            return f"Earlier plan, {self.done} of {len(self.items)} done"
        words = {TodoState.COMPLETED: "done", TodoState.IN_PROGRESS: "in progress", TodoState.PENDING: "open"}
        items = (f"{item.content}, {words[item.status]}" for item in self.items)
        return "\n".join((f"Plan, {self.done} of {len(self.items)} done", *items))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow(Row):
    """What a model asked and what a person answered, None where it was withdrawn. `source` is the question."""

    call_id: int
    title: str
    answer: str | None

    def plain(self) -> str:
        end = self.answer if self.answer is not None else "Not answered"
        return "\n".join(part for part in (self.title, plain_text(self.source), end) if part)

    def markdown(self) -> str:
        end = self.answer if self.answer is not None else "*Not answered*"
        return "\n\n".join(part for part in (f"**{self.title}**", self.source.strip("\n"), end) if part) + "\n"


class AsideKind(StrEnum):
    TASK = "task"  # what a sub-agent was asked
    RESULT = "result"  # what its caller got where that is not its last text


@dataclass(frozen=True, slots=True, kw_only=True)
class AsideRow(Row):
    """Quiet words about a sub-agent, as they are; `key` names the fold of long ones."""

    kind: AsideKind
    key: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedRow(Row):
    """A row of a sub-agent's frame, `depth` deep inside the card of the call that started it.

    `air` is above and `foot` below, both inside the card; `is_last` ends the card.
    """

    inner: AnyRow
    depth: int
    agent: str
    gap: int = 0
    air: int = 0
    foot: int = 0
    is_last: bool = False

    def plain(self) -> str:
        return self.inner.plain()

    def spoken(self) -> str:
        return f"{self.agent}: {self.inner.spoken()}"

    def markdown(self) -> str:
        lines = self.inner.markdown().strip("\n").split("\n")
        mark = "> " * self.depth
        return "\n".join((mark + line).rstrip() for line in lines) + "\n"


AnyRow = (
    UserRow | ProseRow | CodeRow | ReasoningRow | LedgerRow | NoteRow | CommandRow | ErrorRow | InterruptedRow
    | PlanRow | QuestionRow | AsideRow | NestedRow
)  # fmt: skip
