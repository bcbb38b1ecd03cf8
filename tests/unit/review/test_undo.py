"""`R-9`: what Placet wrote can be taken back, and what others wrote is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.ids import CallId, ChangeId, MessageId
from placet.core.domain.review import Change, ChangeState, RevertStatus
from placet.core.review.undo import Undo
from placet.core.review.writer import JournalledWriter, PlannedChange
from support.review_fakes import SESSION, MemoryJournal


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "file.txt"


async def change(journal: MemoryJournal, path: Path, before: bytes | None, after: bytes | None) -> Change:
    planned = PlannedChange(
        session_id=SESSION, call_id=CallId(1), tool="write_file", path=path, before=before, after=after, added=2,
        removed=1,
    )  # fmt: skip
    return await JournalledWriter(journal).write(planned)


async def test_a_revert_gives_the_bytes_back_and_can_be_reverted(journal: MemoryJournal, place: Path) -> None:
    place.write_bytes(b"old\r\n")
    done = await change(journal, place, b"old\r\n", b"new")
    undo = Undo(journal)

    (outcome,) = await undo.revert([done.id])
    assert (outcome.status, place.read_bytes()) == (RevertStatus.REVERTED, b"old\r\n")
    assert journal.changes[done.id].state is ChangeState.REVERTED

    revert = journal.changes[ChangeId(2)]
    assert (revert.reverts, revert.added, revert.removed) == (done.id, 1, 1)
    (again,) = await undo.revert([revert.id])
    assert (again.status, place.read_bytes()) == (RevertStatus.REVERTED, b"new")


async def test_reverting_a_creation_deletes_and_reverting_that_creates(journal: MemoryJournal, place: Path) -> None:
    done = await change(journal, place, None, b"new")
    (outcome,) = await Undo(journal).revert([done.id])
    assert not place.exists()
    assert "deleted" in outcome.message
    await Undo(journal).revert([ChangeId(2)])
    assert place.read_bytes() == b"new"


async def test_a_turn_is_undone_newest_first_whatever_the_order_given(journal: MemoryJournal, place: Path) -> None:
    place.write_bytes(b"0")
    other = place.with_name("other")
    for before, after in ((b"0", b"1"), (b"1", b"2"), (b"2", b"3")):
        await change(journal, place, before, after)
    await change(journal, other, None, b"made")
    journal.of_turn[MessageId(1)] = [ChangeId(n) for n in (1, 2, 3, 4)]
    turn = await journal.since(SESSION, MessageId(1), whole_rest=False)

    outcomes = await Undo(journal).revert([c.id for c in reversed(turn)])

    assert [outcome.change_id for outcome in outcomes] == [4, 3, 2, 1]
    assert {outcome.status for outcome in outcomes} == {RevertStatus.REVERTED}
    assert place.read_bytes() == b"0"
    assert not other.exists()


@pytest.mark.parametrize("now", [b"edited by hand", None])
async def test_a_file_that_moved_on_is_left_alone(journal: MemoryJournal, place: Path, now: bytes | None) -> None:
    place.write_bytes(b"old")
    done = await change(journal, place, b"old", b"new")
    place.unlink() if now is None else place.write_bytes(now)
    (outcome,) = await Undo(journal).revert([done.id])
    assert outcome.status is RevertStatus.MOVED_ON
    assert str(place) in outcome.message
    assert (place.read_bytes() if place.exists() else None) == now
    assert journal.changes[done.id].state is ChangeState.APPLIED


async def test_nothing_is_undone_twice(journal: MemoryJournal, place: Path) -> None:
    done = await change(journal, place, None, b"new")
    first, second = (await Undo(journal).revert([done.id]), await Undo(journal).revert([done.id]))
    assert [first[0].status, second[0].status] == [RevertStatus.REVERTED, RevertStatus.NOTHING]


async def test_contents_that_are_not_kept_any_more_are_said_to_be_gone(journal: MemoryJournal, place: Path) -> None:
    done = await change(journal, place, None, b"new")
    journal.forget_contents(done.id)
    gone, unknown = (await Undo(journal).revert([done.id]), await Undo(journal).revert([ChangeId(99)]))
    assert [gone[0].status, unknown[0].status] == [RevertStatus.FAILED, RevertStatus.FAILED]
    assert "not kept" in gone[0].message
    assert place.read_bytes() == b"new"


async def test_one_failure_does_not_keep_the_others_from_being_undone(journal: MemoryJournal, place: Path) -> None:
    other = place.with_name("other")
    first = await change(journal, place, None, b"a")
    second = await change(journal, other, None, b"b")
    other.write_bytes(b"mine")
    outcomes = await Undo(journal).revert([first.id, second.id])
    assert [outcome.status for outcome in outcomes] == [RevertStatus.MOVED_ON, RevertStatus.REVERTED]


async def test_a_write_interrupted_by_a_crash_can_be_undone(journal: MemoryJournal, place: Path) -> None:
    place.write_bytes(b"new")
    change_id = await journal.intend(
        session_id=SESSION, call_id=None, tool="t", path=str(place), before=b"old", after=b"new", added=1, removed=1
    )
    (outcome,) = await Undo(journal).revert([change_id])
    assert (outcome.status, place.read_bytes()) == (RevertStatus.REVERTED, b"old")


async def test_the_diff_of_a_change_is_what_it_did(journal: MemoryJournal, place: Path) -> None:
    place.write_bytes(b"a\n")
    done = await change(journal, place, b"a\n", b"b\n")
    diff = await Undo(journal).diff(done.id)
    assert (diff.path, diff.added, diff.removed) == (str(place), 1, 1)
