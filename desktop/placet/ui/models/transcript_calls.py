"""How one tool call is told: its state, its facts in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from placet.core.domain import events
from placet.core.domain.messages import CallStatus, ToolCall
from placet.core.domain.review import REJECTED
from placet.core.domain.tools import DELEGATING
from placet.ui.models.transcript_rows import CallRow, CallState

LIVE_LINES = 8
LIMIT_WORD = "limit"
INTERRUPTED_WORD = "interrupted"
AMENDED = "changed by you"

_STATES = {
    CallStatus.RUNNING: CallState.RUNNING,
    CallStatus.PENDING: CallState.WAITING,
    CallStatus.DONE: CallState.DONE,
    CallStatus.FAILED: CallState.FAILED,
    CallStatus.CANCELLED: CallState.CANCELLED,
    CallStatus.REJECTED: CallState.REJECTED,
}

_COUNTED = {"lines": "line", "entries": "entry", "matches": "match", "files": "file", "calls": "call"}


def stored_call(call: ToolCall) -> CallRow:
    """The row of a call as the store has it."""
    row = CallRow(
        call_id=call.id,
        name=call.name,
        target=call.label,
        state=_STATES[call.status],
        arguments=_arguments(call.arguments),
        decision=call.decision,
        started_at=call.started_at,
    )
    if not call.status.is_final:
        return row
    taken = (call.ended_at - call.started_at) * 1000 if call.ended_at and call.started_at else None
    return ended(row, row.state, call.result, call.facts, taken)


def begun_call(event: events.ToolStart, now: float) -> CallRow:
    return CallRow(
        call_id=event.tool_call_id,
        name=event.name,
        target=event.label,
        state=CallState.RUNNING,
        arguments=event.arguments,
        started_at=None if event.name in DELEGATING else now,  # its turn may come later
    )


def ended(
    row: CallRow, state: CallState, result: str, facts: Mapping[str, Any], duration_ms: float | None = None
) -> CallRow:
    """`row` in its final state. What the facts say becomes counts, a detail and a word."""
    word = _ending(facts)
    if state is CallState.DONE and word:
        state = CallState.FAILED
    counts = (int(facts["added"]), int(facts.get("removed", 0))) if "added" in facts else row.counts
    return replace(
        row,
        state=state,
        result=result,
        word=word,
        note=_note(state, result, facts),
        counts=counts,
        detail=_detail(facts),
        change_id=facts.get("change_id", row.change_id),
        undone=row.undone or facts.get("change") == "reverted",
        output=(),
        duration_ms=duration_ms,
    )


@dataclass(frozen=True, slots=True)
class CallMark:
    """What is known of a call beside its own row. None: nothing."""

    undone: bool | None = None
    counts: tuple[int, int] | None = None
    change_id: int | None = None
    is_taken_up: bool = False
    waits_again: bool | None = None

    def on(self, row: CallRow) -> CallRow:
        """`row` with it."""
        return replace(
            row,
            undone=row.undone if self.undone is None else self.undone,
            counts=self.counts or row.counts,
            change_id=self.change_id or row.change_id,
            is_taken_up=row.is_taken_up or self.is_taken_up,
            waits_again=row.waits_again if self.waits_again is None else self.waits_again,
        )


def limited(row: CallRow, outcome: str) -> CallRow:
    """The call of a sub-agent that ran out of rounds says so instead of a time."""
    if outcome != "exhausted" or row.state is not CallState.DONE:
        return row
    return replace(row, state=CallState.FAILED, word=LIMIT_WORD)


def as_idle(row: CallRow, is_idle: bool) -> CallRow:
    """`row` as it stands while nobody works on its session, or while somebody does again."""
    if row.state is CallState.RUNNING and (row.word == INTERRUPTED_WORD) != is_idle:
        return replace(row, word=INTERRUPTED_WORD if is_idle else "")
    return row


def rejected(row: CallRow, event: events.ToolRejected) -> CallRow:
    text = f"{REJECTED} Reason: {event.note}" if event.note.strip() else REJECTED
    result = text if event.by == "person" else event.note
    return ended(row, CallState.REJECTED, result, {"note": event.note})


def with_output(row: CallRow, text: str) -> CallRow:
    """Live output added: the last lines count, a carriage return overwrites its line."""
    joined = "\n".join(row.output) + text if row.output else text
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in joined[-8000:].split("\n")]
    return replace(row, output=tuple(lines[-LIVE_LINES - 1 :]))


def _ending(facts: Mapping[str, Any]) -> str:
    """How a command ended, where that is worth a word."""
    if facts.get("signal"):
        return str(facts["signal"])
    if facts.get("exhausted"):
        return LIMIT_WORD
    code = facts.get("exit")
    return f"exit {code}" if code not in (None, 0) else ""


def _note(state: CallState, result: str, facts: Mapping[str, Any]) -> str:
    if state is CallState.REJECTED:
        note = str(facts.get("note", "")).strip()
        if result.startswith(REJECTED):
            note = note or result[len(REJECTED) :].removeprefix(" Reason: ").strip()
            return f"“{note}”" if note else ""
        return note
    return str(facts.get("conflict", ""))


def _detail(facts: Mapping[str, Any]) -> str:
    if facts.get("amended"):
        return AMENDED
    if "exit" in facts or "signal" in facts or "added" in facts:
        return ""
    for key, noun in _COUNTED.items():
        if isinstance(count := facts.get(key), int):
            many = {"entry": "entries", "match": "matches"}.get(noun, noun + "s")
            return f"{count:,} {noun if count == 1 else many}"
    return ""


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}


_ICONS = (
    ("read", "file-text"), ("write", "file-plus-2"), ("edit", "file-pen-line"), ("insert", "file-pen-line"),
    ("replace", "file-pen-line"), ("list", "folder-open"), ("find", "search"), ("search", "text-search"),
    ("grep", "text-search"), ("update_scratchpad", "pencil"), ("execute_cmd", "square-terminal"), ("execute", "bot"), ("ask", "message-circle-question-mark"),
)  # fmt: skip


def icon_of(name: str) -> str:
    """The icon of a tool by its name's first word; others are tools from elsewhere."""
    return next((icon for start, icon in _ICONS if name.startswith(start)), "blocks")
