"""Undo: giving files back the content they had, newest change first (`R-9`).

First a plan, which a person sees file by file; then exactly that plan. A revert is a change like any other: journalled,
atomic, under a digest, and itself undoable. Nothing but what Placet wrote is taken back (`S-8`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import PlacetError, StalePreview, UnknownItem, UsageError
from placet.core.domain.ids import ChangeId, SessionId
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.core.domain.undo import CAN_UNDO, FileUndo, Keep, ThreeWay, UndoStatus, UndoWish
from placet.core.review.diffing import diff_contents
from placet.core.review.unwinding import Unwinding, Unwound
from placet.core.review.writer import JournalledWriter, PlannedChange

_REVERT = "revert"


class Undo:
    """Works from the journal alone, so also after a restart."""

    def __init__(self, journal: ChangeJournal) -> None:
        self._journal = journal
        self._writer = JournalledWriter(journal)
        self._unwinding = Unwinding(journal)
        self._one_at_a_time = asyncio.Lock()  # else a plan would take a write of another undo for one that a crash cut

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def diff(self, change_id: ChangeId) -> FileDiff:
        """What the change did. Raises: UnknownItem where retention removed the contents."""
        change = await self._journal.change(change_id)
        before, after = await self._journal.contents(change_id)
        return await asyncio.to_thread(diff_contents, change.path, before, after)

    async def cumulative(self, path: str, session_id: SessionId | None = None) -> FileDiff:
        """From before the first step of a file to what the last write of Placet left. Raises: UnknownItem."""
        rows = [
            change
            for change in await self._journal.of_file(path, session_id)
            if change.state in (ChangeState.APPLIED, ChangeState.REVERTED)
        ]
        steps = [change for change in rows if change.reverts is None]
        if not steps:
            raise UnknownItem(f"Nothing was done to {path}.")
        before = (await self._journal.contents(steps[-1].id))[0]
        after = (await self._journal.contents(rows[0].id))[1]
        return await asyncio.to_thread(diff_contents, path, before, after)

    async def plan(self, wish: UndoWish) -> Sequence[FileUndo]:
        """What the wish would do, a file at a time, those that were changed last first. Writes no file.

        Raises: UsageError for a wish that names nothing, UnknownItem for what does not exist.
        """
        async with self._one_at_a_time:
            changes = await self._wanted(wish)
            await self._settle_cut({change.path for change in changes})
            changes = [await self._journal.change(change.id) for change in changes]
            return [await self._planned(path, of_file) for path, of_file in _by_file(changes)]

    async def decide(self, plan: FileUndo, choices: Sequence[Keep | None]) -> FileUndo:
        """The plan with other choices at its conflicts. Raises: UsageError, StalePreview where the file changed."""
        decided = msgspec.structs.replace(plan, choices=tuple(choices))
        unwound = await self._unwound(decided)
        if unwound.plan.now_digest != plan.now_digest:
            raise _moved(plan)
        return unwound.plan

    async def preview(self, plan: FileUndo) -> FileDiff:
        """The whole file: as it is now, and as it would be. Raises: StalePreview where it is no longer that."""
        unwound = await self._unwound(plan)
        if not _is_same(unwound.plan, plan):
            raise _moved(plan)
        return await asyncio.to_thread(diff_contents, plan.path, unwound.now, unwound.after)

    async def three_way(self, plan: FileUndo) -> ThreeWay:
        """Where the file moved on: what only others changed, what the undo takes back, and where both meet."""
        unwound = await self._unwound(plan)
        if unwound.plan.now_digest != plan.now_digest:
            raise _moved(plan)
        notes = [each.note for each in unwound.merges if each.note]
        return ThreeWay(
            path=plan.path,
            regions=unwound.regions,
            is_whole=any(each.is_whole for each in unwound.merges),
            note=" ".join(notes),
        )

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def carry_out(self, plans: Sequence[FileUndo]) -> Sequence[RevertOutcome]:
        """Do exactly what these plans showed, a file at a time, one outcome for each change.

        Never raises for one file: what is not as it was shown is left alone and told. What was done when something
        ends the program stays done; the same wish, planned again, does the rest.
        """
        outcomes: list[RevertOutcome] = []
        async with self._one_at_a_time:
            for plan in plans:
                outcomes += await self._carry_out(plan)
        return outcomes

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        """Undo these changes without a look before: only in files that nobody touched since. Newest first."""
        known, outcomes = await self._known(change_ids)
        plans = await self.plan(UndoWish(changes=known)) if known else ()
        for plan in plans:
            if plan.status in (UndoStatus.MERGED, UndoStatus.CONFLICT):
                outcomes += _outcomes(plan, RevertStatus.MOVED_ON, _moved(plan).message)
            else:
                outcomes += await self.carry_out([plan])
        told = {outcome.change_id for outcome in outcomes}
        for change_id in known:
            if change_id not in told:
                outcomes.append(_not_undone(await self._journal.change(change_id)))
        return sorted(outcomes, key=lambda outcome: outcome.change_id, reverse=True)

    async def _carry_out(self, plan: FileUndo) -> list[RevertOutcome]:
        if plan.status not in CAN_UNDO:
            status = RevertStatus.NOTHING if plan.status is UndoStatus.NOTHING else RevertStatus.FAILED
            return _outcomes(plan, status, plan.message)
        if not plan.is_decided:
            return _outcomes(plan, RevertStatus.MOVED_ON, f"{plan.message} It was left as it was: decide each first.")
        try:
            unwound = await self._unwound(plan)
            if not _is_same(unwound.plan, plan) or await self._undone_meanwhile(plan):
                raise _moved(plan)
            if unwound.now == unwound.after:
                return _outcomes(plan, RevertStatus.NOTHING, f"{plan.path} was left as it is, as you decided.")
            await self._write(plan, unwound)
        except StalePreview:
            return _outcomes(plan, RevertStatus.MOVED_ON, _moved(plan).message)
        except PlacetError as error:
            return _outcomes(plan, RevertStatus.FAILED, str(error))
        return _outcomes(plan, RevertStatus.REVERTED, _done(plan.path, unwound))

    async def _write(self, plan: FileUndo, unwound: Unwound) -> None:
        newest, *others = plan.changes
        await self._writer.write(
            PlannedChange(
                session_id=(await self._journal.change(newest)).session_id,
                call_id=None,
                tool=_REVERT,
                path=Path(plan.path),
                before=unwound.now,
                after=unwound.after,
                added=plan.added,
                removed=plan.removed,
                reverts=newest,
                reverts_also=tuple(others),
            )
        )

    # ---- what is wanted --------------------------------------------------------------------------------------------

    async def _wanted(self, wish: UndoWish) -> list[Change]:
        if wish.changes:
            return [await self._journal.change(change_id) for change_id in dict.fromkeys(wish.changes)]
        if wish.again:
            return [await self._undoing(change_id) for change_id in dict.fromkeys(wish.again)]
        if wish.path:
            of_file = await self._journal.of_file(wish.path, wish.session_id)
            return [change for change in of_file if change.reverts is None]
        if wish.message_id is None or wish.session_id is None:
            raise UsageError("Nothing was named to be undone.", hint="Name changes, a file, or a message.")
        return list(await self._journal.since(wish.session_id, wish.message_id, whole_rest=wish.whole_rest))

    async def _undoing(self, change_id: ChangeId) -> Change:
        undoing = await self._journal.undone_by(change_id)
        if undoing is None:
            await self._journal.change(change_id)
            raise UsageError(f"Change {change_id} is not undone, so it cannot be applied again.")
        return undoing

    async def _known(self, change_ids: Iterable[ChangeId]) -> tuple[tuple[ChangeId, ...], list[RevertOutcome]]:
        known: list[ChangeId] = []
        unknown: list[RevertOutcome] = []
        for change_id in dict.fromkeys(change_ids):
            try:
                known.append((await self._journal.change(change_id)).id)
            except PlacetError as error:
                failed = RevertStatus.FAILED
                unknown.append(RevertOutcome(change_id=change_id, path="", status=failed, message=str(error)))
        return tuple(known), unknown

    async def _settle_cut(self, paths: set[str]) -> None:
        """Writes that a crash cut have an end before anything is planned on them."""
        for change in await self._journal.intended():
            if change.path in paths:
                await self._writer.settle(change)

    async def _planned(self, path: str, changes: Sequence[Change]) -> FileUndo:
        holding = [change for change in changes if change.state is ChangeState.APPLIED]
        if not holding:
            ids = tuple(change.id for change in changes)
            return FileUndo(path=path, changes=ids, status=UndoStatus.NOTHING, message=_NOTHING[changes[0].state])
        return (await self._unwinding.plan(path, holding)).plan

    async def _unwound(self, plan: FileUndo) -> Unwound:
        changes = [await self._journal.change(change_id) for change_id in plan.changes]
        return await self._unwinding.plan(plan.path, changes, plan.choices)

    async def _undone_meanwhile(self, plan: FileUndo) -> bool:
        changes = [await self._journal.change(change_id) for change_id in plan.changes]
        return any(change.state is not ChangeState.APPLIED for change in changes)


def _by_file(changes: Sequence[Change]) -> list[tuple[str, list[Change]]]:
    """Newest first, the files and the changes in each."""
    files: dict[str, list[Change]] = {}
    for change in sorted(changes, key=lambda change: change.id, reverse=True):
        files.setdefault(change.path, []).append(change)
    return list(files.items())


def _is_same(found: FileUndo, shown: FileUndo) -> bool:
    return (found.now_digest, found.after_digest) == (shown.now_digest, shown.after_digest)


def _moved(plan: FileUndo) -> StalePreview:
    return StalePreview(
        f"{plan.path} has changed since. It was left as it was: compare both before undoing.",
        hint="Look at what the undo would do now.",
    )


_NOTHING = {
    ChangeState.APPLIED: "There is nothing to undo.",
    ChangeState.REVERTED: "This change is undone already.",
    ChangeState.ABANDONED: "This change never reached the disk.",
    ChangeState.INTENDED: "This change is being written just now.",
}


def _not_undone(change: Change) -> RevertOutcome:
    words = _NOTHING[change.state]
    return RevertOutcome(change_id=change.id, path=change.path, status=RevertStatus.NOTHING, message=words)


def _outcomes(plan: FileUndo, status: RevertStatus, message: str) -> list[RevertOutcome]:
    return [
        RevertOutcome(change_id=change_id, path=plan.path, status=status, message=message) for change_id in plan.changes
    ]


def _done(path: str, unwound: Unwound) -> str:
    if unwound.after is None:
        return f"{path} was deleted again."
    if unwound.merges:
        return f"{path} is without these changes; what others changed stays."
    return f"{path} has its earlier content again."
