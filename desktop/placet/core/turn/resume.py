"""Going on after a crash or a restart: what had begun is judged, what had not is done (`T-5`)."""

from __future__ import annotations

from placet.core.domain.errors import ToolFailure
from placet.core.domain.messages import CallStatus, MessageStatus, Role, ToolCall
from placet.core.domain.tools import Replay
from placet.core.turn.parts import Incoming, Turn
from placet.core.turn.rounds import add_message
from placet.core.turn.tool_calls import finish_call, handle_tool_call, parsed_arguments

UNKNOWN_OUTCOME = (
    "Error: interrupted, outcome unknown. The program ended while this ran; it may or may not have taken effect. "
    "It was not run again. Check the state before trying anew."
)
GO_ON = "The answer above was interrupted. Go on from where it stopped."


async def resume_pending_tools(turn: Turn) -> None:
    """Take every unfinished call of the frame to a final state, in order, through the same path as a live one.

    Raises: TurnStopped.
    """
    for call in await turn.parts.store.unfinished_calls(turn.frame.id):
        if call.started_at is None or _replay(turn, call) is Replay.SAFE:
            await handle_tool_call(turn, call)
        elif not await _landed(turn, call):
            await finish_call(turn, call, CallStatus.FAILED, UNKNOWN_OUTCOME)


def _replay(turn: Turn, call: ToolCall) -> Replay:
    try:
        return turn.parts.tools.prepare(call.name, parsed_arguments(call), turn.policy()).replay
    except ToolFailure:
        return Replay.NEVER


async def _landed(turn: Turn, call: ToolCall) -> bool:
    """Settle a file write by the journal: it is recorded as done if it reached the disk, else done anew."""
    if _replay(turn, call) is not Replay.JOURNAL:
        return False
    result = await turn.parts.review.landed(call.id)
    if result is None:
        await handle_tool_call(turn, call)
    else:
        await finish_call(turn, call, CallStatus.DONE, result.text, facts=result.facts)
    return True


async def needs_model(turn: Turn) -> bool:
    """Whether the frame's last row still wants an answer; an interrupted one is asked to go on."""
    last = await turn.parts.store.last_message(turn.frame.id)
    if last is None:
        return False
    if last.role is not Role.ASSISTANT:
        return last.status is MessageStatus.OK
    if last.status is MessageStatus.INTERRUPTED:
        await add_message(turn, Incoming(text=GO_ON), synthetic=True)
        return True
    return bool(last.calls)
