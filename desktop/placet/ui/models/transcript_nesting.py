"""Sub-agents in the rows of who called them: one line while folded, their own rows inside the card while open. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from placet.core.domain.text import first_line
from placet.ui.models.transcript_answers import Entry, EntryKind
from placet.ui.models.transcript_calls import limited
from placet.ui.models.transcript_conversation import Conversation
from placet.ui.models.transcript_flow_calls import (
    QUESTION_TOOL,
    agent_line,
    agent_name,
    agent_task,
    is_agent,
    ledger,
    readable_line,
)
from placet.ui.models.transcript_frames import AgentFrame, Frames
from placet.ui.models.transcript_rows import (
    GAP,
    AgentLine,
    AnyRow,
    AsideKind,
    AsideRow,
    CallRow,
    CallState,
    LedgerRow,
    NestedRow,
    PlanRow,
)

_Wrapped = dict[tuple[int, int, int, int, bool], NestedRow]
"""By what is inside (its identity, which the row keeps alive), depth, air above and below, and whether it is last."""

FOOT = 10
SHORT_TASK = 60
"""A task of one line up to this is read in the call's own line."""


class Nesting:
    """Makes what is shown of an entry. Rows that are as before are the objects they were."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._made: dict[int, _Wrapped] = {}  # of each of the root's entries, as it was shown last
        self._before: _Wrapped = {}
        self._now: _Wrapped = {}

    def shown(self, entry: Entry) -> tuple[AnyRow, ...]:
        """The rows of one of the root's entries with what hangs below them."""
        self._before, self._now = self._made.pop(id(entry), {}), {}
        made: list[AnyRow] = []
        for row in self._told(entry.rows, self._frames.root):
            if isinstance(row, LedgerRow):
                made += self._parted(row)
            else:
                made.append(row)
        if self._now:
            self._made[id(entry)] = self._now
        return tuple(made)

    def clear(self) -> None:
        self._made.clear()

    def _told(self, rows: Sequence[AnyRow], conversation: Conversation) -> Iterator[AnyRow]:
        """Rows with what only their frame knows: which plan is the latest, what sub-agents do."""
        for row in rows:
            if isinstance(row, PlanRow):
                yield replace(row, is_latest=True) if row.call_id == conversation.entries.plan else row
            elif isinstance(row, LedgerRow) and any(map(is_agent, row.calls)):
                calls = tuple(self._with_agent(call) if is_agent(call) else call for call in row.calls)
                yield replace(row, calls=calls)
            else:
                yield row

    # ---- the card ----------------------------------------------------------------------------------------------

    def _parted(self, row: LedgerRow) -> Iterator[AnyRow]:
        """A card of the root, parted where a sub-agent is open."""
        if not any(call.agent is not None and call.agent.is_open for call in row.calls):
            yield row
            return
        pieces: list[AnyRow] = []
        for piece in self._pieces(row, 1):
            joins = bool(pieces)
            if isinstance(piece, LedgerRow):
                gap = 0 if joins else row.gap
                pieces.append(replace(piece, joins_above=joins, joins_below=True, gap=gap))
            else:
                pieces.append(piece)
        last = pieces.pop()
        yield from pieces
        yield replace(last, joins_below=False) if isinstance(last, LedgerRow) else self._last(last)

    def _last(self, row: AnyRow) -> AnyRow:
        assert isinstance(row, NestedRow)
        return self._wrapped(row.inner, row.depth, row.agent, row.air, row.foot, is_last=True)

    def _pieces(self, row: LedgerRow, depth: int) -> Iterator[AnyRow]:
        """Ledgers up to each open sub-agent, and the rows of those, `depth` deep."""
        lines: list[CallRow] = []
        for call in row.calls:
            lines.append(call)
            frame = self._frames.agent(call.call_id)
            if frame is not None and call.agent is not None and call.agent.is_open:
                yield self._ledger(lines, depth)
                lines.clear()
                yield from self._nested(call, frame, depth)
        if lines:
            yield self._ledger(lines, depth)

    @staticmethod
    def _ledger(lines: list[CallRow], depth: int) -> LedgerRow:
        return replace(ledger(lines), is_bare=depth > 1)

    # ---- an open sub-agent -------------------------------------------------------------------------------------

    def _nested(self, call: CallRow, frame: AgentFrame, depth: int) -> Iterator[NestedRow]:
        made: list[NestedRow] = []
        for inner in self._inner(call, frame):
            if isinstance(inner, LedgerRow):
                for piece in self._pieces(inner, depth + 1):
                    if isinstance(piece, NestedRow):
                        made.append(piece)
                    else:
                        made.append(self._placed(piece, made, call, depth))
            else:
                made.append(self._placed(inner, made, call, depth))
        if made and not isinstance(made[-1].inner, LedgerRow):
            last = made.pop()
            made.append(self._wrapped(last.inner, last.depth, last.agent, last.air, FOOT))
        yield from made

    def _placed(self, inner: AnyRow, before: list[NestedRow], call: CallRow, depth: int) -> NestedRow:
        """Calls join the line above them; words have air."""
        air = 0 if isinstance(inner, LedgerRow) else inner.gap if before else 4
        if isinstance(inner, LedgerRow) and before and not isinstance(before[-1].inner, LedgerRow):
            air = GAP
        return self._wrapped(inner, depth, agent_name(call), air, 0)

    def _inner(self, call: CallRow, frame: AgentFrame) -> Iterator[AnyRow]:
        """What it was asked, its own rows, and its result where that is not its last text."""
        task = agent_task(call) or frame.task
        if "\n" in task.strip() or len(task) > SHORT_TASK:
            yield AsideRow(source=task.strip(), kind=AsideKind.TASK, key=call.call_id)
        said = ""
        for entry in frame.entries():
            yield from self._told(entry.rows, frame.conversation)
            if entry.kind is EntryKind.ANSWER:
                said = entry.words()
        result = call.result.strip() if call.state.is_final else ""
        if result and " ".join(result.split()) != said:
            yield AsideRow(source=result, kind=AsideKind.RESULT, key=call.call_id)

    def _wrapped(
        self, inner: AnyRow, depth: int, agent: str, air: int, foot: int, *, is_last: bool = False
    ) -> NestedRow:
        key = (id(inner), depth, air, foot, is_last)
        row = self._before.get(key) or NestedRow(
            inner=inner, depth=depth, agent=agent, air=air, foot=foot, is_last=is_last
        )
        self._now[key] = row
        return row

    # ---- the line of a sub-agent -------------------------------------------------------------------------------

    def _with_agent(self, call: CallRow) -> CallRow:
        frame, line = self._frames.agent(call.call_id), agent_line(call)
        if frame is None:
            return replace(call, agent=line)
        is_open = frame.is_open and frame.held is None
        entries = list(frame.conversation.entries)
        rounds = sum(entry.kind is EntryKind.ANSWER for entry in entries)
        line = replace(line, is_open=is_open, rounds=rounds, is_begun=line.is_begun or bool(entries))
        line = replace(line, task=line.task or first_line(frame.task, 200))
        if call.state.is_final:
            count = sum(entry.call_count() for entry in entries)
            detail = f"{count} call{'s' if count != 1 else ''}" if count else call.detail
            return limited(replace(call, agent=line, detail=detail), frame.outcome)
        waiting = self._waiting_below(frame)
        if is_open:
            return replace(call, agent=replace(line, rounds=0))
        if waiting is not None:
            line = replace(line, waits=waiting.call_id, asks=waiting.name == QUESTION_TOOL)
            call = replace(call, state=CallState.WAITING)
        return replace(call, agent=self._doing(line, entries, waiting))

    def _waiting_below(self, frame: AgentFrame) -> CallRow | None:
        """The first call of this frame, or of those below it, that waits for a person."""
        for entry in frame.conversation.entries:
            for call in entry.parts.calls if entry.parts is not None else ():
                if call.state is CallState.WAITING:
                    return call
                below = self._frames.agent(call.call_id) if not call.state.is_final and is_agent(call) else None
                if below is not None and (found := self._waiting_below(below)) is not None:
                    return found
        return None

    def _doing(self, line: AgentLine, entries: Sequence[Entry], waiting: CallRow | None) -> AgentLine:
        """What it does now: what waits, the call that runs, the words that arrive, else the last of them."""
        if waiting is not None:
            return _calling(line, waiting)
        entry = next((entry for entry in reversed(entries) if entry.kind is EntryKind.ANSWER), None)
        if entry is None:
            return line
        parts = entry.parts
        if calls := (*entry.calls(), *(parts.preparing.values() if parts is not None else ())):
            running = (call for call in reversed(calls) if not call.state.is_final)
            return _calling(line, next(running, calls[-1]))
        if parts is None:
            return line
        return replace(line, doing=readable_line(parts.line))


def _calling(line: AgentLine, call: CallRow) -> AgentLine:
    if is_agent(call):
        told = agent_line(call)
        return replace(line, tool=told.name, doing=told.task)
    if call.name == QUESTION_TOOL:
        return replace(line, tool="", doing=str(call.arguments.get("title") or call.target))
    return replace(line, tool=call.name, doing=call.target)
