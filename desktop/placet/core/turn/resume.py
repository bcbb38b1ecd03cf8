"""Going on after a crash or a restart: what had begun is judged, what had not is done (`T-5`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import CallId, FrameId
from placet.core.domain.messages import Frame, Message, MessageStatus, Role, ToolCall
from placet.core.domain.outcomes import Exhausted, Final
from placet.core.domain.stopping import TurnStopped
from placet.core.domain.tools import Replay, ToolResult
from placet.core.turn.call_record import CallRecord
from placet.core.turn.faults import faults_become_failures
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Turn
from placet.core.turn.rounds import add_message
from placet.core.turn.sub_agents import result_of
from placet.core.turn.tool_calls import NOT_BEGUN_NOTE, prepare_call, run_calls, settle

UNKNOWN_OUTCOME = (
    "Error: interrupted, outcome unknown. The program ended while this ran; it may or may not have taken effect. "
    "It was not run again. Check the state before trying anew."
)
BATCH_INTERRUPTED = (
    "Error: interrupted. The program ended while this sub-agent ran beside others. What it had done so far stands; its "
    "report is lost. Give the task again if it is still needed."
)
GO_ON = "The answer above was interrupted. Go on from where it stopped."


async def resume_turn(turn: Turn) -> Final | Exhausted | None:
    """Finish what is open in the root frame, sub-agents first; None where nothing was left to do."""
    await resume_pending_tools(turn)
    last = await turn.parts.store.last_message(turn.frame.id)
    return await turn.go(turn) if await _wants_answer(turn, last) else None


async def resume_pending_tools(turn: Turn) -> None:
    """Take every unfinished call of the root frame to a final state, in order, through the same path as a live one.

    Raises: TurnStopped.
    """
    if await turn.parts.store.unfinished_calls(turn.frame.id):
        active = await _reap_batches(turn, await turn.parts.store.active_frames(turn.session.id))
        await _finish_calls(turn, active)
    await turn.parts.review.withdraw(turn.session.id)  # what is still stored is about calls that have ended


async def _reap_batches(turn: Turn, active: Sequence[Frame]) -> dict[CallId, Frame]:
    """Fail what ran in a batch; return the frames that can go on, by the call that started them.

    Two or more active frames at one depth can only be an interrupted batch: nobody can tell how far each one's
    siblings relied on it, so all of them end, and what is below them.
    """
    at_depth = Counter(frame.depth for frame in active)
    shallowest = min((depth for depth, frames in at_depth.items() if frames > 1), default=None)
    left: dict[CallId, Frame] = {}
    for frame in active:  # deepest first
        assert frame.parent_call is not None
        if shallowest is None or frame.depth < shallowest:
            left[frame.parent_call] = frame
            continue
        for unfinished in await turn.parts.store.unfinished_calls(frame.id):
            await CallRecord(turn, unfinished).failed(UNKNOWN_OUTCOME)
        call = await turn.parts.store.call(frame.parent_call)
        await CallRecord(turn, call, frame).failed(BATCH_INTERRUPTED)
    return left


async def _finish_calls(turn: Turn, active: dict[CallId, Frame]) -> None:
    """First what had begun is judged, which takes no time; then the rest runs, as if the answer had just come."""
    left = [
        call
        for call in await turn.parts.store.unfinished_calls(turn.frame.id)
        if not await _is_judged(turn, call, active)
    ]
    if left:
        await turn.bind()  # what they start works with the same model
    try:
        for is_below, run in groupby(left, lambda call: call.id in active):
            if is_below:
                for call in run:
                    await _go_on_below(turn, call, active)
            else:
                await run_calls(turn, list(run))
    except TurnStopped:
        await _end_calls(turn, turn.frame.id, active, lambda record: record.cancelled(NOT_BEGUN_NOTE))
        raise


async def _end_calls(
    turn: Turn, frame_id: FrameId, active: dict[CallId, Frame], end: Callable[[CallRecord], Awaitable[None]]
) -> None:
    """End what is still open in a frame, and first what is below it: nothing may look as if it still ran."""
    for call in await turn.parts.store.unfinished_calls(frame_id):
        frame = active.get(call.id)
        if frame is not None:
            await _end_calls(turn, frame.id, active, end)
        await end(CallRecord(turn, call, frame))


async def _is_judged(turn: Turn, call: ToolCall, active: dict[CallId, Frame]) -> bool:
    """Whether the call had begun, cannot be run again, and now has its end."""
    replay = _replay(turn, call)
    if call.id in active or call.started_at is None or replay is Replay.SAFE:
        return False
    if replay is Replay.JOURNAL:  # the journal knows whether a write reached the disk; else it is asked about anew
        landed = await turn.parts.review.landed(call.id)
        if landed is None:
            return False
        await CallRecord(turn, call).done(landed.text, landed.facts)
    else:
        await CallRecord(turn, call).failed(UNKNOWN_OUTCOME)
    return True


def _replay(turn: Turn, call: ToolCall) -> Replay:
    try:
        return prepare_call(turn, call).replay
    except ToolFailure:
        return Replay.NEVER


async def _go_on_below(turn: Turn, call: ToolCall, active: dict[CallId, Frame]) -> None:
    """The sub-agent that this call started goes on, and its end becomes the result of the call."""
    frame = active[call.id]
    record = CallRecord(turn, call, frame)
    record.announce(call.label or call.name, "")
    await settle(turn, record, _child_result(turn, call, frame, active))


async def _child_result(turn: Turn, call: ToolCall, frame: Frame, active: dict[CallId, Frame]) -> ToolResult:
    try:
        child = turn.under(frame, turn.config.for_sub_agent(frame.agent, turn.parts.agents))
        first = next(iter(await turn.parts.store.messages_after(frame.id, None)), None)
        prompt = first.content if first is not None else ""
        with faults_become_failures(call.name):
            return await result_of(turn, call.id, child, prompt, _go_on(child, active))
    except ToolFailure:  # its agent is gone, or has no model any more
        await _end_calls(turn, frame.id, active, lambda record: record.failed(UNKNOWN_OUTCOME))
        raise


async def _go_on(child: Turn, active: dict[CallId, Frame]) -> Final | Exhausted:
    """Like `resume_turn`, one level down: a final text that was never handed up is handed up, and not asked for again."""
    await _finish_calls(child, active)
    last = await child.parts.store.last_message(child.frame.id)
    if last is None or await _wants_answer(child, last):
        return await child.go(child)
    return Final(text=last.content, message_id=last.id)


async def _wants_answer(turn: Turn, last: Message | None) -> bool:
    """Whether the frame's last row still wants an answer; an interrupted one is asked to go on."""
    if last is None:
        return False
    if last.role is not Role.ASSISTANT:
        return last.status is MessageStatus.OK
    if last.status is MessageStatus.INTERRUPTED:
        await add_message(turn, Incoming(text=GO_ON), synthetic=True)
        return True
    return bool(last.calls)
