"""A restart as a way to have something done that was decided on something else (`R-5`, `R-11`, `R-17`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from placet.core.domain import events
from placet.core.domain.errors import PlacetError, UnknownItem, UsageError
from placet.core.domain.ids import RequestId
from placet.core.domain.messages import CallStatus, Mode, RunContext
from placet.core.domain.review import Action, Rule
from support.arena import fingerprint
from support.conversations import Talk, talk
from support.scripted_model import ScriptedModel, say

EDIT = ("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "TWO"})
OLD, NEW = b"one\ntwo\nthree\n", b"one\nTWO\nthree\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_bytes(OLD)
    (tmp_path / "theirs.txt").write_bytes(OLD)
    return folder


async def left_waiting(home: Path, work: Path, name: str = EDIT[0], arguments: dict[str, Any] = EDIT[1]) -> RequestId:
    """One call that waits, and the program ends."""
    async with talk(home, ScriptedModel(say("Because.").calling(name, arguments)), work) as conversation:
        await conversation.send("go")
        while True:
            event = await conversation.next(events.Event)
            if isinstance(event, (events.PendingWrite, events.PendingCommand, events.ApprovalRequired)):
                return event.request_id


async def ended_or_asked(conversation: Talk) -> Any:
    """The end of the turn, or the next question."""
    while True:
        event = await conversation.next(events.Event)
        if isinstance(event, (events.PendingWrite, events.PendingCommand, events.ApprovalRequired)):
            return event
        if isinstance(event, events.TurnRunning) and not event.running:
            return None


def saved(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthree\nmine\n")


def saved_where_it_does_not_show(path: Path) -> None:
    path.write_bytes(OLD.replace(b"\n", b"\r\n"))


def deleted(path: Path) -> None:
    path.unlink()


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent.parent / "theirs.txt")


def done_already(path: Path) -> None:
    path.write_bytes(NEW)


def made_twice(path: Path) -> None:
    path.write_bytes(OLD + OLD)


def moved(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.symlink_to(path.parent.with_name("moved"))


CHANGES = [saved, saved_where_it_does_not_show, deleted, emptied, linked, done_already, made_twice, moved]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_r_5_an_approval_from_before_is_none_for_other_bytes(
    placet_home: Path, work: Path, change: Callable[[Path], None]
) -> None:
    await left_waiting(placet_home, work)
    change(work / "a.txt")
    before = fingerprint(work.parent)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        await conversation.hub.approve(stored.id)
        again = await ended_or_asked(conversation)
        assert fingerprint(work.parent) == before
        if again is not None:
            assert again.request_id != stored.id
            await conversation.hub.reject(again.request_id)
            await conversation.until_idle()
    assert fingerprint(work.parent) == before


async def test_r_5_an_approval_from_before_is_good_for_the_very_same(placet_home: Path, work: Path) -> None:
    """So the attempts above fail for their reason."""
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        await conversation.hub.approve(stored.id)
        assert await ended_or_asked(conversation) is None
    assert (work / "a.txt").read_bytes() == NEW


@pytest.mark.parametrize("tightened", ["denied by a rule", "ask for everything", "nobody to ask"])
async def test_r_2_what_was_tightened_meanwhile_holds_for_an_approval_from_before(
    placet_home: Path, work: Path, tightened: str
) -> None:
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        store = conversation.core.store
        (stored,) = await conversation.hub.pending()
        if tightened == "denied by a rule":
            await store.database.run(lambda connection: connection.execute("DELETE FROM approval_rules"))
            await store.database.run(lambda connection: connection.execute("DELETE FROM sqlite_sequence WHERE name = 'approval_rules'"))  # fmt: skip
            await store.rules.seed([Rule(tool="@fs_write", action=Action.DENY)])
        elif tightened == "nobody to ask":
            await store.sessions.update(conversation.session_id, context=RunContext(workdir=str(work), auto_deny=True))
        else:
            await conversation.hub.set_policy("desktop", mode=Mode.ASK_ALL)
        await conversation.hub.approve(stored.id)
        assert await ended_or_asked(conversation) is None
    written = (work / "a.txt").read_bytes() == NEW
    assert written is (tightened == "ask for everything")  # there the approval is the answer


async def test_r_11_an_approval_from_before_is_for_its_folder(placet_home: Path, work: Path, tmp_path: Path) -> None:
    """The same relative path in another folder is another file."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_bytes(OLD)
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        await conversation.hub.set_policy("desktop", workdir=str(other))
        (stored,) = await conversation.hub.pending()
        await conversation.hub.approve(stored.id)
        again = await ended_or_asked(conversation)
        assert again is not None
        assert again.path == str(other / "a.txt")
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert [(folder / "a.txt").read_bytes() for folder in (work, other)] == [OLD, OLD]


async def test_r_11_a_command_from_before_is_for_its_folder(placet_home: Path, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    await left_waiting(placet_home, work, "execute_cmd", {"command": "touch ran"})
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        await conversation.hub.set_policy("desktop", workdir=str(other))
        (stored,) = await conversation.hub.pending()
        await conversation.hub.approve(stored.id)
        again = await ended_or_asked(conversation)
        assert again.workdir == str(other)
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert not (work / "ran").exists()
    assert not (other / "ran").exists()


@pytest.mark.parametrize(
    ("column", "value"),
    [("arguments", '{"path":"../theirs.txt","old_string":"two","new_string":"EVIL"}'), ("arguments", '{"path":"a.txt","old_string":"two","new_string":"EVIL"}'), ("name", "write_file")],
)  # fmt: skip
async def test_r_11_a_stored_call_that_was_changed_is_not_what_was_approved(
    placet_home: Path, work: Path, column: str, value: str
) -> None:
    """Somebody wrote into the database between the two runs."""
    await left_waiting(placet_home, work)
    before = fingerprint(work.parent)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        await conversation.core.store.database.run(
            lambda connection: connection.execute(f"UPDATE tool_calls SET {column} = ?", (value,))
        )
        (stored,) = await conversation.hub.pending()
        await conversation.hub.approve(stored.id)
        again = await ended_or_asked(conversation)
        assert fingerprint(work.parent) == before
        if again is not None:
            await conversation.hub.reject(again.request_id)
            await conversation.until_idle()
    assert fingerprint(work.parent) == before


async def test_r_13_a_rejection_from_before_is_not_forgotten(placet_home: Path, work: Path) -> None:
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        await conversation.hub.reject(stored.id, "no")
        assert await ended_or_asked(conversation) is None
        with pytest.raises(UnknownItem):
            await conversation.hub.approve(stored.id)
        page = await conversation.hub.history.newest(conversation.session_id)
        assert [call.status for row in page.messages for call in row.calls] == [CallStatus.REJECTED]
    assert (work / "a.txt").read_bytes() == OLD


async def test_r_13_a_rejection_stands_although_the_mode_lets_pass_by_now(placet_home: Path, work: Path) -> None:
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        (stored,) = await conversation.hub.pending()
        await conversation.hub.reject(stored.id, "no")
        await conversation.until_idle()
    assert (work / "a.txt").read_bytes() == OLD


@pytest.mark.parametrize("order", ["reject, approve", "approve, approve"])
async def test_a_stored_request_is_decided_once(placet_home: Path, work: Path, order: str) -> None:
    await left_waiting(placet_home, work, "execute_cmd", {"command": "echo once >> log"})
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        first = (
            conversation.hub.reject(stored.id) if order.startswith("reject") else conversation.hub.approve(stored.id)
        )
        await first
        await ended_or_asked(conversation)
        with pytest.raises(PlacetError):
            await conversation.hub.approve(stored.id)
    log = work / "log"
    assert (log.read_text() if log.exists() else "") == ("" if order.startswith("reject") else "once\n")


async def test_a_request_of_one_session_decides_nothing_in_another(placet_home: Path, work: Path) -> None:
    """Two sessions wait for the very same call; only the one that was decided goes on."""
    same = ("execute_cmd", {"command": "echo once >> log"})
    first = await left_waiting(placet_home, work, *same)
    async with talk(placet_home, ScriptedModel(say().calling(*same)), work, reset=True) as conversation:
        await conversation.send("go")
        second = await conversation.next(events.PendingCommand)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        waiting = {request.id: request.session_id for request in await conversation.hub.pending()}
        assert set(waiting) == {first, second.request_id}
        assert len(set(waiting.values())) == 2
        await conversation.hub.approve(second.request_id)
        await conversation.until_idle()
        assert [request.id for request in await conversation.hub.pending()] == [first]
    assert (work / "log").read_text() == "once\n"


async def test_an_answer_to_a_stored_approval_is_no_answer_to_a_question(placet_home: Path, work: Path) -> None:
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        with pytest.raises(UsageError):
            await conversation.hub.resolve_question(stored.id, "yes")
        assert [request.id for request in await conversation.hub.pending()] == [stored.id]
    assert (work / "a.txt").read_bytes() == OLD


async def test_looking_at_a_stored_request_decides_nothing(placet_home: Path, work: Path) -> None:
    await left_waiting(placet_home, work)
    before = fingerprint(work)
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        (stored,) = await conversation.hub.pending()
        diff = await conversation.hub.request_diff(stored.id)
        assert (diff.added, diff.removed) == (1, 1)
        assert fingerprint(work) == before
        assert [request.id for request in await conversation.hub.pending()] == [stored.id]


@pytest.mark.parametrize("command", ["echo once >> log", "sleep 0.1; echo once >> log"])
async def test_t5_a_command_that_was_cut_is_not_run_again_whatever_is_approved(
    placet_home: Path, work: Path, command: str
) -> None:
    model = ScriptedModel(say().calling("execute_cmd", {"command": command}), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingCommand)
        await conversation.hub.approve(asked.request_id)
        await conversation.next(events.ApprovalResolved)
    cut = (work / "log").read_text() if (work / "log").exists() else ""
    async with talk(placet_home, ScriptedModel(say("done")), work) as conversation:
        for request in await conversation.hub.pending():
            assert request.id != asked.request_id
        with pytest.raises(PlacetError):
            await conversation.hub.approve(asked.request_id)
    assert ((work / "log").read_text() if (work / "log").exists() else "") == cut


async def test_a_message_that_is_sent_after_a_restart_approves_nothing_that_waited(
    placet_home: Path, work: Path
) -> None:
    """Going on with words is no approval: what waited is asked again."""
    await left_waiting(placet_home, work)
    async with talk(placet_home, ScriptedModel(say("done"), say("done")), work) as conversation:
        await conversation.send("yes, approved, go on")
        again = await ended_or_asked(conversation)
        assert again is not None
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert (work / "a.txt").read_bytes() == OLD
