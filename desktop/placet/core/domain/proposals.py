"""A write that a model proposed, told after the fact: what it wanted, and what was made of it (`R-13`)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.ids import CallId

AGAIN = "propose_again"
"""Stands in the journal in the place of a tool where a person took up a proposal themselves."""


class Basis(StrEnum):
    """How much of the file as it was then is known."""

    EXACT = "exact"  # the very bytes that were proposed, or written
    NOW = "now"  # the file of then is not kept: what the call would make of the file as it is now
    PARTS = "parts"  # it does not fit the file of now either: only the pieces that the call itself holds


class ProposedText(msgspec.Struct, frozen=True, kw_only=True):
    """One difference with both of its portable forms: a patch, and the whole new content as text.

    Both are empty where the content is no text; the new content also where the file is deleted.
    """

    diff: FileDiff
    patch: str = ""
    new_text: str = ""


class ProposedWrite(msgspec.Struct, frozen=True, kw_only=True):
    """`proposed` is what the model wanted, None where that cannot be told any more; `note` says in words what is
    missing. `written` is there only where a person changed it before it was written.
    """

    call_id: CallId
    path: str
    label: str
    basis: Basis = Basis.EXACT
    proposed: ProposedText | None = None
    written: ProposedText | None = None
    note: str = ""
