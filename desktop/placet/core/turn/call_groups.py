"""Which calls of one answer go together, and how they share the way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby

from placet.core.domain.ids import CallId
from placet.core.domain.messages import ToolCall
from placet.core.domain.review import PlannedWrites
from placet.core.domain.tools import DELEGATING, Category
from placet.core.turn.parts import Turn


class Lane:
    """How a call shares the way with others of its group. This one has it for itself.

    In order: `admission` is held while the call is cleared, and is given in the order of the calls; `ready` is awaited
    before it runs; `ended` is called when it is in a final state or was left.
    """

    planned: PlannedWrites | None = None

    def __init__(self) -> None:
        self.admission = asyncio.Lock()

    async def ready(self, call: ToolCall) -> None:
        """Wait until `call` may run."""

    def ended(self, call: ToolCall) -> None:
        """Let others run."""


class InOrder(Lane):
    """Writes: planned on one another, decided at the same time, applied in the order of the calls."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        super().__init__()
        self.planned = PlannedWrites()
        self._ends: dict[CallId, asyncio.Event] = {call.id: asyncio.Event() for call in calls}

    async def ready(self, call: ToolCall) -> None:
        for call_id, end in self._ends.items():
            if call_id == call.id:
                return
            await end.wait()

    def ended(self, call: ToolCall) -> None:
        self._ends[call.id].set()


class AtOnce(Lane):
    """Sub-agents: all have their frame before the first one runs; then `limit` of this batch at a time, in order (`T-4`)."""

    def __init__(self, calls: Sequence[ToolCall], limit: int) -> None:
        super().__init__()
        self._coming = {call.id for call in calls}  # without a frame yet
        self._waiting: dict[CallId, asyncio.Event] = {call.id: asyncio.Event() for call in calls}
        self._running: set[CallId] = set()
        self._limit = limit

    async def ready(self, call: ToolCall) -> None:
        may_run = self._waiting[call.id]
        self._coming.discard(call.id)
        self._let_run()
        await may_run.wait()

    def ended(self, call: ToolCall) -> None:
        for calls in (self._coming, self._running):
            calls.discard(call.id)
        self._waiting.pop(call.id, None)
        self._let_run()

    def _let_run(self) -> None:
        while not self._coming and self._waiting and len(self._running) < self._limit:
            first = next(iter(self._waiting))
            self._running.add(first)
            self._waiting.pop(first).set()


def is_batch(calls: Sequence[ToolCall]) -> bool:
    """Sub-agents run together only where the whole answer asks for two or more and nothing else."""
    return len(calls) > 1 and all(call.name in DELEGATING for call in calls)


def grouped(turn: Turn, calls: Sequence[ToolCall], *, batch: bool) -> Iterator[tuple[Sequence[ToolCall], Lane]]:
    """Split `calls`, in order: a batch of sub-agents, writes that follow one another, single calls."""
    if batch:
        yield calls, AtOnce(calls, turn.max_parallel)
        return
    writes = {spec.name for spec in turn.parts.tools.specs() if spec.category is Category.FS_WRITE}
    for is_write, run in groupby(calls, lambda call: call.name in writes):
        group = list(run)
        if is_write and len(group) > 1:
            yield group, InOrder(group)
        else:
            yield from (([call], Lane()) for call in group)
