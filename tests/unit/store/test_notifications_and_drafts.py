"""Format 2: a database of format 1 gets it with all its data, and its rows keep what they promise."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from pathlib import Path

from placet.core.domain.ids import SessionId
from placet.core.domain.notifications import Notification
from placet.core.store.connection import Connection
from placet.core.store.migrations import STEPS, migrate
from placet.core.store.owners import own_start, start_of
from placet.core.store.store import FILE_NAME, open_store
from support.stores import OpenStore, answer, call


def told(summary: str, event_time: float = 1.0) -> Notification:
    return Notification(source="tic", event_type="mail", summary=summary, event_time=event_time)


async def test_s6_a_database_of_format_1_is_upgraded_with_all_its_data(tmp_path: Path) -> None:
    old = Connection(tmp_path / FILE_NAME, busy_timeout_s=1)
    migrate(old, tmp_path / "backups", STEPS[:1])
    old.execute("INSERT INTO sessions (id, source, agent, created, last_activity) VALUES ('s', 'desktop', 'a', 1, 2)")
    old.execute("INSERT INTO frames (session_id, agent) VALUES ('s', 'a')")
    old.execute(
        "INSERT INTO messages (frame_id, session_id, role, content, created) VALUES (1, 's', 'user', 'hello', 1)"
    )
    old.execute("INSERT INTO sources VALUES ('desktop', 's')")
    assert old.version() == 1
    old.close()

    store = open_store(tmp_path)
    try:
        page = await store.sessions.newest(SessionId("s"))
        assert [message.content for message in page.messages] == ["hello"]
        await store.notifications.add(told("new"))
        assert await store.notifications.deliver("desktop", SessionId("s")) == 1
        assert await store.drafts.take("desktop") == []
    finally:
        await store.aclose()

    (copy,) = (tmp_path / "backups").iterdir()
    kept = sqlite3.connect(copy)
    assert kept.execute("PRAGMA user_version").fetchone() == (1,)
    assert kept.execute("SELECT content FROM messages").fetchall() == [("hello",)]
    kept.close()


async def test_h10_row_and_mark_are_one_transaction(opened: OpenStore) -> None:
    store, session = opened.store, opened.session
    await store.sources.activate("desktop", session.id)
    await store.notifications.add(told("one"))

    assert await store.notifications.deliver("phone", session.id) == 0  # it talks elsewhere
    assert await store.notifications.are_waiting()
    assert await store.notifications.deliver("desktop", session.id) == 1
    assert await store.notifications.deliver("desktop", session.id) == 0
    assert not await store.notifications.are_waiting()
    assert [n.summary for n in await store.notifications.of_session(session.id, 10)] == ["one"]
    (row,) = (await store.sessions.newest(session.id)).messages
    assert (row.synthetic, len(row.calls)) == (True, 1)
    counted = await store.sessions.get(session.id)
    assert (counted.messages, counted.turns) == (1, 0)


async def test_h10_behind_open_calls_nothing_is_delivered(opened: OpenStore) -> None:
    store, session = opened.store, opened.session
    await store.sources.activate("desktop", session.id)
    await answer(store, opened.frame.id, "wait", call())
    await store.notifications.add(told("one"))

    assert await store.notifications.deliver("desktop", session.id) == 0
    assert await store.notifications.are_waiting()


async def test_many_notifications_come_in_several_rows_and_in_order(opened: OpenStore) -> None:
    store, session = opened.store, opened.session
    await store.sources.activate("desktop", session.id)
    for number in range(60):
        await store.notifications.add(told(f"n{number}"))

    counts = [await store.notifications.deliver("desktop", session.id) for _ in range(3)]

    assert counts == [50, 10, 0]
    assert [n.summary for n in await store.notifications.of_session(session.id, 3)] == ["n57", "n58", "n59"]


async def test_a_time_that_no_calendar_has_stops_no_delivery(opened: OpenStore) -> None:
    store, session = opened.store, opened.session
    await store.sources.activate("desktop", session.id)
    await store.notifications.add(told("odd \ud800 one", event_time=1e300))

    assert await store.notifications.deliver("desktop", session.id) == 1


async def test_h6_only_what_nobody_alive_waits_with_is_given_back(opened: OpenStore) -> None:
    store = opened.store
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()

    async def owned_by(draft: str, pid: int, started: str) -> None:
        sql = "UPDATE drafts SET owner_pid = ?, owner_started = ? WHERE id = ?"
        await store.database.run(lambda c: c.execute(sql, (pid, started, draft)))

    for draft in ("mine", "another's", "crashed", "reused"):
        store.drafts.add(draft, "desktop", draft, [], first=False)
    await owned_by("another's", 1, start_of(1))
    await owned_by("crashed", ended.pid, "a moment long ago")
    await owned_by("reused", 1, f"not {own_start()}")

    assert await store.drafts.take("desktop") == [("crashed", ()), ("reused", ())]
    await store.drafts.release()
    assert await store.drafts.take("desktop") == [("mine", ())]


async def test_drafts_keep_the_order_of_the_queue(opened: OpenStore) -> None:
    drafts = opened.store.drafts
    drafts.add("b", "desktop", "second", ["/x"], first=False)
    drafts.add("c", "desktop", "third", [], first=False)
    drafts.add("a", "desktop", "first", [], first=True)
    drafts.add("other", "phone", "elsewhere", [], first=True)
    drafts.remove(["c", "never there"])
    await drafts.release()

    assert await drafts.take("desktop") == [("first", ()), ("second", ("/x",))]


async def test_handing_over_to_a_closed_store_is_only_logged(tmp_path: Path, expected_logs: list[str]) -> None:
    expected_logs.append("was not stored")
    store = open_store(tmp_path)
    await store.aclose()

    store.drafts.remove(["x"])
