"""Sub-agents in the rows of who called them: one line while folded, their own rows inside the card while open. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import NoneType

import msgspec

from placet.core.domain.text import first_line
from placet.core.domain.tools import QUESTION_TOOL
from placet.ui.models.transcript_answers import Entry, EntryKind
from placet.ui.models.transcript_calls import limited
from placet.ui.models.transcript_conversation import Conversation
from placet.ui.models.transcript_flow_calls import (
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

FOOT, AIR = 10, 4
SHORT_TASK = 60
"""A task of one line up to this is read in the call's own line."""


class _Kept(msgspec.Struct):
    """What was made of an entry, and from what: `place` is (kind of the row above, agent, depth, latest plan)."""

    entry: Entry  # kept alive, for it is found by its identity
    rows: tuple[AnyRow, ...]
    place: tuple[type, str, int, int]
    has_agents: bool
    made: list[NestedRow]


class Nesting:
    """Makes what is shown of an entry. Rows that are as before are the objects they were."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._kept: dict[int, _Kept] = {}

    def shown(self, entry: Entry) -> tuple[AnyRow, ...]:
        """The rows of one of the root's entries with what hangs below them."""
        made: list[AnyRow] = []
        for row in self._told(entry.rows, self._frames.root):
            if isinstance(row, LedgerRow):
                made += self._parted(row)
            else:
                made.append(row)
        return tuple(made)

    def clear(self) -> None:
        self._kept.clear()

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

    def _parted(self, row: LedgerRow) -> list[AnyRow]:
        """A card of the root, parted where a sub-agent is open."""
        if not any(call.agent is not None and call.agent.is_open for call in row.calls):
            return [row]
        pieces = self._pieces(row, 1)
        for at, piece in enumerate(pieces):
            if isinstance(piece, LedgerRow):
                pieces[at] = replace(piece, joins_above=at > 0, joins_below=True, gap=0 if at else row.gap)
        last = pieces[-1]
        if isinstance(last, NestedRow):
            pieces[-1] = replace(last, is_last=True)
        elif isinstance(last, LedgerRow):
            pieces[-1] = replace(last, joins_below=False)
        return pieces

    def _pieces(self, row: LedgerRow, depth: int) -> list[AnyRow]:
        """Ledgers up to each open sub-agent, and the rows of those, `depth` deep."""
        pieces: list[AnyRow] = []
        lines: list[CallRow] = []
        for call in row.calls:
            lines.append(call)
            frame = self._frames.agent(call.call_id)
            if frame is not None and call.agent is not None and call.agent.is_open:
                pieces.append(self._ledger(lines, depth))
                lines.clear()
                pieces += self._nested(call, frame, depth)
        if lines:
            pieces.append(self._ledger(lines, depth))
        return pieces

    @staticmethod
    def _ledger(lines: list[CallRow], depth: int) -> LedgerRow:
        return replace(ledger(lines), is_bare=depth > 1)

    # ---- an open sub-agent -------------------------------------------------------------------------------------

    def _nested(self, call: CallRow, frame: AgentFrame, depth: int) -> list[NestedRow]:
        """What it was asked, its own rows, and its result where that is not its last text."""
        made: list[NestedRow] = []
        agent, said = agent_name(call), None
        task = agent_task(call) or frame.task
        if "\n" in task.strip() or len(task) > SHORT_TASK:
            aside = AsideRow(source=task.strip(), kind=AsideKind.TASK, key=call.call_id)
            made.append(_placed(aside, NoneType, agent, depth))
        plan = frame.conversation.entries.plan
        for entry in frame.entries():
            place = (type(made[-1].inner) if made else NoneType, agent, depth, plan)
            kept = self._kept.get(id(entry))
            if kept is None or kept.has_agents or kept.rows is not entry.rows or kept.place != place:
                kept = self._kept[id(entry)] = self._made_of(entry, frame.conversation, place, kept)
            made += kept.made
            said = entry if entry.kind is EntryKind.ANSWER else said
        result = " ".join(call.result.split()) if call.state.is_final else ""
        if result and (said is None or said.words() != result):
            aside = AsideRow(source=call.result.strip(), kind=AsideKind.RESULT, key=call.call_id)
            made.append(_placed(aside, type(made[-1].inner) if made else NoneType, agent, depth))
        if made and not isinstance(made[-1].inner, LedgerRow):
            made[-1] = replace(made[-1], foot=FOOT)
        return made

    def _made_of(
        self, entry: Entry, conversation: Conversation, place: tuple[type, str, int, int], before: _Kept | None
    ) -> _Kept:
        """The rows of one entry inside a card. Those that are as before are the objects they were."""
        above, agent, depth, _ = place
        known = {id(row.inner): row for row in before.made} if before is not None else {}
        made: list[NestedRow] = []
        has_agents = False
        for row in self._told(entry.rows, conversation):
            pieces: Sequence[AnyRow] = (row,)
            if isinstance(row, LedgerRow) and any(call.agent is not None for call in row.calls):
                has_agents, pieces = True, self._pieces(row, depth + 1)
            elif isinstance(row, LedgerRow):
                pieces = (replace(row, is_bare=True),)
            for piece in pieces:
                if isinstance(piece, NestedRow):
                    made.append(piece)
                    continue
                placed = _placed(piece, type(made[-1].inner) if made else above, agent, depth)
                old = known.get(id(piece))
                made.append(old if old is not None and old == placed else placed)
        return _Kept(entry, entry.rows, place, has_agents, made)

    # ---- the line of a sub-agent -------------------------------------------------------------------------------

    def _with_agent(self, call: CallRow) -> CallRow:
        frame, line = self._frames.agent(call.call_id), agent_line(call)
        if frame is None:
            return replace(call, agent=line)
        is_open = frame.is_open and (frame.held is None or frame.is_known)
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


def _placed(inner: AnyRow, above: type, agent: str, depth: int) -> NestedRow:
    """Calls join the calls above them; words have air."""
    if isinstance(inner, LedgerRow):
        air = 0 if above in (NoneType, LedgerRow) else GAP
    else:
        air = AIR if above is NoneType else inner.gap
    return NestedRow(inner=inner, depth=depth, agent=agent, air=air)
