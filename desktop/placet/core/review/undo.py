"""Undo: giving files back the content they had, one change at a time, newest first (`R-9`).

A revert is a change like any other: journalled, atomic, under a digest, and itself undoable. Nothing but what
Placet wrote is touched (`S-8`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError, StalePreview
from placet.core.domain.ids import ChangeId
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.core.review.diffing import diff_contents
from placet.core.review.writer import JournalledWriter, PlannedChange

_REVERT = "revert"


class Undo:
    """Works from the journal alone, so also after a restart."""

    def __init__(self, journal: ChangeJournal) -> None:
        self._journal = journal
        self._writer = JournalledWriter(journal)

    async def diff(self, change_id: ChangeId) -> FileDiff:
        """What the change did. Raises: UnknownItem where retention removed the contents."""
        change = await self._journal.change(change_id)
        before, after = await self._journal.contents(change_id)
        return await asyncio.to_thread(diff_contents, change.path, before, after)

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        """Undo these changes, newest first whatever their order; each only if its file is as it left it.

        Never raises for one change: each has its own outcome.
        """
        return [await self._revert(change_id) for change_id in sorted(set(change_ids), reverse=True)]

    async def _revert(self, change_id: ChangeId) -> RevertOutcome:
        path = ""
        try:
            change = await self._journal.change(change_id)
            path = change.path
            if change.state is ChangeState.INTENDED:
                change = await self._writer.settle(change)
            if change.state is not ChangeState.APPLIED:
                return _outcome(change, RevertStatus.NOTHING, _NOTHING[change.state])
            return await self._write_back(change)
        except StalePreview:
            words = f"{path} has changed since. It was left as it is: compare both before undoing."
            return RevertOutcome(change_id=change_id, path=path, status=RevertStatus.MOVED_ON, message=words)
        except PlacetError as error:
            return RevertOutcome(change_id=change_id, path=path, status=RevertStatus.FAILED, message=str(error))

    async def _write_back(self, change: Change) -> RevertOutcome:
        before, after = await self._journal.contents(change.id)
        await self._writer.write(
            PlannedChange(
                session_id=change.session_id,
                call_id=None,
                tool=_REVERT,
                path=Path(change.path),
                before=after,
                after=before,
                added=change.removed,
                removed=change.added,
                reverts=change.id,
            )
        )
        did = "was deleted again" if before is None else "has its earlier content again"
        return _outcome(change, RevertStatus.REVERTED, f"{change.path} {did}.")


_NOTHING = {
    ChangeState.REVERTED: "This change is undone already.",
    ChangeState.ABANDONED: "This change never reached the disk.",
    ChangeState.INTENDED: "This change has not happened yet.",
}


def _outcome(change: Change, status: RevertStatus, message: str) -> RevertOutcome:
    return RevertOutcome(change_id=change.id, path=change.path, status=status, message=message)
