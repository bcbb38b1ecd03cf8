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
from placet.core.turn.call_groups import is_batch
from placet.core.turn.call_record import CallRecord
from placet.core.turn.faults import faults_become_failures
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Turn
from placet.core.turn.rounds import add_message
from placet.core.turn.sub_agents import result_of
from placet.core.turn.tool_calls import NOT_BEGUN_NOTE, record_end, run_calls

UNKNOWN_OUTCOME = (
    "Error: interrupted, outcome unknown. The program ended while this ran; it may or may not have taken effect. "
    "It was not run again. Check the state before trying anew."
)
BATCH_INTERRUPTED = (
    "Error: interrupted. The program ended while this sub-agent ran beside others. What it had done so far stands; its "
    "report is lost. Give the task again if it is still needed."
)
NOT_BEGUN = "Error: interrupted before it began. Nothing happened."
GO_ON = "The answer above was interrupted. Go on from where it stopped."


async def resume_turn(turn: Turn) -> Final | Exhausted | None:
    """Finish what is open in the root frame, sub-agents first; None where nothing was left to do."""
    await resume_pending_tools(turn)
    last = await turn.parts.store.last_message(turn.frame.id)
    if last is None or not _wants_answer(last):
        return None
    await _ask_to_go_on(turn, last)
    return await turn.run_rounds(turn)


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
    siblings relied on it, so all of them end, and what is below them. One whose siblings had all ended goes on.
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
            begun = unfinished.started_at is not None
            await CallRecord(turn, unfinished).failed(UNKNOWN_OUTCOME if begun else NOT_BEGUN)
        call = await turn.parts.store.call(frame.parent_call)
        await CallRecord(turn, call, frame).failed(BATCH_INTERRUPTED)
    return left


async def _finish_calls(turn: Turn, active: dict[CallId, Frame]) -> None:
    """First what had begun is judged, which takes no time; then the rest runs, as if the answer had just come."""
    left = []
    for call in await turn.parts.store.unfinished_calls(turn.frame.id):
        if call.id in active or not await _judge_begun(turn, call):
            left.append(call)
    if not left:
        return
    await turn.bind()  # what they start works with the same model
    batch = await _are_of_a_batch(turn, left)
    try:
        for is_below, run in groupby(left, lambda call: call.id in active):
            if is_below:
                for call in run:
                    await _go_on_below(turn, call, active)
            else:
                await run_calls(turn, list(run), batch=batch)
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


async def _are_of_a_batch(turn: Turn, left: Sequence[ToolCall]) -> bool:
    """Whether the answer that asked for these calls asked for nothing but sub-agents; what is left may look like it."""
    answer = await turn.parts.store.message(left[0].message_id)
    return answer is not None and is_batch(answer.calls)


async def _judge_begun(turn: Turn, call: ToolCall) -> bool:
    """Give a call that had begun and cannot be run again its end; whether it has one now."""
    replay = _replay(turn, call)
    if call.started_at is None or replay is Replay.SAFE:
        return False
    record = CallRecord(turn, call)
    record.noted(await turn.parts.store.note_of(call.id))
    record.has_begun = True
    if replay is Replay.JOURNAL:  # the journal knows whether a write reached the disk; else it is asked about anew
        landed = await turn.parts.review.landed(call.id)
        if landed is None:
            return False
        await record.done(landed.text, landed.facts)
    else:
        await record.failed(UNKNOWN_OUTCOME)
    return True


def _replay(turn: Turn, call: ToolCall) -> Replay:
    """Of the tool itself, whether or not it is offered now."""
    replays = {spec.name: spec.replay for spec in turn.parts.tools.specs()}
    return replays.get(call.name, Replay.NEVER)


async def _go_on_below(turn: Turn, call: ToolCall, active: dict[CallId, Frame]) -> None:
    """The sub-agent that this call started goes on, and its end becomes the result of the call."""
    frame = active[call.id]
    record = CallRecord(turn, call, frame)
    record.announce(call.label or call.name, "")
    await record_end(turn, record, _child_result(turn, call, frame, active))


async def _child_result(turn: Turn, call: ToolCall, frame: Frame, active: dict[CallId, Frame]) -> ToolResult:
    try:
        child = turn.under(frame, turn.config.for_sub_agent(frame.agent, turn.parts.agents), notes_read=0)
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
    if last is not None and not _wants_answer(last):
        return Final(text=last.content, message_id=last.id)
    if last is not None:
        await _ask_to_go_on(child, last)
    return await child.run_rounds(child)


def _wants_answer(last: Message) -> bool:
    """Whether a frame's last row is no final text."""
    if last.role is not Role.ASSISTANT:
        return last.status is MessageStatus.OK
    return last.status is MessageStatus.INTERRUPTED or bool(last.calls)


async def _ask_to_go_on(turn: Turn, last: Message) -> None:
    if last.role is Role.ASSISTANT and last.status is MessageStatus.INTERRUPTED:
        await add_message(turn, Incoming(text=GO_ON), synthetic=True)


async def narrowed_by(turn: Turn) -> tuple[str, ...] | None:
    """The tools that the last message of the person in the frame was narrowed to: a turn goes on with no others."""
    said = await turn.parts.store.last_said(turn.frame.id)
    tools = said.metadata.get("tools") if said is not None else None
    return tuple(str(name) for name in tools) if isinstance(tools, list) else None
