"""Steps of a scripted answer, and how each is written in Chat Completions and in Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any


@dataclass(frozen=True)
class Text:
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Reasoning:
    pieces: tuple[str, ...]
    signature: str


@dataclass(frozen=True)
class Call:
    name: str
    fragments: tuple[str, ...]
    id: str


@dataclass(frozen=True)
class Usage:
    input: int
    output: int
    cached: int


@dataclass(frozen=True)
class Finish:
    reason: str


@dataclass(frozen=True)
class Error:
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    data: bytes


@dataclass(frozen=True)
class Cut:
    clean: bool


@dataclass(frozen=True)
class Stall:
    pass


@dataclass(frozen=True)
class Pause:
    seconds: float


Step = Text | Reasoning | Call | Usage | Finish | Error | Raw | Cut | Stall | Pause


def text(*pieces: str) -> Text:
    """Answer text; each piece is one delta."""
    return Text(pieces)


def reasoning(*pieces: str, signature: str = "") -> Reasoning:
    """Reasoning: `reasoning_content` deltas, or a (signed) thinking block."""
    return Reasoning(pieces, signature)


def call(name: str, arguments: Any = None, *, id: str = "", pieces: int = 2) -> Call:
    """A tool call. A dict is sent as JSON in `pieces` fragments; a str is sent as it is, valid or not."""
    whole = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    size = max(1, -(-len(whole) // pieces))
    return Call(name, tuple(whole[at : at + size] for at in range(0, len(whole), size)), id)


def usage(input: int, output: int, cached: int = 0) -> Usage:
    """Reported token counts, instead of those made up from lengths. `input` includes `cached`."""
    return Usage(input, output, cached)


def finish(reason: str) -> Finish:
    """The finish reason in Chat Completions words (`stop`, `length`, `tool_calls`, `content_filter`)."""
    return Finish(reason)


def error(status: int, body: Any = None, **headers: str) -> Error:
    """First in an answer: this HTTP status. Later: an error object inside the running stream.

    `body` is a dict or str sent as it is; None gives the dialect's usual shape. `retry_after="2"` becomes a header.
    """
    return Error(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def raw(data: bytes) -> Raw:
    """Exactly these bytes. An answer with a raw step gets no end mark of its own."""
    return Raw(data)


def cut(*, clean: bool = False) -> Cut:
    """End without an end mark: the connection breaks, or (clean) the HTTP body ends properly."""
    return Cut(clean)


def stall() -> Stall:
    """Send nothing more until `server.release()` or until the client goes away."""
    return Stall()


def pause(seconds: float) -> Pause:
    """Let time pass between two steps, for benchmarks that need a pace."""
    return Pause(seconds)


_ids = count(1)


class Chat:
    """Chat Completions chunks."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._calls = 0

    def open(self, input_tokens: int) -> bytes:
        return self._delta({"role": "assistant", "content": ""})

    def step(self, step: Text | Reasoning | Call) -> Iterator[bytes]:
        if isinstance(step, Text):
            yield from (self._delta({"content": piece}) for piece in step.pieces)
        elif isinstance(step, Reasoning):
            yield from (self._delta({"reasoning_content": piece}) for piece in step.pieces)
        else:
            index, self._calls = self._calls, self._calls + 1
            head = {"index": index, "id": step.id or f"call_{next(_ids)}", "type": "function"}
            yield self._delta({"tool_calls": [head | {"function": {"name": step.name, "arguments": ""}}]})
            for fragment in step.fragments:
                yield self._delta({"tool_calls": [{"index": index, "function": {"arguments": fragment}}]})

    def error(self, error: Error) -> bytes:
        return _data(error.body if error.body is not None else self.error_body(error.status))

    @staticmethod
    def error_body(status: int) -> dict[str, Any]:
        return {"error": {"message": f"scripted error {status}", "type": "scripted", "code": status}}

    def close(self, reason: str, used: Usage) -> bytes:
        reason = reason or ("tool_calls" if self._calls else "stop")
        counts = {
            "prompt_tokens": used.input, "completion_tokens": used.output, "total_tokens": used.input + used.output,
            "prompt_tokens_details": {"cached_tokens": used.cached},
        }  # fmt: skip
        end = self._chunk([{"index": 0, "delta": {}, "finish_reason": reason}])
        return end + self._chunk([], usage=counts) + b"data: [DONE]\n\n"

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return self._chunk([{"index": 0, "delta": delta, "finish_reason": None}])

    def _chunk(self, choices: list[Any], **more: Any) -> bytes:
        base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": self._model}
        return _data(base | {"choices": choices} | more)


class Messages:
    """Messages events."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._blocks = 0
        self._has_calls = False

    def open(self, input_tokens: int) -> bytes:
        message: dict[str, Any] = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": self._model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": input_tokens, "output_tokens": 1},
        }  # fmt: skip
        return _event("message_start", message=message)

    def step(self, step: Text | Reasoning | Call) -> Iterator[bytes]:
        block: dict[str, Any]
        if isinstance(step, Text):
            yield from self._block({"type": "text", "text": ""}, "text_delta", "text", step.pieces)
        elif isinstance(step, Reasoning):
            block = {"type": "thinking", "thinking": "", "signature": ""}
            yield from self._block(block, "thinking_delta", "thinking", step.pieces, step.signature)
        else:
            self._has_calls = True
            block = {"type": "tool_use", "id": step.id or f"toolu_{next(_ids)}", "name": step.name, "input": {}}
            yield from self._block(block, "input_json_delta", "partial_json", step.fragments)

    def _block(
        self, block: dict[str, Any], kind: str, field: str, pieces: tuple[str, ...], signature: str = ""
    ) -> Iterator[bytes]:
        index, self._blocks = self._blocks, self._blocks + 1
        yield _event("content_block_start", index=index, content_block=block)
        for piece in pieces:
            yield _event("content_block_delta", index=index, delta={"type": kind, field: piece})
        if signature:
            delta = {"type": "signature_delta", "signature": signature}
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)

    def error(self, error: Error) -> bytes:
        return _data(error.body if error.body is not None else self.error_body(error.status), "error")

    @staticmethod
    def error_body(status: int) -> dict[str, Any]:
        kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": f"scripted error {status}"}}

    def close(self, reason: str, used: Usage) -> bytes:
        words = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
        reason = words.get(reason, reason) or ("tool_use" if self._has_calls else "end_turn")
        counts = {
            "input_tokens": used.input - used.cached, "cache_read_input_tokens": used.cached,
            "output_tokens": used.output,
        }  # fmt: skip
        delta = {"stop_reason": reason, "stop_sequence": None}
        return _event("message_delta", delta=delta, usage=counts) + _event("message_stop")


def render(
    dialect: Chat | Messages, steps: Sequence[Step], *, input_tokens: int
) -> Iterator[bytes | Stall | Pause | Cut]:
    """Give the bytes of an answer in order, with the places where it holds or breaks, and its end mark if it has one."""
    shown = sum(len("".join(step.pieces)) for step in steps if isinstance(step, Text | Reasoning))
    used = next((step for step in steps if isinstance(step, Usage)), Usage(input_tokens, max(1, shown // 4), 0))
    reason = next((step.reason for step in steps if isinstance(step, Finish)), "")
    if not any(isinstance(step, Raw) for step in steps):
        yield dialect.open(used.input)
    for step in steps:
        if isinstance(step, Text | Reasoning | Call):
            yield from (data for data in dialect.step(step) if data)
        elif isinstance(step, Raw | Error):
            yield step.data if isinstance(step, Raw) else dialect.error(step)
        elif isinstance(step, Stall | Pause) or (isinstance(step, Cut) and not step.clean):
            yield step
    if not any(isinstance(step, Raw | Error | Cut) for step in steps):
        yield dialect.close(reason, used)


def _data(value: Any, event: str = "") -> bytes:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return (f"event: {event}\n" if event else "").encode() + b"data: " + shown.encode() + b"\n\n"


def _event(kind: str, **fields: Any) -> bytes:
    return _data({"type": kind} | fields, kind)
