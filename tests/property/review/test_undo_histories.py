"""`R-9`, `S-8`: over any history, undoing everything gives back what was there before, and nobody else's work is lost."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.ids import CallId, ChangeId
from placet.core.domain.review import ChangeState
from placet.core.domain.undo import UndoStatus, UndoWish
from placet.core.review.undo import Undo
from placet.core.review.writer import JournalledWriter, PlannedChange
from support.review_fakes import SESSION, MemoryJournal

NAMES = ("one", "two")
CONTENT = st.one_of(st.none(), st.sampled_from([b"a\nb\nc\n", b"a\nB\nc\n", b"", b"\0\1"]), st.binary(max_size=6))
WRITE = st.tuples(st.just("write"), st.sampled_from(NAMES), CONTENT)
BACK = st.tuples(st.just("revert"), st.lists(st.integers(0, 12), min_size=1, max_size=4), st.none())
LOOK = st.tuples(st.just("undo as shown"), st.lists(st.integers(0, 12), min_size=1, max_size=4), st.none())
EDIT = st.tuples(st.just("edit"), st.sampled_from(NAMES), st.none())
STEPS = st.lists(st.one_of(WRITE, WRITE, BACK, LOOK, EDIT), max_size=14)
QUIET = st.lists(st.one_of(WRITE, WRITE, BACK), max_size=14)


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


class History:
    """Plays steps on real files, with the journal in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.journal = folder, MemoryJournal()
        self.undo, self.writer = Undo(self.journal), JournalledWriter(self.journal)
        self.others: dict[str, set[bytes | None]] = {name: set() for name in NAMES}
        self.edits = 0

    async def play(self, steps: list[tuple]) -> None:
        for kind, what, value in steps:
            match kind:
                case "write":
                    await self.write(what, value)
                case "revert":
                    await self.undo.revert(self.some(what))
                case "undo as shown":
                    if chosen := self.some(what):
                        plans = await self.undo.plan(UndoWish(changes=tuple(chosen)))
                        await self.undo.carry_out(plans)
                case "edit":
                    self.edits += 1
                    (self.folder / what).write_bytes(f"by hand {self.edits}".encode())
                    self.others[what].add(content(self.folder / what))

    async def write(self, name: str, after: bytes | None) -> None:
        path = self.folder / name
        before = content(path)
        if before != after:
            planned = PlannedChange(
                session_id=SESSION, call_id=CallId(1), tool="write_file", path=path, before=before, after=after, added=0,
                removed=0,
            )  # fmt: skip
            await self.writer.write(planned)

    def some(self, numbers: list[int]) -> list[ChangeId]:
        known = list(self.journal.changes)
        return [known[number % len(known)] for number in numbers] if known else []

    def by_tools(self) -> tuple[ChangeId, ...]:
        return tuple(change.id for change in self.journal.changes.values() if change.reverts is None)


def begin(folder: str, first: bytes | None) -> History:
    history = History(Path(folder).resolve())
    if first is not None:
        for name in NAMES:
            (history.folder / name).write_bytes(first)
    return history


@settings(max_examples=250, deadline=None)
@given(CONTENT, QUIET)
def test_r_9_undoing_everything_gives_back_what_was_there(first: bytes | None, steps: list[tuple]) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            history = begin(folder, first)
            await history.play(steps)
            if by_tools := history.by_tools():
                await history.undo.carry_out(await history.undo.plan(UndoWish(changes=by_tools)))
            assert [content(history.folder / name) for name in NAMES] == [first, first]
            assert not list(history.folder.glob(".placet-*"))

    with asyncio.Runner() as runner:
        runner.run(play())


@settings(max_examples=250, deadline=None)
@given(CONTENT, STEPS)
def test_r_9_a_file_that_others_wrote_is_as_it_was_or_as_they_left_it(first: bytes | None, steps: list[tuple]) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            history = begin(folder, first)
            await history.play(steps)
            before = {name: content(history.folder / name) for name in NAMES}
            await history.undo.revert(history.by_tools())
            for name in NAMES:
                assert content(history.folder / name) in {before[name], first, *history.others[name]}

    with asyncio.Runner() as runner:
        runner.run(play())


@settings(max_examples=250, deadline=None)
@given(CONTENT, STEPS, st.lists(st.integers(0, 12), min_size=1, max_size=6))
def test_r_9_exactly_what_was_shown_is_done_and_the_undo_can_be_undone(
    first: bytes | None, steps: list[tuple], chosen: list[int]
) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            history = begin(folder, first)
            await history.play(steps)
            if not (wanted := history.some(chosen)):
                return
            before = {name: content(history.folder / name) for name in NAMES}
            plans = [
                plan
                for plan in await history.undo.plan(UndoWish(changes=tuple(wanted)))
                if plan.status in (UndoStatus.READY, UndoStatus.MERGED)
            ]
            known = set(history.journal.changes)
            await history.undo.carry_out(plans)
            for plan in plans:
                made = content(Path(plan.path))
                assert history.journal.changes[max(plan.changes)].state is ChangeState.REVERTED
                assert plan.after_digest == next(
                    c.after_digest
                    for c in history.journal.changes.values()
                    if c.path == plan.path and c.id not in known
                )
                assert made != before[Path(plan.path).name]
            await history.undo.revert([change_id for change_id in history.journal.changes if change_id not in known])
            assert {name: content(history.folder / name) for name in NAMES} == before

    with asyncio.Runner() as runner:
        runner.run(play())
