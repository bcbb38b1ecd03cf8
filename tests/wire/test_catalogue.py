"""Model lists and what is found on this machine."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import pytest

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import Dialect, Provider
from placet.core.providers.catalogue import found_here, offered
from placet.core.providers.client import ProviderClient
from support.wire_server import WireServer


async def stored_key(provider: Provider) -> str:
    return "stored"


@pytest.fixture
async def client() -> AsyncIterator[ProviderClient]:
    client = ProviderClient(stored_key)
    yield client
    await client.aclose()


def at(url: str, name: str = "p", **more: str) -> Provider:
    return Provider(name=name, type=Dialect.OPENAI, base_url=url, **more)


async def test_the_models_of_a_server_are_listed_in_its_order(client: ProviderClient) -> None:
    with WireServer(models=["b", "a"]) as server:
        assert await offered(client, at(server.url)) == ["b", "a"]
        assert await offered(client, Provider(name="p", type=Dialect.ANTHROPIC, base_url=server.root)) == ["b", "a"]
    assert await offered(client, Provider(name="demo", type=Dialect.DEMO)) == ["demo"]


async def test_a_server_that_is_not_there_raises(client: ProviderClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    with pytest.raises(ProviderError) as raised:
        await offered(client, at(url))
    assert raised.value.fault is ProviderFault.UNREACHABLE


async def test_what_is_here_is_found_and_nothing_else_is_asked(client: ProviderClient) -> None:
    with WireServer() as server, socket.create_server(("127.0.0.1", 0)) as silent:
        here = at(server.url, "here")
        candidates = [
            here,
            at(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "silent"),
            at("https://models.invalid/v1", "remote, no key"),
            at("https://models.invalid/v1", "keyed", api_key_env="FIRST"),
            at("https://models.invalid/v1", "keyed", api_key_env="SECOND"),
            at("https://models.invalid/v1", "blank", api_key_env="BLANK"),
        ]
        environ = {"FIRST": "x", "SECOND": "y", "BLANK": " "}
        assert await found_here(client, candidates, environ=environ) == [here, candidates[3]]
        assert server.requests == []  # no model was called
