"""The event bus: one stream to many readers, none of which can slow the core or stay wrong."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator

import msgspec

from placet.core.domain.events import AnyEvent, Envelope, Lagged, ReasoningDelta, TextDelta
from placet.core.domain.ids import SessionId

CAPACITY = 512


class BusSubscription:
    """One reader's queue. Deltas that wait are joined, never dropped; when all else overflows, `Lagged` says so."""

    def __init__(self, bus: EventBus, capacity: int | None) -> None:
        self._bus, self._capacity = bus, capacity
        self._queue: deque[Envelope] = deque()
        self._ready = asyncio.Event()
        self._missed = 0
        self._closed = False

    def put(self, envelope: Envelope) -> None:
        if self._queue and (joined := _joined(self._queue[-1], envelope)) is not None:
            self._queue[-1] = joined
            return
        if self._capacity is not None and len(self._queue) >= self._capacity:
            self._missed += len(self._queue)
            self._queue.clear()
        self._queue.append(envelope)
        self._ready.set()

    def __aiter__(self) -> AsyncIterator[Envelope]:
        return self

    async def __anext__(self) -> Envelope:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._ready.clear()
            await self._ready.wait()
        if self._missed:
            missed, self._missed = self._missed, 0
            return Envelope(source="", session_id=None, seq=0, event=Lagged(missed=missed))
        return self._queue.popleft()

    def close(self) -> None:
        """End the iteration once what is queued was read."""
        self._closed = True
        self._ready.set()
        self._bus.leave(self)


class EventBus:
    """Broadcasts envelopes. On the loop's thread only; publishing never blocks and never raises."""

    def __init__(self) -> None:
        self._readers: list[BusSubscription] = []
        self._numbers: defaultdict[SessionId | None, int] = defaultdict(int)

    def subscribe(self, capacity: int | None = CAPACITY) -> BusSubscription:
        """Return the events from now on; `capacity` None keeps all of them, for readers that write them out."""
        reader = BusSubscription(self, capacity)
        self._readers.append(reader)
        return reader

    def leave(self, reader: BusSubscription) -> None:
        if reader in self._readers:
            self._readers.remove(reader)

    def publish(self, source: str, session_id: SessionId | None, event: AnyEvent) -> None:
        self._numbers[session_id] += 1
        envelope = Envelope(source=source, session_id=session_id, seq=self._numbers[session_id], event=event)
        for reader in tuple(self._readers):
            reader.put(envelope)


def _joined(earlier: Envelope, later: Envelope) -> Envelope | None:
    """Two deltas of one kind and session as one, with the later number; None where they are anything else."""
    first, second = earlier.event, later.event
    if earlier.session_id != later.session_id:
        return None
    joined: AnyEvent
    if isinstance(first, TextDelta) and isinstance(second, TextDelta):
        joined = TextDelta(text=first.text + second.text)
    elif isinstance(first, ReasoningDelta) and isinstance(second, ReasoningDelta):
        joined = ReasoningDelta(text=first.text + second.text)
    else:
        return None
    return msgspec.structs.replace(later, event=joined)
