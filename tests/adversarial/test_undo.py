"""Undo as a way to change what was not ours: it gives back only what we left, where we left it (`R-9`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from placet.core.domain.ids import ChangeId
from placet.core.domain.messages import Mode
from placet.core.domain.review import RevertStatus
from placet.core.review.undo import Undo
from support.arena import Arena

OLD, NEW = b"one\ntwo\nthree\n", b"one\nTWO\nthree\n"


def saved(_arena: Arena, path: Path) -> None:
    path.write_bytes(NEW + b"mine\n")


def by_a_link(arena: Arena, path: Path) -> None:
    (arena.outside / "theirs.txt").write_bytes(NEW)
    path.unlink()
    path.symlink_to(arena.outside / "theirs.txt")


def by_a_link_above(arena: Arena, path: Path) -> None:
    (arena.outside / path.name).write_bytes(NEW)
    path.parent.rename(arena.root / "moved")
    path.parent.symlink_to(arena.outside)


def by_a_pipe(_arena: Arena, path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def by_a_folder(_arena: Arena, path: Path) -> None:
    path.unlink()
    path.mkdir()


def deleted(_arena: Arena, path: Path) -> None:
    path.unlink()


def undone_by_hand(_arena: Arena, path: Path) -> None:
    path.write_bytes(OLD)


def endings_changed(_arena: Arena, path: Path) -> None:
    path.write_bytes(NEW.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize("meddle", [saved, by_a_link, by_a_link_above, by_a_pipe, by_a_folder, deleted, undone_by_hand, endings_changed], ids=lambda meddle: meddle.__name__)  # fmt: skip
async def test_r_9_what_is_not_as_we_left_it_is_not_touched(
    arena: Arena, meddle: Callable[[Arena, Path], None]
) -> None:
    arena.mode(Mode.EDITS)
    assert (await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO")).ending == "done"
    meddle(arena, arena.work / "a.txt")
    before = arena.fingerprint()
    (outcome,) = await Undo(arena.journal).revert([ChangeId(1)])
    assert outcome.status in (RevertStatus.MOVED_ON, RevertStatus.FAILED, RevertStatus.NOTHING)
    assert arena.fingerprint() == before


@pytest.mark.parametrize("meddle", [saved, by_a_link, by_a_pipe, by_a_folder], ids=lambda meddle: meddle.__name__)
async def test_r_9_a_new_file_that_became_something_else_is_not_deleted(
    arena: Arena, meddle: Callable[[Arena, Path], None]
) -> None:
    arena.mode(Mode.EDITS)
    assert (await arena.attempt("write_file", path="new.txt", content=NEW.decode())).ending == "done"
    meddle(arena, arena.work / "new.txt")
    before = arena.fingerprint()
    (outcome,) = await Undo(arena.journal).revert([ChangeId(1)])
    assert outcome.status in (RevertStatus.MOVED_ON, RevertStatus.FAILED)
    assert arena.fingerprint() == before


async def test_r_9_a_change_is_undone_once(arena: Arena) -> None:
    arena.mode(Mode.EDITS)
    await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO")
    undo = Undo(arena.journal)
    assert [each.status for each in await undo.revert([ChangeId(1)])] == [RevertStatus.REVERTED]
    (arena.work / "a.txt").write_bytes(NEW)  # by hand
    before = arena.fingerprint()
    assert [each.status for each in await undo.revert([ChangeId(1), ChangeId(1)])] == [RevertStatus.NOTHING]
    assert arena.fingerprint() == before


async def test_r_9_a_deleted_file_is_given_back_only_where_nothing_is(arena: Arena) -> None:
    """Undoing the undo of a new file must not write over what somebody put there."""
    arena.mode(Mode.EDITS)
    await arena.attempt("write_file", path="new.txt", content="ours\n")
    undo = Undo(arena.journal)
    await undo.revert([ChangeId(1)])
    assert not (arena.work / "new.txt").exists()
    (arena.work / "new.txt").write_bytes(b"theirs\n")
    before = arena.fingerprint()
    (outcome,) = await undo.revert([ChangeId(2)])
    assert outcome.status is RevertStatus.MOVED_ON
    assert arena.fingerprint() == before
