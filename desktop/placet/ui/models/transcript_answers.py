"""Messages as entries of rows: what the store has, and what is just arriving. Pure.

An entry is one user bubble or one answer of the model. An answer that streams goes through the same cutting as a
stored one, so that at its end there is nothing left to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from placet.core.domain.messages import Message, MessageStatus, Role
from placet.ui.models.transcript_calls import stored_call
from placet.ui.models.transcript_flow_calls import call_rows, plan_row
from placet.ui.models.transcript_rows import (
    GAP,
    AnyRow,
    CallRow,
    CallState,
    CodeRow,
    InterruptedRow,
    LedgerRow,
    PlanRow,
    ProseRow,
    QuestionRow,
    ReasoningRow,
    UserRow,
)
from placet.ui.widgets.text.blocks import Block, BlockKind, BlockSplitter
from placet.ui.widgets.text.markdown import References, references_in

JOINED = 2
_LINE_CHARS = 200


class EntryKind(StrEnum):
    USER = "user"
    ANSWER = "answer"
    REMARK = "remark"  # notes and errors between messages; not counted as one


@dataclass(slots=True)
class Entry:
    """Rows that belong together. `message_id` is None while the store has not told it."""

    kind: EntryKind
    rows: tuple[AnyRow, ...] = ()
    message_id: int | None = None
    parts: AnswerParts | None = None  # kept while the answer can still change

    def refresh(self) -> None:
        """Make the rows anew from the parts."""
        if self.parts is not None:
            self.rows = self.parts.rows()

    def plain(self) -> str:
        """The visible text of a message."""
        return "\n\n".join(text for row in self.rows if (text := row.plain()))

    def words(self) -> str:
        """The text of an answer with single spaces: its blocks are slices of it, less blank lines between them."""
        rows = (row.source for row in self.rows if isinstance(row, (ProseRow, CodeRow)))
        return " ".join(("".join(self.parts.text) if self.parts is not None else "\n".join(rows)).split())

    def calls(self) -> Sequence[CallRow]:
        """Those that are lines of a ledger, and while the answer can change all of them."""
        if self.parts is not None:
            return self.parts.calls
        return [call for row in self.rows if isinstance(row, LedgerRow) for call in row.calls]

    def call_count(self) -> int:
        if self.parts is not None:
            return len(self.parts.calls)
        return len(self.calls()) + sum(isinstance(row, (PlanRow, QuestionRow)) for row in self.rows)

    def plan(self) -> int:
        """The call of its last checklist, 0 for none."""
        plans: Iterable[AnyRow | None] = reversed(self.rows)
        if self.parts is not None:
            plans = map(plan_row, reversed(self.parts.calls))
        return next((plan.call_id for plan in plans if isinstance(plan, PlanRow)), 0)


@dataclass(slots=True)
class AnswerParts:
    """An answer taken apart, as it arrives or as it was stored."""

    splitter: BlockSplitter = field(default_factory=BlockSplitter)
    blocks: list[Block] = field(default_factory=list)
    done_rows: list[AnyRow] = field(default_factory=list)  # of the blocks
    references: References = ()
    reasoning: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    preparing: dict[int, CallRow] = field(default_factory=dict)  # by their place in the answer
    sizes: dict[int, int] = field(default_factory=dict)  # of their arguments so far
    key: int = 0  # names the answer for folds; constant from its first piece on
    at: float = 0.0
    reasoned_s: float | None = None
    line: str = ""  # the beginning of the last line that says something
    _line: str = ""
    is_live: bool = False
    is_cut: bool = False
    is_resumable: bool = False

    def add_text(self, piece: str) -> None:
        self.text.append(piece)
        self.unread.append(piece)
        if "\n" in piece:
            *ended, rest = piece.split("\n")
            ended[0] = self._line + ended[0]
            self.line = next((part[:_LINE_CHARS] for part in reversed(ended) if part.strip()), self.line)
            self._line = ""
            piece = rest
        if len(self._line) < _LINE_CHARS:
            self._line += piece
            self.line = self._line if self._line.strip() else self.line

    def _read(self) -> None:
        """Cut what has come since the last time; a piece at a time would cost as much for each as for all."""
        if not self.unread:
            return
        done = self.splitter.feed("".join(self.unread))
        self.unread.clear()
        self.blocks += done
        found = sum((references_in(block.source) for block in done), ())
        if found:
            self.references += found
            self.done_rows = [_block_row(block, self.references) for block in self.blocks]  # they may use them
        else:
            self.done_rows += [_block_row(block, self.references) for block in done]

    def set_text(self, text: str) -> None:
        """The stored text is the truth; what streamed is kept where it says the same."""
        if "".join(self.text) != text:
            self.splitter, self.blocks, self.references, self.text = BlockSplitter(), [], (), []
            self.unread.clear()
            self.done_rows.clear()
            self.add_text(text)

    def rows(self) -> tuple[AnyRow, ...]:
        self._read()
        made: list[AnyRow] = []
        if self.reasoning:
            live = self.is_live and not self.text and not self.calls and not self.preparing
            made.append(
                ReasoningRow(
                    source="".join(self.reasoning), key=self.key, duration_s=self.reasoned_s, at=self.at, live=live
                )
            )
        open_blocks = self.splitter.open_blocks()
        references = self.references
        for block in open_blocks:
            references += references_in(block.source)
        if len(references) > len(self.references):
            made += [_block_row(block, references) for block in self.blocks]
        else:
            made += self.done_rows
        made += [_block_row(block, references) for block in open_blocks]
        made += call_rows((*self.calls, *self.preparing.values()))
        if self.is_cut or self.is_resumable:
            made.append(InterruptedRow(resumable=self.is_resumable))
        return tuple(made)

    def set_call(self, call: CallRow) -> None:
        """Put a call in the place of the one with its id, else behind the others, where it was announced."""
        for index, known in enumerate(self.calls):
            if known.call_id == call.call_id:
                self.calls[index] = call
                return
        self.calls.append(call)
        if self.preparing:
            del self.preparing[min(self.preparing)]


def stored_entry(message: Message) -> Entry | None:
    """The entry of a stored row; None for rows that a person does not see."""
    if message.synthetic or message.role is Role.AGENT:
        return None
    if message.unreadable:
        return Entry(EntryKind.ANSWER, (ProseRow(source="*This message cannot be read.*"),), message.id)
    if message.role is Role.USER:
        return Entry(EntryKind.USER, (_user_row(message),), message.id)
    parts = stored_answer(message)
    return Entry(EntryKind.ANSWER, parts.rows(), message.id, parts if _may_change(message) else None)


def stored_answer(message: Message) -> AnswerParts:
    parts = AnswerParts(key=message.id, at=message.created_at, reasoned_s=None)
    if message.reasoning:
        parts.reasoning.append(message.reasoning)
    if message.content:
        parts.add_text(message.content)
    parts.calls = [stored_call(call) for call in message.calls]
    parts.is_cut = message.status is MessageStatus.INTERRUPTED
    return parts


def _may_change(message: Message) -> bool:
    return message.status is MessageStatus.INTERRUPTED or any(not call.status.is_final for call in message.calls)


def preparing_call(index: int, name: str, size: int) -> CallRow:
    """A call whose arguments are still being written; it has no id yet."""
    return CallRow(
        call_id=-1 - index,
        name=name,
        target="",
        state=CallState.PREPARING,
        detail=f"{size:,} characters" if size else "",
    )


def as_resumable(rows: Sequence[AnyRow], resumable: bool) -> tuple[AnyRow, ...]:
    """`rows` with a marker at their end that offers Resume, or with one that no longer does."""
    if rows and isinstance(rows[-1], InterruptedRow):
        return (*rows[:-1], replace(rows[-1], resumable=resumable))
    return (*rows, InterruptedRow(resumable=True)) if resumable else tuple(rows)


def _user_row(message: Message) -> UserRow:
    attachments = message.metadata.get("attachments", ())
    typed = message.typed
    return UserRow(
        source=typed or message.content,
        is_typed=bool(typed),
        message_id=message.id,
        attachments=tuple(str(name) for name in attachments) if isinstance(attachments, (list, tuple)) else (),
        failed=message.status is MessageStatus.FAILED,
        at=message.created_at,
    )


def _block_row(block: Block, references: References) -> AnyRow:
    gap = JOINED if block.is_joined else GAP
    if block.kind is BlockKind.CODE:
        return CodeRow(source=block.source, gap=gap)
    used = references if references and "[" in block.source else ()
    return ProseRow(source=block.source, lead=block.lead, references=used, gap=gap)
