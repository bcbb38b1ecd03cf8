"""What a turn is begun with."""

from __future__ import annotations

import msgspec


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a person on its way into a turn."""

    text: str
    attachments: tuple[str, ...] = ()
