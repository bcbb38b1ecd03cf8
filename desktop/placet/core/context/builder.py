"""Requests of a session: static prompt, history in bytes, and the context block of a new message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from placet.core.context import block
from placet.core.context.calibration import Calibration
from placet.core.context.history import SentHistory
from placet.core.context.window import room
from placet.core.context.wire import body, wire_for
from placet.core.domain.ids import FrameId
from placet.core.domain.messages import Frame, MessageStatus, RunContext
from placet.core.domain.model_calls import Binding, ModelRequest
from placet.core.domain.ports import Compactions, TurnStore
from placet.core.domain.tools import ToolSpec

BLOCK_LOOKBACK = 40


class RequestBuilder:
    """Implements the port `ContextBuilder` for one session.

    Keeps the bytes of each frame while the binding stays; another provider or dialect begins anew.
    """

    def __init__(
        self,
        store: TurnStore,
        compactions: Compactions,
        prompt_of: Callable[[str], str],
        *,
        calibration: Calibration | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._store, self._compactions, self._prompt_of, self._now = store, compactions, prompt_of, now
        self.calibration = calibration or Calibration()
        self._histories: dict[FrameId, tuple[tuple[str, str], SentHistory]] = {}
        self._known: dict[FrameId, dict[str, str]] = {}
        self._heads: dict[str, tuple[Binding, Sequence[ToolSpec], bytes]] = {}
        self._used = 0

    async def context_block(self, frame: Frame, context: RunContext, notes: Sequence[str] = ()) -> str:
        lines = [*block.facts_now(self._now(), context), *notes]
        return block.render(block.merge(await self._told(frame), lines))

    def first_block(self, context: RunContext, notes: Sequence[str] = ()) -> str:
        return block.render([*block.facts_now(self._now(), context), *notes])

    async def news(self, frame: Frame, notes: Sequence[str]) -> str:
        return block.render(block.merge(await self._told(frame), notes))

    async def knows(self, frame: Frame, note: str) -> None:
        block.merge(await self._told(frame), [note])

    async def _told(self, frame: Frame) -> dict[str, str]:
        """What the frame's rows say already, by the name of the fact."""
        if frame.id not in self._known:
            known = self._known[frame.id] = {}
            for row in await self._store.newest_messages(frame.id, None, BLOCK_LOOKBACK):
                if row.status is MessageStatus.OK:
                    block.merge(known, block.parse(row.context_block))
        return self._known[frame.id]

    async def request(
        self, frame: Frame, binding: Binding, context: RunContext, tools: Sequence[ToolSpec]
    ) -> ModelRequest:
        if not self.calibration.is_seeded:
            self.calibration.seed(await self._compactions.ratios())
        head = self._head(frame.agent, binding, tools)
        budget = room(binding.model)
        history = await self._history(frame, binding)
        built = body(head, await history.messages(self.calibration.size(binding, budget) - len(head)))
        tokens = self.calibration.tokens(binding, len(built))
        if frame.depth == 0:
            self._used = tokens
        return ModelRequest(binding=binding, body=built, tokens=tokens, budget=budget, is_cut=history.is_cut)

    def _head(self, agent: str, binding: Binding, tools: Sequence[ToolSpec]) -> bytes:
        """Serialised once an agent, for as long as binding and tools stay the same objects."""
        kept = self._heads.get(agent)
        if kept is None or kept[0] is not binding or kept[1] is not tools:
            head = wire_for(binding.provider.type).head(binding, self._prompt_of(agent), tools)
            kept = self._heads[agent] = (binding, tools, head)
        return kept[2]

    async def _history(self, frame: Frame, binding: Binding) -> SentHistory:
        identity = (binding.provider.type, binding.provider.name)
        kept = self._histories.get(frame.id)
        if kept is None or kept[0] != identity:
            history = SentHistory(
                self._store,
                frame.id,
                wire_for(binding.provider.type),
                binding.provider.name,
                lambda: self.facts(frame),
                await self._compactions.of_frame(frame.id),
            )
            kept = self._histories[frame.id] = (identity, history)
        return kept[1]

    def facts(self, frame: Frame) -> str:
        """What the model was told about its surroundings so far, for a request whose beginning is left out."""
        return block.render(self._known.get(frame.id, {}).values())

    def learn(self, request: ModelRequest, reported: int) -> None:
        self.calibration.learn(request.binding, len(request.body), reported)

    def shortened(self, frame: Frame) -> None:
        """Another compaction of the frame holds now."""
        self._histories.pop(frame.id, None)

    def forget(self, frame: Frame) -> None:
        self._known.pop(frame.id, None)

    def drop(self, frame: Frame) -> None:
        self._known.pop(frame.id, None)
        self._histories.pop(frame.id, None)

    @property
    def used(self) -> int:
        """Tokens of the root frame's last request, estimated; 0 before the first."""
        return self._used
