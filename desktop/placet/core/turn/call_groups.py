"""Which calls of one answer go together, and how they share the way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby

from placet.core.domain.ids import CallId
from placet.core.domain.messages import ToolCall
from placet.core.domain.review import PlannedWrites
from placet.core.domain.tools import Category
from placet.core.turn.config import DELEGATING
from placet.core.turn.parts import Turn


class Lane:
    """The way of a call that has it for itself."""

    planned: PlannedWrites | None = None

    async def ready(self, call: ToolCall) -> None:
        """Wait until `call`, which is cleared, may run."""

    def ended(self, call: ToolCall) -> None:
        """`call` is in a final state, or was left."""


class InOrder(Lane):
    """Writes: planned on one another, decided at the same time, applied in order."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.planned = PlannedWrites()
        self._ended: dict[CallId, asyncio.Event] = {call.id: asyncio.Event() for call in calls}

    async def ready(self, call: ToolCall) -> None:
        for call_id, ended in self._ended.items():
            if call_id == call.id:
                return
            await ended.wait()

    def ended(self, call: ToolCall) -> None:
        self._ended[call.id].set()


class AtOnce(Lane):
    """Sub-agents: all are begun, in order, before the first one runs; then at most `limit` run at a time (`T-4`)."""

    def __init__(self, calls: Sequence[ToolCall], limit: int) -> None:
        self._not_begun = {call.id for call in calls}
        self._all_begun = asyncio.Event()
        self._places = asyncio.Semaphore(limit)
        self._placed: set[CallId] = set()

    async def ready(self, call: ToolCall) -> None:
        self._begun(call)
        await self._all_begun.wait()
        await self._places.acquire()
        self._placed.add(call.id)

    def ended(self, call: ToolCall) -> None:
        self._begun(call)
        if call.id in self._placed:
            self._placed.discard(call.id)
            self._places.release()

    def _begun(self, call: ToolCall) -> None:
        self._not_begun.discard(call.id)
        if not self._not_begun:
            self._all_begun.set()


def grouped(turn: Turn, calls: Sequence[ToolCall]) -> Iterator[tuple[Sequence[ToolCall], Lane]]:
    """Split the calls of one answer, in order: a batch of sub-agents, writes that follow one another, single calls.

    Sub-agents run together only where the answer asks for two or more and nothing else.
    """
    if len(calls) > 1 and all(call.name in DELEGATING for call in calls):
        yield calls, AtOnce(calls, turn.max_parallel)
        return
    writes = {spec.name for spec in turn.parts.tools.specs() if spec.category is Category.FS_WRITE}
    for is_write, run in groupby(calls, lambda call: call.name in writes):
        together = list(run)
        if is_write and len(together) > 1:
            yield together, InOrder(together)
        else:
            yield from (([call], Lane()) for call in together)
