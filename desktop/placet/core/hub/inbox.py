"""One source's work in the order it came, and the consumer that gives each unit a turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import SessionId
from placet.core.domain.ports import Pause
from placet.core.domain.stopping import StopFlag, TaskScope
from placet.core.turn.incoming import Incoming


class Unit(msgspec.Struct, eq=False):
    """One turn to come: a message, an interrupted session to resume, or room to be made. Its stop is its own from the start.

    So a stop that is asked for in the moment before the turn begins is not lost (`H-6`). `draft` names the text in
    the store while the message waits there too.
    """

    message: Incoming | None = None
    resumes: SessionId | None = None
    compacts: str | None = None  # what to keep above all, may be empty
    draft: str = ""
    stop: StopFlag = msgspec.field(default_factory=StopFlag)


class SourceInbox:
    """FIFO (`H-1`). A message that arrives during a turn is drained by it at its next round boundary (`H-3`).

    `serve` runs one turn, in a task of its own, and handles its errors itself. With `debounce_s` the consumer waits,
    before it begins a turn, until nothing has arrived for that long (`H-5`).
    """

    def __init__(
        self,
        source: str,
        serve: Callable[[Unit], Coroutine[Any, Any, None]],
        scope: TaskScope,
        *,
        debounce_s: float = 0.0,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.source = source
        self._serve, self._scope = serve, scope
        self._debounce_s, self._pause = debounce_s, pause
        self._queue: deque[Unit] = deque()
        self._on_the_way: deque[Unit] = deque()  # taken from the queue, their messages not yet stored
        self._served: Unit | None = None
        self._turn: asyncio.Task[None] | None = None
        self._arrivals = 0
        self._holds = 0
        self._wake = asyncio.Event()
        self._consumer: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(unit.message.shown for unit in self._queue if unit.message is not None)

    def _messages(self) -> list[Unit]:
        return [unit for unit in self._queue if unit.message is not None]

    def put(self, unit: Unit, *, first: bool = False) -> None:
        """Queue and return; the consumer is made with the first unit."""
        if first:
            self._queue.appendleft(unit)
        else:
            self._queue.append(unit)
        self._arrivals += 1
        self._wake.set()
        if self._consumer is None:
            self._consumer = self._scope.start(self._consume(), name=f"inbox {self.source}")

    # ---- the running turn ----------------------------------------------------------------------------------------

    def drain_leading_messages(self) -> Sequence[Incoming]:
        """Take the messages at the head of the queue, for injection into the running turn (`H-4`).

        One that narrows the tools waits for a turn of its own: the running one has others.
        """
        taken = []
        while self._queue and (message := self._queue[0].message) is not None and message.tools is None:
            self._on_the_way.append(self._queue.popleft())
            taken.append(message)
        return taken

    def stored(self) -> Unit | None:
        """The running turn stored one more message: return its unit. They are stored in the order they are taken."""
        return self._on_the_way.popleft() if self._on_the_way else None

    def lost(self) -> Sequence[Unit]:
        """The turn has ended: return what it took and did not store."""
        units = tuple(self._on_the_way)
        self._on_the_way.clear()
        return units

    # ---- a person's second thoughts ------------------------------------------------------------------------------

    def take_back(self, index: int) -> Unit:
        """Raises: UnknownItem where it was injected meanwhile."""
        messages = self._messages()
        if not 0 <= index < len(messages):
            raise UnknownItem("That message is already on its way to the model.")
        self._queue.remove(messages[index])
        return messages[index]

    def cancel(self) -> Sequence[Unit]:
        """Stop what is served and clear the queue. Returns the messages that were queued (`H-6`)."""
        self.stop_served()
        messages = self._messages()
        self._queue.clear()
        return messages

    def stop_served(self) -> None:
        """Stop what is served now, whether its turn has begun or not; the queue stays."""
        if self._served is not None:
            self._served.stop.set()

    async def served_ended(self) -> None:
        """Wait for the end of the turn that is served now."""
        if self._turn is not None:
            await asyncio.wait((self._turn,))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Begin no turn meanwhile; what arrives waits (`H-7`)."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._wake.set()

    # ---- the consumer --------------------------------------------------------------------------------------------

    async def _consume(self) -> None:
        is_idle = True
        while True:
            await self._wake.wait()
            if self._holds or not self._queue:
                self._wake.clear()
                is_idle = is_idle or not self._queue
                continue
            if is_idle and self._debounce_s:
                is_idle = False
                await self._quiet()
                continue
            is_idle = False
            self._served = unit = self._queue.popleft()
            if unit.message is not None:
                self._on_the_way.append(unit)
            self._turn = self._scope.start(self._serve(unit), name=f"turn of {self.source}")
            await asyncio.wait((self._turn,))
            self._served = self._turn = None

    async def _quiet(self) -> None:
        """Wait until nothing has arrived for the time of the debounce."""
        seen = -1
        while seen != self._arrivals:
            seen = self._arrivals
            await self._pause(self._debounce_s)
