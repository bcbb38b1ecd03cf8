"""Chat Completions chunks put together into one answer. Pure; lenient where real servers differ (`P-1`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from placet.core.domain.messages import Usage
from placet.core.domain.model_calls import Answer, Finish, ModelPiece, ReasoningDelta, TextDelta
from placet.core.domain.text import TextJoiner
from placet.core.providers.accumulating import (
    amount_of,
    as_parts,
    count_of,
    decode_event,
    incomplete,
    list_of,
    table_of,
    text_of,
)
from placet.core.providers.call_drafts import CallDrafts
from placet.core.providers.faults import error_in_stream
from placet.core.providers.plain_chunk import plain_text
from placet.core.providers.reasoning_details import ReasoningDetails
from placet.core.providers.sse import SseEvent

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought")
_FINISHES = {
    "stop": Finish.STOP, "eos": Finish.STOP, "end_turn": Finish.STOP, "stop_sequence": Finish.STOP,
    "tool_calls": Finish.TOOL_CALLS, "function_call": Finish.TOOL_CALLS, "tool_use": Finish.TOOL_CALLS,
    "length": Finish.LENGTH, "max_tokens": Finish.LENGTH, "model_length": Finish.LENGTH,
    "content_filter": Finish.FILTER, "safety": Finish.FILTER, "refusal": Finish.FILTER,
}  # fmt: skip


class OpenAiStream:
    """One stream. Implements `Accumulator`."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._text_joiner, self._reasoning_joiner = TextJoiner(), TextJoiner()
        self._calls = CallDrafts()
        self._details = ReasoningDetails()
        self._reasoning_field = ""
        self._finish: Finish | None = None
        self._usage: Usage | None = None
        self._has_done_mark = self._has_chunks = False

    @property
    def is_complete(self) -> bool:
        return self._has_done_mark or self._finish is not None

    @property
    def is_closed(self) -> bool:
        return self._has_done_mark

    def feed(self, event: SseEvent) -> Iterator[ModelPiece]:
        data = event.data.strip()
        if data == "[DONE]":
            self._has_done_mark = True
        elif self._has_done_mark or not data:
            return
        elif (text := plain_text(data)) is not None:
            self._has_chunks = True
            if shown := self._text_joiner.feed(text):
                self._text.append(shown)
                yield TextDelta(shown)
        else:
            chunk = decode_event(data)
            if isinstance(chunk, dict):
                yield from self.feed_chunk(chunk, event.event)

    def feed_chunk(self, chunk: dict[str, Any], event: str = "") -> Iterator[ModelPiece]:
        """Take one parsed chunk in; a whole completion (`message` for `delta`) is a chunk too."""
        if chunk.get("error") or event == "error" or chunk.get("object") == "error":
            raise error_in_stream(chunk)
        self._usage = _usage(chunk) or self._usage
        choices = [choice for choice in list_of(chunk.get("choices")) if isinstance(choice, dict)]
        for choice in choices:
            if choice.get("index") in (0, None):  # one answer was asked for; others are not ours
                self._has_chunks = True
                yield from self._delta(table_of(choice.get("delta") or choice.get("message")))
                self._end(choice)

    def _delta(self, delta: dict[str, Any]) -> Iterator[ModelPiece]:
        yield from self._reason(delta)
        for piece in (*_texts(delta.get("content")), text_of(delta.get("refusal"))):
            if shown := self._text_joiner.feed(piece):
                self._text.append(shown)
                yield TextDelta(shown)
        for fragment in list_of(delta.get("tool_calls")):
            yield from self._calls.feed(fragment)
        if isinstance(old_style := delta.get("function_call"), dict):
            yield from self._calls.feed({"index": 0, "function": old_style})

    def _reason(self, delta: dict[str, Any]) -> Iterator[ModelPiece]:
        """Servers give the same reasoning in several fields at once: the first known one counts."""
        details = self._details.feed(delta.get("reasoning_details"))
        known = (name for name in _REASONING_FIELDS if text_of(delta.get(name)))
        field = next(known, "")
        self._reasoning_field = self._reasoning_field or field
        piece = text_of(delta.get(field)) or details or "".join(_thoughts(delta.get("content")))
        if shown := self._reasoning_joiner.feed(piece):
            self._reasoning.append(shown)
            yield ReasoningDelta(shown)

    def _end(self, choice: dict[str, Any]) -> None:
        reason = text_of(choice.get("finish_reason")).lower()
        if reason == "error":
            raise error_in_stream(choice)
        if reason:
            self._finish = _FINISHES.get(reason, Finish.UNKNOWN)

    def finish(self) -> Iterator[ModelPiece]:
        if not self.is_complete or not self._has_chunks:
            raise incomplete(anything_came=self._has_chunks)
        if held := self._reasoning_joiner.finish():
            self._reasoning.append(held)
            yield ReasoningDelta(held)
        if held := self._text_joiner.finish():
            self._text.append(held)
            yield TextDelta(held)
        calls = self._calls.finish()
        finish = self._finish or Finish.STOP
        if calls and finish in (Finish.STOP, Finish.UNKNOWN):
            finish = Finish.TOOL_CALLS
        elif not calls and finish is Finish.TOOL_CALLS:
            finish = Finish.STOP
        reasoning = "".join(self._reasoning)
        yield Answer(
            text="".join(self._text),
            reasoning=reasoning,
            calls=calls,
            parts=self._parts(reasoning, has_calls=bool(calls)),
            finish=finish,
            usage=self._usage,
        )

    def _parts(self, reasoning: str, *, has_calls: bool) -> str:
        """Return the message fields to send back, as a JSON object, where a provider needs them (`P-4`).

        `reasoning_details` carry signatures. `reasoning_content` is demanded beside tool calls by the vendors
        that use this name (DeepSeek, Moonshot, Z.AI).
        """
        if self._details:
            return as_parts({"reasoning_details": self._details.merged()})
        if has_calls and reasoning and self._reasoning_field == "reasoning_content":
            return as_parts({"reasoning_content": reasoning})
        return ""


def _texts(content: Any) -> Iterator[str]:
    """Give the text of `content`: a text, null, or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in list_of(content):
        if isinstance(part, dict) and part.get("type") in ("text", None):
            yield text_of(part.get("text"))


def _thoughts(content: Any) -> Iterator[str]:
    """Give reasoning that comes as parts of `content`."""
    for part in list_of(content):
        if isinstance(part, dict) and part.get("type") == "thinking":
            yield from _texts(part.get("thinking"))


def _usage(chunk: dict[str, Any]) -> Usage | None:
    """Return the counts of a chunk, if it has any; they are totals, so the last ones win."""
    counts = table_of(chunk.get("usage")) or table_of(table_of(chunk.get("x_groq")).get("usage"))
    if not counts:
        return None
    read = table_of(counts.get("prompt_tokens_details"))
    written = table_of(counts.get("completion_tokens_details"))
    return Usage(
        input_tokens=count_of(counts.get("prompt_tokens")),
        output_tokens=count_of(counts.get("completion_tokens")),
        cached_tokens=count_of(read.get("cached_tokens")) or count_of(counts.get("prompt_cache_hit_tokens")),
        reasoning_tokens=count_of(written.get("reasoning_tokens")),
        cost=amount_of(counts.get("cost")),
    )
