"""What waits in a queue: kept as drafts, interrupted past, gathered, and never sent where it does not belong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.errors import UsageError
from placet.core.domain.messages import RunContext
from placet.core.store.connection import Connection
from support.conversations import CONFIG, Talk, talk
from support.held_pause import HeldPause
from support.scripted_model import ScriptedModel, say

WRITES = {"path": "a", "content": "1\n"}


async def stored_drafts(conversation: Talk) -> list[str]:
    def work(connection: Connection) -> list[str]:
        return [row[0] for row in connection.all("SELECT text FROM drafts ORDER BY position")]

    return await conversation.core.store.database.read(work)


async def said(conversation: Talk) -> list[str]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [row.content for row in page.messages if row.role == "user"]


async def test_h6_queued_texts_are_drafts_until_they_are_history(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", WRITES), say("All three."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        assert await stored_drafts(conversation) == []
        for text in ("one", "two", "three"):
            await conversation.send(text)
        assert await stored_drafts(conversation) == ["one", "two", "three"]
        assert await said(conversation) == ["go"]
        assert await conversation.hub.drop_queued("desktop", 1) == "two"
        assert await stored_drafts(conversation) == ["one", "three"]
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
        assert await stored_drafts(conversation) == []
        assert await said(conversation) == ["go", "one", "three"]


async def test_h6_an_exit_gives_the_queued_texts_to_the_next_start_once(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.send("not yet sent")
        await conversation.hub.send_message("desktop", "with a file", attachments=("/tmp/a.txt",))
        assert await conversation.hub.take_drafts("desktop") == []  # this process still waits with them
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert await conversation.hub.take_drafts("phone") == []
        assert await conversation.hub.take_drafts("desktop") == ["not yet sent", "with a file\n/tmp/a.txt"]
        assert await conversation.hub.take_drafts("desktop") == []
        assert await said(conversation) == ["go"]


async def test_h6_a_stop_and_a_new_chat_leave_no_draft_behind(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("one", stalls=True), say("two", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        for end in (conversation.hub.cancel, conversation.hub.clear):
            await conversation.send("go")
            await asyncio.wait_for(model.streaming.wait(), 5)
            await conversation.send("queued")
            await end("desktop")
            assert await stored_drafts(conversation) == []
        assert await said(conversation) == ["go", "go"]


async def test_a_front_end_that_never_attached_leaves_no_drafts(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(placet_home, model, tmp_path, source="cli") as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.send("queued")
        assert await stored_drafts(conversation) == []


async def test_h6_interrupt_and_send_stops_the_turn_goes_first_and_keeps_the_queue(
    placet_home: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(say("long thoughts", stalls=True), say("at once"), say("unused"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.send("queued before")
        await conversation.hub.interrupt_and_send("desktop", "no, this")
        error = await conversation.next(events.Error)
        assert (error.code, error.draft) == ("interrupted", "")
        await conversation.next(events.Done, lambda event: event.content == "at once")
        assert await said(conversation) == ["go", "no, this", "queued before"]
        assert await stored_drafts(conversation) == []
    assert len(model.requests) == 2


async def test_interrupt_and_send_without_a_turn_just_sends(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("fine")), tmp_path) as conversation:
        await conversation.hub.interrupt_and_send("desktop", "hello")
        assert (await conversation.next(events.Done)).content == "fine"
        with pytest.raises(UsageError):
            await conversation.hub.interrupt_and_send("desktop", " ")


async def test_h6_a_stop_ends_no_turn_that_begins_after_it(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("old", stalls=True), say("new"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        stopping = asyncio.ensure_future(conversation.hub.cancel("desktop"))
        await asyncio.sleep(0)  # the stop is on its way
        await conversation.send("and now")
        await stopping
        assert (await conversation.next(events.Done)).content == "new"


async def test_h6_a_message_given_back_titles_nothing(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.send("a secret")
        await asyncio.sleep(0)  # the consumer has taken it
        await conversation.hub.cancel("desktop")
        assert (await conversation.next(events.Error)).draft == "a secret"
        assert (await conversation.hub.history.session(conversation.session_id)).title == ""


async def test_h7_a_message_sent_while_a_chat_is_cleared_is_for_the_new_one(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("old", stalls=True), say("new"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.send("dropped")
        clearing = asyncio.ensure_future(conversation.hub.clear("desktop"))
        await asyncio.sleep(0)  # the clearing has begun
        await conversation.send("for the new one")
        fresh = await clearing
        await conversation.next(events.Done)
        assert await said(conversation) == ["go"]
        conversation.session_id = fresh
        assert await said(conversation) == ["for the new one"]


async def test_h5_messages_that_arrive_close_together_are_read_together(placet_home: Path, tmp_path: Path) -> None:
    pause = HeldPause()
    config = CONFIG + "\n[hub]\ncoalesce_debounce_ms = 300\n"
    async with talk(placet_home, ScriptedModel(say("both")), tmp_path, config=config, pause=pause) as conversation:
        await conversation.send("first half")
        await pause.begun()
        await conversation.send("second half")
        pause.end()
        await pause.begun()  # something had arrived: it waits once more
        assert conversation.hub.queued("desktop") == ("first half", "second half")
        pause.end()
        assert (await conversation.next(events.Done)).content == "both"
        assert await said(conversation) == ["first half", "second half"]
    assert pause.asked == [0.3, 0.3]
    assert len(conversation.model.requests) == 1


async def test_h5_by_default_nothing_is_waited_for(placet_home: Path, tmp_path: Path) -> None:
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("at once")), tmp_path, pause=pause) as conversation:
        await conversation.say("go")
    assert pause.asked == []


async def test_h8_messages_that_a_failing_turn_took_come_back(
    placet_home: Path, tmp_path: Path, expected_logs: list[str]
) -> None:
    expected_logs += ["crashed", "not stored"]
    model = ScriptedModel(say().calling("write_file", WRITES), say("unused"), say("here"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.send("one")
        await conversation.send("two")
        database = conversation.core.store.database
        await database.run(
            lambda c: c.execute(
                "CREATE TRIGGER broken BEFORE INSERT ON messages WHEN NEW.role = 'user' "
                "BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        )
        await conversation.hub.approve(waiting.request_id)
        error = await conversation.next(events.Error, lambda event: bool(event.draft))
        assert (error.code, error.draft) == ("not_sent", "one\n\ntwo")
        await database.run(lambda c: c.execute("DROP TRIGGER broken"))
        assert await stored_drafts(conversation) == []
        await conversation.say("again")
        assert await said(conversation) == ["go", "again"]


async def test_h3_a_message_reaches_the_resumed_turn_of_a_session_from_elsewhere(
    placet_home: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(say().calling("write_file", WRITES), say("Both."))
    async with talk(placet_home, model, tmp_path, source="cli") as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        hub = conversation.hub
        await hub.provision_session("desktop", context=RunContext(workdir=str(tmp_path)))
        (waiting,) = await hub.pending()
        await hub.continue_session("desktop", waiting.session_id)
        await hub.resume(waiting.session_id)
        again = await conversation.next(events.PendingWrite)
        await hub.send_message("desktop", "and also this")
        await hub.approve(again.request_id)
        assert (await conversation.next(events.UserMessage)).content == "and also this"
        await conversation.until_idle()
    assert len(model.requests) == 2


async def test_what_a_session_cost_is_told_by_model(placet_home: Path, tmp_path: Path) -> None:
    priced = CONFIG + "price_input_per_million = 1.0\nprice_output_per_million = 2.0\n"
    async with talk(placet_home, ScriptedModel(say("a"), say("b")), tmp_path, config=priced) as conversation:
        assert (await conversation.hub.cost_info(conversation.session_id)).models == ()
        await conversation.say("one")
        await conversation.say("two")
        info = await conversation.hub.cost_info(conversation.session_id)
        assert (info.calls, info.input_tokens, info.output_tokens) == (2, 20, 10)
        assert [(model.provider, model.model) for model in info.models] == [("scripted", "script")]


async def test_h6_what_was_attached_comes_back_with_its_message(placet_home: Path, tmp_path: Path) -> None:
    """By taking it back and by a stop as after an exit: below the text, a line for each file."""
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        for text in ("one", "two"):
            await conversation.hub.send_message("desktop", text, attachments=(f"/tmp/{text}.txt",))
        assert await conversation.hub.drop_queued("desktop", 0) == "one\n/tmp/one.txt"
        assert await conversation.hub.cancel("desktop") == ["two\n/tmp/two.txt"]
