"""Going on after a crash or a restart: what had begun is judged, what had not is done (`T-5`)."""

from __future__ import annotations

from placet.core.domain.errors import ToolFailure
from placet.core.domain.messages import MessageStatus, Role, ToolCall
from placet.core.domain.tools import Replay
from placet.core.turn.call_record import CallRecord
from placet.core.turn.incoming import Incoming
from placet.core.turn.parts import Turn
from placet.core.turn.rounds import add_message
from placet.core.turn.tool_calls import handle_tool_call, prepare_call

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
        replay = _replay(turn, call)
        if call.started_at is None or replay is Replay.SAFE:
            await handle_tool_call(turn, call)
        elif replay is Replay.JOURNAL:
            await _settle_write(turn, call)
        else:
            await CallRecord(turn, call).failed(UNKNOWN_OUTCOME)


def _replay(turn: Turn, call: ToolCall) -> Replay:
    try:
        return prepare_call(turn, call).replay
    except ToolFailure:
        return Replay.NEVER


async def _settle_write(turn: Turn, call: ToolCall) -> None:
    """The journal knows whether a write reached the disk: then it is done, else it is asked about anew."""
    landed = await turn.parts.review.landed(call.id)
    if landed is None:
        await handle_tool_call(turn, call)
    else:
        await CallRecord(turn, call).done(landed.text, landed.facts)


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
