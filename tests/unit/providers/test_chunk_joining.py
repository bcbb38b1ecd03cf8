"""Joined chunks against h11, the parser behind httpx: the same reply, however it is chunked and cut."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.providers.chunk_joining import ChunkJoiner

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: Chunked\r\n\r\n"


def chunked(pieces: Iterable[bytes], *, extension: bytes = b"") -> bytes:
    return b"".join(b"%X%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces)


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    reads = [data[start:end] for start, end in pairwise([0, *sorted(places), len(data)])]
    return [read for read in reads if read]


def body_of(reads: Iterable[bytes]) -> tuple[bytes, int, bool]:
    """What a client reads: the body, in how many pieces, and whether it is whole."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    body, count = b"", 0
    for read in [*reads, b""]:
        connection.receive_data(read)
        while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
            if isinstance(event, h11.Data):
                body, count = body + event.data, count + 1
            elif isinstance(event, h11.EndOfMessage):
                return body, count, True
    return body, count, False


def joined(reads: Iterable[bytes]) -> list[bytes]:
    joiner = ChunkJoiner()
    return [given for read in reads if (given := joiner.feed(read))]


def test_a_read_of_many_chunks_is_one_piece() -> None:
    pieces = [b"data: %d\n\n" % number for number in range(50)]
    reads = [HEAD, chunked(pieces), b"0\r\n\r\n"]
    assert body_of(reads)[1] == 50
    assert body_of(joined(reads)) == (b"".join(pieces), 1, True)


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.lists(st.integers(0, 500), max_size=30))
def test_any_chunks_cut_anywhere_give_the_same_body(pieces: list[bytes], places: list[int]) -> None:
    reply = HEAD + chunked(pieces, extension=b" ; a=b") + b"0\r\nTrailer: x\r\n\r\n"
    body, _, is_whole = body_of(joined(cut(reply, (at for at in places if at < len(reply)))))
    assert body == b"".join(pieces)
    assert is_whole


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 20))
def test_every_byte_that_came_is_handed_on_at_once(length: int, size: int) -> None:
    reply = HEAD + chunked([b"abcdefgh" * 3, b"ijk", b"lmnopq"])
    reply = reply[: len(HEAD) + min(length, len(reply) - len(HEAD))]
    reads = [reply[at : at + size] for at in range(0, len(reply), size)]
    for count in range(1, len(reads) + 1):
        assert body_so_far(joined(reads[:count])) == body_so_far(reads[:count])


def body_so_far(reads: list[bytes]) -> bytes:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    body = b""
    for read in reads:
        connection.receive_data(read)
        while (event := connection.next_event()) is not h11.NEED_DATA:
            body += event.data if isinstance(event, h11.Data) else b""
    return body


@pytest.mark.parametrize(
    "broken",
    [
        b"5\r\nhello5\r\nworld\r\n0\r\n\r\n",  # no line end behind the chunk
        b"5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n",
        b"5\r\nhello\r\n-5\r\nworld\r\n0\r\n\r\n",
        b"5\r\nhel",
        b"5\r\nhello\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_p6_a_broken_or_cut_body_stays_one(broken: bytes, size: int) -> None:
    reads = [HEAD, *(broken[at : at + size] for at in range(0, len(broken), size))]
    for form in (reads, joined(reads)):
        with pytest.raises(h11.RemoteProtocolError):
            body_of(form)


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n5\r\nhello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000,
    ],
)
def test_what_is_no_chunked_reply_goes_through_as_it_came(reply: bytes) -> None:
    reads = [reply[at : at + 50] for at in range(0, len(reply), 50)]
    assert joined(reads) == reads


def test_a_reply_after_100_continue_is_joined_too() -> None:
    reads = [b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + chunked([b"a", b"b"]) + b"0\r\n\r\n"]
    assert body_of(joined(reads)) == (b"ab", 1, True)
