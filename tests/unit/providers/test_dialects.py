"""Addresses and limits."""

from __future__ import annotations

import pytest

from placet.core.domain.model_calls import Dialect
from placet.core.providers.dialects import WIRE_DIALECTS, idle_timeout_s, is_local


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("", "https://api.openai.com/v1/chat/completions"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        ("api.example.com/v1", "https://api.example.com/v1/chat/completions"),
        ("https://api.z.ai/api/paas/v4", "https://api.z.ai/api/paas/v4/chat/completions"),
        ("https://x.invalid/v1beta/openai", "https://x.invalid/v1beta/openai/chat/completions"),
        ("https://x.invalid/own", "https://x.invalid/own/chat/completions"),
        ("https://x.invalid/v1/chat/completions", "https://x.invalid/v1/chat/completions"),
    ],
)
def test_chat_completions_addresses(base: str, url: str) -> None:
    dialect = WIRE_DIALECTS[Dialect.OPENAI]
    assert dialect.address(base, dialect.call_path) == url


@pytest.mark.parametrize("base", ["https://x.invalid/anthropic", "https://x.invalid/anthropic/v1/messages"])
def test_messages_addresses_always_have_a_version(base: str) -> None:
    dialect = WIRE_DIALECTS[Dialect.ANTHROPIC]
    assert dialect.address(base, dialect.call_path) == "https://x.invalid/anthropic/v1/messages"


@pytest.mark.parametrize(
    "url",
    ["http://localhost:1", "http://127.0.0.1", "http://[::1]:8", "http://192.168.1.9", "http://box", "http://b.lan"],
)
def test_p3_local_servers_get_more_time(url: str) -> None:
    assert is_local(url)
    assert idle_timeout_s(url, None) == 300


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "http://8.8.8.8", "https://localhost.example.com"])
def test_p3_remote_servers_get_less_and_a_configured_limit_wins(url: str) -> None:
    assert not is_local(url)
    assert idle_timeout_s(url, None) == 120
    assert idle_timeout_s(url, 7) == 7
