"""Faults of comparable programs in reading streams: each case over real HTTP, and cut at every byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Answer, Binding, Dialect, Finish, Model, ModelPiece, ModelRequest, Provider
from placet.core.providers.client import ProviderClient
from support.cases import case_input
from support.wire_server import WireServer, raw

END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@asynccontextmanager
async def opened_client() -> AsyncIterator[ProviderClient]:
    async def no_key(_: Provider) -> str:
        return ""

    client = ProviderClient(no_key)
    try:
        yield client
    finally:
        await client.aclose()


async def pieces_of(server: WireServer, *bodies: bytes) -> list[ModelPiece]:
    """What the client makes of a stream that arrives in these network writes."""
    server.script([raw(body) for body in bodies])
    provider = Provider(name="local", type=Dialect.OPENAI, base_url=server.url)
    binding = Binding(provider=provider, model=Model(name="m", provider="local", model_id="m"))
    async with opened_client() as client:
        return [piece async for piece in client.stream(ModelRequest(binding=binding, body=b"{}"))]


async def answer_of(server: WireServer, *bodies: bytes) -> Answer:
    last = (await pieces_of(server, *bodies))[-1]
    assert isinstance(last, Answer)
    return last


def events(*chunks: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


def deltas(given: Sequence[dict[str, Any]]) -> bytes:
    return events(*({"choices": [{"index": 0, "delta": delta}]} for delta in given), END)


@pytest.mark.parametrize(
    ("variant", "calls"),
    [
        ("v1_no_index", [("call_a", "read_file", {"path": "a.txt"}), ("call_b", "read_file", {"path": "b.txt"})]),
        ("v2_all_zero", [("call_a", "get_weather", {"city": "Rome"}), ("call_b", "get_weather", {"city": "Oslo"})]),
        ("v3_same_id_repeated", [("call_a", "read_file", {"path": "a.txt"})]),
    ],
)
async def test_a01_calls_without_or_with_equal_indexes_stay_apart(
    server: WireServer, variant: str, calls: list[tuple[str, str, dict[str, str]]]
) -> None:
    answer = await answer_of(server, deltas(case_input("A01")[variant]))
    assert [(call.provider_id, call.name, json.loads(call.arguments)) for call in answer.calls] == calls


@pytest.mark.parametrize(
    ("variant", "arguments"),
    [
        ("v1", {"command": "ls -la 'my dir'"}),
        ("v2", {}),
        ("v3", {}),
        ("v4", {}),
        ("v5", "just text"),
        ("v6", [1, 2]),
    ],
)
async def test_a03_arguments_in_any_shape_arrive_as_one_text(
    server: WireServer, variant: str, arguments: object
) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": case_input("A03")[variant]}
    answer = await answer_of(server, deltas([{"tool_calls": [call]}]))
    assert json.loads(answer.calls[0].arguments) == arguments


@pytest.mark.parametrize("variant", ["chunks", "v2_last"])
async def test_a05_usage_without_choices_is_counted_once(server: WireServer, variant: str) -> None:
    given = case_input("A05")
    chunks = [*given["chunks"][:-1], given["chunks"][-1] if variant == "chunks" else given["v2_last"]]
    answer = await answer_of(server, events(*chunks))
    assert (answer.text, answer.finish) == ("Hi", Finish.STOP)
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 2)


async def test_a05_running_totals_are_not_added_up(server: WireServer) -> None:
    given = case_input("A05")
    answer = await answer_of(server, events(*given["chunks"][:-1], *given["v3_running_totals"]))
    assert answer.usage is not None
    assert answer.usage.output_tokens == 2


def framings() -> dict[str, list[bytes]]:
    as_it_came = [chunk.encode("latin-1") for chunk in case_input("A06")["chunks"]]
    whole = b"".join(as_it_came)
    unix = whole.replace(b"\r\n", b"\n")
    return {
        "as recorded": as_it_came,
        "in one read": [whole],
        "byte by byte": [whole[i : i + 1] for i in range(len(whole))],
        "LF only": [unix],
        "CR only": [unix.replace(b"\n", b"\r")],
    }


@pytest.mark.parametrize("framing", ["as recorded", "in one read", "byte by byte", "LF only", "CR only"])
async def test_a06_rare_but_legal_framing_is_read(server: WireServer, framing: str) -> None:
    answer = await answer_of(server, *framings()[framing])
    assert (answer.text, answer.finish) == ("Hello", Finish.STOP)


async def test_a06_a_stream_of_comments_is_no_answer(server: WireServer) -> None:
    with pytest.raises(ProviderError) as caught:
        await pieces_of(server, b": KEEP-ALIVE\r\n\r\n: KEEP-ALIVE\r\n\r\n")
    assert caught.value.fault is ProviderFault.EMPTY


async def test_a08_an_emoji_cut_between_two_deltas_is_whole(server: WireServer) -> None:
    given = case_input("A08")["v1_content_deltas_json"]
    chunks = [b'data: {"choices":[{"index":0,"delta":' + delta.encode() + b"}]}\n\n" for delta in given]
    end = events({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    pieces = await pieces_of(server, *chunks, end)
    answer = pieces[-1]
    assert isinstance(answer, Answer)
    assert answer.text == "ok \N{GRINNING FACE}!"
    for piece in pieces[:-1]:
        getattr(piece, "text", "").encode("utf-8")


async def test_a08_an_emoji_cut_between_two_argument_fragments_is_whole(server: WireServer) -> None:
    first, second = case_input("A08")["v3_argument_fragments"]
    call = {"index": 0, "id": "c", "function": {"name": "t", "arguments": first}}
    rest = {"index": 0, "function": {"arguments": second}}
    answer = await answer_of(server, deltas([{"tool_calls": [call]}, {"tool_calls": [rest]}]))
    assert json.loads(answer.calls[0].arguments)["text"] == "\N{ROCKET}"
