"""What is asked of the models' servers beside turns: does a model answer, what is there to choose from."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from placet.core.context.wellformed import UserTurn
from placet.core.context.wire import body, wire_for
from placet.core.domain.model_calls import Binding, ModelRequest, Provider
from placet.core.providers import catalogue as servers
from placet.core.providers.client import ProviderClient
from placet.core.settings.presets import candidates

TEST_PROMPT = "Answer with the one word: ready"
TEST_OUTPUT_TOKENS = 64


class Servers:
    """The servers behind one client."""

    def __init__(self, client: ProviderClient) -> None:
        self._client = client

    async def first_token_s(self, binding: Binding) -> float:
        """Ask one short question; returns the seconds to its first token. Raises: ProviderError."""
        small = msgspec.structs.replace(binding.model, max_output_tokens=TEST_OUTPUT_TOKENS)
        binding = msgspec.structs.replace(binding, model=small)
        wire = wire_for(binding.provider.type)
        question = wire.turn(UserTurn(texts=[TEST_PROMPT]), binding.provider.name)
        request = ModelRequest(binding=binding, body=body(wire.head(binding, "", []), [question]))
        began = time.monotonic()
        async with aclosing(self._client.stream(request)) as stream:
            async for _ in stream:
                return time.monotonic() - began
        return time.monotonic() - began

    async def offered(self, provider: Provider, key: str | None = None) -> Sequence[str]:
        """Raises: ProviderError."""
        return await servers.offered(self._client, provider, key)

    async def found_here(self) -> Sequence[Provider]:
        """Well-known providers that are there: a key in their variable, or a local server that answers."""
        return await servers.found_here(self._client, candidates())
