"""The rows and events of one call: told when it is announced, recorded and told when it ends."""

from __future__ import annotations

from typing import Any

import msgspec

from placet.core.domain import events
from placet.core.domain.messages import CallStatus, Frame, ToolCall
from placet.core.domain.review import Refusal, Verdict
from placet.core.domain.text import clean_text
from placet.core.turn.parts import Turn


def stored_arguments(call: ToolCall) -> dict[str, Any]:
    arguments: dict[str, Any] = msgspec.json.decode(call.arguments)
    return arguments


class CallRecord:
    """One call on its way. Exactly one of `done`, `failed`, `rejected` and `cancelled` ends it.

    `frame` is the one that the call started, if it gave a task to a sub-agent; it ends with the call.
    """

    def __init__(self, turn: Turn, call: ToolCall, frame: Frame | None = None) -> None:
        self._turn, self._call, self._frame = turn, call, frame
        self._since = turn.parts.clock()
        self._label = ""
        self._decision = self._note = ""
        self._trail: list[Verdict] = []  # what was decided and is not stored yet
        self.has_begun = frame is not None

    def announce(self, label: str, detail: str) -> None:
        call, self._label = self._call, label
        self._turn.emit(
            events.ToolStart(
                tool_call_id=call.id,
                message_id=call.message_id,
                name=call.name,
                arguments=stored_arguments(call),
                label=label,
                detail=detail or label,
            )
        )

    def decided(self, verdict: Verdict) -> None:
        """Keep a decision for the audit trail; it is stored with the call's next step."""
        self._decision, self._note = verdict.because, verdict.note
        self._trail.append(verdict)

    def answered(self, verdict: Verdict) -> None:
        """Keep what a person said to a question for the audit trail; the call goes on as it was decided."""
        self._trail.append(verdict)

    async def begin(self) -> None:
        """Commit that the call begins."""
        self.has_begun = True
        self._since = self._turn.parts.clock()
        await self._turn.parts.store.start_call(
            self._call.id, label=self._label, decision=self._decision, trail=self._take_trail()
        )

    async def begin_sub_agent(self, agent: str, prompt: str, block: str) -> Frame:
        """Commit that the call begins, together with the sub-agent's frame and its first row."""
        self.has_begun = True
        self._since = self._turn.parts.clock()
        self._frame = await self._turn.parts.store.begin_sub_agent(
            self._call.id,
            agent,
            prompt,
            context_block=block,
            label=self._label,
            decision=self._decision,
            trail=self._take_trail(),
        )
        return self._frame

    def noted(self, note: str) -> None:
        """The person had changed the call; the model is told so, however it ends."""
        self._note = note

    async def done(self, result: str, facts: dict[str, Any]) -> None:
        if self._note:
            facts = {**facts, "amended": True}
        result = await self._store(CallStatus.DONE, result, facts)
        self._emit(events.ToolDone, result=result, facts=facts, duration_ms=self._taken_ms())
        if "change_id" in facts:
            self._tell_change(facts)

    async def failed(self, error: str) -> None:
        error = await self._store(CallStatus.FAILED, error, {})
        self._emit(events.ToolError, error=error, duration_ms=self._taken_ms())

    async def rejected(self, refusal: Refusal) -> None:
        note = clean_text(refusal.note)
        facts: dict[str, Any] = {"note": note}
        if refusal.counts is not None:
            facts["added"], facts["removed"] = refusal.counts
        await self._store(CallStatus.REJECTED, refusal.text, facts)
        self._emit(events.ToolRejected, note=note, by=refusal.verdict.by.value)

    async def cancelled(self, note: str) -> None:
        await self._store(CallStatus.CANCELLED, note, {})
        self._emit(events.ToolCancelled, note=note)

    def _take_trail(self) -> list[Verdict]:
        trail, self._trail = self._trail, []
        return trail

    async def _store(self, status: CallStatus, result: str, facts: dict[str, Any]) -> str:
        if self._note and self.has_begun:
            result = f"{self._note.rstrip()}\n\n{result}"
        result = clean_text(result)
        await self._turn.parts.store.end_call(
            self._call.id,
            status,
            result,
            facts=facts,
            decision=self._decision,
            label=self._label,
            trail=self._take_trail(),
            ends_frame=self._frame.id if self._frame is not None else None,
        )
        if self._frame is not None:
            self._turn.parts.context.drop(self._frame)
        if self._call.status is CallStatus.PENDING:  # left by an earlier run of the program
            await self._turn.parts.review.forget(self._turn.reference(self._call))
        return result

    def _emit(self, kind: Any, **fields: Any) -> None:
        self._turn.emit(kind(tool_call_id=self._call.id, name=self._call.name, **fields))

    def _taken_ms(self) -> float:
        return (self._turn.parts.clock() - self._since) * 1000

    def _tell_change(self, facts: dict[str, Any]) -> None:
        self._turn.emit(
            events.FileChanged(
                path=facts["path"],
                change=facts["change"],
                change_id=facts["change_id"],
                tool_call_id=self._call.id,
                added=facts.get("added", 0),
                removed=facts.get("removed", 0),
                conflict=facts.get("conflict", ""),
            )
        )
