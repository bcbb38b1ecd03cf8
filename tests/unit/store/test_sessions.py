"""Sessions: values, lists, pages, ownership."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from placet.core.domain.errors import SessionBusy, UnknownItem
from placet.core.domain.ids import CallId, FrameId, SessionId, new_session_id
from placet.core.domain.messages import CallStatus, Mode, RunContext, Session, Usage
from placet.core.store.owners import is_alive, own_start, start_of
from support.stores import BINDING, OpenStore, answer, call, new_session, opened_store


async def test_a_session_comes_back_as_it_was_created(opened: OpenStore) -> None:
    context = RunContext(workdir="/w", mode=Mode.EDITS, readable=("/r",), writable=("/w",), auto_deny=True)
    given = Session(
        id=new_session_id(),
        title="Plan",
        source="cli",
        agent="helper",
        interactive=False,
        ephemeral=True,
        context=context,
        model="small",
        created_at=5.0,
        last_activity=5.0,
    )

    created = await opened.store.sessions.create(given)

    assert created == given
    assert await opened.store.sessions.get(given.id) == given


async def test_lists_are_newest_activity_first_by_source_and_in_pages(opened: OpenStore) -> None:
    sessions = opened.store.sessions
    made = [await new_session(opened.store, source="cli", at=float(moment)) for moment in (10, 30, 20)]

    first, total = await sessions.list(source="cli", page=1, per_page=2)
    second, _ = await sessions.list(source="cli", page=2, per_page=2)
    everything, all_of_them = await sessions.list()

    assert [s.id for s in [*first, *second]] == [made[1].id, made[2].id, made[0].id]
    assert (total, all_of_them) == (3, 4)
    assert everything[0].id == opened.session.id


async def test_the_summary_of_a_session_is_kept_while_it_is_written(opened: OpenStore) -> None:
    turns = opened.store.turns
    await turns.append_user(opened.frame.id, "\n  Tidy the shed.\nPlease")
    await answer(
        opened.store, opened.frame.id, "I look.", call(), usage=Usage(input_tokens=10, output_tokens=2), cost=0.5
    )
    await turns.append_user(opened.frame.id, "And the roof", synthetic=True)
    await answer(opened.store, opened.frame.id, "Done.", usage=Usage(input_tokens=20, output_tokens=3))

    (listed,), _ = await opened.store.sessions.list()

    assert (listed.title, listed.snippet) == ("Tidy the shed.", "Done.")
    assert (listed.messages, listed.turns) == (4, 1)
    assert (listed.input_tokens, listed.output_tokens, listed.cost) == (30, 5, 0.5)
    assert listed.last_activity > opened.session.last_activity
    assert not listed.interrupted


async def test_a_session_is_interrupted_while_its_last_turn_is_open_and_nobody_runs_it(opened: OpenStore) -> None:
    turns, sessions = opened.store.turns, opened.store.sessions

    async def interrupted() -> bool:
        return (await sessions.get(opened.session.id)).interrupted

    seen = [await interrupted()]
    await turns.append_user(opened.frame.id, "go")
    seen.append(await interrupted())
    await sessions.claim(opened.session.id)
    seen.append(await interrupted())
    await sessions.release(opened.session.id)
    await turns.begin_answer(opened.frame.id, BINDING)
    seen.append(await interrupted())
    stored = await answer(opened.store, opened.frame.id, "", call())
    await turns.end_call(stored.calls[0].id, CallStatus.DONE, "r", facts={}, decision="")
    seen.append(await interrupted())
    await answer(opened.store, opened.frame.id, "final")
    seen.append(await interrupted())
    await turns.append_user(opened.frame.id, "stopped")
    await turns.fail_unanswered(opened.frame.id)
    seen.append(await interrupted())

    assert seen == [False, True, False, True, True, False, False]


async def test_a_title_of_a_person_is_never_replaced_by_a_made_one(opened: OpenStore) -> None:
    sessions = opened.store.sessions
    await sessions.update(opened.session.id, title="Mine", by_person=True)

    await sessions.update(opened.session.id, title="Made", by_person=False)
    await opened.store.turns.append_user(opened.frame.id, "first words")

    assert (await sessions.get(opened.session.id)).title == "Mine"


async def test_only_what_is_given_is_updated(opened: OpenStore) -> None:
    context = RunContext(workdir="/elsewhere", mode=Mode.AUTO)

    changed = await opened.store.sessions.update(opened.session.id, context=context)
    renamed = await opened.store.sessions.update(opened.session.id, model="big")

    assert (changed.context, changed.model) == (context, "")
    assert (renamed.context, renamed.model) == (context, "big")
    with pytest.raises(UnknownItem):
        await opened.store.sessions.update(SessionId("nowhere"), title="x")


async def test_pages_join_without_gap_or_overlap(tmp_path: Path) -> None:
    async with opened_store(tmp_path, messages=130) as opened:
        sessions = opened.store.sessions
        pages = [await sessions.newest(opened.session.id)]
        while pages[-1].has_older:
            pages.append(await sessions.older(opened.session.id, pages[-1].messages[0].id))

    ids = [m.id for page in reversed(pages) for m in page.messages]
    assert ids == sorted(ids)
    assert len(ids) == 130
    assert [len(page.messages) for page in pages] == [60, 60, 10]


async def test_s7_looking_changes_no_byte(tmp_path: Path) -> None:
    async with opened_store(tmp_path, messages=50) as opened:
        await opened.store.search.index_all()
        before = await opened.store.database.read(lambda c: [*c.all("PRAGMA data_version"), _changes(c)])

        await opened.store.sessions.newest(opened.session.id)
        await opened.store.sessions.list()
        await opened.store.search.search("fox")

        assert await opened.store.database.read(lambda c: [*c.all("PRAGMA data_version"), _changes(c)]) == before


def _changes(connection: object) -> int:
    return int(connection.all("SELECT total_changes()")[0][0])  # type: ignore[attr-defined]


@contextmanager
def living_process() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.communicate(b"\n")


async def test_s4_a_claim_of_another_living_process_is_respected(opened: OpenStore) -> None:
    with living_process() as other:
        await _set_owner(opened, other.pid, start_of(other.pid))

        with pytest.raises(SessionBusy, match="another Placet process"):
            await opened.store.sessions.claim(opened.session.id)
        await opened.store.sessions.release(opened.session.id)
        assert await opened.store.sessions.owner_is_alive(opened.session.id)

    assert not await opened.store.sessions.owner_is_alive(opened.session.id)
    await opened.store.sessions.claim(opened.session.id)
    assert await opened.store.sessions.owner_is_alive(opened.session.id)


async def test_s4_a_process_that_got_a_dead_owners_number_is_not_the_owner(opened: OpenStore) -> None:
    with living_process() as other:
        await _set_owner(opened, other.pid, "began at another time")

        await opened.store.sessions.claim(opened.session.id)
        await opened.store.sessions.claim(opened.session.id)
    owner = await opened.store.database.look(lambda c: c.one("SELECT owner_pid, owner_started FROM sessions"))
    assert owner == (os.getpid(), own_start())


async def test_a_released_session_has_no_owner(opened: OpenStore) -> None:
    await opened.store.sessions.claim(opened.session.id)

    await opened.store.sessions.release(opened.session.id)

    assert not await opened.store.sessions.owner_is_alive(opened.session.id)
    with pytest.raises(UnknownItem):
        await opened.store.sessions.claim(SessionId("nowhere"))


def test_a_process_that_ended_has_no_start() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    started = start_of(child.pid)
    child.wait()

    assert not is_alive(child.pid, started)
    assert is_alive(os.getpid(), own_start())


async def _set_owner(opened: OpenStore, pid: int, started: str) -> None:
    await opened.store.database.run(
        lambda c: c.execute("UPDATE sessions SET owner_pid = ?, owner_started = ?", (pid, started))
    )


async def test_a_source_has_one_active_session(opened: OpenStore) -> None:
    sources = opened.store.sources
    other = await new_session(opened.store)

    assert await sources.active("desktop") is None
    await sources.activate("desktop", opened.session.id)
    await sources.activate("desktop", other.id)
    await sources.activate("cli", opened.session.id)

    assert await sources.active("desktop") == other.id
    assert await sources.active("cli") == opened.session.id


# ---- sub-agents ------------------------------------------------------------------------------------------------


async def test_a_page_has_only_the_rows_of_the_root(opened: OpenStore) -> None:
    store, root = opened.store, opened.frame.id
    await store.turns.append_user(root, "go")
    parent = await answer(store, root, "I ask another one.", call(name="execute_task"))
    child = await nested_frame(opened, parent.calls[0].id)
    await answer(store, child, "inside")
    await answer(store, root, "done")

    page = await store.sessions.newest(opened.session.id)
    older = await store.sessions.older(opened.session.id, page.messages[-1].id)

    assert [row.content for row in page.messages] == ["go", "I ask another one.", "done"]
    assert [row.content for row in older.messages] == ["go", "I ask another one."]


async def test_a_nested_frame_is_read_by_the_call_that_started_it(opened: OpenStore) -> None:
    store = opened.store
    parent = await answer(store, opened.frame.id, "", call(name="execute_task"), call(name="execute_task"))
    child = await nested_frame(opened, parent.calls[0].id)
    await answer(store, child, "first", call())
    await answer(store, child, "last")

    page = await store.sessions.nested(parent.calls[0].id)
    not_begun = await store.sessions.nested(parent.calls[1].id)

    assert page.session.id == opened.session.id
    assert [(row.content, len(row.calls)) for row in page.messages] == [("first", 1), ("last", 0)]
    assert (not_begun.messages, not_begun.has_older) == ((), False)
    with pytest.raises(UnknownItem):
        await store.sessions.nested(CallId(10**6))


async def nested_frame(opened: OpenStore, parent: CallId) -> FrameId:
    sql = "INSERT INTO frames (session_id, agent, depth, parent_call) VALUES (?, 'tester', 1, ?)"
    values = (opened.session.id, parent)
    return FrameId(await opened.store.database.run(lambda connection: connection.insert(sql, values)))
