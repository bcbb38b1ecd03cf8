"""Strict validators of request bodies: what the vendors' servers refuse, these refuse (`T-6`)."""

from __future__ import annotations

import json
import re
from typing import Any

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def assert_well_formed_chat(body: bytes) -> list[dict[str, Any]]:
    """Chat Completions: every call is answered exactly once, at once and in no other place."""
    messages: list[dict[str, Any]] = json.loads(body.decode("utf-8"))["messages"]
    seen: set[str] = set()
    open_calls: list[str] = []
    before = ""
    for message in messages:
        role = message["role"]
        assert role in ("system", "user", "assistant", "tool"), role
        if role == "tool":
            assert message["tool_call_id"] in open_calls, "a result without its call before it"
            open_calls.remove(message["tool_call_id"])
            assert isinstance(message["content"], str) and message["content"]
        else:
            assert not open_calls, f"calls without results: {open_calls}"
        if role == "user":
            assert message["content"].strip()
            assert before != "user", "two user messages in a row"
        if role == "assistant":
            assert before in ("user", "tool"), f"assistant after {before or 'nothing'}"
            calls = message.get("tool_calls", [])
            assert message["content"] or calls, "an empty assistant message"
            for call in calls:
                assert call["id"] not in seen, "an id twice"
                assert _ID.fullmatch(call["function"]["name"])
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                seen.add(call["id"])
                open_calls.append(call["id"])
        before = role
    assert not open_calls, f"calls without results: {open_calls}"
    assert before in ("user", "tool"), f"the last word is {before}'s"
    return messages


def assert_well_formed_messages(body: bytes) -> list[dict[str, Any]]:
    """Anthropic Messages: roles alternate, results come first in the user message after their calls."""
    messages: list[dict[str, Any]] = json.loads(body.decode("utf-8"))["messages"]
    seen: set[str] = set()
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        assert message["role"] == ("user", "assistant")[index % 2], "roles do not alternate"
        blocks = message["content"]
        assert blocks, "empty content"
        kinds = [block["type"] for block in blocks]
        if message["role"] == "user":
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            assert sorted(results) == sorted(open_calls), "calls and results do not match"
            assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result"), "results come first"
            open_calls = []
        for block in blocks:
            if block["type"] == "text":
                assert block["text"].strip(), "an empty text block"
            if block["type"] == "tool_use":
                assert _ID.fullmatch(block["id"]) and block["id"] not in seen
                assert _ID.fullmatch(block["name"])
                assert isinstance(block["input"], dict)
                seen.add(block["id"])
                open_calls.append(block["id"])
    assert not open_calls
    assert messages[-1]["role"] == "user"
    return messages
