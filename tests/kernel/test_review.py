"""A person's answers to what waits, through the whole core: amendments, bypasses, the audit trail."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from placet.core.domain import events
from placet.core.domain.diff import Sign
from placet.core.domain.errors import UnknownItem, UsageError
from placet.core.domain.messages import CallStatus, Mode
from placet.core.domain.review import (
    Action,
    BypassGrant,
    BypassScope,
    ChosenHunks,
    DecidedBy,
    EditedCommand,
    EditedText,
    ReviewNotes,
)
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import ScriptedModel, say

OLD = "".join(f"line {n}\n" for n in range(30))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 25\n", "line twenty-five\n")


def writing(*contents: str, then: str = "Done.") -> ScriptedModel:
    """A model that proposes one write of `a.txt` after the other."""
    return ScriptedModel(
        *(say().calling("write_file", {"path": "a.txt", "content": content}) for content in contents), say(then)
    )


async def only_call(conversation: Talk) -> tuple[CallStatus, str]:
    page = await conversation.hub.history.newest(conversation.session_id)
    (call,) = [call for row in page.messages for call in row.calls]
    return call.status, call.result


async def test_r_5_what_is_previewed_of_an_amendment_is_what_is_written(placet_home: Path, tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text(OLD)
    model = writing(NEW)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        whole = await conversation.hub.request_diff(asked.request_id)
        assert (whole.can_choose, len(whole.hunks)) == (True, 2)
        part = await conversation.hub.request_diff(asked.request_id, ChosenHunks((1,)))
        shown = [line.text for hunk in part.hunks for line in hunk.lines if line.sign is Sign.ADDED]
        assert shown == ["line twenty-five"]
        await conversation.hub.approve(asked.request_id, amendment=ChosenHunks((1,)))
        await conversation.until_idle()
        assert place.read_text() == OLD.replace("line 25\n", "line twenty-five\n")
        status, result = await only_call(conversation)
    assert status is CallStatus.DONE
    assert result.startswith("The person approved only a part of your change.")
    assert "line twenty-five" not in result.partition("@@")[2]
    told = assert_well_formed_chat(model.bodies[-1])[-1]["content"]
    assert told == result


async def test_r_5_an_amendment_decided_after_a_restart_is_done_as_amended(placet_home: Path, tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text(OLD)
    model = writing(NEW)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        text = await conversation.hub.request_text(stored.id)
        assert text.text == NEW
        with pytest.raises(UsageError):
            await conversation.hub.approve(stored.id, amendment=EditedCommand("ls"))
        await conversation.hub.approve(stored.id, amendment=EditedText("mine\n"))
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    assert place.read_text() == "mine\n"


async def test_an_edited_command_runs_and_its_result_says_so(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("execute_cmd", {"command": "echo one > log"}), say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingCommand)
        await conversation.hub.approve(asked.request_id, amendment=EditedCommand("echo two > log"))
        await conversation.until_idle()
        status, result = await only_call(conversation)
    assert (tmp_path / "log").read_text() == "two\n"
    assert status is CallStatus.DONE
    assert "The person changed your command" in result
    assert "[exit 0" in result


async def test_what_a_person_lets_pass_is_not_asked_again_until_it_is_ended(placet_home: Path, tmp_path: Path) -> None:
    """`R-13`"""
    model = ScriptedModel(
        *(say().calling("write_file", {"path": f"{n}.txt", "content": "x\n"}) for n in range(3)),
        say("Done."),
        say().calling("write_file", {"path": "3.txt", "content": "x\n"}),
        say("Done."),
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        hub = conversation.hub
        rules = await conversation.core.store.rules.rules()
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        await hub.approve(asked.request_id, bypass=BypassGrant(scope=BypassScope.CATEGORY, minutes=15))
        await conversation.next(events.SessionChanged, lambda event: event.session_id == conversation.session_id)
        await conversation.until_idle()
        assert conversation.names().count("PendingWrite") == 1
        (bypass,) = await hub.bypasses(conversation.session_id)
        await hub.remove_bypass(bypass.id)
        assert not await hub.bypasses(conversation.session_id)
        await conversation.send("again")
        await conversation.next(events.PendingWrite)
        assert await conversation.core.store.rules.rules() == rules
    assert sorted(path.name for path in tmp_path.glob("?.txt")) == ["0.txt", "1.txt", "2.txt"]


async def test_a_bypass_does_not_outlive_the_session_nor_the_program(placet_home: Path, tmp_path: Path) -> None:
    writes = [say().calling("write_file", {"path": f"{n}.txt", "content": "x\n"}) for n in range(3)]
    model = ScriptedModel(writes[0], say("Done."), writes[1], say("Done."), writes[2])
    everything = BypassGrant(scope=BypassScope.ALL)
    async with talk(placet_home, model, tmp_path) as conversation:
        for _ in range(2):
            await conversation.send("go")
            asked = await conversation.next(events.PendingWrite)
            await conversation.hub.approve(asked.request_id, bypass=everything)
            await conversation.until_idle()
            await conversation.hub.clear("desktop")
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    assert not (tmp_path / "2.txt").exists()


@pytest.mark.parametrize("mode", [Mode.EDITS, Mode.AUTO])
async def test_a_mode_that_lets_calls_pass_ends_with_the_program(placet_home: Path, tmp_path: Path, mode: Mode) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.hub.set_policy("desktop", mode=mode)
        await conversation.hub.register("desktop")
        assert (await conversation.hub.history.session(conversation.session_id)).context.mode is mode
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.register("desktop")
        context = (await conversation.hub.history.session(conversation.session_id)).context
        assert context.mode is Mode.ASK
        assert context.workdir == str(tmp_path)


async def test_r_12_every_decision_is_in_the_audit_trail_in_order(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(OLD)
    model = ScriptedModel(
        say()
        .calling("read_file", {"path": "a.txt"})
        .calling("write_file", {"path": "a.txt", "content": NEW})
        .calling("execute_cmd", {"command": "true"})
        .calling("read_file", {"path": "~/.ssh/id_rsa"}),
        say("Done."),
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        await conversation.hub.approve(asked.request_id, amendment=ChosenHunks((0,)))
        command = await conversation.next(events.PendingCommand)
        await conversation.hub.reject(command.request_id, "not now")
        await conversation.until_idle()
        trail = await conversation.hub.history.decisions(conversation.session_id)
    decided = [(verdict.action, verdict.by) for _, verdict in trail]
    assert decided == [
        (Action.ALLOW, DecidedBy.FAST_PATH),
        (Action.ALLOW, DecidedBy.PERSON),
        (Action.DENY, DecidedBy.PERSON),
        (Action.DENY, DecidedBy.RULE),
    ]
    assert [call_id for call_id, _ in trail] == sorted({call_id for call_id, _ in trail})
    assert all(verdict.digest and verdict.at > 0 for _, verdict in trail)
    assert trail[3][1].rule_id is not None
    assert "with changes" in trail[1][1].because


@pytest.mark.parametrize("restarts", [False, True])
async def test_r_12_what_a_person_answers_is_in_the_audit_trail(
    placet_home: Path, tmp_path: Path, restarts: bool
) -> None:
    question = {"title": "Colour", "question": "Which one?"}
    model = ScriptedModel(
        say().calling("ask_user_clarification", question).calling("ask_user_clarification", {**question, "title": "B"}),
        say("Done."),
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.AgentQuestion)
        if not restarts:
            await conversation.hub.resolve_question(asked.request_id, "blue\nor green")
            second = await conversation.next(events.AgentQuestion)
            await conversation.hub.reject(second.request_id, "ask me tomorrow")
            await conversation.until_idle()
    if restarts:
        async with talk(placet_home, model, tmp_path) as conversation:
            await conversation.hub.resolve_question(asked.request_id, "blue\nor green")
            second = await conversation.next(events.AgentQuestion)
            await conversation.hub.reject(second.request_id, "ask me tomorrow")
            await conversation.until_idle()
    async with talk(placet_home, model, tmp_path) as conversation:
        trail = [verdict for _, verdict in await conversation.hub.history.decisions(conversation.session_id)]
    by_person = [verdict for verdict in trail if verdict.by is DecidedBy.PERSON]
    assert [(verdict.action, verdict.because) for verdict in by_person] == [
        (Action.ALLOW, "answered by a person: blue"),
        (Action.DENY, "left unanswered by a person: ask me tomorrow"),
    ]
    assert all(verdict.digest and verdict.at > 0 for verdict in by_person)


@pytest.mark.parametrize("restarts", [False, True])
async def test_r_12_a_stop_of_what_waits_is_in_the_audit_trail(
    placet_home: Path, tmp_path: Path, restarts: bool
) -> None:
    async with talk(placet_home, writing("x\n"), tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
        (request,) = await conversation.hub.pending()
        if not restarts:
            await conversation.hub.cancel("desktop")
    if restarts:
        async with talk(placet_home, writing("x\n"), tmp_path) as conversation:
            await conversation.hub.resume(conversation.session_id)
            await conversation.next(events.PendingWrite)
            await conversation.hub.cancel("desktop")
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        trail = await conversation.hub.history.decisions(conversation.session_id)
    assert [(call_id, verdict.action, verdict.by, verdict.because) for call_id, verdict in trail] == [
        (request.call_id, Action.DENY, DecidedBy.PERSON, "stopped by a person while it waited")
    ]
    assert trail[0][1].digest == request.binding and trail[0][1].at > 0


async def test_r_12_an_approval_that_did_not_hold_any_more_is_in_the_audit_trail(
    placet_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(OLD)
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": NEW}), say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
        (request,) = await conversation.hub.pending()
    (tmp_path / "a.txt").write_text("another writer was here\n")
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.approve(request.id)
        again = await conversation.next(events.PendingWrite)
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
        trail = [verdict for _, verdict in await conversation.hub.history.decisions(conversation.session_id)]
    assert [(verdict.action, verdict.by) for verdict in trail] == [
        (Action.REQUIRE, DecidedBy.PERSON),
        (Action.DENY, DecidedBy.PERSON),
    ]
    assert trail[0].digest == request.binding != trail[1].digest
    assert trail[0].because == "approved by a person, but it is not what would happen any more: asked again"
    assert (tmp_path / "a.txt").read_text() == "another writer was here\n"


async def test_a_request_that_is_gone_cannot_be_amended(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, writing("x\n"), tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        await conversation.hub.reject(asked.request_id)
        await conversation.until_idle()
        with pytest.raises(UnknownItem):
            await conversation.hub.approve(asked.request_id, amendment=EditedText("y\n"))
        with pytest.raises(UnknownItem):
            await conversation.hub.request_text(asked.request_id)
    assert not (tmp_path / "a.txt").exists()


async def test_r_5_an_amendment_with_a_bypass_after_a_restart_is_what_is_written(
    placet_home: Path, tmp_path: Path
) -> None:
    place = tmp_path / "a.txt"
    place.write_text(OLD)
    model = writing(NEW)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        writes = BypassGrant(scope=BypassScope.CATEGORY)
        await conversation.hub.approve(stored.id, amendment=EditedText("mine\n"), bypass=writes)
        await conversation.until_idle()
    assert place.read_text() == "mine\n"


async def test_a_mode_of_an_earlier_run_lets_nothing_pass_for_who_goes_on_without_a_window(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
    async with talk(placet_home, writing("x\n"), tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    assert not (tmp_path / "a.txt").exists()


async def test_what_was_let_pass_in_a_chat_ends_with_it(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        await conversation.hub.clear("desktop")
        assert (await conversation.hub.history.session(conversation.session_id)).context.mode is Mode.ASK


@pytest.mark.parametrize("how", ["time", "stop"])
async def test_a_model_is_told_of_an_edited_command_however_it_ends(
    placet_home: Path, tmp_path: Path, how: str
) -> None:
    model = ScriptedModel(say().calling("execute_cmd", {"command": "echo one", "timeout": 1}), say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingCommand)
        await conversation.hub.approve(asked.request_id, amendment=EditedCommand("echo began; sleep 20"))
        if how == "stop":
            await conversation.next(events.ToolOutput)
            await conversation.hub.cancel("desktop")
        await conversation.until_idle()
        _, result = await only_call(conversation)
        ((_, verdict),) = await conversation.hub.history.decisions(conversation.session_id)
    assert "echo began; sleep 20" in result
    assert "echo began; sleep 20" in verdict.note


async def test_an_edit_that_waits_for_others_of_its_batch_survives_a_restart(placet_home: Path, tmp_path: Path) -> None:
    """`R-5`"""
    both = say()
    for name in ("a", "b"):
        both = both.calling("write_file", {"path": f"{name}.txt", "content": f"{name}\n"})
    model = ScriptedModel(both, say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = [await conversation.next(events.PendingWrite) for _ in range(2)]
        last = next(event for event in asked if event.path.endswith("b.txt"))
        await conversation.hub.approve(last.request_id, amendment=EditedText("my b\n"))
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()  # of what is decided nobody is asked
        await conversation.hub.approve(stored.id)
        await conversation.until_idle()
        assert "PendingWrite" not in conversation.names()
    assert (tmp_path / "b.txt").read_text() == "my b\n"


def _tells(event: events.Event, kind: type[events.Event]) -> bool:
    return isinstance(event, kind) and (not isinstance(event, events.ApprovalResolved) or event.is_amended)


async def test_r_5_an_edit_decided_after_a_restart_survives_another_one_while_it_waits_for_its_batch(
    placet_home: Path, tmp_path: Path
) -> None:
    both = say()
    for name in ("a", "b"):
        both = both.calling("write_file", {"path": f"{name}.txt", "content": f"{name}\n"})
    model = ScriptedModel(both, say("Done."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = [await conversation.next(events.PendingWrite) for _ in range(2)]
        last = next(event for event in asked if event.path.endswith("b.txt"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.approve(last.request_id, amendment=EditedText("my b\n"))
        wanted = {"a is asked again": events.PendingWrite, "b is taken": events.ApprovalResolved}
        while wanted:
            event = await conversation.next(events.Event)
            wanted = {why: kind for why, kind in wanted.items() if not _tells(event, kind)}
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        assert stored.path.endswith("a.txt")
        await conversation.hub.approve(stored.id)
        await conversation.until_idle()
        assert "PendingWrite" not in conversation.names()
        assert await conversation.core.store.approvals.waiting(conversation.session_id) == []
    assert (tmp_path / "a.txt").read_text() == "a\n"
    assert (tmp_path / "b.txt").read_text() == "my b\n"


async def test_r_17_an_edit_with_fewer_hunks_and_what_was_noted_hold_after_a_restart(
    placet_home: Path, tmp_path: Path
) -> None:
    place = tmp_path / "a.txt"
    place.write_text(OLD)
    model = writing(NEW)
    mine = EditedText(NEW.replace("line 14\n", "mine\n"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        noted = ReviewNotes(of="shown", seen=(0,), text=mine.text, reason="no")
        conversation.hub.keep_notes(asked.request_id, noted)
        conversation.hub.keep_notes(asked.request_id, msgspec.structs.replace(noted, text="x" * 1_000_001))
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        assert stored.notes == msgspec.structs.replace(noted, text=None)  # too long to be read with every list
        shown = await conversation.hub.request_diff(stored.id, mine)
        assert len(shown.hunks) == 3
        await conversation.hub.approve(stored.id, amendment=msgspec.structs.replace(mine, hunks=(1,), of=shown.of))
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    assert place.read_text() == OLD.replace("line 14\n", "mine\n")


async def test_hunks_chosen_after_a_restart_are_those_of_the_difference_that_was_shown(
    placet_home: Path, tmp_path: Path
) -> None:
    """`R-5`"""
    place = tmp_path / "a.txt"
    place.write_text(OLD)
    model = writing(NEW)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    place.write_text(OLD.replace("line 14\n", "fourteen\n"))  # another branch is checked out
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        shown = await conversation.hub.request_diff(stored.id)
        assert len(shown.hunks) == 3
        place.write_text(OLD)  # and back again
        with pytest.raises(UsageError):
            await conversation.hub.approve(stored.id, amendment=ChosenHunks((1,), of=shown.of))
        with pytest.raises(UsageError):
            await conversation.hub.approve(stored.id, amendment=ChosenHunks((1,)))
    assert place.read_text() == OLD
