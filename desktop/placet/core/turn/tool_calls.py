"""The one path of a tool call: parse, gate, begin, execute, record.

Sequential is the concurrent path with a limit of one; live and resumed calls are the same. So stop, rejection and
waiting mean the same everywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.domain.messages import CallStatus, ToolCall
from placet.core.domain.review import Permit, Refusal
from placet.core.domain.stopping import TurnStopped
from placet.core.domain.tools import Operation, Replay, ToolResult
from placet.core.turn.parts import Turn

CANCELLED_NOTE = "Stopped by the user before it finished."
NOT_BEGUN_NOTE = "Stopped by the user before it began."


async def run_calls(turn: Turn, calls: Sequence[ToolCall], *, limit: int = 1) -> None:
    """Run `calls`, at most `limit` at a time, beginning in order; each is in a final state afterwards.

    Raises: TurnStopped; calls not begun are then `cancelled`.
    """
    waiting = iter(calls)
    workers = [_work_off(turn, waiting) for _ in range(min(limit, len(calls)))]
    try:
        if len(workers) == 1:  # the same path, without a task of its own
            await workers[0]
        else:
            await _all(workers)
    except TurnStopped:
        for call in waiting:
            await _cancel(turn, call, begun=False)
        raise


async def _all(workers: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for every worker, then raise the first error: none is left behind."""
    for result in await asyncio.gather(*workers, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


async def _work_off(turn: Turn, waiting: Iterator[ToolCall]) -> None:
    for call in waiting:
        await handle_tool_call(turn, call)


async def handle_tool_call(turn: Turn, call: ToolCall) -> None:
    """Take one stored call to a final state and tell so with exactly one event.

    Cancelling (the program ends) leaves the row as it is, for resume to judge.

    Raises: TurnStopped.
    """
    run = _Run(turn, call)
    if turn.stop.is_set:
        await _cancel(turn, call, begun=False)
        raise TurnStopped
    if call.status.is_final:  # refused when it was stored: its arguments were no object
        run.announce(call.name, "")
        await run.end(call.status, call.result)
        return
    try:
        operation = turn.parts.tools.prepare(call.name, parsed_arguments(call), turn.policy())
    except ToolFailure as failure:
        run.announce(call.name, "")
        await run.end(CallStatus.FAILED, f"Error: {failure}")
        return
    run.announce(operation.label, operation.detail)
    try:
        await run.decide_and_execute(operation)
    except ToolFailure as failure:
        await run.end(CallStatus.FAILED, f"Error: {failure}")
    except TurnStopped:
        await turn.parts.review.withdraw(turn.session.id)
        await _cancel(turn, call, begun=run.begun)
        raise


async def finish_call(
    turn: Turn, call: ToolCall, status: CallStatus, result: str, *, facts: dict[str, Any] | None = None
) -> None:
    """Record a call that needs no run (any more), and tell it."""
    await _Run(turn, call).end(status, result, facts=facts)


async def _cancel(turn: Turn, call: ToolCall, *, begun: bool) -> None:
    await finish_call(turn, call, CallStatus.CANCELLED, CANCELLED_NOTE if begun else NOT_BEGUN_NOTE)


def parsed_arguments(call: ToolCall) -> dict[str, Any]:
    arguments: dict[str, Any] = msgspec.json.decode(call.arguments)
    return arguments


class _Run:
    """One call on its way through the path."""

    def __init__(self, turn: Turn, call: ToolCall) -> None:
        self._turn, self._call = turn, call
        self._began = turn.parts.clock()
        self.begun = False
        self._decision = ""
        self._label = ""

    def announce(self, label: str, detail: str) -> None:
        call, self._label = self._call, label
        self._turn.emit(
            events.ToolStart(
                tool_call_id=call.id,
                message_id=call.message_id,
                name=call.name,
                arguments=parsed_arguments(call),
                label=label,
                detail=detail or label,
            )
        )

    async def decide_and_execute(self, operation: Operation) -> None:
        """Ask the gate, begin, execute; a preview that went stale is asked about anew (`R-5`)."""
        turn, call = self._turn, self._call
        reference = turn.reference(call)
        while True:
            cleared = await turn.stop.race(turn.parts.review.clear(reference, operation, turn.policy()))
            self._decision = cleared.verdict.because
            if isinstance(cleared, Refusal):
                await self.end(CallStatus.REJECTED, cleared.text, facts={"note": cleared.note}, by=cleared)
                return
            try:
                result = await self._begin_and_execute(cleared)
            except StalePreview:
                self.begun = False
                path = str(operation.path or "")
                turn.emit(events.PreviewStale(request_id=cleared.request_id, tool_call_id=call.id, path=path))
                continue
            await self.end(CallStatus.DONE, result.text, facts=result.facts)
            return

    async def _begin_and_execute(self, permit: Permit) -> ToolResult:
        """Commit that the call begins, then run it.

        What may simply be run again after a crash need not wait for that commit: it is made beside the run.
        """
        operation = permit.operation
        beginning = self._turn.parts.store.start_call(self._call.id, label=operation.label, decision=self._decision)
        self.begun = True
        self._began = self._turn.parts.clock()
        if operation.replay is Replay.SAFE:
            _, result = await asyncio.gather(beginning, self._execute(permit))
            return result
        await beginning
        return await self._execute(permit)

    async def _execute(self, permit: Permit) -> ToolResult:
        """A write is short and must not be torn: it is never interrupted. Everything else ends with a stop."""
        turn = self._turn
        reference = turn.reference(self._call)
        if permit.proposal is not None:
            return await turn.parts.review.apply(reference, permit)
        return await turn.stop.race(turn.parts.tools.run(permit, turn.stop, reference, turn.policy()))

    async def end(
        self, status: CallStatus, result: str, *, facts: dict[str, Any] | None = None, by: Refusal | None = None
    ) -> None:
        """Record the final state, then tell it."""
        call, facts = self._call, facts or {}
        await self._turn.parts.store.end_call(
            call.id, status, result, facts=facts, decision=self._decision, label=self._label
        )
        taken_ms = (self._turn.parts.clock() - self._began) * 1000
        emit = self._turn.emit
        match status:
            case CallStatus.DONE:
                emit(
                    events.ToolDone(
                        tool_call_id=call.id, name=call.name, result=result, facts=facts, duration_ms=taken_ms
                    )
                )
                self._tell_change(facts)
            case CallStatus.FAILED:
                emit(
                    events.ToolError(
                        tool_call_id=call.id, name=call.name, error=result, facts=facts, duration_ms=taken_ms
                    )
                )
            case CallStatus.REJECTED:
                assert by is not None
                emit(
                    events.ToolRejected(tool_call_id=call.id, name=call.name, note=by.note, by=str(by.verdict.by.value))
                )
            case CallStatus.CANCELLED:
                emit(events.ToolCancelled(tool_call_id=call.id, name=call.name, note=result))
            case CallStatus.RUNNING | CallStatus.PENDING:
                raise AssertionError("a call ends in a final state")

    def _tell_change(self, facts: dict[str, Any]) -> None:
        if "change_id" in facts:
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
