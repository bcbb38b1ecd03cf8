"""The HTTP chunks of one read of the socket, handed on as one chunk.

A server that streams sends each token in a chunk of its own. httpx takes 30 µs for each, more than all that Placet does
with it. One larger chunk says the same. Nothing is held back, and what is no chunked reply goes through as it came.
"""

from __future__ import annotations

import re
from typing import Any

_END = b"\r\n"
_HEAD_END = b"\r\n\r\n"
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n", re.IGNORECASE)
_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[^\r\n]*)?\r\n")
_MAX_HEAD, _MAX_LINE = 128 * 1024, 4 * 1024


class ChunkJoiner:
    """The bytes of one reply. Pure: feed it reads of any size."""

    def __init__(self) -> None:
        self._head: bytearray | None = bytearray()  # None when it is complete
        self._is_chunked = False
        self._left = 0  # of the chunk that has begun
        self._is_at_chunk_end = False
        self._rest = b""  # the beginning of a line between two chunks

    def feed(self, data: bytes) -> bytes:
        """Return what to hand on; empty where `data` was but a part of what stands between two chunks."""
        if self._head is not None:
            return self._take_head(self._head, data)
        return self._join(data) if self._is_chunked else data

    def _take_head(self, head: bytearray, data: bytes) -> bytes:
        head += data
        at = head.find(_HEAD_END)
        if at < 0:
            if len(head) > _MAX_HEAD:
                self._head = None
            return data
        at += len(_HEAD_END)
        body_size = len(head) - at
        del head[at:]
        if head.startswith(b"HTTP/1.1 1"):  # "100 Continue": the reply itself follows
            self._head = bytearray()
        else:
            self._head = None
            self._is_chunked = _CHUNKED.search(head) is not None
        before, body = data[: len(data) - body_size], data[len(data) - body_size :]
        return before + self.feed(body) if body else before

    def _join(self, data: bytes) -> bytes:
        data, self._rest = self._rest + data, b""
        parts: list[bytes] = []
        at, length = 0, len(data)
        unread = b""
        while at < length:
            if self._left:
                part = data[at : at + self._left]
                parts.append(part)
                at += len(part)
                self._left -= len(part)
                self._is_at_chunk_end = not self._left
            elif self._is_at_chunk_end and data.startswith(_END, at):
                self._is_at_chunk_end = False
                at = _take_whole_chunks(data, at + len(_END), parts)
            elif not self._is_at_chunk_end and (line := _SIZE_LINE.match(data, at)) and (size := int(line[1], 16)):
                self._left = size
                at = line.end()
            else:
                unread = self._other(data[at:])
                break
        return _one_chunk(parts) + unread

    def _other(self, data: bytes) -> bytes:
        """Return what is neither a chunk nor the end of one: the last chunk and all behind it, or a fault for httpx."""
        is_cut = data == _END[:1] if self._is_at_chunk_end else _END not in data and len(data) < _MAX_LINE
        if is_cut:
            self._rest = data
            return b""
        self._is_chunked = False
        # The end of the chunk was handed on already; an empty line makes it a fault there too.
        return _END + data if self._is_at_chunk_end else data


def _take_whole_chunks(data: bytes, at: int, parts: list[bytes]) -> int:
    """Add the bodies of the chunks that are whole, the usual ones; return where the first other thing begins."""
    while line := _SIZE_LINE.match(data, at):
        begin = line.end()
        end = begin + int(line[1], 16)
        if end == begin or not data.startswith(_END, end):
            break
        parts.append(data[begin:end])
        at = end + len(_END)
    return at


def _one_chunk(parts: list[bytes]) -> bytes:
    if not parts:
        return b""
    body = b"".join(parts)
    return b"%x\r\n%s\r\n" % (len(body), body)


async def join_chunks(name: str, info: dict[str, Any]) -> None:
    """Handler of httpx's `trace` extension: join the chunks of each connection as soon as it is made."""
    if name.endswith((".connect_tcp.complete", ".start_tls.complete")):
        _join_chunks_of(info["return_value"])


def _join_chunks_of(stream: Any) -> None:
    """Put a joiner before the reads of an `httpcore.AsyncNetworkStream`. A write begins a request, so a new reply."""
    read, write = stream.read, stream.write
    joiner = ChunkJoiner()

    async def joined_read(max_bytes: int, timeout: float | None = None) -> bytes:
        while data := await read(max_bytes, timeout):
            if joined := joiner.feed(data):
                return joined
        return b""

    async def noted_write(buffer: bytes, timeout: float | None = None) -> None:
        nonlocal joiner
        joiner = ChunkJoiner()
        await write(buffer, timeout)

    stream.read, stream.write = joined_read, noted_write
