"""One source's messages in the order they came, and the consumer that gives each a turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from placet.core.domain.errors import UnknownItem
from placet.core.domain.stopping import TaskScope
from placet.core.turn.parts import Incoming


class SourceInbox:
    """FIFO (`H-1`). A message that arrives during a turn is drained by it at its next round boundary (`H-3`).

    `serve` runs one turn, in a task of its own, and handles its errors itself.
    """

    def __init__(self, source: str, serve: Callable[[Incoming], Coroutine[Any, Any, None]], scope: TaskScope) -> None:
        self.source = source
        self._serve, self._scope = serve, scope
        self._queue: deque[Incoming] = deque()
        self._arrived = asyncio.Event()
        self._epoch = 0
        self._consumer: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(message.text for message in self._queue)

    def put(self, message: Incoming) -> None:
        """Queue and return; the consumer is made with the first message."""
        self._queue.append(message)
        self._arrived.set()
        if self._consumer is None:
            self._consumer = self._scope.start(self._consume(), name=f"inbox {self.source}")

    def drain(self) -> Sequence[Incoming]:
        """Take everything that waits, for injection into the running turn."""
        taken = tuple(self._queue)
        self._queue.clear()
        return taken

    def take_back(self, index: int) -> str:
        """Raises: UnknownItem where it was injected meanwhile."""
        if not 0 <= index < len(self._queue):
            raise UnknownItem("That message is already on its way to the model.")
        message = self._queue[index]
        del self._queue[index]
        return message.text

    def cancel(self) -> Sequence[str]:
        """Clear the queue, and drop a unit that the consumer took just before (`H-6`). Returns the texts."""
        self._epoch += 1
        return [message.text for message in self.drain()]

    async def _consume(self) -> None:
        while True:
            await self._arrived.wait()
            if not self._queue:
                self._arrived.clear()
                continue
            epoch, message = self._epoch, self._queue.popleft()
            await asyncio.sleep(0)  # a stop that was asked for in this very moment comes first
            if epoch != self._epoch:
                continue
            turn = self._scope.start(self._serve(message), name=f"turn of {self.source}")
            await asyncio.wait((turn,))
