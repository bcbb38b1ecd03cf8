"""From a stored call back to the write it proposed (`R-13`).

A call's plan is a pure function of the file's bytes, so the proposal is known again as soon as those bytes are. They
are looked for in the file itself and in the journal, and the digest that the decision was made on tells when they are
the right ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from pathlib import Path

import msgspec

from placet.core.domain.errors import PlacetError, ToolFailure, UnknownItem
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.tools import FileWrite, PlannedWrite
from placet.core.review.files import digest_of
from placet.core.review.requests import write_binding
from placet.core.review.three_way import merge
from placet.core.review.unwinding import read_now


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """Both contents of a proposal. `is_exact` says that they are those of then, byte for byte."""

    old: bytes | None
    new: bytes
    is_exact: bool = True


class PastProposals:
    """Reads the journal and the files; changes neither."""

    def __init__(self, journal: ChangeJournal) -> None:
        self._journal = journal

    async def sides(
        self, operation: FileWrite, digests: Container[str], at: float, below: Sequence[FileWrite] = ()
    ) -> Sides | None:
        """What the call proposed: for the bytes of then, else for those of now; None where it fits neither.

        `digests` are what it was decided on, none where it was not; `at` is when that was. `below` are the writes of
        the same file that its answer had before it: it was planned on what they would leave.
        """
        now = await _read(operation.path)
        known = [now, *await self._contents_near(operation.path, at)]
        for old in await asyncio.to_thread(_with_planned, known, below):
            planned = await asyncio.to_thread(_attempt, operation, old)
            if planned is None:
                continue
            if write_binding(operation.path, digest_of(old), digest_of(planned)) in digests:
                return Sides(old=old, new=planned)
        planned = await asyncio.to_thread(_attempt, operation, now)
        return Sides(old=now, new=planned, is_exact=False) if planned is not None and planned != now else None

    async def _contents_near(self, path: Path, at: float) -> Sequence[bytes | None]:
        """What the file held about that time, as far as Placet wrote it: round the last write before, the next after."""
        rows = [row for row in await self._journal.of_file(str(path)) if row.state is not ChangeState.ABANDONED]
        before = next((row for row in rows if row.created_at <= at), None)
        after = next((row for row in reversed(rows) if row.created_at > at), None)
        found: dict[str, bytes | None] = {}
        for change in (before, after):
            if change is not None:
                found.update(await self._contents(change))
        return list(found.values())

    async def _contents(self, change: Change) -> dict[str, bytes | None]:
        try:
            old, new = await self._journal.contents(change.id)
        except UnknownItem:  # past the time that contents are kept
            return {}
        return {change.after_digest: new, change.before_digest: old}


def _with_planned(contents: Sequence[bytes | None], below: Sequence[FileWrite]) -> list[bytes | None]:
    """Each content, and behind it what the writes make of it one after the other."""
    found: list[bytes | None] = []
    for content in contents:
        found.append(content)
        for write in below:
            planned = _attempt(write, found[-1])
            if planned is not None:
                found.append(planned)
    return found


def proposed_from(operation: FileWrite, old: bytes | None) -> bytes | None:
    """What the call itself made of a content; None where it does not fit it. For a worker thread."""
    return _attempt(operation, old)


def again(operation: FileWrite, then: Sides | None) -> FileWrite:
    """The same write for a file that may have moved on: what others changed meanwhile stays, where that can be.

    `then` are the bytes it was proposed on, if they are known. The plan fails with words for a person.
    """
    exact = then if then is not None and then.is_exact else None
    return msgspec.structs.replace(operation, plan=lambda now: _plan_again(operation, exact, now))


def _plan_again(operation: FileWrite, then: Sides | None, now: bytes | None) -> PlannedWrite:
    if then is not None and now != then.old:
        merged = merge(then.old, then.new, now)
        if not merged.conflicts and merged.content is not None:
            if merged.content == now:
                raise ToolFailure(f"{operation.label} already has all of this; there is nothing to change.")
            notice = "The file has changed since this was proposed. What was changed elsewhere in it stays"
            return PlannedWrite(new=merged.content, result="", notice=notice)
    try:
        planned = operation.plan(now)
    except ToolFailure as failure:
        raise ToolFailure(
            f"{operation.label} has changed since, and this proposal does not fit it any more.",
            hint="Copy it as a patch, or ask the model to propose it anew.",
            detail=str(failure),
        ) from failure
    if then is not None and now != then.old:
        notice = "The file has changed since this was proposed, in the same places: look for what would be lost"
        planned = msgspec.structs.replace(planned, notice=notice)
    return planned


def _attempt(operation: FileWrite, old: bytes | None) -> bytes | None:
    try:
        return operation.plan(old).new
    except ToolFailure:
        return None


async def _read(path: Path) -> bytes | None:
    """A file that cannot be read is none here: its proposal may still be known from the journal."""
    try:
        return await asyncio.to_thread(read_now, path)
    except PlacetError:
        return None
