"""What the accumulators of all dialects share: their protocol, JSON as servers write it, counts. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from placet.core.domain.errors import ProviderError, ProviderFault
from placet.core.domain.model_calls import ModelPiece
from placet.core.domain.text import clean_text
from placet.core.providers.sse import SseEvent


class Accumulator(Protocol):
    """Takes the events of one stream, gives pieces to show at once, and at the end the whole answer."""

    @property
    def is_complete(self) -> bool:
        """Whether an end mark has come: what follows, if anything, is counts only."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing at all can follow."""

    def feed(self, event: SseEvent) -> Iterator[ModelPiece]:
        """Consume all of it before the next call. Raises: ProviderError for an error object in the stream."""

    def finish(self) -> Iterator[ModelPiece]:
        """Give held text and, last, the `Answer`. Raises: ProviderError without an end mark (`P-6`)."""


def decode_event(data: str) -> Any:
    """Return the value of an event's JSON. Lone surrogates pass here; text is cleaned where it is joined.

    Raises: ProviderError for what is no JSON.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeEncodeError):
        pass  # stricter than JSON itself: half of a surrogate pair is a fault to it
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProviderError(
            ProviderFault.BROKEN_STREAM,
            "The server sent a piece of the answer that is not valid JSON; the answer is incomplete.",
            hint="Try again; if it stays so, the server or something between is faulty.",
            detail=f"{error}: {data[:300]}",
        ) from None


def as_json_text(arguments: Any) -> str:
    """Return arguments as a text: some servers send the object itself, or null."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def as_parts(value: Any) -> str:
    """Return the JSON text of what goes back to the provider verbatim, for `Answer.parts`."""
    return clean_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def count_of(value: Any) -> int:
    """Return a token count as servers write it: a number, perhaps as 3.0; 0 where it is missing or can be none."""
    return int(amount_of(value) or 0)


def amount_of(value: Any) -> float | None:
    """Return a number from nothing to what a float holds exactly; None for all else, as `1e999` or true."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= 2**53 else None


def text_of(value: Any) -> str:
    """Return `value` if it is a text, else an empty one: null and oddities count as nothing."""
    return value if isinstance(value, str) else ""


def table_of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def incomplete(*, anything_came: bool) -> ProviderError:
    """Return the error for a stream that ended without its end mark (`P-6`)."""
    if not anything_came:
        return ProviderError(
            ProviderFault.EMPTY,
            "The server closed the connection without sending an answer.",
            hint="Try again; if it stays so, look at the server's own log.",
        )
    return ProviderError(
        ProviderFault.BROKEN_STREAM,
        "The model's answer broke off before its end; it is incomplete and nothing that it asked for was run.",
        hint="Check the network connection or the server, then try again.",
    )
