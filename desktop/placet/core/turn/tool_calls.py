"""The one path of a tool call: parse, gate, begin, execute, record.

Live and resumed calls are the same, and so are single ones and those that run together. So stop, rejection and
waiting mean the same everywhere.

    status       started_at   means
    running      empty        stored with its answer, not begun
    pending      empty        waits for a decision
    pending      set          a question that waits for its answer
    running      set          begun; a read may begin before this is committed, for it can simply be run again
    done, failed, rejected, cancelled: final, and never run again

    A call whose arguments were no object is stored `failed` with its answer; it is only told about here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import NoReturn

from placet.core.domain import events
from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.domain.messages import ToolCall
from placet.core.domain.review import Permit, Refusal
from placet.core.domain.stopping import TurnStopped, together
from placet.core.domain.tools import (
    Operation,
    Question,
    Replay,
    ScratchpadUpdate,
    SubAgentTask,
    TodoList,
    ToolResult,
)
from placet.core.turn.call_groups import Lane, grouped, is_batch
from placet.core.turn.call_record import CallRecord, stored_arguments
from placet.core.turn.faults import faults_become_failures
from placet.core.turn.flow import ask_person, check_repeats, show_todos, update_scratchpad
from placet.core.turn.parts import Turn
from placet.core.turn.sub_agents import open_frame, result_of

_CANCELLED_NOTE = "Stopped by the user before it finished."
NOT_BEGUN_NOTE = "Stopped by the user before it began."
_MOST_STALE = 3  # previews in a row


async def run_calls(turn: Turn, calls: Sequence[ToolCall], *, batch: bool | None = None) -> None:
    """Run the calls of one answer, in order; each is in a final state afterwards.

    `batch` says whether the whole answer was one of sub-agents, where `calls` are only what is left of it.

    Raises: TurnStopped; calls not begun are then `cancelled`.
    """
    waiting = list(calls)
    try:
        for group, lane in grouped(turn, calls, batch=is_batch(calls) if batch is None else batch):
            del waiting[: len(group)]
            if len(group) == 1:  # the same path, without a task of its own
                await handle_tool_call(turn, group[0], lane)
            else:
                await together(_shared(turn, call, lane) for call in group)
    except TurnStopped:
        for call in waiting:
            if not call.status.is_final:
                await CallRecord(turn, call).cancelled(NOT_BEGUN_NOTE)
        raise


async def _shared(turn: Turn, call: ToolCall, lane: Lane) -> None:
    try:
        await handle_tool_call(turn, call, lane)
    finally:
        lane.ended(call)


async def handle_tool_call(turn: Turn, call: ToolCall, lane: Lane | None = None) -> None:
    """Take one stored call to a final state. It is announced once, and exactly one event tells how it ended.

    Cancelling (the program ends) leaves the row as it is, for resume to judge.

    Raises: TurnStopped, StoreError.
    """
    record = CallRecord(turn, call)
    if turn.stop.is_set and not call.status.is_final:
        await record.cancelled(NOT_BEGUN_NOTE)
        raise TurnStopped
    try:
        operation = prepare_call(turn, call)
    except ToolFailure as failure:
        record.announce(call.name, "")
        await record_end(turn, record, _fail_after_counting(turn, call, failure, record))
    else:
        record.announce(operation.label, operation.detail)
        lane = lane or Lane()
        if isinstance(operation, SubAgentTask):
            await record_end(turn, record, _delegate(turn, call, operation, record, lane))
        else:
            await record_end(turn, record, _decide_and_execute(turn, call, operation, record, lane))


async def record_end(turn: Turn, record: CallRecord, work: Awaitable[ToolResult | Refusal]) -> None:
    """Await `work` and record how it ended. Raises: TurnStopped, StoreError."""
    try:
        result = await work
    except ToolFailure as failure:
        await record.failed(f"Error: {failure}")
    except TurnStopped:
        await turn.parts.review.withdraw(turn.session.id)  # all that waits in the session; done twice it does nothing
        await record.cancelled(_CANCELLED_NOTE if record.has_begun else NOT_BEGUN_NOTE)
        raise
    else:
        if isinstance(result, Refusal):
            await record.rejected(result)
        else:
            await record.done(result.text, result.facts)


def prepare_call(turn: Turn, call: ToolCall) -> Operation:
    """Parse a call. Raises: ToolFailure, whatever went wrong."""
    if call.status.is_final:  # refused when it was stored: its arguments were no object
        raise ToolFailure(call.result.removeprefix("Error: "))
    with faults_become_failures(call.name):
        turn.config.check(call.name)
        operation = turn.parts.tools.prepare(call.name, stored_arguments(call), turn.policy())
        if isinstance(operation, SubAgentTask):
            turn.config.for_sub_agent(operation.agent, turn.parts.agents)  # refused before anybody is asked
        return operation


async def _fail_after_counting(turn: Turn, call: ToolCall, failure: ToolFailure, record: CallRecord) -> NoReturn:
    await check_repeats(turn, call, record)
    raise failure


async def _delegate(
    turn: Turn, call: ToolCall, task: SubAgentTask, record: CallRecord, lane: Lane
) -> ToolResult | Refusal:
    """Ask the gate and begin with a frame, one call after the other; then wait for a place, and run the sub-agent."""
    await check_repeats(turn, call, record)
    await turn.stop.race(lane.admission.acquire())
    try:
        cleared = await _clear(turn, call, task, lane)
        record.decided(cleared.verdict)
        if isinstance(cleared, Refusal):
            return cleared
        child = await open_frame(turn, call, task, record)
    finally:
        lane.admission.release()
    await turn.stop.race(lane.ready(call))
    with faults_become_failures(call.name):
        return await result_of(turn, call.id, child, task.prompt, child.run_rounds(child))


async def _clear(
    turn: Turn, call: ToolCall, operation: Operation, lane: Lane, *, is_anew: bool = False
) -> Permit | Refusal:
    """Ask the gate; anew after a stale preview, then on what is there now."""
    with faults_become_failures(call.name):
        planned = None if is_anew else lane.planned
        return await turn.stop.race(turn.parts.review.clear(turn.reference(call), operation, turn.policy(), planned))


async def _decide_and_execute(
    turn: Turn, call: ToolCall, operation: Operation, record: CallRecord, lane: Lane
) -> ToolResult | Refusal:
    """Ask the gate, begin, execute; a preview that went stale is asked about anew (`R-5`), but not without end."""
    await check_repeats(turn, call, record)
    for attempt in range(_MOST_STALE):
        cleared = await _clear(turn, call, operation, lane, is_anew=attempt > 0)
        record.decided(cleared.verdict)
        if isinstance(cleared, Refusal):
            return cleared
        if lane.planned is not None:  # it may have waited for others, and the policy be tighter by now
            await turn.stop.race(lane.ready(call))
            if not await turn.parts.review.still_allows(turn.reference(call), cleared, turn.policy()):
                continue
        try:
            return await _begin_and_execute(turn, call, cleared, record, lane)
        except StalePreview:
            record.has_begun = False
            path = str(operation.path or "")
            turn.emit(events.PreviewStale(request_id=cleared.request_id, tool_call_id=call.id, path=path))
    raise ToolFailure(
        f"{operation.path} keeps changing: each of {_MOST_STALE} previews was out of date when it was to be written. "
        "Nothing was written.",
        hint="Another program writes to it; wait until it is done, or ask the person.",
    )


async def _begin_and_execute(turn: Turn, call: ToolCall, permit: Permit, record: CallRecord, lane: Lane) -> ToolResult:
    """Commit that the call begins, then run it.

    What may simply be run again after a crash need not wait for that commit: it is made beside the run.
    """
    await turn.stop.race(lane.ready(call))
    operation = permit.operation
    if operation.replay is Replay.SAFE and not isinstance(operation, Question):
        begun = asyncio.get_running_loop().create_task(record.begin())
        try:
            return await _execute(turn, call, permit, record)
        finally:
            await begun  # so that its end is recorded after it, whatever happened
    await record.begin()  # of a question too: asking it sets the call `pending` afterwards
    if turn.stop.is_set:  # a busy database may have taken its time
        record.has_begun = False
        raise TurnStopped
    return await _execute(turn, call, permit, record)


async def _execute(turn: Turn, call: ToolCall, permit: Permit, record: CallRecord) -> ToolResult:
    """A write, a note and a plan are short and run to their end. Everything else ends with a stop."""
    reference = turn.reference(call)
    with faults_become_failures(call.name):
        if permit.proposal is not None:
            return await turn.parts.review.apply(reference, permit)
        match permit.operation:
            case ScratchpadUpdate() as note:
                return await update_scratchpad(turn, note)
            case TodoList() as plan:
                return show_todos(turn, plan)
            case Question() as question:
                return await ask_person(turn, call, question, record)
        return await turn.stop.race(turn.parts.tools.run(permit, turn.stop, reference, turn.policy()))
