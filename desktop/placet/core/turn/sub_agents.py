"""A task for another agent: a frame of its own under the call, run inline with the same stop (`T-1`)."""

from __future__ import annotations

from collections.abc import Awaitable

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import PlacetError, StoreError, ToolFailure
from placet.core.domain.ids import CallId
from placet.core.domain.messages import ToolCall
from placet.core.domain.outcomes import Exhausted, Final
from placet.core.domain.stopping import TurnStopped
from placet.core.domain.tools import SubAgentTask, ToolResult
from placet.core.turn.call_record import CallRecord
from placet.core.turn.parts import Turn


async def open_frame(turn: Turn, call: ToolCall, task: SubAgentTask, record: CallRecord) -> Turn:
    """Begin the call with a frame and its first row. Raises: ToolFailure for an agent that takes no task (`T-2`)."""
    config = turn.config.for_sub_agent(task.agent, turn.parts.agents)
    policy = msgspec.structs.replace(turn.policy(), extra_prompt="")  # the caller's own, not its sub-agents'
    notes, revision = await turn.scratchpad.lines(), turn.scratchpad.revision
    block = turn.parts.context.first_block(policy, notes)
    frame = await record.begin_sub_agent(task.agent, task.prompt, block)
    return turn.under(frame, config, revision)


async def result_of(
    turn: Turn, call_id: CallId, child: Turn, prompt: str, work: Awaitable[Final | Exhausted]
) -> ToolResult:
    """Run `work`, the child's rounds, and make its end the result of the call (`T-3`).

    Raises: TurnStopped, ToolFailure where an error ended it.
    """
    agent, depth = child.frame.agent, child.frame.depth
    turn.emit(events.AgentStart(tool_call_id=call_id, agent_id=agent, depth=depth, prompt=prompt))

    def tell(outcome: str) -> None:
        turn.emit(events.AgentDone(tool_call_id=call_id, agent_id=agent, depth=depth, outcome=outcome))

    try:
        outcome = await work
    except TurnStopped:
        tell("cancelled")
        raise
    except StoreError:
        raise
    except PlacetError as error:
        tell("failed")
        raise ToolFailure(f"{agent} could not finish: {error.message}", hint=error.hint) from error
    if isinstance(outcome, Final):
        tell("done")
        return ToolResult(text=outcome.text or f"{agent} ended without a word.", facts={"agent": agent})
    tell("exhausted")
    return ToolResult(text=await _last_words(child, outcome), facts={"agent": agent, "exhausted": True})


async def _last_words(child: Turn, outcome: Exhausted) -> str:
    text = f"{child.frame.agent} used all of its {outcome.rounds} rounds without coming to an end."
    last = await child.parts.store.last_message(child.frame.id)
    return f"{text} Its last words were:\n{last.content}" if last is not None and last.content.strip() else text
