"""What turns work with: the parts that come in from outside, and the state of one agent's run in one frame."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId
from placet.core.domain.messages import Frame, RunContext, Session, ToolCall, Usage
from placet.core.domain.model_calls import Binding, Strength
from placet.core.domain.outcomes import Exhausted, Final
from placet.core.domain.ports import (
    Agents,
    Compactor,
    ContextBuilder,
    Emitter,
    ModelClient,
    Models,
    Pause,
    Reviewer,
    Toolbox,
    TurnStore,
)
from placet.core.domain.review import CallRef
from placet.core.domain.stopping import StopFlag
from placet.core.turn.config import AgentRunConfig
from placet.core.turn.incoming import Incoming
from placet.core.turn.repeats import Repeats
from placet.core.turn.scratchpad import Scratchpad


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's outside, shared by all turns of a session."""

    store: TurnStore
    models: Models
    client: ModelClient
    context: ContextBuilder
    compactor: Compactor
    tools: Toolbox
    review: Reviewer
    agents: Agents
    clock: Callable[[], float] = time.monotonic
    pause: Pause = asyncio.sleep
    summary_strength: Strength = "low"  # of the model that summarises


class Tally(msgspec.Struct):
    """What a whole turn used, sub-agents included."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def add(self, usage: Usage, cost: float | None) -> None:
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost


@dataclass(slots=True, kw_only=True)
class Turn:
    """One agent's run in one frame: the root's, or a sub-agent's under one of its calls.

    Stop, scratchpad and tally are shared by value through the whole tree. `policy` is asked at every check, so a mode
    that a person tightens holds at once. `drain` takes the messages that arrived meanwhile; only the root has any.
    `run_rounds` is `rounds.run_turn`, handed down because a call may start a sub-agent and `rounds` imports the calls.
    `words` is the model's text before the calls that run now. `binding` is there once `bind` was awaited.
    """

    parts: Parts
    session: Session
    frame: Frame
    config: AgentRunConfig
    model: str
    stop: StopFlag
    emit: Emitter
    policy: Callable[[], RunContext]
    run_rounds: Callable[[Turn], Awaitable[Final | Exhausted]]
    scratchpad: Scratchpad
    drain: Callable[[], Sequence[Incoming]] = tuple
    max_rounds: int = 20
    max_parallel: int = 4
    words: str = ""
    notes_read: int = 0  # the scratchpad's revision that the frame was last told of
    tally: Tally = field(default_factory=Tally)
    repeats: Repeats = field(default_factory=Repeats)
    inherited: Binding | None = None
    binding: Binding = field(init=False)

    async def bind(self) -> None:
        """Choose the model, for the whole turn: the named one, else what the agent wishes. Raises: NoModel.

        A sub-agent without a wish works with the model that its caller has at that moment.
        """
        agent = self.config.agent
        has_wish = bool(agent.model or agent.scope or agent.strength)
        if self.inherited is not None and not has_wish:
            self.binding = self.inherited
        else:
            self.binding = await self.parts.models.resolve(self.model or agent.model, agent.scope, agent.strength)

    def count(self, usage: Usage | None) -> None:
        """Add what one model call used."""
        if usage is not None:
            self.tally.add(usage, self.binding.cost(usage))

    def reference(self, call: ToolCall) -> CallRef:
        return CallRef(
            session_id=self.session.id,
            call_id=call.id,
            name=call.name,
            arguments=call.arguments,
            agent=self.frame.agent,
            source=self.session.source,
            reason=self.words,
            agent_call_id=self.frame.parent_call,
            root_agent=self.session.agent,
        )

    def under(self, frame: Frame, config: AgentRunConfig, notes_read: int) -> Turn:
        """The run of a sub-agent in `frame`; its events name its call. To be used once this one is bound."""
        return Turn(
            parts=self.parts,
            session=self.session,
            frame=frame,
            config=config,
            model="",
            inherited=self.binding,
            stop=self.stop,
            emit=_named(self.emit, frame.parent_call),
            policy=self.policy,
            run_rounds=self.run_rounds,
            scratchpad=self.scratchpad,
            max_rounds=self.max_rounds,
            max_parallel=self.max_parallel,
            notes_read=notes_read,
            tally=self.tally,
        )


def _named(emit: Emitter, call_id: CallId | None) -> Emitter:
    """Events of deeper frames carry their own call already."""

    def emit_named(event: AnyEvent) -> None:
        emit(event if event.agent_call_id is not None else msgspec.structs.replace(event, agent_call_id=call_id))

    return emit_named
