"""Watched folders on a real file system: what is new or different becomes an event when it rests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest

from placet.core.background import watching
from placet.core.background.watching import FolderWatcher, is_ignored
from support.stores import OpenStore, opened_store

WAIT_S = 10


class Watched:
    """One watched folder, its events, and a way to wait for more of them."""

    def __init__(self, opened: OpenStore, folder: Path) -> None:
        self.opened, self.folder = opened, folder
        self._noted = asyncio.Event()
        self.rows = opened.store.background
        self.watcher = FolderWatcher(self.rows, self._noted.set)

    async def events(self) -> list[tuple[str, str]]:
        rows = await self.opened.store.database.read(
            lambda c: c.all("SELECT method, payload FROM events ORDER BY payload")
        )
        return [(method, Path(msgspec.json.decode(payload)["path"]).name) for method, payload in rows]

    async def noted(self) -> Sequence[tuple[str, str]]:
        await asyncio.wait_for(self._noted.wait(), WAIT_S)
        self._noted.clear()
        return await self.events()


@pytest.fixture
async def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watched]:
    monkeypatch.setattr(watching, "QUIET_S", 0.1)
    folder = tmp_path / "in"
    folder.mkdir()
    async with opened_store(tmp_path / "home") as opened:
        made = Watched(opened, folder)
        await made.watcher.start()
        await made.watcher.add(str(folder))
        yield made
        await made.watcher.stop()


async def test_a_new_file_is_told_once_when_it_rests(watched: Watched) -> None:
    with (watched.folder / "a.txt").open("w") as file:
        for number in range(200):
            file.write(f"{number}\n")
            file.flush()
    assert await watched.noted() == [("file_new", "a.txt")]


async def test_a_changed_file_is_told_as_changed(watched: Watched) -> None:
    (watched.folder / "a.txt").write_text("x")
    await watched.noted()
    await watched.opened.store.database.run(lambda c: c.execute("DELETE FROM events"))
    with (watched.folder / "a.txt").open("a") as file:
        file.write("more")
    assert await watched.noted() == [("file_changed", "a.txt")]


async def test_a_file_that_is_gone_again_is_no_event(watched: Watched) -> None:
    (watched.folder / "a.txt").write_text("x")
    (watched.folder / "a.txt").unlink()
    (watched.folder / "b.txt").write_text("x")
    assert await watched.noted() == [("file_new", "b.txt")]


async def test_a_file_that_is_moved_into_place_and_one_in_a_new_folder_are_seen(watched: Watched) -> None:
    outside = watched.folder.parent / "x.part"
    outside.write_text("x")
    outside.rename(watched.folder / "whole.pdf")
    deep = watched.folder / "sub" / "deep"
    deep.mkdir(parents=True)
    for _ in range(50):
        (deep / "late.txt").write_text("x")
        if ("whole.pdf" in str(found := await watched.noted())) and "late.txt" in str(found):
            break
    assert {name for _, name in found} == {"whole.pdf", "late.txt"}


async def test_what_changed_while_nobody_looked_is_noted_at_the_next_start(watched: Watched) -> None:
    await watched.watcher.stop()
    (watched.folder / "while-away.txt").write_text("x")
    old = watched.folder / "old.txt"
    old.write_text("x")
    os.utime(old, (1, 1))
    noted = asyncio.Event()
    again = FolderWatcher(watched.rows, noted.set)
    await again.start()
    await asyncio.wait_for(noted.wait(), WAIT_S)
    await again.stop()
    assert await watched.events() == [("file_changed", "while-away.txt")]


async def test_what_has_not_rested_when_it_stops_is_told_by_the_next_start_at_the_latest(watched: Watched) -> None:
    (watched.folder / "a.txt").write_text("x")
    await watched.watcher.stop()
    noted = asyncio.Event()
    again = FolderWatcher(watched.rows, noted.set)
    await again.start()
    await again.stop()
    assert {name for _, name in await watched.events()} == {"a.txt"}


@pytest.mark.expected_logs("cannot be watched")
async def test_a_folder_that_is_no_more_says_so_and_stops_nothing(watched: Watched) -> None:
    gone = watched.folder.parent / "gone"
    await watched.watcher.add(str(gone))
    (problem,) = [watch.problem for watch in await watched.watcher.watches() if watch.folder == str(gone)]
    assert "does not exist" in problem
    (watched.folder / "a.txt").write_text("x")
    assert await watched.noted() == [("file_new", "a.txt")]


async def test_a_folder_that_is_not_watched_any_more_gives_no_events(watched: Watched) -> None:
    await watched.watcher.remove(str(watched.folder))
    (watched.folder / "a.txt").write_text("x")
    assert await watched.watcher.watches() == []
    await watched.watcher.stop()
    assert await watched.events() == []


@pytest.mark.parametrize(
    "path",
    ["/in/.git/index", "/in/.hidden", "/in/a.txt~", "/in/b.tmp", "/in/node_modules/x/y.js", "/in/c.part", "/in"],
)
def test_what_tools_make_for_themselves_is_ignored(path: str) -> None:
    assert is_ignored("/in", path)


@pytest.mark.parametrize("path", ["/in/a.txt", "/in/node_modules.md", "/in/sub/x.pdf", "/in/target"])
def test_what_people_make_is_not_ignored(path: str) -> None:
    assert not is_ignored("/in", path)


async def test_more_at_once_than_can_be_noted_is_counted(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_NOTED", 5)
    for number in range(20):
        (watched.folder / f"{number:02}.txt").write_text("x")
    await watched.noted()
    await watched.watcher.stop()
    waiting, lost = await watched.rows.waiting()
    assert waiting >= 5 and waiting + lost >= 20
