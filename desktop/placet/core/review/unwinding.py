"""From changes of one file, newest first, to what the file would be without them (`R-9`). Writes nothing.

Where the file is as a change left it, its earlier content takes its place. Where it moved on, by another program or by
a change that is not to be undone, the step is merged with what is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from placet.core.domain.errors import PlacetError, UnknownItem, UsageError
from placet.core.domain.ids import ChangeId
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.undo import CAN_UNDO, FileUndo, Keep, Region, UndoStatus
from placet.core.review.diffing import diff_contents
from placet.core.review.files import digest_of, failure_of, read_in
from placet.core.review.folder import Folder
from placet.core.review.three_way import Merge, merge


class Unwound(msgspec.Struct, frozen=True, kw_only=True):
    """The plan for one file with both contents; `merges` is one for each place where the file had moved on."""

    plan: FileUndo
    now: bytes | None = None
    after: bytes | None = None
    merges: tuple[Merge, ...] = ()

    @property
    def regions(self) -> tuple[Region, ...]:
        return tuple(region for each in self.merges for region in each.regions)


class _Step(msgspec.Struct, frozen=True, kw_only=True):
    """One way back. The contents are those of `source`, the other way round where it is `forward`."""

    left: str
    earlier: str
    source: ChangeId
    forward: bool = False
    is_covered: bool = False  # another change of ours lies upon it: the same bytes again would be chance


class Unwinding:
    """Plans with the journal and the files; reads both, changes neither."""

    def __init__(self, journal: ChangeJournal) -> None:
        self._journal = journal

    async def plan(self, path: str, changes: Sequence[Change], choices: Sequence[Keep | None] = ()) -> Unwound:
        """What the file would be without these changes, which hold and are newest first. Never raises for the file.

        Raises: UsageError for a choice that is none.
        """
        ids = tuple(change.id for change in changes)
        try:
            now = await asyncio.to_thread(read_now, Path(path))
            after, merges = await self._unwind(now, await self._steps(changes), tuple(choices))
            return await asyncio.to_thread(_planned, path, ids, now, after, merges, tuple(choices))
        except UnknownItem as error:
            words = f"{path} cannot be undone: {error.message}"
            if len(ids) > 1:
                words += " Newer changes of it may still be undone one by one."
            return Unwound(plan=FileUndo(path=path, changes=ids, status=UndoStatus.GONE, message=words))
        except UsageError:
            raise
        except PlacetError as error:
            return Unwound(plan=FileUndo(path=path, changes=ids, status=UndoStatus.FAILED, message=str(error)))

    async def _steps(self, changes: Sequence[Change]) -> list[_Step]:
        """One for each change; those that one write made together are one step where all of them are undone."""
        chosen = {change.id for change in changes}
        later = [
            row
            for row in await self._journal.of_file(changes[0].path)
            if row.state is ChangeState.APPLIED and row.id not in chosen
        ]
        steps: list[_Step] = []
        done: set[ChangeId] = set()
        for change in changes:
            if change.id in done:
                continue
            together = await self._journal.together_with(change)
            ids = {each.id for each in together}
            first = together[0]
            if ids <= chosen:
                done |= ids
                step = _Step(left=first.after_digest, earlier=first.before_digest, source=first.id)
            else:
                step = await self._alone(change)
            steps.append(msgspec.structs.replace(step, is_covered=_is_covered(change, later)))
        return steps

    async def _alone(self, change: Change) -> _Step:
        """A part of a write that undid several: its own way back is that of the change it undid."""
        forward, source = False, change
        while source.reverts is not None:
            source, forward = await self._journal.change(source.reverts), not forward
        left, earlier = source.after_digest, source.before_digest
        if forward:
            left, earlier = earlier, left
        return _Step(left=left, earlier=earlier, source=source.id, forward=forward)

    async def _unwind(
        self, now: bytes | None, steps: Sequence[_Step], choices: tuple[Keep | None, ...]
    ) -> tuple[bytes | None, tuple[Merge, ...]]:
        content, digest = now, digest_of(now)
        merges: list[Merge] = []
        behind: _Step | None = None  # the last step whose earlier content is not loaded yet
        at = 0
        while at < len(steps):
            first = last = steps[at]
            at += 1
            if first.left == digest and not first.is_covered:
                digest, behind = first.earlier, first
                continue
            if behind is not None:
                content, behind = (await self._contents(behind))[1], None
            while at < len(steps) and steps[at].left == last.earlier:  # one edit of ours, however many steps it took
                last = steps[at]
                at += 1
            if first.left == last.earlier:  # there and back again: nothing to take out
                continue
            left, earlier = (await self._contents(first))[0], (await self._contents(last))[1]
            merged = await asyncio.to_thread(merge, left, earlier, content, choices)
            choices = choices[merged.conflicts :]
            merges.append(merged)
            content, digest = merged.content, digest_of(merged.content)
        if behind is not None:
            content = (await self._contents(behind))[1]
        return content, tuple(merges)

    async def _contents(self, step: _Step) -> tuple[bytes | None, bytes | None]:
        """As the change left the file, and before it."""
        before, after = await self._journal.contents(step.source)
        return (before, after) if step.forward else (after, before)


def _is_covered(change: Change, later: Sequence[Change]) -> bool:
    """Whether something that holds came after it; a later change and its undoing are nothing together."""
    return any(row.id > change.id and (row.reverts is None or row.reverts < change.id) for row in later)


def read_now(path: Path) -> bytes | None:
    """The file as it is; None where there is none. Raises: ToolFailure."""
    try:
        with Folder(path.parent) as folder:
            return read_in(folder, path.name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise failure_of(error, path) from error


def _planned(
    path: str,
    ids: tuple[ChangeId, ...],
    now: bytes | None,
    after: bytes | None,
    merges: tuple[Merge, ...],
    choices: tuple[Keep | None, ...],
) -> Unwound:
    diff = diff_contents(path, now, after)
    conflicts = sum(each.conflicts for each in merges)
    status, words = _judged(path, now == after, bool(merges), conflicts)
    if status not in CAN_UNDO:
        after = now
    plan = FileUndo(
        path=path,
        changes=ids,
        status=status,
        message=words,
        now_digest=digest_of(now),
        after_digest=digest_of(after),
        added=diff.added,
        removed=diff.removed,
        choices=choices[:conflicts],
        conflicts=conflicts,
    )
    return Unwound(plan=plan, now=now, after=after, merges=merges)


def _judged(path: str, is_same: bool, moved_on: bool, conflicts: int) -> tuple[UndoStatus, str]:
    if conflicts:
        places = "one place" if conflicts == 1 else f"{conflicts} places"
        return UndoStatus.CONFLICT, f"{path} has changed since, in {places} that the undo would change too."
    if is_same:
        return UndoStatus.NOTHING, f"{path} has nothing of these changes any more."
    if moved_on:
        return UndoStatus.MERGED, f"{path} has changed since. What was changed elsewhere in it stays."
    return UndoStatus.READY, ""
