"""How a turn can end. A closed set: exhausted is not failed.

A turn that the end of the program cuts off has none: its task is cancelled, and its rows say what still waits.
"""

from __future__ import annotations

import msgspec

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import MessageId


class Final(msgspec.Struct, frozen=True, kw_only=True):
    """The model gave a final text."""

    text: str
    message_id: MessageId
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    truncated: bool = False


class Cancelled(msgspec.Struct, frozen=True):
    """A person stopped it."""


class Exhausted(msgspec.Struct, frozen=True):
    """The round limit was reached without a final text."""

    rounds: int


class Failed(msgspec.Struct, frozen=True):
    """An error ended it; the session stays usable."""

    error: PlacetError


Outcome = Final | Cancelled | Exhausted | Failed
