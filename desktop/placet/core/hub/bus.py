"""The event bus: one stream to many readers, none of which can slow the core or stay wrong."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Iterator

import msgspec

from placet.core.domain.events import AnyEvent, Envelope, Lagged, ReasoningDelta, TextDelta, ToolArgsDelta
from placet.core.domain.ids import CallId, SessionId

CAPACITY = 512
DELTAS = (TextDelta, ReasoningDelta, ToolArgsDelta)


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
        self._queue.append(envelope)
        if self._is_over_full:
            self._queue = deque(_compacted(self._queue))
        if self._is_over_full:
            self._missed += len(self._queue) - 1
            self._queue = deque((envelope,))
        self._ready.set()

    @property
    def _is_over_full(self) -> bool:
        return self._capacity is not None and len(self._queue) > self._capacity

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
    """Two deltas of one kind, session and frame as one, with the later number; None where they are anything else."""
    first, second = earlier.event, later.event
    if earlier.session_id != later.session_id or first.agent_call_id != second.agent_call_id:
        return None
    joined: AnyEvent
    if (isinstance(first, TextDelta) and isinstance(second, TextDelta)) or (
        isinstance(first, ReasoningDelta) and isinstance(second, ReasoningDelta)
    ):
        joined = msgspec.structs.replace(first, text=first.text + second.text)
    elif isinstance(first, ToolArgsDelta) and isinstance(second, ToolArgsDelta):
        if (first.index, first.name) != (second.index, second.name):
            return None
        joined = msgspec.structs.replace(first, text=first.text + second.text)
    else:
        return None
    return msgspec.structs.replace(later, event=joined)


def _compacted(queue: Iterable[Envelope]) -> Iterator[Envelope]:
    """Join deltas of sub-agents that stream at once, and so lie between each other, each in the place of its last.

    Nothing moves past an event of its session that is no delta, so the order of what happened stays.
    """
    kept: list[Envelope | None] = []
    newest: dict[tuple[SessionId | None, CallId | None], int] = {}  # of each frame that streams: where in `kept`
    for envelope in queue:
        if not isinstance(envelope.event, DELTAS):
            newest = {frame: at for frame, at in newest.items() if frame[0] != envelope.session_id}
            kept.append(envelope)
            continue
        frame = (envelope.session_id, envelope.event.agent_call_id)
        earlier = kept[newest[frame]] if frame in newest else None
        joined = _joined(earlier, envelope) if earlier is not None else None
        if joined is not None:
            kept[newest[frame]] = None
        newest[frame] = len(kept)
        kept.append(joined or envelope)
    return (envelope for envelope in kept if envelope is not None)
