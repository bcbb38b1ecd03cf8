"""Events of the Messages dialect put together into one answer. Pure; blocks keep their order (`P-4`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from placet.core.domain.messages import Usage
from placet.core.domain.model_calls import (
    Answer,
    ArgumentsDelta,
    Finish,
    ModelPiece,
    ReasoningDelta,
    RequestedCall,
    TextDelta,
)
from placet.core.domain.text import TextJoiner, clean_text
from placet.core.providers.accumulating import as_parts, count_of, decode_event, incomplete, table_of, text_of
from placet.core.providers.faults import error_in_stream
from placet.core.providers.sse import SseEvent

_FINISHES = {
    "end_turn": Finish.STOP, "stop_sequence": Finish.STOP, "tool_use": Finish.TOOL_CALLS, "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH, "refusal": Finish.FILTER,
}  # fmt: skip
_GROWING = {"text": "text", "thinking": "thinking", "tool_use": ""}  # the field of a block that its deltas extend
_BLOCK_OF_DELTA = {
    "text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking", "input_json_delta": "tool_use",
}  # fmt: skip


class _Block:
    """One content block. What came with its start is kept as it came; `json` gathers a call's arguments."""

    def __init__(self, start: dict[str, Any], call_position: int) -> None:
        self.fields = dict(start)
        self.kind = text_of(start.get("type"))
        self.call_position = call_position
        self.joiner = TextJoiner()
        self.json: list[str] = []
        self.growing = _GROWING.get(self.kind, "")
        first = text_of(start.get(self.growing)) if self.growing else ""
        self.pieces = [first] if first else []

    @property
    def arguments(self) -> str:
        """A call's arguments as text: the streamed ones, else those that came with the start."""
        streamed = clean_text("".join(self.json))
        given = self.fields.get("input")
        if streamed.strip() or not given:
            return streamed if streamed.strip() else "{}"
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    def whole(self) -> dict[str, Any]:
        """Return the block as it goes back to the provider."""
        block = dict(self.fields)
        if self.growing:
            block[self.growing] = "".join(self.pieces)
        if self.json or "input" in block:
            block["input"] = _object_or_empty(self.arguments)
        return block

    def has_content(self) -> bool:
        """An empty text, or thinking with neither text nor signature, would be refused when sent back."""
        if self.kind == "text":
            return bool("".join(self.pieces))
        return self.kind != "thinking" or bool("".join(self.pieces) or self.fields.get("signature"))


class AnthropicStream:
    """One stream. Implements `Accumulator`."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._by_index: dict[Any, _Block] = {}
        self._calls = 0
        self._counts: dict[str, Any] = {}
        self._finish: Finish | None = None
        self._is_stopped = self._has_started = False

    @property
    def is_complete(self) -> bool:
        return self._is_stopped or self._finish is not None

    @property
    def is_closed(self) -> bool:
        return self._is_stopped

    def feed(self, event: SseEvent) -> Iterator[ModelPiece]:
        data = event.data.strip()
        if not data or data == "[DONE]" or self._is_stopped:
            return
        value = decode_event(data)
        if isinstance(value, dict):
            yield from self.feed_event(value, event.event)

    def feed_event(self, event: dict[str, Any], name: str = "") -> Iterator[ModelPiece]:
        """Take one parsed event in. Unknown types mean nothing; the vendor adds them."""
        kind = text_of(event.get("type")) or name
        if kind == "error" or (event.get("error") and "delta" not in event):
            raise error_in_stream(event)
        if kind in ("message_start", "message"):
            yield from self._start(table_of(event.get("message")) if kind == "message_start" else event)
        elif kind == "content_block_start":
            yield from self._open(event.get("index"), table_of(event.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._delta(event.get("index"), table_of(event.get("delta")))
        elif kind == "message_delta":
            self._end(table_of(event.get("delta")), table_of(event.get("usage")))
        elif kind == "message_stop":
            self._is_stopped = True

    def _start(self, message: dict[str, Any]) -> Iterator[ModelPiece]:
        """Begin; a server that does not stream gives its whole message here."""
        self._has_started = True
        for index, block in enumerate(message.get("content") or ()):
            yield from self._open(index, table_of(block))
        self._end(message, table_of(message.get("usage")))

    def _end(self, delta: dict[str, Any], usage: dict[str, Any]) -> None:
        self._counts.update({name: value for name, value in usage.items() if value is not None})
        if reason := text_of(delta.get("stop_reason")):
            self._finish = _FINISHES.get(reason, Finish.UNKNOWN)

    def _open(self, index: Any, start: dict[str, Any]) -> Iterator[ModelPiece]:
        block = _Block(start, self._calls)
        self._has_started = True
        self._blocks.append(block)
        self._by_index[index] = block
        first = "".join(block.pieces)
        if block.kind == "tool_use":
            self._calls += 1
            yield ArgumentsDelta(block.call_position, text_of(start.get("name")), "")
        elif first:
            block.pieces = []
            yield from self._grow(block, first)

    def _delta(self, index: Any, delta: dict[str, Any]) -> Iterator[ModelPiece]:
        kind = text_of(delta.get("type"))
        block = self._by_index.get(index)
        if block is None:  # some imitations leave the start out
            yield from self._open(index, {"type": _BLOCK_OF_DELTA.get(kind, "text")})
            block = self._by_index[index]
        if kind == "input_json_delta":
            piece = text_of(delta.get("partial_json"))
            block.json.append(piece)
            if block.kind == "tool_use" and piece:
                yield ArgumentsDelta(block.call_position, text_of(block.fields.get("name")), clean_text(piece))
        elif kind == "signature_delta":
            block.fields["signature"] = text_of(delta.get("signature"))
        elif kind == "citations_delta":
            block.fields["citations"] = [*(block.fields.get("citations") or ()), delta.get("citation")]
        elif kind in ("text_delta", "thinking_delta"):
            yield from self._grow(block, text_of(delta.get("text" if kind == "text_delta" else "thinking")))

    def _grow(self, block: _Block, piece: str) -> Iterator[ModelPiece]:
        shown = block.joiner.feed(piece)
        if shown:
            block.pieces.append(shown)
            yield ReasoningDelta(shown) if block.kind == "thinking" else TextDelta(shown)

    def finish(self) -> Iterator[ModelPiece]:
        if not self.is_complete:
            raise incomplete(anything_came=self._has_started)
        for block in self._blocks:
            if held := block.joiner.finish():
                block.pieces.append(held)
                yield ReasoningDelta(held) if block.kind == "thinking" else TextDelta(held)
        calls = tuple(
            RequestedCall(
                provider_id=clean_text(text_of(block.fields.get("id"))),
                name=clean_text(text_of(block.fields.get("name"))),
                arguments=block.arguments,
            )
            for block in self._blocks
            if block.kind == "tool_use" and block.fields.get("name")
        )
        finish = self._finish or Finish.STOP
        if calls and finish in (Finish.STOP, Finish.UNKNOWN):
            finish = Finish.TOOL_CALLS
        yield Answer(
            text=self._joined("text"),
            reasoning=self._joined("thinking"),
            calls=calls,
            parts=self._parts(),
            finish=finish,
            usage=self._usage(),
        )

    def _joined(self, kind: str) -> str:
        return "".join(piece for block in self._blocks if block.kind == kind for piece in block.pieces)

    def _parts(self) -> str:
        """Return all blocks as a JSON list if any says more than text and calls; else nothing."""
        kept = [block.whole() for block in self._blocks if block.has_content()]
        if all(block.get("type") in ("text", "tool_use") for block in kept):
            return ""
        return as_parts(kept)

    def _usage(self) -> Usage | None:
        if not self._counts:
            return None
        cached = count_of(self._counts.get("cache_read_input_tokens"))
        written = count_of(self._counts.get("cache_creation_input_tokens"))
        return Usage(
            input_tokens=count_of(self._counts.get("input_tokens")) + cached + written,
            output_tokens=count_of(self._counts.get("output_tokens")),
            cached_tokens=cached,
        )


def _object_or_empty(arguments: str) -> dict[str, Any]:
    """Return the object that `arguments` is; the call itself keeps what the model wrote."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
