"""The file and its threads: opening, transactions, cancellation, errors in words."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import threading
from pathlib import Path

import peewee
import pytest

from placet.core.domain.errors import StoreError
from placet.core.store import schema
from placet.core.store.connection import Connection
from placet.core.store.migrations import STEPS, migrate
from placet.core.store.store import FILE_NAME, open_store, set_aside
from support.stores import OpenStore, opened_store


async def test_the_file_is_private_to_its_owner(opened: OpenStore) -> None:
    path = opened.store.database.path
    await opened.store.turns.append_user(opened.frame.id, "x")

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    files = sorted(path.parent.glob("placet.db*"))
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


async def test_what_was_committed_is_there_after_opening_again(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        said = await opened.store.turns.append_user(opened.frame.id, "hello")
        session = await opened.store.sessions.get(opened.session.id)
    store = open_store(tmp_path)
    try:
        assert await store.turns.last_message(opened.frame.id) == said
        assert await store.sessions.get(opened.session.id) == session
    finally:
        await store.aclose()


async def test_an_error_takes_the_whole_transaction_back(opened: OpenStore) -> None:
    def work(connection: Connection) -> None:
        connection.execute("INSERT INTO settings VALUES ('half', '1')")
        raise LookupError("in the middle")

    with pytest.raises(LookupError):
        await opened.store.database.run(work)

    assert await opened.store.settings.get("half") is None


async def test_cancelling_the_wait_loses_no_transaction_and_leaves_the_thread_working(opened: OpenStore) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        begun.set()
        assert go_on.wait(5)
        connection.execute("INSERT INTO settings VALUES ('kept', '1')")

    waiting = asyncio.ensure_future(opened.store.database.run(work))
    await asyncio.to_thread(begun.wait, 5)
    queued = asyncio.ensure_future(opened.store.settings.set("queued", 2))
    await asyncio.sleep(0)
    waiting.cancel()
    queued.cancel()
    go_on.set()

    assert await opened.store.settings.all() == {"kept": 1, "queued": 2}
    assert waiting.cancelled()
    assert queued.cancelled()


async def test_cancelling_a_look_interrupts_its_query_and_no_other(opened: OpenStore) -> None:
    begun = threading.Event()

    def endless(connection: Connection) -> object:
        begun.set()
        return connection.all("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")

    looking = asyncio.ensure_future(opened.store.database.look(endless))
    await asyncio.to_thread(begun.wait, 5)
    looking.cancel()

    rows = await asyncio.wait_for(opened.store.database.look(lambda c: c.all("SELECT 1")), 5)
    assert rows == [(1,)]


async def test_looking_cannot_write(opened: OpenStore) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        await opened.store.database.look(lambda c: c.execute("DELETE FROM sessions"))


async def test_a_durable_transaction_waits_for_the_disk_and_only_that_one(opened: OpenStore) -> None:
    def level(connection: Connection) -> int:
        return int(connection.all("PRAGMA synchronous")[0][0])

    full, normal = 2, 1
    assert await opened.store.database.run(level, durable=True) == full
    assert await opened.store.database.run(level) == normal


async def test_s3_a_full_disk_is_said_and_what_was_stored_stays(opened: OpenStore) -> None:
    said = await opened.store.turns.append_user(opened.frame.id, "kept")
    await opened.store.database.read(lambda c: c.all("PRAGMA max_page_count=1"))

    with pytest.raises(StoreError, match="disk is full") as caught:
        await opened.store.turns.append_user(opened.frame.id, "x" * 1_000_000)

    assert "PLACET_HOME" in caught.value.hint
    assert await opened.store.turns.last_message(opened.frame.id) == said
    await opened.store.database.read(lambda c: c.all("PRAGMA max_page_count=1000000"))
    assert (await opened.store.turns.append_user(opened.frame.id, "again")).content == "again"


async def test_s3_a_lock_that_lasts_too_long_is_said_and_the_next_write_works(tmp_path: Path) -> None:
    async with opened_store(tmp_path, busy_timeout_s=0.05) as opened:
        other = sqlite3.connect(opened.store.database.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(StoreError, match="locked by another program"):
                await opened.store.turns.append_user(opened.frame.id, "x")
        finally:
            other.execute("ROLLBACK")
            other.close()
        await opened.store.turns.append_user(opened.frame.id, "y")
        assert (await opened.store.sessions.get(opened.session.id)).messages == 1


async def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()

    async with opened_store(tmp_path) as opened:
        assert (await opened.store.sessions.list())[1] == 1


def test_s3_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"these are my holiday notes " * 100)

    with pytest.raises(StoreError, match="is not a database") as caught:
        open_store(tmp_path)

    assert "backups" in caught.value.hint
    assert path.read_bytes() == b"these are my holiday notes " * 100


async def test_s3_an_unusable_file_can_be_set_aside_for_a_new_one(tmp_path: Path) -> None:
    content = b"these are my holiday notes " * 100
    (tmp_path / FILE_NAME).write_bytes(content)

    aside = set_aside(tmp_path)

    assert aside.read_bytes() == content
    async with opened_store(tmp_path) as opened:
        assert (await opened.store.sessions.list())[1] == 1


def test_s3_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be used for the database") as caught:
        open_store(tmp_path / "file" / "home")

    assert "PLACET_HOME" in caught.value.hint


async def test_s6_there_is_a_backup_a_day(tmp_path: Path) -> None:
    async with opened_store(tmp_path, messages=10) as opened:
        first = await opened.store.database.back_up_if_due()
        second = await opened.store.database.back_up_if_due()
        assert first is not None
        yesterday = first.stat().st_mtime - 86_401
        os.utime(first, (yesterday, yesterday))
        third = await opened.store.database.back_up_if_due()

    assert second is None
    assert third is not None
    assert sorted(first.parent.iterdir()) == [first, third]
    copy = sqlite3.connect(third)
    assert copy.execute("SELECT count(*) FROM messages").fetchone() == (10,)
    copy.close()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("CREATE TABLE songs (name TEXT)")
    other.close()

    with pytest.raises(StoreError, match="belongs to another program"):
        open_store(tmp_path)


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    newer = sqlite3.connect(tmp_path / FILE_NAME)
    newer.execute("PRAGMA user_version=999")
    newer.close()

    with pytest.raises(StoreError, match=r"newer Placet \(format 999") as caught:
        open_store(tmp_path)

    assert "Update Placet" in caught.value.hint


async def test_s3_a_damaged_database_is_said(tmp_path: Path) -> None:
    async with opened_store(tmp_path, messages=200) as opened:
        path = opened.store.database.path
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))

    with pytest.raises(StoreError, match="damaged"):
        store = open_store(tmp_path)
        try:
            await store.sessions.newest(opened.session.id)
        finally:
            await store.aclose()


async def test_s6_an_upgrade_is_one_transaction_after_a_backup(tmp_path: Path) -> None:
    async with opened_store(tmp_path, messages=10) as opened:
        path = opened.store.database.path
    backups = tmp_path / "backups"
    connection = Connection(path, busy_timeout_s=1)

    def add(target: Connection) -> None:
        target.execute("CREATE TABLE added (id INTEGER)")

    def fail(target: Connection) -> None:
        raise LookupError("half way")

    try:
        with pytest.raises(LookupError):
            migrate(connection, backups, [*STEPS, add, fail])
        assert connection.version() == len(STEPS)
        assert connection.all("SELECT name FROM sqlite_master WHERE name = 'added'") == []

        for _ in range(9):
            migrate(connection, backups, [*STEPS, add])
            connection.execute("DROP TABLE added")
            connection.set_version(len(STEPS))
    finally:
        connection.close()

    copies = sorted(backups.iterdir())
    assert len(copies) == 7
    copy = sqlite3.connect(copies[0])
    assert copy.execute("SELECT count(*) FROM messages").fetchone() == (10,)
    copy.close()


async def test_opening_an_up_to_date_file_changes_nothing_in_it(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        path = opened.store.database.path
    before = path.read_bytes()

    await open_store(tmp_path).aclose()

    assert path.read_bytes() == before
    assert not (tmp_path / "backups").exists()


async def test_the_models_describe_what_the_migrations_give(opened: OpenStore) -> None:
    models = [
        item
        for item in vars(schema).values()
        if isinstance(item, type) and issubclass(item, peewee.Model) and item is not peewee.Model
    ]
    assert len(models) > 5
    for model in models:
        name = model._meta.table_name
        table = await opened.store.database.look(lambda c, name=name: c.all(f"PRAGMA table_info({name})"))
        assert [column[1] for column in table] == list(model._meta.columns), name


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        pass
    await opened.store.aclose()

    with pytest.raises(StoreError, match="is closed"):
        await opened.store.settings.get("x")


async def test_closing_finishes_what_was_handed_over(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        waiting = [asyncio.ensure_future(opened.store.settings.set(f"k{i}", i)) for i in range(50)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)

    store = open_store(tmp_path)
    try:
        assert len(await store.settings.all()) == 50
    finally:
        await store.aclose()
