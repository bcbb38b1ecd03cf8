"""Several processes on one database, and one that is killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from placet.core.domain.ids import SessionId
from placet.core.domain.messages import MessageStatus
from placet.core.store.connection import Connection
from placet.core.store.store import open_store
from support.stores import opened_store

ROOT = Path(__file__).parents[3]
BOUND_S = 60

APPENDS = """
import asyncio, sys
from pathlib import Path
from placet.core.store.store import open_store
from support.stores import new_session

async def main():
    store = open_store(Path(sys.argv[1]))
    session = await new_session(store)
    frame = await store.turns.root_frame(session.id)
    for index in range(int(sys.argv[2])):
        await store.turns.append_user(frame.id, str(index))
    print(session.id)
    await store.aclose()

asyncio.run(main())
"""

HOLDS_THE_LOCK = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO settings VALUES ('held', 'true')")
print("locked", flush=True)
sys.stdin.readline()
time.sleep(3)
connection.execute("COMMIT")
"""

STREAMS = """
import asyncio, sys
from pathlib import Path
from placet.core.store.store import open_store
from support.stores import BINDING, answer, new_session

async def main():
    store = open_store(Path(sys.argv[1]))
    session = await new_session(store)
    frame = await store.turns.root_frame(session.id)
    print(session.id, flush=True)
    while True:
        user = await store.turns.append_user(frame.id, "question")
        print(user.id, flush=True)
        print((await answer(store, frame.id, "answer")).id, flush=True)
        begun = await store.turns.begin_answer(frame.id, BINDING)
        for index in range(20):
            await store.turns.save_partial(begun, "part " * index, "")

asyncio.run(main())
"""


async def _start(program: str, *arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'desktop'}{os.pathsep}{ROOT / 'tests'}"},
    )


async def test_two_processes_append_to_one_new_database(tmp_path: Path) -> None:
    processes = [await _start(APPENDS, str(tmp_path), "500") for _ in range(2)]
    outputs = await asyncio.wait_for(asyncio.gather(*(process.communicate() for process in processes)), BOUND_S)

    assert [process.returncode for process in processes] == [0, 0]
    store = open_store(tmp_path)
    try:
        for output, _ in outputs:
            frame = await store.turns.root_frame(SessionId(output.decode().strip()))
            messages = await store.turns.messages_after(frame.id, None)
            assert [m.content for m in messages] == [str(index) for index in range(500)]
    finally:
        await store.aclose()


async def test_a_write_waits_while_another_process_holds_the_lock(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        holder = await _start(HOLDS_THE_LOCK, str(opened.store.database.path))
        assert holder.stdout is not None
        assert await asyncio.wait_for(holder.stdout.readline(), BOUND_S) == b"locked\n"

        def work(connection: Connection) -> list[tuple[object, ...]]:
            return connection.all("SELECT value FROM settings WHERE key = 'held'")

        assert await opened.store.settings.get("held") is None
        assert holder.stdin is not None
        holder.stdin.write(b"\n")
        seen, _ = await asyncio.gather(opened.store.database.run(work), holder.wait())

        assert seen == [("true",)]  # it began only after the other had committed


async def test_s1_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    for lines in (2, 9, 31):
        process = await _start(STREAMS, str(tmp_path))
        assert process.stdout is not None
        session_id = SessionId((await asyncio.wait_for(process.stdout.readline(), BOUND_S)).decode().strip())
        acknowledged = [int(await asyncio.wait_for(process.stdout.readline(), BOUND_S)) for _ in range(lines)]
        process.kill()
        await process.communicate()

        store = open_store(tmp_path)
        try:
            frame = await store.turns.root_frame(session_id)
            messages = await store.turns.messages_after(frame.id, None)
            check = await store.database.read(lambda c: c.all("PRAGMA integrity_check"))
            await store.sessions.claim(session_id)
        finally:
            await store.aclose()
        assert check == [("ok",)]
        assert {m.id for m in messages} >= set(acknowledged)
        assert all(m.status is MessageStatus.OK for m in messages if m.id in set(acknowledged))
