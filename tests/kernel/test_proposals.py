"""`R-13` through the whole core: what was proposed stays, and a person may take it up again."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.diff import FileDiff, Sign
from placet.core.domain.errors import PlacetError, StalePreview, UnknownItem, UsageError
from placet.core.domain.explaining import AddRule
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.messages import Mode
from placet.core.domain.proposals import Basis
from placet.core.domain.review import Action, BypassGrant, BypassScope, ChosenHunks, EditedText, Rule
from placet.core.domain.undo import UndoStatus, UndoWish
from support.conversations import Talk, talk
from support.scripted_model import ScriptedModel, say

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def edit(old: str, new: str, path: str = "a.txt") -> ScriptedModel:
    arguments = {"path": path, "old_string": old, "new_string": new}
    return ScriptedModel(say("I edit.").calling("edit_file", arguments), say("As you wish."))


def changed_lines(diff: FileDiff) -> list[str]:
    return [f"{line.sign}{line.text}" for hunk in diff.hunks for line in hunk.lines if line.sign is not Sign.SAME]


async def reject(conversation: Talk, note: str = "") -> CallId:
    """Send something, reject the write that comes of it, and wait for the end of the turn."""
    await conversation.send("go on")
    waiting = await conversation.next(events.PendingWrite)
    await conversation.hub.reject(waiting.request_id, note)
    await conversation.next(events.Done)
    return waiting.tool_call_id


def apply(patch: str, folder: Path) -> None:
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=folder, input=patch.encode(), check=True)


async def again(conversation: Talk, call_id: CallId) -> RequestId:
    return await conversation.hub.proposals.again(call_id)


async def test_r_13_a_rejected_proposal_can_be_looked_at_after_a_restart(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "LINE 5\n"), tmp_path) as conversation:
        call_id = await reject(conversation)
    async with talk(placet_home, None, tmp_path) as conversation:
        told = await conversation.hub.proposals.of_call(call_id)
    assert (told.basis, told.written, told.note) == (Basis.EXACT, None, "")
    assert told.proposed is not None
    assert changed_lines(told.proposed.diff) == ["-line 5", "+LINE 5"]
    assert told.proposed.new_text == TEN.replace("line 5", "LINE 5")


async def test_r_13_the_patch_of_a_proposal_applies(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\nlast without an end")
    async with talk(placet_home, edit("last without an end", "last\nand one more"), tmp_path) as conversation:
        told = await conversation.hub.proposals.of_call(await reject(conversation))
    assert told.proposed is not None
    apply(told.proposed.patch, tmp_path)
    assert (tmp_path / "a.txt").read_bytes() == told.proposed.new_text.encode()
    assert b"two\r\nlast\r\nand one more" in (tmp_path / "a.txt").read_bytes()


async def test_r_13_it_is_known_exactly_while_the_journal_has_the_file_of_then(
    placet_home: Path, tmp_path: Path
) -> None:
    """The usual course: rejected, proposed in another way, approved."""
    (tmp_path / "a.txt").write_text(TEN)
    first = {"path": "a.txt", "old_string": "line 5\n", "new_string": "five\n"}
    second = {"path": "a.txt", "old_string": "line 5\n", "new_string": "FIVE\n"}
    model = ScriptedModel(
        say("I edit.").calling("edit_file", first), say("Differently.").calling("edit_file", second), say("Done.")
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go on")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.reject(waiting.request_id, "louder")
        await conversation.approve_next()
        await conversation.next(events.Done)
        told = await conversation.hub.proposals.of_call(waiting.tool_call_id)
        assert told.proposed is not None
        assert (told.basis, changed_lines(told.proposed.diff)) == (Basis.EXACT, ["-line 5", "+five"])


async def test_r_13_a_file_that_moved_on_is_said_to_have(placet_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        call_id = await reject(conversation)
        file.write_text("a new head\n" + TEN)
        now = await conversation.hub.proposals.of_call(call_id)
        file.write_text("all is different\n")
        parts = await conversation.hub.proposals.of_call(call_id)
    assert now.proposed is not None
    assert parts.proposed is not None
    assert (now.basis, bool(now.note), changed_lines(now.proposed.diff)) == (Basis.NOW, True, ["-line 5", "+five"])
    assert (parts.basis, bool(parts.note)) == (Basis.PARTS, True)
    assert changed_lines(parts.proposed.diff) == ["-line 5", "+five"]


async def test_r_13_of_an_amended_write_both_are_told(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        await conversation.send("go on")
        waiting = await conversation.next(events.PendingWrite)
        wanted = EditedText(TEN.replace("line 5", "cinque"))
        await conversation.hub.approve(waiting.request_id, amendment=wanted)
        await conversation.next(events.Done)
        told = await conversation.hub.proposals.of_call(waiting.tool_call_id)
    assert told.proposed is not None
    assert told.written is not None
    assert changed_lines(told.proposed.diff) == ["-line 5", "+five"]
    assert changed_lines(told.written.diff) == ["-line 5", "+cinque"]


async def test_r_13_a_waiting_write_is_told_as_it_would_be(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        await conversation.send("go on")
        waiting = await conversation.next(events.PendingWrite)
        told = await conversation.hub.proposals.of_call(waiting.tool_call_id)
    async with talk(placet_home, None, tmp_path) as conversation:
        later = await conversation.hub.proposals.of_call(waiting.tool_call_id)
    assert told.proposed is not None
    assert changed_lines(told.proposed.diff) == ["-line 5", "+five"]
    assert told == later


async def test_r_13_a_call_that_writes_nothing_has_no_proposal(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    model = ScriptedModel(say("I look.").calling("read_file", {"path": "a.txt"}), say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        started = next(each for each in await conversation.say("go on") if isinstance(each, events.ToolStart))
        with pytest.raises(UnknownItem, match="writes no file"):
            await conversation.hub.proposals.of_call(started.tool_call_id)


async def test_r_13_a_rejected_call_keeps_its_counts(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\nand\n"), tmp_path) as conversation:
        call_id = await reject(conversation, "no")
        page = await conversation.hub.history.newest(conversation.session_id)
    (call,) = (call for message in page.messages for call in message.calls if call.id == call_id)
    assert call.facts == {"note": "no", "added": 2, "removed": 1}


async def test_r_13_an_edit_on_top_of_one_that_was_not_written_is_known_exactly(
    placet_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    first = {"path": "a.txt", "old_string": "line 5\n", "new_string": "five\n"}
    second = {"path": "a.txt", "old_string": "line 6\n", "new_string": "six\n"}
    both = say("I edit.").calling("edit_file", first).calling("edit_file", second)
    async with talk(placet_home, ScriptedModel(both, say("As you wish.")), tmp_path) as conversation:
        await conversation.send("go on")
        waiting = [await conversation.next(events.PendingWrite) for _ in range(2)]
        for each in waiting:
            await conversation.hub.reject(each.request_id)
        await conversation.next(events.Done)
        told = await conversation.hub.proposals.of_call(waiting[1].tool_call_id)
        assert told.proposed is not None
        assert (told.basis, changed_lines(told.proposed.diff)) == (Basis.EXACT, ["-line 6", "+six"])
        request_id = await again(conversation, waiting[1].tool_call_id)
        assert changed_lines(await conversation.hub.request_diff(request_id)) == ["-line 6", "+six"]
        await conversation.hub.approve(request_id)
    assert (tmp_path / "a.txt").read_text() == TEN.replace("line 6", "six")


# ---- again ---------------------------------------------------------------------------------------------------------


async def test_r_13_taking_up_a_rejected_proposal_writes_nothing_before_it_is_approved(
    placet_home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        call_id = await reject(conversation)
    async with talk(placet_home, None, tmp_path) as conversation:
        request_id = await again(conversation, call_id)
        assert await again(conversation, call_id) == request_id
        assert [request.id for request in await conversation.hub.pending()] == [request_id]
        diff = await conversation.hub.request_diff(request_id)
        assert (file.read_text(), changed_lines(diff)) == (TEN, ["-line 5", "+five"])
    async with talk(placet_home, None, tmp_path) as conversation:  # it waits over a restart, as everything does
        await conversation.hub.approve(request_id, shown=diff.of)
        told = await conversation.next(events.FileChanged)
        steps = await conversation.hub.changes.steps(str(file))
        assert not await conversation.hub.pending()
        assert (told.tool_call_id, file.read_text()) == (call_id, TEN.replace("line 5", "five"))
        assert [(step.change.tool, step.decision) for step in steps] == [("propose_again", "proposed again by you")]
        with pytest.raises(UsageError, match="written by this call already"):
            await again(conversation, call_id)
        (plan,) = await conversation.hub.changes.plan_undo(UndoWish(changes=(told.change_id,)))
        await conversation.hub.changes.undo([plan])
        assert (plan.status, file.read_text()) == (UndoStatus.READY, TEN)


async def test_r_13_what_others_changed_meanwhile_stays(placet_home: Path, tmp_path: Path) -> None:
    """A whole file is proposed; the journal knows the file of then, so only the proposal's own change is taken up."""
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    whole = {"path": "a.txt", "content": TEN.replace("line 9", "nine")}
    other = {"path": "a.txt", "old_string": "line 2\n", "new_string": "two\n"}
    model = ScriptedModel(
        say("I write.").calling("write_file", whole), say("Then.").calling("edit_file", other), say("Done.")
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go on")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.reject(waiting.request_id)
        await conversation.approve_next()
        await conversation.next(events.Done)
        request_id = await again(conversation, waiting.tool_call_id)
        diff = await conversation.hub.request_diff(request_id)
        assert changed_lines(diff) == ["-line 9", "+nine"]
        await conversation.hub.approve(request_id, shown=diff.of)
    assert file.read_text() == TEN.replace("line 9", "nine").replace("line 2", "two")


async def test_r_13_a_proposal_that_does_not_fit_any_more_says_so(placet_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        call_id = await reject(conversation)
        file.write_text("all is different\n")
        with pytest.raises(UsageError, match="does not fit it any more") as caught:
            await again(conversation, call_id)
        assert "patch" in caught.value.hint
        assert not await conversation.hub.pending()


async def test_r_5_what_a_person_took_up_is_asked_anew_when_the_file_moves_on(
    placet_home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        shown = await conversation.hub.request_diff(request_id)
        file.write_text("a new head\n" + TEN)
        with pytest.raises(StalePreview):
            await conversation.hub.approve(request_id, shown=shown.of)
        assert file.read_text() == "a new head\n" + TEN
        (anew,) = await conversation.hub.pending()
        assert (anew.stale, anew.is_own, anew.id != request_id) == (True, True, True)
        await conversation.hub.approve(anew.id, shown=(await conversation.hub.request_diff(anew.id)).of)
    assert file.read_text() == "a new head\n" + TEN.replace("line 5", "five")


async def test_r_13_it_can_be_amended_like_any_other(placet_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("".join(f"line {n}\n" for n in range(1, 31)))
    whole = {"path": "a.txt", "content": file.read_text().replace("line 2\n", "two\n").replace("line 28\n", "x\n")}
    model = ScriptedModel(say("I write.").calling("write_file", whole), say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        diff = await conversation.hub.request_diff(request_id)
        await conversation.hub.approve(request_id, amendment=ChosenHunks((0,), of=diff.of), shown=diff.of)
    assert "two\n" in file.read_text()
    assert "line 28\n" in file.read_text()


async def test_r_2_what_a_rule_denies_cannot_be_taken_up(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        call_id = await reject(conversation)
        request_id = await again(conversation, call_id)
        denied = Rule(tool="@fs_write", path="a.txt", action=Action.DENY, priority=1)
        await conversation.hub.rules.change(AddRule(rule=denied))
        with pytest.raises(UsageError, match="not allowed"):
            await conversation.hub.approve(request_id)
        assert (tmp_path / "a.txt").read_text() == TEN


async def test_r_13_rejecting_what_was_taken_up_changes_nothing_and_no_turn_begins(
    placet_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    model = edit("line 5\n", "five\n")
    async with talk(placet_home, model, tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        asked = len(model.requests)
        await conversation.hub.reject(request_id)
        await conversation.until_idle()
        assert not await conversation.hub.pending()
        assert ((tmp_path / "a.txt").read_text(), len(model.requests)) == (TEN, asked)
        with pytest.raises(UnknownItem):
            await conversation.hub.approve(request_id)
        trail = await conversation.hub.history.decisions(conversation.session_id)
        assert [verdict.action for _, verdict in trail] == [Action.DENY, Action.DENY]


async def test_r_13_no_bypass_comes_of_it_and_a_stop_leaves_it_waiting(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        with pytest.raises(UsageError, match="took this up yourself"):
            await conversation.hub.approve(request_id, bypass=BypassGrant(scope=BypassScope.ALL))
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        await conversation.hub.cancel("desktop")
        assert [request.id for request in await conversation.hub.pending()] == [request_id]
        assert (tmp_path / "a.txt").read_text() == TEN


async def test_r_18_a_link_that_appeared_meanwhile_is_not_followed(placet_home: Path, tmp_path: Path) -> None:
    file, secret = tmp_path / "a.txt", tmp_path / "secret"
    file.write_text(TEN)
    secret.write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        file.unlink()
        file.symlink_to(secret)
        with pytest.raises(PlacetError):
            await conversation.hub.approve(request_id)
    assert secret.read_text() == TEN


async def test_r_13_two_answers_at_once_write_once(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        request_id = await again(conversation, await reject(conversation))
        approvals = (conversation.hub.approve(request_id), conversation.hub.approve(request_id))
        outcomes = await asyncio.gather(*approvals, return_exceptions=True)
        changes, _ = await conversation.hub.changes.changes()
    assert [type(outcome) for outcome in outcomes].count(UnknownItem) == 1
    assert len(changes) == 1


async def test_r_12_what_a_person_took_up_is_in_the_audit_trail(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEN)
    async with talk(placet_home, edit("line 5\n", "five\n"), tmp_path) as conversation:
        await conversation.hub.approve(await again(conversation, await reject(conversation)))
        trail = await conversation.hub.history.decisions(conversation.session_id)
    assert [(verdict.action, "taken it up again" in verdict.because) for _, verdict in trail] == [
        (Action.DENY, False),
        (Action.ALLOW, True),
    ]
    assert all(verdict.digest and verdict.at for _, verdict in trail)
