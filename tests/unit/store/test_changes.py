"""The port `ChangeJournal` over the real store."""

from __future__ import annotations

import hashlib
import os

import pytest

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, ChangeId, MessageId
from placet.core.domain.ports import ChangeJournal
from placet.core.domain.review import ChangeState
from support.stores import OpenStore, answer, call


async def _intend(
    opened: OpenStore,
    *,
    call_id: CallId | None = None,
    before: bytes | None = b"old",
    after: bytes | None = b"new",
    reverts: ChangeId | None = None,
) -> ChangeId:
    journal: ChangeJournal = opened.store.changes
    return await journal.intend(
        session_id=opened.session.id,
        call_id=call_id,
        tool="edit_file",
        path="/w/a.py",
        before=before,
        after=after,
        added=2,
        removed=1,
        reverts=reverts,
    )


async def test_r8_a_write_is_journalled_with_both_contents_before_it_happens(opened: OpenStore) -> None:
    before, after = os.urandom(100_000), b"new\n" * 50_000

    change_id = await _intend(opened, before=before, after=after)

    change = await opened.store.changes.change(change_id)
    assert (change.state, change.path, change.tool) == (ChangeState.INTENDED, "/w/a.py", "edit_file")
    assert (change.added, change.removed, change.call_id, change.reverts) == (2, 1, None, None)
    assert change.before_digest == hashlib.sha256(before).hexdigest()
    assert change.after_digest == hashlib.sha256(after).hexdigest()
    assert await opened.store.changes.contents(change_id) == (before, after)


async def test_no_file_and_an_empty_file_are_not_the_same(opened: OpenStore) -> None:
    change_id = await _intend(opened, before=None, after=b"")

    change = await opened.store.changes.change(change_id)
    assert change.before_digest == "absent"
    assert change.after_digest == hashlib.sha256(b"").hexdigest()
    assert await opened.store.changes.contents(change_id) == (None, b"")


async def test_equal_contents_are_stored_once_and_compressed(opened: OpenStore) -> None:
    for _ in range(3):
        await _intend(opened, before=b"x" * 10_000, after=b"x" * 10_000)

    ((count, size),) = await opened.store.database.look(
        lambda c: c.all("SELECT count(*), sum(length(data)) FROM blobs")
    )
    assert count == 1
    assert size < 1_000


async def test_what_became_of_a_write_is_kept_with_what_another_writer_left(opened: OpenStore) -> None:
    change_id = await _intend(opened)

    await opened.store.changes.settle(change_id, ChangeState.APPLIED, conflict="another program wrote", found=b"theirs")

    change = await opened.store.changes.change(change_id)
    assert (change.state, change.conflict) == (ChangeState.APPLIED, "another program wrote")
    digest = hashlib.sha256(b"theirs").hexdigest()
    rows = await opened.store.database.look(
        lambda c: c.all("SELECT size FROM file_changes JOIN blobs ON digest = found_digest WHERE digest = ?", (digest,))
    )
    assert rows == [(6,)]


async def test_r9_a_revert_is_a_change_that_can_itself_be_undone(opened: OpenStore) -> None:
    changes = opened.store.changes

    async def states() -> list[ChangeState]:
        found, _ = await changes.page(None)
        return [change.state for change in reversed(found)]

    first = await _intend(opened)
    await changes.settle(first, ChangeState.APPLIED)
    second = await _intend(opened, reverts=first)
    before_settling = await states()
    await changes.settle(second, ChangeState.APPLIED)
    undone = await states()
    third = await _intend(opened, reverts=second)
    await changes.settle(third, ChangeState.APPLIED)
    redone = await states()

    applied, reverted, intended = ChangeState.APPLIED, ChangeState.REVERTED, ChangeState.INTENDED
    assert before_settling == [applied, intended]
    assert undone == [reverted, applied]
    assert redone == [applied, reverted, applied]


async def test_an_abandoned_revert_marks_nothing(opened: OpenStore) -> None:
    first = await _intend(opened)
    await opened.store.changes.settle(first, ChangeState.APPLIED)
    revert = await _intend(opened, reverts=first)

    await opened.store.changes.settle(revert, ChangeState.ABANDONED)

    assert (await opened.store.changes.change(first)).state is ChangeState.APPLIED


async def test_unknown_changes_and_removed_contents_are_said(opened: OpenStore) -> None:
    change_id = await _intend(opened)
    await opened.store.database.run(lambda c: c.execute("DELETE FROM blobs"))

    with pytest.raises(UnknownItem, match="no longer kept"):
        await opened.store.changes.contents(change_id)
    with pytest.raises(UnknownItem, match="no change 77"):
        await opened.store.changes.change(ChangeId(77))
    with pytest.raises(UnknownItem, match="no change 77"):
        await opened.store.changes.settle(ChangeId(77), ChangeState.APPLIED)


async def test_t5_a_calls_newest_change_is_found(opened: OpenStore) -> None:
    stored = await answer(opened.store, opened.frame.id, "", call())
    call_id = stored.calls[0].id
    await _intend(opened, call_id=call_id)
    newest = await _intend(opened, call_id=call_id)

    found = await opened.store.changes.of_call(call_id)

    assert found is not None
    assert found.id == newest
    assert await opened.store.changes.of_call(CallId(999)) is None


async def test_only_writes_that_nobody_is_doing_count_as_left_by_a_crash(opened: OpenStore) -> None:
    left = await _intend(opened)
    settled = await _intend(opened)
    await opened.store.changes.settle(settled, ChangeState.APPLIED)

    await opened.store.sessions.claim(opened.session.id)
    while_running = await opened.store.changes.intended()
    await opened.store.sessions.release(opened.session.id)

    assert while_running == []
    assert [change.id for change in await opened.store.changes.intended()] == [left]


async def test_pages_are_newest_first_with_the_sessions_title(opened: OpenStore) -> None:
    await opened.store.sessions.update(opened.session.id, title="Shed")
    ids = [await _intend(opened) for _ in range(5)]

    first, total = await opened.store.changes.page(opened.session.id, page=1, per_page=3)
    second, _ = await opened.store.changes.page(opened.session.id, page=2, per_page=3)

    assert [change.id for change in [*first, *second]] == ids[::-1]
    assert total == 5
    assert {change.session_title for change in first} == {"Shed"}


async def test_r9_the_changes_of_one_turn_and_of_all_since(opened: OpenStore) -> None:
    async def turn() -> tuple[MessageId, ChangeId, ChangeId]:
        user = await opened.store.turns.append_user(opened.frame.id, "go")
        changed = []
        for _ in range(2):
            stored = await answer(opened.store, opened.frame.id, "", call())
            changed.append(await _intend(opened, call_id=stored.calls[0].id))
        await answer(opened.store, opened.frame.id, "done")
        return user.id, changed[0], changed[1]

    _, *_ = await turn()
    second, *of_second = await turn()
    await _intend(opened, reverts=of_second[0])
    _, *of_third = await turn()

    one = await opened.store.changes.since(opened.session.id, second, whole_rest=False)
    rest = await opened.store.changes.since(opened.session.id, second, whole_rest=True)

    assert [change.id for change in one] == of_second[::-1]
    assert [change.id for change in rest] == [*of_third[::-1], *of_second[::-1]]
