"""Events of one reply, a read at a time. A whole JSON answer to a request for a stream is taken as one event."""

from __future__ import annotations

from placet.core.providers.accumulating import Accumulator
from placet.core.providers.http import Reply, broken_reads
from placet.core.providers.sse import SseEvent, SseParser

AFTER_END_S = 5.0  # how long counts may follow an end mark
DRAIN_S = 0.05  # how long the end of the HTTP body may follow the stream's, so that the connection can be kept


class NoEvents(Exception):
    """The reply is a page for people; `text` is what it says."""

    def __init__(self, text: str) -> None:
        super().__init__("not a stream of events")
        self.text = text


class EventReader:
    """Reads until the stream is closed by its mark or its end.

    Once the answer is complete, neither a silent nor a broken connection can make it incomplete.
    """

    def __init__(self, reply: Reply, accumulator: Accumulator) -> None:
        self._reply, self._accumulator = reply, accumulator
        self._parser = SseParser()
        kind = reply.headers.get("content-type", "")
        self._is_whole = "json" in kind or "html" in kind
        self._has_ended = False

    async def next(self) -> list[SseEvent] | None:
        """Return the events of the next read, perhaps none; None after the last. Feed them before the next call.

        Raises: NoEvents, `broken_reads()`, ProviderError for an event without bounds.
        """
        if self._has_ended:
            return None
        if self._is_whole:
            self._has_ended = True
            return [_only_event(await self._reply.text())]
        if self._accumulator.is_closed:
            await self._reply.drain(DRAIN_S)
            return None
        data = await self._read()
        if data is None:
            self._has_ended = True
            return list(self._parser.finish())
        return list(self._parser.feed(data))

    async def _read(self) -> bytes | None:
        if not self._accumulator.is_complete:
            return await self._reply.read()
        try:
            return await self._reply.read(AFTER_END_S)
        except broken_reads():
            return None


def _only_event(text: str) -> SseEvent:
    if not text.lstrip().startswith(("{", "[")):
        raise NoEvents(text)
    return SseEvent(text)
