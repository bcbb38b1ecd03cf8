"""`R-9`, with real files and the real journal: shown before it happens, done as shown, and whole after any end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from placet.core.domain.errors import StalePreview, UsageError
from placet.core.domain.ids import CallId, ChangeId, MessageId
from placet.core.domain.messages import Session
from placet.core.domain.review import Change, ChangeState, RevertStatus
from placet.core.domain.undo import FileUndo, Keep, RegionKind, UndoStatus, UndoWish
from placet.core.review.undo import Undo
from placet.core.review.writer import JournalledWriter, PlannedChange
from placet.core.store.store import Store, open_store
from support.disks import small_disk
from support.review_fakes import SESSION

LINES = b"one\ntwo\nthree\nfour\nfive\nsix\n"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    made = open_store(tmp_path / "home")
    await made.sessions.create(Session(id=SESSION, created_at=1.0))
    yield made
    await made.aclose()


@pytest.fixture
def undo(store: Store) -> Undo:
    return Undo(store.changes)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "file.txt"
    path.write_bytes(LINES)
    return path


async def write(store: Store, path: Path, after: bytes | None) -> Change:
    before = path.read_bytes() if path.exists() else None
    planned = PlannedChange(
        session_id=SESSION, call_id=CallId(1), tool="write_file", path=path, before=before, after=after, added=1, removed=1
    )  # fmt: skip
    return await JournalledWriter(store.changes).write(planned)


async def plan_of(undo: Undo, path: Path) -> FileUndo:
    (plan,) = await undo.plan(UndoWish(path=str(path)))
    return plan


async def states(store: Store, *changes: Change) -> list[ChangeState]:
    return [(await store.changes.change(change.id)).state for change in changes]


async def test_r_9_a_plan_shows_the_whole_file_and_changes_nothing(store: Store, undo: Undo, place: Path) -> None:
    steps = [await write(store, place, LINES.replace(b"two", word)) for word in (b"2", b"zwei")]
    plan = await plan_of(undo, place)
    diff = await undo.preview(plan)
    assert (plan.status, plan.changes) == (UndoStatus.READY, (steps[1].id, steps[0].id))
    assert [line.text for hunk in diff.hunks for line in hunk.lines if line.sign != " "] == ["zwei", "two"]
    assert place.read_bytes() == LINES.replace(b"two", b"zwei")
    assert await states(store, *steps) == [ChangeState.APPLIED] * 2


async def test_r_9_several_changes_of_a_file_are_undone_by_one_write(store: Store, undo: Undo, place: Path) -> None:
    """The journal names each of them, and one of them can be applied again alone."""
    steps = [await write(store, place, content) for content in (b"first\n", b"second\n", b"third\n")]
    outcomes = await undo.carry_out([await plan_of(undo, place)])
    assert [outcome.status for outcome in outcomes] == [RevertStatus.REVERTED] * 3
    assert place.read_bytes() == LINES
    assert await states(store, *steps) == [ChangeState.REVERTED] * 3
    listed, total = await store.changes.page(SESSION)
    assert (total, listed[0].reverts) == (4, steps[2].id)
    assert (listed[0].before_digest, listed[0].after_digest) == (steps[2].after_digest, steps[0].before_digest)

    (again,) = await undo.plan(UndoWish(again=(steps[0].id,)))
    assert again.status is UndoStatus.READY
    await undo.carry_out([again])
    assert place.read_bytes() == b"first\n"
    assert await states(store, *steps) == [ChangeState.APPLIED, ChangeState.REVERTED, ChangeState.REVERTED]


async def test_r_9_all_of_them_can_be_applied_again_together(store: Store, undo: Undo, place: Path) -> None:
    steps = [await write(store, place, content) for content in (b"first\n", b"second\n")]
    await undo.carry_out([await plan_of(undo, place)])
    (again,) = await undo.plan(UndoWish(again=tuple(step.id for step in steps)))
    await undo.carry_out([again])
    assert place.read_bytes() == b"second\n"
    assert await states(store, *steps) == [ChangeState.APPLIED] * 2


async def test_r_9_a_file_that_changed_after_it_was_shown_is_left_alone(store: Store, undo: Undo, place: Path) -> None:
    await write(store, place, b"ours\n")
    plan = await plan_of(undo, place)
    place.write_bytes(b"mine\n")
    (outcome,) = await undo.carry_out([plan])
    assert outcome.status is RevertStatus.MOVED_ON
    assert place.read_bytes() == b"mine\n"
    with pytest.raises(StalePreview):
        await undo.preview(plan)


async def test_r_9_a_plan_is_carried_out_once(store: Store, undo: Undo, place: Path) -> None:
    await write(store, place, b"ours\n")
    plan = await plan_of(undo, place)
    (first,), (second,) = await undo.carry_out([plan]), await undo.carry_out([plan])
    assert (first.status, second.status) == (RevertStatus.REVERTED, RevertStatus.MOVED_ON)
    assert place.read_bytes() == LINES


async def test_r_9_what_others_changed_elsewhere_is_merged_and_shown_before(
    store: Store, undo: Undo, place: Path
) -> None:
    step = await write(store, place, LINES.replace(b"two", b"2"))
    place.write_bytes(place.read_bytes().replace(b"five", b"by hand"))
    plan = await plan_of(undo, place)
    sides = await undo.three_way(plan)
    assert (plan.status, plan.conflicts) == (UndoStatus.MERGED, 0)
    kinds = [region.kind for region in sides.regions if region.kind is not RegionKind.SAME]
    assert kinds == [RegionKind.UNDONE, RegionKind.THEIRS]
    await undo.carry_out([plan])
    assert place.read_bytes() == LINES.replace(b"five", b"by hand")
    (again,) = await undo.plan(UndoWish(again=(step.id,)))
    await undo.carry_out([again])
    assert place.read_bytes() == LINES.replace(b"two", b"2").replace(b"five", b"by hand")


async def test_r_9_a_conflict_is_written_only_as_the_person_decided_it(store: Store, undo: Undo, place: Path) -> None:
    await write(store, place, LINES.replace(b"two", b"2"))
    edited = place.read_bytes().replace(b"2", b"by hand")
    place.write_bytes(edited)
    plan = await plan_of(undo, place)
    assert (plan.status, plan.conflicts, plan.is_decided) == (UndoStatus.CONFLICT, 1, False)
    (left,) = await undo.carry_out([plan])
    assert (left.status, place.read_bytes()) == (RevertStatus.MOVED_ON, edited)

    both = await undo.decide(plan, [Keep.BOTH])
    assert both.is_decided
    assert place.read_bytes() == edited
    await undo.carry_out([both])
    assert place.read_bytes() == edited.replace(b"by hand", b"by hand\ntwo")


async def test_keeping_the_file_as_it_is_leaves_it_and_says_so(store: Store, undo: Undo, place: Path) -> None:
    step = await write(store, place, LINES.replace(b"two", b"2"))
    place.write_bytes(b"mine\n")
    kept = await undo.decide(await plan_of(undo, place), [Keep.THEIRS])
    (outcome,) = await undo.carry_out([kept])
    assert (outcome.status, place.read_bytes()) == (RevertStatus.NOTHING, b"mine\n")
    assert await states(store, step) == [ChangeState.APPLIED]


async def test_one_step_under_later_ones_is_taken_out_of_the_middle(store: Store, undo: Undo, place: Path) -> None:
    first = await write(store, place, LINES.replace(b"one", b"1"))
    await write(store, place, place.read_bytes().replace(b"six", b"6"))
    (plan,) = await undo.plan(UndoWish(changes=(first.id,)))
    assert plan.status is UndoStatus.MERGED
    await undo.carry_out([plan])
    assert place.read_bytes() == LINES.replace(b"six", b"6")


async def test_a_file_that_is_gone_or_was_made_again_is_decided_as_a_whole(
    store: Store, undo: Undo, place: Path
) -> None:
    await write(store, place, b"ours\n")
    place.unlink()
    plan = await plan_of(undo, place)
    assert (await undo.three_way(plan)).is_whole
    with pytest.raises(UsageError):
        await undo.decide(plan, [Keep.BOTH])
    await undo.carry_out([await undo.decide(plan, [Keep.UNDONE])])
    assert place.read_bytes() == LINES


async def test_wishes_that_name_nothing_are_refused(undo: Undo) -> None:
    with pytest.raises(UsageError):
        await undo.plan(UndoWish())
    assert await undo.plan(UndoWish(path="/never/changed")) == []


async def test_contents_that_are_past_their_time_are_gone_and_the_undo_says_so(
    store: Store, undo: Undo, place: Path
) -> None:
    old = await write(store, place, b"old\n")
    await store.changed_files.forget_contents(old.created_at + 1)
    plan = await plan_of(undo, place)
    assert plan.status is UndoStatus.GONE
    assert "no longer kept" in plan.message
    (outcome,) = await undo.carry_out([plan])
    assert (outcome.status, place.read_bytes()) == (RevertStatus.FAILED, b"old\n")


# ---- at the same time ----------------------------------------------------------------------------------------------


async def test_r_9_a_turn_and_an_undo_that_write_at_once_lose_nothing(store: Store, undo: Undo, place: Path) -> None:
    """Whoever comes second finds another file than it was shown, and leaves it."""
    for number in range(25):
        place.write_bytes(LINES)
        await write(store, place, b"ours\n")
        plan = await plan_of(undo, place)
        again = b"turn %d\n" % number
        wrote, (outcome, *_) = await asyncio.gather(
            write(store, place, again), undo.carry_out([plan]), return_exceptions=True
        )
        conflicts = [change.conflict for change in await store.changes.of_file(str(place)) if change.conflict]
        if isinstance(wrote, StalePreview):
            assert (outcome.status, place.read_bytes()) == (RevertStatus.REVERTED, LINES)
        elif outcome.status is RevertStatus.REVERTED:
            assert conflicts
        else:
            assert (outcome.status, place.read_bytes()) == (RevertStatus.MOVED_ON, again)
        place.unlink()
        place = place.with_name(f"file{number}.txt")


# ---- any end -------------------------------------------------------------------------------------------------------

CRASHING = """
    import asyncio, os, sys
    from pathlib import Path
    from placet.core.domain.review import ChangeState
    from placet.core.domain.undo import UndoWish
    from placet.core.domain.ids import ChangeId
    from placet.core.review.undo import Undo
    from placet.core.store.store import open_store

    home, verb, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

    class Journal:
        '''The real one, until the process is gone.'''

        def __init__(self, rows):
            self._rows, self._left = rows, count

        def __getattr__(self, name):
            real = getattr(self._rows, name)

            async def counted(*given, **named):
                if name == verb:
                    self._left -= 1
                    if self._left == 0 and name == "settle":
                        os._exit(9)
                found = await real(*given, **named)
                if name == verb and self._left == 0:
                    os._exit(9)
                return found

            return counted

    async def main():
        undo = Undo(Journal(open_store(home).changes))
        plans = await undo.plan(UndoWish(changes=tuple(ChangeId(number) for number in range(1, 7))))
        await undo.carry_out(plans)

    asyncio.run(main())
"""


@pytest.mark.parametrize("verb", ["intend", "settle"])
@pytest.mark.parametrize("count", [1, 2, 3])
async def test_r_9_an_undo_of_several_files_that_a_crash_cut_is_completed_by_the_next(
    tmp_path: Path, verb: str, count: int
) -> None:
    """Two changes in each of three files; the process dies before a write, or between it and its record."""
    home, places = tmp_path / "home", [tmp_path.resolve() / name for name in "abc"]
    store = open_store(home)
    await store.sessions.create(Session(id=SESSION, created_at=1.0))
    for path in places:
        path.write_bytes(LINES)
        for word in (b"2", b"zwei"):
            await write(store, path, LINES.replace(b"two", word))
    await store.aclose()

    source = str(Path(__file__).resolve().parents[3] / "desktop")
    crashed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", textwrap.dedent(CRASHING), str(home), verb, str(count)],
        env={**os.environ, "PYTHONPATH": source}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert crashed.returncode == 9, crashed.stderr

    store = open_store(home)
    done = [path for path in places if path.read_bytes() == LINES]
    assert len(done) == count - (verb == "intend")
    outcomes = await Undo(store.changes).revert([ChangeId(number) for number in range(1, 7)])
    assert {outcome.status for outcome in outcomes} <= {RevertStatus.REVERTED, RevertStatus.NOTHING}
    assert [path.read_bytes() for path in places] == [LINES] * 3
    left, _ = await store.changes.page(SESSION, per_page=50)
    assert {change.state for change in left if change.reverts is None} == {ChangeState.REVERTED}
    assert ChangeState.INTENDED not in {change.state for change in left}
    assert not list(tmp_path.glob(".placet-*"))
    await store.aclose()


async def test_a_full_disk_leaves_the_file_and_the_rest_is_undone(store: Store, undo: Undo, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        full, other = disk.resolve() / "full", tmp_path.resolve() / "other"
        full.write_bytes(b"x" * 300_000)
        changes = [await write(store, full, b"short\n"), await write(store, other, b"made\n")]
        (disk / "ballast").write_bytes(b"y" * 400_000)
        outcomes = await undo.carry_out(await undo.plan(UndoWish(changes=tuple(change.id for change in changes))))
        assert [outcome.status for outcome in outcomes] == [RevertStatus.REVERTED, RevertStatus.FAILED]
        assert "disk is full" in outcomes[1].message
        assert (full.read_bytes(), other.exists()) == (b"short\n", False)
        assert await states(store, *changes) == [ChangeState.APPLIED, ChangeState.REVERTED]
        (disk / "ballast").unlink()
        (again,) = await undo.revert([changes[0].id])
        assert (again.status, full.read_bytes()) == (RevertStatus.REVERTED, b"x" * 300_000)


async def test_a_read_only_file_system_is_said_and_nothing_is_recorded_as_undone(
    store: Store, undo: Undo, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        path = disk.resolve() / "file"
        path.write_bytes(LINES)
        change = await write(store, path, b"ours\n")
        await asyncio.to_thread(subprocess.run, ["mount", "-o", "remount,ro", str(disk)], check=True)
        (outcome,) = await undo.revert([change.id])
        assert (outcome.status, path.read_bytes()) == (RevertStatus.FAILED, b"ours\n")
        assert "read-only" in outcome.message
        assert await states(store, change) == [ChangeState.APPLIED]


async def test_a_folder_that_became_a_link_is_not_followed(store: Store, undo: Undo, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path.resolve() / "folder", tmp_path.resolve() / "elsewhere"
    folder.mkdir()
    (folder / "f").write_bytes(LINES)
    change = await write(store, folder / "f", b"ours\n")
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    (outcome,) = await undo.revert([change.id])
    assert outcome.status is RevertStatus.FAILED
    assert (elsewhere / "f").read_bytes() == b"ours\n"


async def test_r_9_all_since_a_message_is_planned_file_by_file(store: Store, undo: Undo) -> None:
    with pytest.raises(UsageError):
        await undo.plan(UndoWish(message_id=MessageId(1)))
    assert await undo.plan(UndoWish(message_id=MessageId(1), session_id=SESSION, whole_rest=True)) == []
