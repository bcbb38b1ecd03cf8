"""How a turn can end. A closed set: suspended is not cancelled, exhausted is not failed."""

from __future__ import annotations

from dataclasses import dataclass

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The model gave a final text."""

    text: str
    message_id: MessageId
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Cancelled:
    """A person stopped it."""


@dataclass(frozen=True, slots=True)
class Suspended:
    """The program ends while something waits for a person; resume asks again."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The round limit was reached without a final text."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An error ended it; the session stays usable."""

    error: PlacetError


Outcome = Final | Cancelled | Suspended | Exhausted | Failed
