"""What one turn works with: the parts that come in from outside, and the state of this turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from placet.core.domain.messages import Frame, RunContext, Session, ToolCall, Usage
from placet.core.domain.model_calls import Binding
from placet.core.domain.ports import ContextBuilder, Emitter, ModelClient, Models, Pause, Reviewer, Toolbox, TurnStore
from placet.core.domain.review import CallRef
from placet.core.domain.stopping import StopFlag
from placet.core.turn.incoming import Incoming


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """The engine's outside, shared by all turns of a session."""

    store: TurnStore
    models: Models
    client: ModelClient
    context: ContextBuilder
    tools: Toolbox
    review: Reviewer
    clock: Callable[[], float] = time.monotonic
    pause: Pause = asyncio.sleep


@dataclass(slots=True, kw_only=True)
class Turn:
    """One run of the loop. The stop is shared by value with everything the turn starts and is never reset.

    `policy` is asked at every check, so a mode that a person tightens holds at once. `drain` takes the messages
    that arrived meanwhile. `binding` is there once `bind` was awaited. `words` is the model's text before the calls that run now.
    """

    parts: Parts
    session: Session
    frame: Frame
    model: str
    stop: StopFlag
    emit: Emitter
    policy: Callable[[], RunContext]
    drain: Callable[[], Sequence[Incoming]] = tuple
    max_rounds: int = 20
    words: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    binding: Binding = field(init=False)

    async def bind(self) -> None:
        """Choose the model, for the whole turn. Raises: NoModel."""
        self.binding = await self.parts.models.resolve(self.model)

    def count(self, usage: Usage | None) -> None:
        """Add what one model call used."""
        if usage is None:
            return
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        cost = self.binding.cost(usage)
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def reference(self, call: ToolCall) -> CallRef:
        return CallRef(
            session_id=self.session.id,
            call_id=call.id,
            name=call.name,
            arguments=call.arguments,
            agent=self.frame.agent,
            source=self.session.source,
            reason=self.words,
        )
