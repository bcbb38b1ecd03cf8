"""Notifications: from the background into the home source's session, once, between turns."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.messages import CallStatus, Message, Role
from placet.core.domain.notifications import Notification
from placet.core.hub.notifier import BATCH_S, RETRY_S
from placet.core.store.owners import start_of
from placet.ui.models.transcript_answers import stored_entry
from support.conversations import CONFIG, Talk, talk
from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.held_pause import HeldPause
from support.scripted_model import ScriptedModel, say


def told(summary: str, **values: object) -> Notification:
    return Notification(source="schedule", event_type="done", summary=summary, event_time=1_700_000_000.0, **values)


async def rows(conversation: Talk) -> tuple[Message, ...]:
    return (await conversation.hub.history.newest(conversation.session_id)).messages


async def delivered(conversation: Talk) -> list[str]:
    """The summaries in the session, row by row."""
    calls = [call for row in await rows(conversation) if row.synthetic for call in row.calls]
    return [item["summary"] for call in calls for item in json.loads(call.result)]


async def settled(conversation: Talk) -> None:
    """Give whatever waits for the store the time to get its answers."""
    for _ in range(20):
        await conversation.core.store.settings.get("anything")


async def test_h10_a_notification_is_answered_as_a_finished_call(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("I see that the backup is done."))
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("the backup is done", refs=("run 7",)))
        event = await conversation.next(events.Notification)
        assert (event.summary, event.refs) == ("the backup is done", ("run 7",))
        await pause.pass_once()
        await conversation.until_idle()
        row, answer = await rows(conversation)
        assert (row.role, row.synthetic, row.content) == (Role.ASSISTANT, True, "")
        assert [(call.name, call.status) for call in row.calls] == [("read_notification", CallStatus.DONE)]
        assert answer.content == "I see that the backup is done."
        (item,) = json.loads(row.calls[0].result)
        assert (item["source"], item["event_type"], item["refs"]) == ("schedule", "done", ["run 7"])
        assert item["event_time"].startswith("2023-11-1")
    assert pause.asked[0] == BATCH_S
    sent = assert_well_formed_chat(model.bodies[0])
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert "the backup is done" in sent[-1]["content"]


async def test_notifications_that_come_together_are_one_row(placet_home: Path, tmp_path: Path) -> None:
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("fine")), tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("one"))
        await pause.begun()
        await conversation.hub.notify(told("two"))
        await conversation.hub.notify(told("three"))
        pause.end()
        await conversation.until_idle()
        assert await delivered(conversation) == ["one", "two", "three"]
        assert sum(row.synthetic for row in await rows(conversation)) == 1
    assert len(conversation.model.requests) == 1


async def test_h10_one_that_arrives_during_a_turn_waits_for_its_end(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(
        say("I write.").calling("write_file", {"path": "a", "content": "1\n"}), say("Done."), say("And noted.")
    )
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.notify(told("meanwhile"))
        await pause.pass_once()
        await settled(conversation)
        assert await delivered(conversation) == []
        await conversation.hub.approve(waiting.request_id)
        await conversation.next(events.Done, lambda event: event.content == "Done.")
        await pause.pass_once()
        await conversation.next(events.Done, lambda event: event.content == "And noted.")
        assert await delivered(conversation) == ["meanwhile"]
    assert b"meanwhile" not in model.bodies[1]
    sent = assert_well_formed_chat(model.bodies[2])
    assert [message["role"] for message in sent[-3:]] == ["tool", "assistant", "tool"]
    assert (sent[-2]["content"], sent[-2]["tool_calls"][0]["function"]["name"]) == ("Done.", "read_notification")


async def test_h10_none_is_lost_at_exit_and_none_comes_twice(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("noted"), say("hello"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.notify(told("stored first"))  # nobody delivers before the program ends
    for start in (1, 2):
        async with talk(placet_home, model, tmp_path, pause=(pause := HeldPause())) as conversation:
            conversation.hub.start_deliveries()
            await pause.pass_once()
            if start == 1:
                await conversation.until_idle()
            await settled(conversation)
            assert await delivered(conversation) == ["stored first"]
    assert len(model.requests) == 1


async def test_h10_calls_that_a_crash_left_open_are_a_turn_that_has_not_ended(
    placet_home: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "1\n"}), say("Written."), say("Noted."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
        await conversation.hub.notify(told("later"))
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await pause.pass_once()
        await settled(conversation)
        assert await delivered(conversation) == []
        (request,) = await conversation.hub.pending()
        await conversation.hub.approve(request.id)
        await conversation.next(events.Done, lambda event: event.content == "Written.")
        await pause.pass_once()
        await conversation.next(events.Done, lambda event: event.content == "Noted.")
        assert await delivered(conversation) == ["later"]


async def test_h10_a_stop_leaves_the_notification_for_the_next_turn(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("thinking about it", stalls=True), say("hello"))
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("look at this"))
        await pause.pass_once()
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.hub.cancel("desktop")
        await conversation.say("hi")
        assert await delivered(conversation) == ["look at this"]
    assert b"look at this" in model.bodies[-1]
    assert_well_formed_chat(model.bodies[-1])


async def test_h10_a_session_of_another_process_is_tried_again(
    placet_home: Path, tmp_path: Path, expected_logs: list[str]
) -> None:
    expected_logs.append("notifications wait")
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("noted")), tmp_path, pause=pause) as conversation:
        database = conversation.core.store.database

        def owned_by(pid: int, started: str) -> None:
            database.hand_over(lambda c: c.execute("UPDATE sessions SET owner_pid=?, owner_started=?", (pid, started)))

        owned_by(1, start_of(1))
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("patience"))
        await pause.pass_once()
        await pause.begun()
        assert pause.asked == [BATCH_S, RETRY_S]
        owned_by(0, "")
        pause.end()
        await pause.pass_once()
        await conversation.until_idle()
        assert await delivered(conversation) == ["patience"]


async def test_notifications_arrive_at_the_home_source(placet_home: Path, tmp_path: Path) -> None:
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("noted")), tmp_path, pause=pause) as conversation:
        assert await conversation.hub.home() == "desktop"
        await conversation.hub.set_home("phone")
        phone = await conversation.hub.provision_session("phone")
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("ring"))
        await pause.pass_once()
        await conversation.until_idle()
        assert await delivered(conversation) == []
        assert [row.synthetic for row in (await conversation.hub.history.newest(phone)).messages] == [True, False]
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert await conversation.hub.home() == "phone"


async def test_a_new_chat_gets_what_waits_for_the_old_one(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("long", stalls=True), say("noted"))
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.hub.notify(told("for whoever is there"))
        fresh = await conversation.hub.clear("desktop")
        await pause.pass_once()
        await conversation.next(events.Done)
        assert await delivered(conversation) == []
        conversation.session_id = fresh
        assert await delivered(conversation) == ["for whoever is there"]


async def test_h9_what_is_synthetic_shows_no_bubble(placet_home: Path, tmp_path: Path) -> None:
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("noted")), tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("unseen"))
        await pause.pass_once()
        await conversation.until_idle()
        entries = [entry for row in await rows(conversation) if (entry := stored_entry(row)) is not None]
        assert [entry.plain() for entry in entries] == ["noted"]
        seen = [type(event) for event in conversation.seen]
        assert events.ToolStart not in seen and events.UserMessage not in seen
        assert b"unseen" in conversation.model.bodies[0]


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
async def test_h9_it_is_text_where_a_call_would_need_signed_reasoning(
    placet_home: Path, tmp_path: Path, dialect: str
) -> None:
    model = ScriptedModel(say("hello"), say("noted"))
    pause = HeldPause()
    config = CONFIG.replace('type = "openai"', f'type = "{dialect}"')
    async with talk(placet_home, model, tmp_path, config=config, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.say("hi")
        await conversation.hub.notify(told("framed"))
        await pause.pass_once()
        await conversation.until_idle()
    if dialect == "openai":
        assert assert_well_formed_chat(model.bodies[-1])[-1]["role"] == "tool"
    else:
        last = assert_well_formed_messages(model.bodies[-1])[-1]
        assert [block["type"] for block in last["content"]] == ["text"]
        assert last["content"][0]["text"].startswith("[From the program, not from the user.")


async def test_the_model_can_read_them_again(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("noted"), say().calling("read_notification", {"limit": 1}), say("The second one."))
    pause = HeldPause()
    async with talk(placet_home, model, tmp_path, pause=pause) as conversation:
        conversation.hub.start_deliveries()
        await conversation.hub.notify(told("first"))
        await conversation.hub.notify(told("second"))
        await pause.pass_once()
        await conversation.until_idle()
        await conversation.say("what was the last one?")
        call = (await rows(conversation))[-2].calls[0]
        assert [item["summary"] for item in json.loads(call.result)] == ["second"]
        assert call.status is CallStatus.DONE
