"""What a turn is begun with."""

from __future__ import annotations

import msgspec


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a person on its way into a turn.

    `tools` narrows the turn's tools to those named.
    """

    text: str
    attachments: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
