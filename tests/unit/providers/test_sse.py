"""The event parser: legal but rare framing, and any cut of the bytes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.providers.sse import SseEvent, SseParser


def parse(*reads: bytes) -> list[SseEvent]:
    parser = SseParser()
    events = [event for read in reads for event in parser.feed(read)]
    return [*events, *parser.finish()]


ODD = (
    b"\xef\xbb\xbfdata:first\r\n\r\n: KEEP-ALIVE\r\n\r\nevent: message\r\ndata: {\r\ndata:  \xf0\x9f\x9a\x80}\r\n\r\n"
    b"id: 7\rretry: 3\rdata\rdata: a:b\r\rdata: x\xe2\x80\xa8y\x0bz\x85\n\ndata: no blank line"
)
ODD_EVENTS = [
    SseEvent("first"),
    SseEvent("{\n 🚀}", "message"),
    SseEvent("\na:b"),
    SseEvent("x\u2028y\x0bz\ufffd"),
    SseEvent("no blank line"),
]


def test_p1_rare_framing_is_understood() -> None:
    assert parse(ODD) == ODD_EVENTS


@settings(deadline=None)
@given(st.lists(st.integers(0, len(ODD)), max_size=12))
def test_p1_any_cut_of_the_same_bytes_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(ODD)]
    reads = [ODD[start:end] for start, end in pairwise(places)]
    assert parse(*reads) == ODD_EVENTS


@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(1, 7))
def test_p1_any_bytes_at_all_parse_alike_whole_and_in_pieces(data: bytes, size: int) -> None:
    assert parse(*(data[at : at + size] for at in range(0, len(data), size))) == parse(data)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["data", "event", ""]), st.text(alphabet="aé🚀: \u2028")), max_size=8))
def test_p1_the_kind_of_line_end_makes_no_difference(fields: list[tuple[str, str]]) -> None:
    lines = "\n".join(f"{name}:{value}" if name else "" for name, value in fields) + "\n\n"
    expected = parse(lines.encode())
    for end in ("\r", "\r\n"):
        assert parse(lines.replace("\n", end).encode()) == expected


def test_an_event_without_bounds_is_given_up() -> None:
    parser = SseParser(max_event_bytes=100)
    with pytest.raises(ProviderError) as raised:
        for _ in range(20):
            list(parser.feed(b"data: 0123456789\n"))
    assert raised.value.fault is ProviderFault.BROKEN_STREAM


def test_a_line_without_end_is_given_up_too() -> None:
    parser = SseParser(max_event_bytes=100)
    with pytest.raises(ProviderError):
        for _ in range(20):
            list(parser.feed(b"0123456789"))


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"data: a", b"data:b", b"data: ", b"\n", b"\r", b":", b"event: e", b"\xef\xbb\xbf"])))
def test_p1_events_of_one_line_are_taken_like_all_others(parts: list[bytes]) -> None:
    data = b"".join(parts)
    assert parse(data) == parse(*(data[at : at + 1] for at in range(len(data))))
