"""Sources, their inboxes and the bus: order, injection at round boundaries, clearing, lagging readers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.errors import NoModel, ProviderFault, SessionBusy, UnknownItem, UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Mode
from placet.core.hub.bus import EventBus
from support.conversations import talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import ScriptedModel, say


async def test_h1_messages_are_served_in_the_order_they_came(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("first answer"), say("second answer"), say("third answer"))
    async with talk(placet_home, model, tmp_path) as conversation:
        for text in ("one", "two", "three"):
            await conversation.send(text)
        echoed = [(await conversation.next(events.UserMessage)).content for _ in range(3)]
        assert echoed == ["one", "two", "three"]
        await conversation.until_idle()


async def test_h3_a_message_during_a_turn_is_injected_at_the_next_round(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("I write.").calling("write_file", {"path": "a", "content": "1\n"}), say("Both."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.send("and also this")
        assert conversation.hub.queued("desktop") == ("and also this",)
        await conversation.hub.approve(waiting.request_id)
        echo = await conversation.next(events.UserMessage)
        assert echo.content == "and also this"
        await conversation.until_idle()
        assert conversation.hub.queued("desktop") == ()
    assert len(model.requests) == 2
    sent = assert_well_formed_chat(model.bodies[1])
    assert [message["role"] for message in sent[-3:]] == ["assistant", "tool", "user"]
    assert sent[-1]["content"].startswith("and also this")


async def test_a_queued_message_can_be_taken_back(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("execute_cmd", {"command": "true"}), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingCommand)
        await conversation.send("never mind")
        assert await conversation.hub.drop_queued("desktop", 0) == "never mind"
        with pytest.raises(UnknownItem):
            await conversation.hub.drop_queued("desktop", 0)
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
    assert b"never mind" not in model.bodies[-1]


async def test_h7_clearing_during_a_turn_stops_it_and_keeps_the_old_session(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("long thoughts", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.send("dropped with it")
        fresh = await conversation.hub.clear("desktop")
        assert fresh != conversation.session_id
        assert model.open_streams == 0
        old = await conversation.hub.history.newest(conversation.session_id)
        assert [row.content.strip() for row in old.messages] == ["go", "long thoughts"]
        assert (await conversation.hub.history.newest(fresh)).messages == ()


async def test_a_new_chat_works_in_the_folder_of_the_one_before_and_asks_anew(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        fresh = await conversation.hub.clear("desktop")
        session = await conversation.hub.history.session(fresh)
        assert (session.context.workdir, session.context.mode) == (str(tmp_path), Mode.ASK)


async def test_h8_a_crash_in_a_turn_ends_nothing_else(
    placet_home: Path, tmp_path: Path, expected_logs: list[str]
) -> None:
    expected_logs.append("crashed")

    class Broken(ScriptedModel):
        def stream(self, request):  # type: ignore[no-untyped-def]  # breaks its port on purpose
            raise RuntimeError("a bug")

    async with talk(placet_home, Broken(), tmp_path) as conversation:
        await conversation.send("boom")
        error = await conversation.next(events.Error)
        assert "a bug" in error.message
        await conversation.until_idle()
        await conversation.send("again")
        assert (await conversation.next(events.UserMessage)).content == "again"
        await conversation.until_idle()


async def test_a_past_session_can_be_continued(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("a"), say("b")), tmp_path) as conversation:
        await conversation.say("remember 42")
        await conversation.hub.clear("desktop")
        await conversation.hub.continue_session("desktop", conversation.session_id)
        await conversation.say("what was it?")
        assert b"remember 42" in conversation.model.bodies[-1]


async def test_another_session_cannot_be_opened_over_a_running_turn(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("a"), say("long", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("first")
        await conversation.hub.clear("desktop")
        await conversation.send("second")
        await asyncio.wait_for(model.streaming.wait(), 5)
        with pytest.raises(SessionBusy):
            await conversation.hub.continue_session("desktop", conversation.session_id)
        with pytest.raises(SessionBusy):
            await conversation.hub.select_model("desktop", "script")
        await conversation.hub.cancel("desktop")


async def test_wrong_choices_are_refused_in_words(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        with pytest.raises(NoModel, match="There are: script"):
            await conversation.hub.select_model("desktop", "zzz")
        with pytest.raises(UsageError, match="is not a folder"):
            await conversation.hub.set_policy("desktop", workdir=str(tmp_path / "none"))
        with pytest.raises(UsageError):
            await conversation.hub.send_message("desktop", "  ")
        with pytest.raises(UnknownItem):
            await conversation.hub.history.newest(SessionId("none"))


async def test_deciding_twice_is_refused(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "1\n"}), say("ok"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
        with pytest.raises(UnknownItem):
            await conversation.hub.reject(waiting.request_id, "too late")


async def test_the_first_words_are_the_title_until_a_person_gives_one(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("a"), say("b")), tmp_path) as conversation:
        await conversation.say("Fix the parser\nplease")
        assert (await conversation.hub.history.session(conversation.session_id)).title == "Fix the parser"
        await conversation.hub.history.rename(conversation.session_id, "Mine")
        await conversation.say("more")
        assert (await conversation.hub.history.session(conversation.session_id)).title == "Mine"


async def test_a_lagging_reader_is_told_how_much_it_missed() -> None:
    bus = EventBus()
    reader = bus.subscribe(capacity=4)
    session = SessionId("s")
    for number in range(10):
        bus.publish("desktop", session, events.Error(code=str(number), message=""))
    reader.close()
    seen = [envelope.event async for envelope in reader]
    assert isinstance(seen[0], events.Lagged)
    assert seen[0].missed + len(seen) - 1 == 10


async def test_deltas_are_joined_for_a_slow_reader_and_never_lost() -> None:
    bus = EventBus()
    reader = bus.subscribe(capacity=2)
    for number in range(1000):
        bus.publish("desktop", SessionId("s"), events.TextDelta(text=f"{number} "))
    bus.publish("desktop", SessionId("other"), events.TextDelta(text="x"))
    reader.close()
    seen = [envelope async for envelope in reader]
    assert [len(seen), seen[0].seq] == [2, 1000]
    assert isinstance(seen[0].event, events.TextDelta)
    assert seen[0].event.text.split() == [str(number) for number in range(1000)]


async def test_every_event_has_one_json_form_that_reads_back() -> None:
    sample = events.Envelope(source="desktop", session_id=SessionId("s"), seq=1, event=events.TurnRunning(running=True))
    assert events.from_json(events.to_json(sample)) == sample
    assert events.to_json(sample).startswith(
        b'{"source":"desktop","session_id":"s","seq":1,"event":{"type":"turn_running"'
    )


async def test_an_unknown_agent_is_refused_before_anything_is_made(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("fine")), tmp_path) as conversation:
        with pytest.raises(UnknownItem, match="no agent named nope"):
            await conversation.hub.provision_session("desktop", agent="nope", reset=True)
        assert any(isinstance(event, events.Done) for event in await conversation.say("hello"))


async def test_h3_a_message_during_a_resumed_turn_is_injected_too(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "1\n"}), say("Both."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.resume(conversation.session_id)
        waiting = await conversation.next(events.PendingWrite)
        await conversation.send("and also this")
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
        assert not conversation.hub.is_running(conversation.session_id)
    assert len(model.requests) == 2
    assert model.requests[1]["messages"][-1]["content"].startswith("and also this")


async def test_a_stop_right_after_resume_is_not_lost(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "1\n"}), say("never"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.resume(conversation.session_id)
        await asyncio.sleep(0)
        await conversation.hub.cancel("desktop")
        await conversation.next(events.Error, lambda error: error.code == "interrupted")
        await conversation.until_idle()
    assert len(model.requests) == 1


async def test_h6_a_message_whose_turn_was_stopped_before_it_began_comes_back(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.send("precious")
        await asyncio.sleep(0)  # the consumer has taken it
        await conversation.hub.cancel("desktop")
        error = await conversation.next(events.Error)
        assert (error.code, error.draft) == ("interrupted", "precious")
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages == ()


async def test_how_full_the_window_is_outlives_a_restart(placet_home: Path, tmp_path: Path) -> None:
    """By the counts that the provider told with its last answer, until a request is built again."""
    async with talk(placet_home, ScriptedModel(say("answer")), tmp_path) as conversation:
        await conversation.say("go")
        session_id = conversation.session_id
    async with talk(placet_home, ScriptedModel(), tmp_path) as later:
        assert (await later.hub.context_info(session_id)).used == 15
        empty = await later.hub.provision_session("another")
        assert (await later.hub.context_info(empty)).used == 0


async def test_h2_sending_returns_at_once_and_what_goes_wrong_is_an_event(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("half", fault=ProviderFault.AUTH)), tmp_path) as conversation:
        await conversation.hub.send_message("desktop", "hello")
        assert conversation.hub.queued("desktop") == ("hello",)  # nothing has begun yet
        error = await conversation.next(events.Error)
        assert error.code == "auth"
        await conversation.until_idle()


async def test_h4_only_the_leading_messages_of_a_person_join_a_running_turn(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "1"}), say("One."), say("Two."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("first")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.send("joins")
        await conversation.hub.send_message("desktop", "has a turn of its own", tools=("read_file",))
        await conversation.send("waits behind it")
        await conversation.hub.reject(waiting.request_id)
        await conversation.until_idle()
        await conversation.until_idle()
    texts = [str(request["messages"]) for request in model.requests]
    assert ["joins" in text for text in texts] == [False, True, True]
    assert ["waits behind it" in text for text in texts] == [False, False, True]


async def test_h6_messages_that_could_not_be_stored_during_a_turn_come_back(placet_home: Path, tmp_path: Path) -> None:
    asking = say().calling("ask_user_clarification", {"title": "t", "question": "Now?"})
    async with talk(placet_home, ScriptedModel(asking, say("served")), tmp_path) as conversation:
        database = conversation.core.store.database
        await conversation.send("go")
        question = await conversation.next(events.AgentQuestion)
        texts = [f"message {number} " + "x" * 40_000 for number in range(3)]
        for text in texts:
            await conversation.send(text)
        await database.run(lambda c: c.all("PRAGMA max_page_count = 1"))  # as it is: small rows still fit
        await conversation.hub.resolve_question(question.request_id, "yes")
        failed = await conversation.next(events.Error, lambda error: bool(error.draft))
        await database.run(lambda c: c.all("PRAGMA max_page_count = 1000000"))
        echoed = [event.content for event in conversation.seen if isinstance(event, events.UserMessage)]
        assert "Done" in [type(event).__name__ for event in await conversation.say("again")]
    assert [*echoed[1:], *failed.draft.split("\n\n")] == texts
    assert failed.draft
