"""What a turn is begun with."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a person on its way into a turn.

    `text` is what the model gets; `typed` is what the person wrote where that is something else (a command). `tools`
    narrows the tools of the turn; None leaves all.
    """

    text: str
    attachments: tuple[str, ...] = ()
    typed: str = ""
    tools: tuple[str, ...] | None = None

    @property
    def shown(self) -> str:
        """What the person sees of it."""
        return self.typed or self.text

    @property
    def returned(self) -> str:
        """What the person gets back where it was not sent: the files that came with it stand below the text."""
        return returned(self.shown, self.attachments)


def returned(text: str, attachments: Sequence[str]) -> str:
    """A message as it is given back, a line for each file."""
    return "\n".join((text, *attachments))
