"""Bytes of each dialect. A turn is serialised once; a body is the join of those exact bytes (`C-1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from placet.core.context.wellformed import AssistantTurn, Turn, UserTurn
from placet.core.context.window import DEFAULT_MAX_OUTPUT
from placet.core.domain.model_calls import Binding, Dialect
from placet.core.domain.tools import ToolSpec

_encode = msgspec.json.Encoder().encode


class Wire(Protocol):
    """One dialect. `turn` gives the messages of a turn, joined by commas; `head` a request up to its messages.

    Messages come last, so that a longer history only appends: a body is head, messages, `END`.
    `signs_calls`: a call may be refused that has no signed reasoning before it.
    """

    signs_calls: bool

    def turn(self, turn: Turn, provider: str, *, marked: bool = False) -> bytes: ...

    def head(self, binding: Binding, system: str, tools: Sequence[ToolSpec]) -> bytes: ...


END = b"]}"


def body(head: bytes, turns: Sequence[bytes | bytearray]) -> bytes:
    """Join a request, copying the history once. A head that ends in a message is followed by a comma."""
    parts: list[bytes | bytearray] = [head]
    for turn in turns:
        if len(parts) > 1 or not head.endswith(b"["):
            parts.append(b",")
        parts.append(turn)
    parts.append(END)
    return b"".join(parts)


def wire_for(dialect: Dialect) -> Wire:
    return _ANTHROPIC if dialect is Dialect.ANTHROPIC else _CHAT


def _stored_parts(turn: AssistantTurn, provider: str) -> Any:
    """Return the answer's own blocks if they came from `provider`: they mean nothing to another (`P-4`)."""
    if not turn.parts or turn.provider != provider:
        return None
    try:
        return msgspec.json.decode(turn.parts)
    except msgspec.DecodeError:
        return None


def _open(head: dict[str, Any], first: bytes = b"") -> bytes:
    return _encode(head)[:-1] + b',"messages":[' + first


class ChatCompletionsWire:
    """OpenAI's Chat Completions and everything that imitates it."""

    signs_calls = False

    def turn(self, turn: Turn, provider: str, *, marked: bool = False) -> bytes:
        if isinstance(turn, AssistantTurn):
            return _encode(self._assistant(turn, provider))
        messages: list[dict[str, Any]] = [
            {"role": "tool", "tool_call_id": result.id, "content": result.text} for result in turn.results
        ]
        if turn.texts:
            messages.append({"role": "user", "content": "\n\n".join(turn.texts)})
        return b",".join(map(_encode, messages))

    def _assistant(self, turn: AssistantTurn, provider: str) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
        if turn.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in turn.calls
            ]
        extra = _stored_parts(turn, provider)
        if isinstance(extra, dict):
            message.update({key: value for key, value in extra.items() if key not in message})
        return message

    def head(self, binding: Binding, system: str, tools: Sequence[ToolSpec]) -> bytes:
        model = binding.model
        head: dict[str, Any] = {
            "model": model.model_id,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if model.temperature is not None:
            head["temperature"] = model.temperature
        if model.max_output_tokens:
            own = "//api.openai.com" in binding.provider.base_url  # its newer models refuse the old name
            head["max_completion_tokens" if own else "max_tokens"] = model.max_output_tokens
        if tools:
            head["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        return _open(head, _encode({"role": "system", "content": system}) if system else b"")


_CACHE = {"type": "ephemeral"}


class MessagesWire:
    """Anthropic's Messages: results and texts of one turn are one user message, results first."""

    signs_calls = True

    def turn(self, turn: Turn, provider: str, *, marked: bool = False) -> bytes:
        if isinstance(turn, AssistantTurn):
            return _encode({"role": "assistant", "content": self._assistant(turn, provider)})
        return _encode({"role": "user", "content": self._user(turn, marked=marked)})

    @staticmethod
    def _user(turn: UserTurn, *, marked: bool) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        for result in turn.results:
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.id, "content": result.text}
            if result.is_error:
                block["is_error"] = True
            blocks.append(block)
        if turn.texts:
            blocks.append({"type": "text", "text": "\n\n".join(turn.texts)})
        if marked:
            blocks[-1]["cache_control"] = _CACHE
        return blocks

    def _assistant(self, turn: AssistantTurn, provider: str) -> list[dict[str, Any]]:
        calls = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": msgspec.json.decode(call.arguments)}
            for call in turn.calls
        ]
        stored = _stored_parts(turn, provider)
        if isinstance(stored, list):
            return self._as_it_came(stored, calls)
        return ([{"type": "text", "text": turn.text}] if turn.text else []) + calls

    @staticmethod
    def _as_it_came(stored: list[Any], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answer's own blocks in their order: signed reasoning is valid only where it stood."""
        waiting = iter(calls)
        blocks: list[dict[str, Any]] = []
        for block in stored:
            kind = block.get("type")
            if kind == "tool_use":
                blocks.extend([call] if (call := next(waiting, None)) else [])
            elif kind != "text" or str(block.get("text", "")).strip():
                blocks.append(block)
        return [*blocks, *waiting]

    def head(self, binding: Binding, system: str, tools: Sequence[ToolSpec]) -> bytes:
        model = binding.model
        head: dict[str, Any] = {
            "model": model.model_id,
            "max_tokens": model.max_output_tokens or DEFAULT_MAX_OUTPUT,
            "stream": True,
        }
        if model.temperature is not None:
            head["temperature"] = model.temperature
        if tools:
            head["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ]
            head["tools"][-1]["cache_control"] = _CACHE
        if system:
            head["system"] = [{"type": "text", "text": system, "cache_control": _CACHE}]
        return _open(head)


_CHAT: Wire = ChatCompletionsWire()
_ANTHROPIC: Wire = MessagesWire()
