"""One source's work in the order it came, and the consumer that gives each unit a turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import msgspec

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import StopFlag, TaskScope
from placet.core.turn.incoming import Incoming


class Unit(msgspec.Struct, eq=False):
    """One turn to come: a message, or an interrupted session to resume. Its stop is its own from the start.

    So a stop that is asked for in the moment before the turn begins is not lost (`H-6`).
    """

    message: Incoming | None = None
    resumes: SessionId | None = None
    stop: StopFlag = msgspec.field(default_factory=StopFlag)


class SourceInbox:
    """FIFO (`H-1`). A message that arrives during a turn is drained by it at its next round boundary (`H-3`).

    `serve` runs one turn, in a task of its own, and handles its errors itself.
    """

    def __init__(self, source: str, serve: Callable[[Unit], Coroutine[Any, Any, None]], scope: TaskScope) -> None:
        self.source = source
        self._serve, self._scope = serve, scope
        self._queue: deque[Unit] = deque()
        self._served: Unit | None = None
        self._arrived = asyncio.Event()
        self._consumer: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(unit.message.shown for unit in self._queue if unit.message is not None)

    def put(self, unit: Unit) -> None:
        """Queue and return; the consumer is made with the first unit."""
        self._queue.append(unit)
        self._arrived.set()
        if self._consumer is None:
            self._consumer = self._scope.start(self._consume(), name=f"inbox {self.source}")

    def drain_leading_messages(self) -> Sequence[Incoming]:
        """Take the messages at the head of the queue, for injection into the running turn (`H-4`).

        One that narrows the tools waits for a turn of its own: the running one has others.
        """
        taken = []
        while self._queue and (message := self._queue[0].message) is not None and message.tools is None:
            self._queue.popleft()
            taken.append(message)
        return taken

    def take_back(self, index: int) -> str:
        """Raises: UnknownItem where it was injected meanwhile."""
        messages = [(unit, unit.message.shown) for unit in self._queue if unit.message is not None]
        if not 0 <= index < len(messages):
            raise UnknownItem("That message is already on its way to the model.")
        unit, text = messages[index]
        self._queue.remove(unit)
        return text

    def cancel(self) -> Sequence[str]:
        """Stop what is served and clear the queue. Returns the texts that were queued (`H-6`)."""
        if self._served is not None:
            self._served.stop.set()
        texts = self.waiting
        self._queue.clear()
        return texts

    async def _consume(self) -> None:
        while True:
            await self._arrived.wait()
            if not self._queue:
                self._arrived.clear()
                continue
            self._served = self._queue.popleft()
            turn = self._scope.start(self._serve(self._served), name=f"turn of {self.source}")
            await asyncio.wait((turn,))
            self._served = None
