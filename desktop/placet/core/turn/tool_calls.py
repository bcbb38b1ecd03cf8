"""The one path of a tool call: parse, gate, begin, execute, record.

Sequential is the concurrent path with a limit of one; live and resumed calls are the same. So stop, rejection and
waiting mean the same everywhere.

    status       started_at   means
    running      empty        stored with its answer, not begun
    pending      empty        waits for a person
    running      set          begun; a read may begin before this is committed, for it can simply be run again
    done, failed, rejected, cancelled: final, and never run again
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from placet.core.domain import events
from placet.core.domain.errors import PlacetError, StalePreview, ToolFailure
from placet.core.domain.messages import ToolCall
from placet.core.domain.review import Permit, Refusal
from placet.core.domain.stopping import TurnStopped
from placet.core.domain.tools import Operation, Replay, ToolResult
from placet.core.turn.call_record import CallRecord, stored_arguments
from placet.core.turn.parts import Turn

log = logging.getLogger(__name__)

CANCELLED_NOTE = "Stopped by the user before it finished."
NOT_BEGUN_NOTE = "Stopped by the user before it began."
_MOST_STALE = 3  # previews in a row


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
            await CallRecord(turn, call).cancelled(NOT_BEGUN_NOTE)
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
    """Take one stored call to a final state. It is announced once, and exactly one event tells how it ended.

    Cancelling (the program ends) leaves the row as it is, for resume to judge.

    Raises: TurnStopped, StoreError.
    """
    record = CallRecord(turn, call)
    if turn.stop.is_set:
        await record.cancelled(NOT_BEGUN_NOTE)
        raise TurnStopped
    if call.status.is_final:  # refused when it was stored: its arguments were no object
        record.announce(call.name, "")
        await record.failed(call.result)
        return
    try:
        operation = prepare_call(turn, call)
    except ToolFailure as failure:
        record.announce(call.name, "")
        await record.failed(f"Error: {failure}")
        return
    record.announce(operation.label, operation.detail)
    try:
        await _decide_and_execute(turn, call, operation, record)
    except ToolFailure as failure:
        await record.failed(f"Error: {failure}")
    except TurnStopped:
        await turn.parts.review.withdraw(turn.session.id)  # a request may be waiting; it is never asked again
        await record.cancelled(CANCELLED_NOTE if record.has_begun else NOT_BEGUN_NOTE)
        raise


def prepare_call(turn: Turn, call: ToolCall) -> Operation:
    """Parse a call. Raises: ToolFailure, whatever went wrong."""
    with _faults_become_failures(call.name):
        return turn.parts.tools.prepare(call.name, stored_arguments(call), turn.policy())


async def _decide_and_execute(turn: Turn, call: ToolCall, operation: Operation, record: CallRecord) -> None:
    """Ask the gate, begin, execute; a preview that went stale is asked about anew (`R-5`), but not without end."""
    reference = turn.reference(call)
    for _ in range(_MOST_STALE):
        with _faults_become_failures(call.name):
            cleared = await turn.stop.race(turn.parts.review.clear(reference, operation, turn.policy()))
        record.decision = cleared.verdict.because
        if isinstance(cleared, Refusal):
            await record.rejected(cleared)
            return
        try:
            result = await _begin_and_execute(turn, call, cleared, record)
        except StalePreview:
            record.has_begun = False
            path = str(operation.path or "")
            turn.emit(events.PreviewStale(request_id=cleared.request_id, tool_call_id=call.id, path=path))
            continue
        await record.done(result.text, result.facts)
        return
    raise ToolFailure(
        f"{operation.path} keeps changing: each of {_MOST_STALE} previews was out of date when it was to be written. "
        "Nothing was written.",
        hint="Another program writes to it; wait until it is done, or ask the person.",
    )


async def _begin_and_execute(turn: Turn, call: ToolCall, permit: Permit, record: CallRecord) -> ToolResult:
    """Commit that the call begins, then run it.

    What may simply be run again after a crash need not wait for that commit: it is made beside the run.
    """
    if permit.operation.replay is Replay.SAFE:
        _, result = await asyncio.gather(record.begin(), _execute(turn, call, permit))
        return result
    await record.begin()
    return await _execute(turn, call, permit)


async def _execute(turn: Turn, call: ToolCall, permit: Permit) -> ToolResult:
    """A write is short and must not be torn: it is never interrupted. Everything else ends with a stop."""
    reference = turn.reference(call)
    with _faults_become_failures(call.name):
        if permit.proposal is not None:
            return await turn.parts.review.apply(reference, permit)
        return await turn.stop.race(turn.parts.tools.run(permit, turn.stop, reference, turn.policy()))


@contextmanager
def _faults_become_failures(name: str) -> Iterator[None]:
    """The boundary around tools: what they did not foresee fails their call and nothing else (`T-9`)."""
    try:
        yield
    except (PlacetError, TurnStopped):
        raise
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise ToolFailure(f"{name}: {error.strerror or error}{where}.") from error
    except Exception as error:
        log.exception("tool %s failed in a way it does not know", name)
        raise ToolFailure(f"{name} failed unexpectedly: {type(error).__name__}: {error}") from error
