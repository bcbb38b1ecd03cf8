"""After the program ended in the middle of a turn: what resume does, and what it never does."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.ids import CallId, MessageId
from placet.core.domain.messages import CallStatus, MessageStatus, ToolCall
from placet.core.domain.model_calls import Answer
from placet.core.store.owners import start_of
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import ScriptedModel, say


async def left_behind(conversation: Talk, name: str, arguments: str, *, begun: bool) -> CallId:
    """A turn that a crash ended with one call unfinished, as the rows tell it."""
    turns = conversation.core.store.turns
    frame = await turns.root_frame(conversation.session_id)
    await turns.append_user(frame.id, "do it")
    binding = await conversation.hub.catalogue.resolve()
    row = await turns.begin_answer(frame.id, binding)
    call = ToolCall(id=CallId(0), message_id=MessageId(0), provider_id="c1", name=name, arguments=arguments)
    message = await turns.finish_answer(row, Answer(text=""), [call], cost=None, duration_s=0.1, ends_turn=False)
    if begun:
        await turns.start_call(message.calls[0].id, label="x", decision="allowed")
    return message.calls[0].id


async def statuses(conversation: Talk) -> list[CallStatus]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [call.status for row in page.messages for call in row.calls]


async def test_a_waiting_approval_survives_a_restart_and_is_asked_again(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "n.txt", "content": "1\n"}), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        assert stored.id == first.request_id
        assert await statuses(conversation) == [CallStatus.PENDING]
        await conversation.hub.resume(conversation.session_id)
        again = await conversation.next(events.PendingWrite)
        assert again.new_content == "1\n"
        await conversation.hub.approve(again.request_id)
        await conversation.until_idle()
    assert (tmp_path / "n.txt").read_text() == "1\n"


@pytest.mark.parametrize("approved", [True, False])
async def test_deciding_a_stored_request_resumes_its_session(placet_home: Path, tmp_path: Path, approved: bool) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "n.txt", "content": "1\n"}), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        diff = await conversation.hub.request_diff(stored.id)
        assert (diff.added, diff.is_new) == (1, True)
        if approved:
            await conversation.hub.approve(stored.id)
        else:
            await conversation.hub.reject(stored.id, "no")
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    assert (tmp_path / "n.txt").exists() is approved


async def test_t5_a_command_that_had_begun_is_never_run_again(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("I see."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await left_behind(conversation, "execute_cmd", '{"command":"touch ran"}', begun=True)
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.FAILED]
    assert not (tmp_path / "ran").exists()
    assert "outcome unknown" in model.requests[0]["messages"][-1]["content"]


async def test_t5_a_command_that_had_not_begun_is_asked_about(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("ok"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await left_behind(conversation, "execute_cmd", '{"command":"touch ran"}', begun=False)
        await conversation.hub.resume(conversation.session_id)
        waiting = await conversation.next(events.PendingCommand)
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
    assert (tmp_path / "ran").exists()


async def test_t5_a_read_that_had_begun_is_simply_done_again(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    async with talk(placet_home, ScriptedModel(say("ok")), tmp_path) as conversation:
        await left_behind(conversation, "read_file", '{"path":"a.txt"}', begun=True)
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.DONE]


async def test_t5_a_write_that_landed_is_not_written_twice(placet_home: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("one\n")
    async with talk(placet_home, ScriptedModel(say("ok")), tmp_path) as conversation:
        arguments = '{"path":"a.txt","old_string":"one","new_string":"one one"}'
        call_id = await left_behind(conversation, "edit_file", arguments, begun=True)
        await conversation.core.store.changes.intend(
            session_id=conversation.session_id, call_id=call_id, tool="edit_file", path=str(target),
            before=b"one\n", after=b"one one\n", added=1, removed=1,
        )  # fmt: skip
        target.write_text("one one\n")
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.DONE]
    assert target.read_text() == "one one\n"


async def test_t5_a_write_that_had_not_landed_goes_through_the_gate_again(placet_home: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("one\n")
    async with talk(placet_home, ScriptedModel(say("ok")), tmp_path) as conversation:
        arguments = '{"path":"a.txt","old_string":"one","new_string":"two"}'
        await left_behind(conversation, "edit_file", arguments, begun=True)
        await conversation.hub.resume(conversation.session_id)
        await conversation.approve_next()
        await conversation.until_idle()
    assert target.read_text() == "two\n"


async def test_s2_an_answer_cut_by_a_crash_is_kept_and_asked_to_go_on(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("and the rest"))
    async with talk(placet_home, model, tmp_path) as conversation:
        turns = conversation.core.store.turns
        frame = await turns.root_frame(conversation.session_id)
        await turns.append_user(frame.id, "tell me")
        row = await turns.begin_answer(frame.id, await conversation.hub.catalogue.resolve())
        await turns.save_partial(row, "the first half", "")
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages[1].status is MessageStatus.INTERRUPTED
        assert [row.synthetic for row in page.messages] == [False, False, True, False]
    sent = assert_well_formed_chat(model.bodies[0])
    assert sent[2]["content"].startswith("the first half")


async def test_resuming_a_finished_session_asks_no_model(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("all done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("go")
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
    assert len(model.requests) == 1


async def test_f01_a_new_message_after_a_crash_finds_every_call_answered(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("ok"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await left_behind(conversation, "execute_cmd", '{"command":"make deploy"}', begun=True)
        await conversation.say("continue")
    sent = assert_well_formed_chat(model.bodies[0])
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "user"]
    assert "outcome unknown" in sent[3]["content"]
    assert sent[4]["content"].startswith("continue")


async def test_s4_a_session_of_another_living_process_is_refused(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("ok")), tmp_path) as conversation:
        values = (1, start_of(1), conversation.session_id)
        sql = "UPDATE sessions SET owner_pid = ?, owner_started = ? WHERE id = ?"
        await conversation.core.store.database.run(lambda c: c.execute(sql, values))
        await conversation.send("hello")
        error = await conversation.next(events.Error)
        assert error.draft == "hello"
        assert conversation.model.requests == []
