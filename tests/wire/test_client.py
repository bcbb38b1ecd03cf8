"""The client against a real loopback server: time-outs, breaks, closing, faults in words."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import (
    Answer,
    Binding,
    Dialect,
    Finish,
    Model,
    ModelPiece,
    ModelRequest,
    Provider,
    TextDelta,
)
from placet.core.providers.client import ProviderClient
from support.replay import answer_of
from support.wire_server import WireServer, call, cut, error, pause, raw, reasoning, stall, text, usage

KEY = "sk-secret-0123456789"
BOTH = pytest.mark.parametrize("dialect", [Dialect.OPENAI, Dialect.ANTHROPIC])


async def key_of(provider: Provider) -> str:
    return KEY


@pytest.fixture
async def client() -> AsyncIterator[ProviderClient]:
    client = ProviderClient(key_of, demo_pace_s=0)
    yield client
    await client.aclose()


@pytest.fixture
def server() -> Any:
    with WireServer() as server:
        yield server


def request(
    server: WireServer, dialect: Dialect = Dialect.OPENAI, *, idle_s: float | None = 20, base: str = ""
) -> ModelRequest:
    provider = Provider(name="Test", type=dialect, base_url=base or server.url, idle_timeout_s=idle_s)
    binding = Binding(provider=provider, model=Model(name="m", provider="Test", model_id="some-model"))
    return ModelRequest(binding=binding, body=b'{"model":"some-model","stream":true}')


async def pieces(client: ProviderClient, request: ModelRequest) -> list[ModelPiece]:
    return [piece async for piece in client.stream(request)]


async def fault(client: ProviderClient, request: ModelRequest) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        async with asyncio.timeout(15):
            await pieces(client, request)
    shown = f"{raised.value!r} {raised.value} {raised.value.detail}"
    assert KEY not in shown
    assert raised.value.__cause__ is None
    return raised.value


@BOTH
async def test_an_answer_comes_as_deltas_and_one_last_answer(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([reasoning("hm"), text("He", "llo"), call("read_file", {"path": "ü"}, id="c1"), usage(20, 4, 8)])
    answer = answer_of(await pieces(client, request(server, dialect)))
    assert (answer.reasoning, answer.text, answer.finish) == ("hm", "Hello", Finish.TOOL_CALLS)
    assert [(each.provider_id, json.loads(each.arguments)) for each in answer.calls] == [("c1", {"path": "ü"})]
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cached_tokens) == (20, 4, 8)


@BOTH
async def test_the_body_leaves_as_it_is_and_the_key_in_its_header(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script(text("Hi"))
    asked = request(server, dialect)
    await pieces(client, asked)
    sent = server.requests[0]
    assert sent.body == asked.body
    if dialect is Dialect.OPENAI:
        assert (sent.path, sent.headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    else:
        assert (sent.path, sent.headers["x-api-key"]) == ("/v1/messages", KEY)
        assert sent.headers["anthropic-version"]


async def test_rounds_share_one_connection(client: ProviderClient, server: WireServer) -> None:
    server.script(text("Hi"), repeat_last=True)
    for _ in range(3):
        await pieces(client, request(server))
    assert server.connections == 1


@BOTH
async def test_p3_a_server_that_says_nothing_is_given_up(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([text("Hi"), stall()])
    raised = await fault(client, request(server, dialect, idle_s=0.1))
    assert raised.fault is ProviderFault.TIMEOUT
    assert "0.1 s" in raised.message
    await asyncio.to_thread(server.wait_gone)


async def test_p3_a_server_that_accepts_and_never_answers_is_given_up(
    client: ProviderClient, server: WireServer
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        raised = await fault(client, request(server, idle_s=0.1, base=base))
    assert raised.fault is ProviderFault.TIMEOUT


async def test_p3_comments_keep_a_silent_stream_alive(client: ProviderClient, server: WireServer) -> None:
    alive = [step for _ in range(6) for step in (raw(b": KEEP-ALIVE\n\n"), pause(0.1))]
    end = raw(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    server.script([*alive, end])
    assert answer_of(await pieces(client, request(server, idle_s=0.4))).text == "Hi"


@BOTH
async def test_p6_a_cut_connection_gives_deltas_and_then_an_error(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([text("He", "llo"), cut()])
    seen: list[str] = []
    with pytest.raises(ProviderError) as raised:
        async for piece in client.stream(request(server, dialect)):
            assert isinstance(piece, TextDelta)
            seen.append(piece.text)
    assert "".join(seen) == "Hello"
    assert raised.value.fault is ProviderFault.BROKEN_STREAM


@BOTH
async def test_p6_a_body_that_ends_early_in_good_order_is_broken_too(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([text("Hi"), call("read_file", {"path": "a"}), cut(clean=True)])
    raised = await fault(client, request(server, dialect))
    assert raised.fault is ProviderFault.BROKEN_STREAM
    assert raised.hint


@BOTH
async def test_p6_a_stream_of_comments_only_is_empty(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script(raw(b": KEEP-ALIVE\r\n\r\n: KEEP-ALIVE\r\n\r\n"))
    assert (await fault(client, request(server, dialect))).fault is ProviderFault.EMPTY


async def test_p1_a_break_after_the_end_mark_changes_nothing(client: ProviderClient, server: WireServer) -> None:
    end = raw(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    server.script([end, cut()])
    assert answer_of(await pieces(client, request(server))).text == "Hi"


async def test_p1_silence_after_done_holds_nothing_up(client: ProviderClient, server: WireServer) -> None:
    end = raw(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    server.script([end, stall()])
    assert answer_of(await pieces(client, request(server))).text == "Hi"
    await asyncio.to_thread(server.wait_gone)


@BOTH
async def test_closing_the_generator_closes_the_connection(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([text("Hi"), stall()])
    async with aclosing(client.stream(request(server, dialect))) as stream:
        await anext(stream)
    await asyncio.to_thread(server.wait_gone)


async def test_cancelling_the_reader_closes_the_connection(client: ProviderClient, server: WireServer) -> None:
    server.script([text("Hi"), stall()])
    reader = asyncio.ensure_future(pieces(client, request(server)))
    await asyncio.to_thread(server.wait_stalled)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    await asyncio.to_thread(server.wait_gone)


@BOTH
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, ProviderFault.AUTH),
        (402, ProviderFault.CREDIT),
        (429, ProviderFault.RATE_LIMITED),
        (500, ProviderFault.SERVER),
        (503, ProviderFault.OVERLOADED),
        (529, ProviderFault.OVERLOADED),
        (400, ProviderFault.BAD_REQUEST),
    ],
)
async def test_a_status_is_told_in_words_with_advice(
    client: ProviderClient, server: WireServer, dialect: Dialect, status: int, expected: ProviderFault
) -> None:
    server.script(error(status, retry_after="7"))
    raised = await fault(client, request(server, dialect))
    assert (raised.fault, raised.status, raised.retry_after_s) == (expected, status, 7)
    assert "Test" in raised.message
    assert raised.hint


@BOTH
async def test_p1_an_error_inside_the_stream_has_names_and_advice(
    client: ProviderClient, server: WireServer, dialect: Dialect
) -> None:
    server.script([text("Hi"), error(429)])
    raised = await fault(client, request(server, dialect))
    assert raised.fault is ProviderFault.RATE_LIMITED
    assert "Test" in raised.message
    assert raised.hint


async def test_a_key_that_the_server_repeats_is_hidden(
    client: ProviderClient, server: WireServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        server.script(error(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}))
        raised = await fault(client, request(server))
    assert "Settings > Providers" in raised.hint
    assert KEY not in caplog.text


async def test_a_server_that_is_not_running_is_named(client: ProviderClient, server: WireServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        base = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    raised = await fault(client, request(server, base=base))
    assert raised.fault is ProviderFault.UNREACHABLE
    assert base.removesuffix("/v1") in raised.message
    assert "Start the server" in raised.hint


async def test_tls_to_a_plain_server_is_told(client: ProviderClient, server: WireServer) -> None:
    async def answer_garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer_garbage, "127.0.0.1", 0) as plain:
        base = f"https://127.0.0.1:{plain.sockets[0].getsockname()[1]}/v1"
        raised = await fault(client, request(server, base=base))
    assert raised.fault is ProviderFault.UNREACHABLE
    assert "secure connection" in raised.message


@pytest.mark.parametrize("status", [200, 404, 403])
async def test_a_web_page_in_place_of_an_answer_is_told(
    client: ProviderClient, server: WireServer, status: int
) -> None:
    server.script(error(status, "<!DOCTYPE html><html>Hello</html>"))
    raised = await fault(client, request(server))
    assert raised.fault is ProviderFault.BAD_REQUEST
    assert "not as a model server" in raised.message


async def test_a_redirect_is_named_and_not_followed(client: ProviderClient, server: WireServer) -> None:
    server.script(error(302, "", Location="http://127.0.0.1:1/v1"))
    raised = await fault(client, request(server))
    assert "http://127.0.0.1:1/v1" in raised.message
    assert len(server.requests) == 1


async def test_a_whole_json_answer_is_taken(client: ProviderClient, server: WireServer) -> None:
    whole = {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]}
    server.script(error(200, whole))
    assert answer_of(await pieces(client, request(server))).text == "Hi"


@pytest.mark.parametrize("key", ["sk-geheim-ключ", "two\nlines"])
async def test_a_key_that_no_header_can_carry_is_told(server: WireServer, key: str) -> None:
    async def odd(provider: Provider) -> str:
        return key

    client = ProviderClient(odd)
    try:
        raised = await fault(client, request(server))
    finally:
        await client.aclose()
    assert raised.fault is ProviderFault.AUTH
    assert key not in f"{raised} {raised.detail}"
    assert server.requests == []


@pytest.mark.parametrize("base", ["ftp://127.0.0.1/v1", "http://127.0.0.1:port/v1", "http:///v1", "http://[::1/v1"])
async def test_an_address_that_is_none_is_told(client: ProviderClient, server: WireServer, base: str) -> None:
    raised = await fault(client, request(server, base=base))
    assert not raised.fault.is_retriable
    assert base in raised.message
    assert "Settings > Providers" in raised.hint


async def test_the_demo_needs_no_server(client: ProviderClient) -> None:
    provider = Provider(name="demo", type=Dialect.DEMO)
    binding = Binding(provider=provider, model=Model(name="demo", provider="demo", model_id="demo"))
    found = await pieces(client, ModelRequest(binding=binding, body=b"{}"))
    assert isinstance(found[-1], Answer)
    assert len(found) > 10
