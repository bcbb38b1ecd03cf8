"""Server-sent events out of bytes, however they were split on the way. Pure.

Lines end at CR, LF or CRLF only: U+2028 and its like are text, which generic line splitters get wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from placet.core.domain.errors import ProviderError, ProviderFault

MAX_EVENT_BYTES = 32 * 1024 * 1024

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """`event` is empty where the server named none."""

    data: str
    event: str = ""


class SseParser:
    """Feed it reads of any size; the same bytes give the same events however they are cut."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._line = bytearray()  # a line whose end has not come
        self._ended_in_cr = False
        self._at_start = True
        self._data: list[bytes] = []
        self._size = 0
        self._event = b""

    def feed(self, data: bytes) -> Iterator[SseEvent]:
        """Give the events that `data` completes. Consume all of it before the next call.

        Raises: ProviderError for an event larger than allowed.
        """
        if self._ended_in_cr and data.startswith(b"\n"):
            data = data[1:]  # the second half of a CRLF cut between two reads
            self._ended_in_cr = False
        if not data:
            return
        self._ended_in_cr = data.endswith(b"\r")
        if b"\r" in data:
            yield from self._take_lines(data)
            return
        *blocks, rest = data.split(b"\n\n")
        for block in blocks:
            if self._is_usual(block):
                yield SseEvent(block[6:].decode("utf-8", "replace"))
            else:
                yield from self._take_lines(block + b"\n\n")
        yield from self._take_lines(rest)

    def _is_usual(self, block: bytes) -> bool:
        """Whether `block` is a whole event of one line: in most streams all are."""
        has_begun = self._line or self._data or self._event or self._at_start
        return not has_begun and block.startswith(b"data: ") and b"\n" not in block and len(block) <= self._max

    def _take_lines(self, data: bytes) -> Iterator[SseEvent]:
        first, *rest = _LINE_END.split(data)
        self._line += first
        self._check_size()
        for following in rest:
            line = bytes(self._line)
            self._line = bytearray(following)
            self._check_size()
            if (event := self._take(line)) is not None:
                yield event

    def finish(self) -> Iterator[SseEvent]:
        """Give the event that was complete but for its blank line: some servers close without one."""
        line = bytes(self._line)
        self._line = bytearray()
        for last in (line, b""):
            if (event := self._take(last)) is not None:
                yield event

    def _check_size(self) -> None:
        if self._size + len(self._line) > self._max:
            raise ProviderError(
                ProviderFault.BROKEN_STREAM,
                f"The server sent one event of more than {self._max // 1024 // 1024} MB; the answer was given up.",
                hint="Check that the address really is that of a model server.",
            )

    def _take(self, line: bytes) -> SseEvent | None:
        """Take one whole line in; return the event if it was the blank one that ends an event."""
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value)
        elif name == b"event":
            self._event = value
        return None  # comments, `id`, `retry` and unknown fields mean nothing here

    def _dispatch(self) -> SseEvent | None:
        data, event = self._data, self._event
        self._data, self._size, self._event = [], 0, b""
        if not data:
            return None
        return SseEvent(b"\n".join(data).decode("utf-8", "replace"), event.decode("utf-8", "replace"))
