"""The journal by file: who changed it, in which order, and how long contents are kept."""

from __future__ import annotations

import pytest

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import ChangeId, new_request_id
from placet.core.domain.messages import Session
from placet.core.domain.review import ChangeState, PendingRequest, RequestKind
from placet.core.store.blobs import digest_of
from support.stores import OpenStore, answer, call, new_session

WEEK = 7 * 24 * 3600.0


async def changed(
    opened: OpenStore,
    path: str,
    before: bytes | None,
    after: bytes | None,
    *,
    session: Session | None = None,
    age_s: float = 0.0,
    reverts: ChangeId | None = None,
    state: ChangeState = ChangeState.APPLIED,
) -> ChangeId:
    """A settled change that a call of the session made; a revert has no call."""
    session = session or opened.session
    call_id = None
    if reverts is None:
        frame = await opened.store.turns.root_frame(session.id)
        await opened.store.turns.append_user(frame.id, f"mend {path}")
        call_id = (await answer(opened.store, frame.id, "", call())).calls[0].id
    change_id = await opened.store.changes.intend(
        session_id=session.id, call_id=call_id, tool="edit_file", path=path, before=before, after=after, added=3,
        removed=1, reverts=reverts,
    )  # fmt: skip
    await opened.store.database.run(
        lambda c: c.execute("UPDATE file_changes SET created = created - ? WHERE id = ?", (age_s, change_id))
    )
    if state is not ChangeState.INTENDED:
        await opened.store.changes.settle(change_id, state)
    return change_id


async def test_files_are_listed_with_what_holds_of_their_steps(opened: OpenStore) -> None:
    other = await new_session(opened.store)
    first = await changed(opened, "/w/a.py", None, b"1")
    await changed(opened, "/w/a.py", b"1", b"2")
    await changed(opened, "/w/b.md", b"x", b"y", session=other)
    await changed(opened, "/w/a.py", b"2", b"3", session=other)
    await changed(opened, "/w/a.py", b"1", None, reverts=first)

    files, total = await opened.store.changed_files.files()
    here, _ = await opened.store.changed_files.files(opened.session.id)

    assert ([file.path for file in files], total) == (["/w/a.py", "/w/b.md"], 2)
    assert [(f.steps, f.reverted, f.added, f.removed, f.sessions, f.is_new) for f in files] == [
        (3, 1, 6, 2, 2, True),
        (1, 0, 3, 1, 1, False),
    ]
    assert [(file.path, file.steps, file.sessions) for file in here] == [("/w/a.py", 2, 1)]


async def test_which_session_changed_a_file_is_found_by_a_part_of_its_path(opened: OpenStore) -> None:
    other = await new_session(opened.store)
    await changed(opened, "/w/Chapter%1.md", b"1", b"2")
    await changed(opened, "/w/chapter_2.md", b"1", b"2", session=other)

    found, total = await opened.store.changed_files.files(text="chapter%")
    steps = await opened.store.changed_files.steps("/w/Chapter%1.md")

    assert ([file.path for file in found], total) == (["/w/Chapter%1.md"], 1)
    assert [(s.change.session_id, s.said) for s in steps] == [(opened.session.id, "mend /w/Chapter%1.md")]
    assert await opened.store.changed_files.files(text="nothing like it") == ([], 0)


@pytest.mark.parametrize("typed", ["äpfel", "ÄPFEL", "A\u0308pfel", "straße", "STRASSE"])
async def test_a_path_is_found_however_its_letters_are_written(opened: OpenStore, typed: str) -> None:
    await changed(opened, "/w/Straße/Äpfel.md", b"1", b"2")
    found, _ = await opened.store.changed_files.files(text=typed)
    assert [file.path for file in found] == ["/w/Straße/Äpfel.md"]


async def test_a_step_leads_to_the_message_that_asked_for_it(opened: OpenStore) -> None:
    user = await opened.store.turns.append_user(opened.frame.id, "long words", metadata={"typed": "/fix it"})
    await opened.store.turns.append_user(opened.frame.id, "", context_block="notes", synthetic=True)
    stored = await answer(opened.store, opened.frame.id, "", call())
    await opened.store.turns.start_call(stored.calls[0].id, label="a.py", decision="approved by you")
    change_id = await opened.store.changes.intend(
        session_id=opened.session.id, call_id=stored.calls[0].id, tool="t", path="/w/a", before=b"1", after=b"2", added=1,
        removed=1,
    )  # fmt: skip
    await opened.store.changes.settle(change_id, ChangeState.APPLIED)

    (step,) = await opened.store.changed_files.steps("/w/a")

    assert (step.message_id, step.said, step.decision) == (user.id, "/fix it", "approved by you")


async def test_r_9_notes_between_the_rounds_of_a_turn_do_not_end_it(opened: OpenStore) -> None:
    user = await opened.store.turns.append_user(opened.frame.id, "go")
    ids = []
    for _ in range(2):
        stored = await answer(opened.store, opened.frame.id, "", call())
        await opened.store.turns.append_user(opened.frame.id, "", context_block="notes", synthetic=True)
        ids.append(
            await opened.store.changes.intend(
                session_id=opened.session.id, call_id=stored.calls[0].id, tool="t", path="/w/a", before=b"1", after=b"2",
                added=1, removed=1,
            )
        )  # fmt: skip

    found = await opened.store.changes.since(opened.session.id, user.id, whole_rest=False)

    assert [change.id for change in found] == ids[::-1]


async def test_r_9_contents_are_removed_when_their_time_is_over_and_the_changes_stay(opened: OpenStore) -> None:
    old = await changed(opened, "/w/a", b"first", b"second", age_s=5 * WEEK)
    newer = await changed(opened, "/w/a", b"second", b"third", age_s=WEEK)
    now = (await opened.store.changes.change(newer)).created_at + WEEK

    removed = await opened.store.changed_files.forget_contents(now - 4 * WEEK)

    assert removed == 1
    assert await opened.store.changes.contents(newer) == (b"second", b"third")
    with pytest.raises(UnknownItem, match="no longer kept"):
        await opened.store.changes.contents(old)
    assert (await opened.store.changes.change(old)).state is ChangeState.APPLIED
    assert await opened.store.changed_files.forget_contents(now - 4 * WEEK) == 0


async def test_what_a_crash_cut_or_a_waiting_request_names_is_kept(opened: OpenStore) -> None:
    cut = await changed(opened, "/w/a", b"1", b"2", age_s=5 * WEEK, state=ChangeState.INTENDED)
    waits = await changed(opened, "/w/b", b"3", b"4", age_s=5 * WEEK)
    stored = await answer(opened.store, opened.frame.id, "", call())
    await opened.store.approvals.add(
        PendingRequest(
            id=new_request_id(), session_id=opened.session.id, call_id=stored.calls[0].id, kind=RequestKind.WRITE,
            tool="edit_file", label="b", detail="", because="", path="/w/b", binding=digest_of(b"4"),
        )
    )  # fmt: skip
    now = (await opened.store.changes.change(cut)).created_at + 5 * WEEK

    assert await opened.store.changed_files.forget_contents(now) == 1  # only what b was before
    assert await opened.store.changes.contents(cut) == (b"1", b"2")
    with pytest.raises(UnknownItem):
        await opened.store.changes.contents(waits)


async def test_a_content_that_a_newer_change_shares_is_kept(opened: OpenStore) -> None:
    for number in range(3):
        await changed(opened, "/w/a", b"%d" % number, b"%d" % (number + 1), age_s=5 * WEEK)
    newest = await changed(opened, "/w/a", b"3", b"4")

    assert await opened.store.changed_files.forget_contents((await opened.store.changes.change(newest)).created_at) == 3
