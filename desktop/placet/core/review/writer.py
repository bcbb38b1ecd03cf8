"""The one hand that changes files: journal first, then the disk, then the journal again (`R-8`).

What was begun is finished: cancelling the caller does not tear a write, and the journal always learns how it ended.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import CallId, ChangeId, SessionId
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.stopping import TaskScope
from placet.core.review.atomic import current_digest, leftovers, put
from placet.core.review.files import digest_of

CONFLICT = (
    "Another program changed the file in the very moment of the write. Its content was replaced; it is kept in the "
    "journal of changes."
)
UNKNOWN = (
    "The program ended during this write, and the file now has a content that is neither the one before nor the one "
    "after it."
)


class PlannedChange(msgspec.Struct, frozen=True, kw_only=True):
    """One file's way from `before` to `after`; None is "no file". `note` tells what a person changed in it before."""

    session_id: SessionId
    call_id: CallId | None
    tool: str
    path: Path
    before: bytes | None
    after: bytes | None
    added: int
    removed: int
    reverts: ChangeId | None = None
    note: str = ""
    other_names: int | None = None  # hard links that were shown; None: however many there are
    reverts_also: tuple[ChangeId, ...] = ()


class JournalledWriter:
    """Writes and deletes files under a digest."""

    def __init__(self, journal: ChangeJournal) -> None:
        self._journal = journal
        self._scope = TaskScope("file writes")

    async def write(self, planned: PlannedChange) -> Change:
        """Make the change and return it, settled. A cancelled caller still waits for the end of it.

        Raises: StalePreview where the file is not `before`, ToolFailure where it cannot be written; nothing was
        changed then, and the journal says so.
        """
        task = self._scope.start(self._guarded(planned))
        try:
            outcome = await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait((task,))
            raise
        if isinstance(outcome, PlacetError):
            raise outcome
        return outcome

    async def settle(self, change: Change) -> Change:
        """Find out by the file's digest on which side of the write a crash was, and record it.

        A file that has neither content is recorded as abandoned with the reason in `conflict`.
        """
        path = Path(change.path)
        digest, rests = await asyncio.to_thread(_look, path, change)
        found = next(
            (rest for rest in rests if digest_of(rest) not in (change.before_digest, change.after_digest)), None
        )
        if digest == change.after_digest:
            conflict = CONFLICT if found is not None else ""
            await self._journal.settle(change.id, ChangeState.APPLIED, conflict=conflict, found=found)
        else:
            conflict = "" if digest == change.before_digest else UNKNOWN
            await self._journal.settle(change.id, ChangeState.ABANDONED, conflict=conflict, found=found)
        return await self._journal.change(change.id)

    async def _guarded(self, planned: PlannedChange) -> Change | PlacetError:
        """A failure is a value here: nobody may be left to retrieve it."""
        try:
            return await self._write(planned)
        except PlacetError as error:
            return error

    async def _write(self, planned: PlannedChange) -> Change:
        change_id = await self._journal.intend(
            session_id=planned.session_id,
            call_id=planned.call_id,
            tool=planned.tool,
            path=str(planned.path),
            before=planned.before,
            after=planned.after,
            added=planned.added,
            removed=planned.removed,
            reverts=planned.reverts,
            note=planned.note,
            reverts_also=planned.reverts_also,
        )
        before, after = digest_of(planned.before), digest_of(planned.after)
        mark = mark_of(change_id, after)
        try:
            found = await asyncio.to_thread(
                put, planned.path, before, planned.after, mark, other_names=planned.other_names
            )
        except PlacetError:
            await self._journal.settle(change_id, ChangeState.ABANDONED)
            raise
        conflict = CONFLICT if found is not None else ""
        await self._journal.settle(change_id, ChangeState.APPLIED, conflict=conflict, found=found)
        return await self._journal.change(change_id)


def mark_of(change_id: ChangeId, after_digest: str) -> str:
    """Return what tells the temporary files of one change from those of any other, also of another Placet."""
    return f"{change_id}-{after_digest[:8]}"


def _look(path: Path, change: Change) -> tuple[str, list[bytes]]:
    return current_digest(path), leftovers(path, mark_of(change.id, change.after_digest))
