"""What models a server lists, and what is already on this machine."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

from placet.core.domain.errors import ProviderError
from placet.core.domain.model_calls import Dialect, Provider
from placet.core.providers.accumulating import list_of, table_of, text_of
from placet.core.providers.client import ProviderClient
from placet.core.providers.dialects import is_local

PROBE_S = 0.3
LIST_S = 20.0


async def offered(client: ProviderClient, provider: Provider, key: str | None = None) -> list[str]:
    """Return the ids of the models that the provider's server lists, in its order. Raises: ProviderError."""
    if provider.type is Dialect.DEMO:
        return ["demo"]
    path = "/models?limit=1000" if provider.type is Dialect.ANTHROPIC else "/models"
    return _ids(await client.fetch(provider, path, key=key, idle_s=LIST_S))


async def found_here(
    client: ProviderClient, candidates: Sequence[Provider], *, environ: Mapping[str, str] | None = None
) -> list[Provider]:
    """Return those `candidates` that are there: a key in their variable, or a local server that answers.

    Local servers are asked for their models, all at once and briefly; no other server is spoken to.
    """
    environ = os.environ if environ is None else environ
    present = await asyncio.gather(*(_is_here(client, candidate, environ) for candidate in candidates))
    found: dict[str, Provider] = {}
    for candidate, is_here in zip(candidates, present, strict=True):
        if is_here:
            found.setdefault(candidate.name, candidate)
    return list(found.values())


async def _is_here(client: ProviderClient, candidate: Provider, environ: Mapping[str, str]) -> bool:
    if candidate.api_key_env:
        return bool(environ.get(candidate.api_key_env, "").strip())
    if candidate.type is Dialect.DEMO or not is_local(candidate.base_url):
        return False
    try:
        async with asyncio.timeout(PROBE_S):
            value = await client.fetch(candidate, "/models", key="", idle_s=PROBE_S)
    except (ProviderError, TimeoutError):
        return False
    return isinstance(value, dict) and ("data" in value or "models" in value)


def _ids(value: Any) -> list[str]:
    """Return the ids of a model list in any of the usual shapes, each once."""
    items = (
        value
        if isinstance(value, list)
        else list_of(table_of(value).get("data")) or list_of(table_of(value).get("models"))
    )
    names = [text_of(item.get("id") or item.get("name")) if isinstance(item, dict) else text_of(item) for item in items]
    return list(dict.fromkeys(name.removeprefix("models/") for name in names if name))
