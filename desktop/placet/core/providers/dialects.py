"""Where each dialect is spoken: addresses and headers. The request bodies come ready-made."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from placet.core.domain.model_calls import Dialect
from placet.core.providers.accumulating import Accumulator
from placet.core.providers.anthropic_stream import AnthropicStream
from placet.core.providers.openai_stream import OpenAiStream

LOCAL_IDLE_S, REMOTE_IDLE_S = 300.0, 120.0


class WireDialect(msgspec.Struct, frozen=True):
    """`headers` takes the key, which may be empty. `under_v1` says that even a base with a path lacks `/v1`."""

    default_base: str
    call_path: str
    headers: Callable[[str], dict[str, str]]
    accumulator: Callable[[], Accumulator]
    under_v1: bool = False

    def address(self, base_url: str, path: str) -> str:
        """Return the URL of `path`. What people leave out of a base is put in: the scheme and `/v1`."""
        base = (base_url.strip() or self.default_base).rstrip("/").removesuffix(self.call_path)
        if "://" not in base:
            base = f"{'http' if is_local(f'http://{base}') else 'https'}://{base}"
        parts = [part for part in urlsplit(base).path.split("/") if part]
        has_version = any(part[:1] == "v" and part[1:2].isdigit() for part in parts)
        needs_version = not has_version and (self.under_v1 or not parts)
        return f"{base}{'/v1' if needs_version else ''}{path}"


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _anthropic(key: str) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})


WIRE_DIALECTS = {
    Dialect.OPENAI: WireDialect("https://api.openai.com/v1", "/chat/completions", _bearer, OpenAiStream),
    Dialect.ANTHROPIC: WireDialect(
        "https://api.anthropic.com/v1", "/messages", _anthropic, AnthropicStream, under_v1=True
    ),
}


def is_local(url: str) -> bool:
    """Whether `url` names this machine or a private network: slow models, no proxy."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local", ".lan", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(host) and "." not in host
    return address.is_loopback or address.is_private or address.is_link_local


def idle_timeout_s(url: str, configured: float | None) -> float:
    """Return the limit for the first byte and between bytes (`P-3`)."""
    if configured is not None:
        return configured
    return LOCAL_IDLE_S if is_local(url) else REMOTE_IDLE_S
