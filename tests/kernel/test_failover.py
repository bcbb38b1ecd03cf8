"""Model calls that fail: another model, the same one after a pause, or an error that says what to do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from placet.core.domain import events
from placet.core.domain.errors import ProviderFault
from placet.core.domain.messages import MessageStatus
from placet.core.domain.model_calls import Dialect, Finish, Model, Provider
from placet.core.providers.health import ANOTHER_CHANCE_S, Health, ModelHealth
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.pauses import Pauses
from support.scripted_model import ScriptedModel, say
from support.wire_server import WireServer, call, cut, error, reasoning, stall, text

REFUSING = "http://127.0.0.1:9/v1"  # the port is reserved: nothing listens there
BOTH = pytest.mark.parametrize("dialect", ["openai", "anthropic"])
OVERLOADED = ProviderFault.OVERLOADED


@pytest.fixture
def servers() -> Iterator[list[WireServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(WireServer()) for _ in range(3)]


def provider(name: str, url: str = REFUSING, dialect: str = "openai", *, idle_s: float = 20) -> str:
    return f'[[providers]]\nname = "{name}"\ntype = "{dialect}"\nbase_url = "{url}"\nidle_timeout_s = {idle_s}\n'


def model(name: str, of: str, more: str = "") -> str:
    head = f'[[models]]\nname = "{name}"\nprovider = "{of}"\nmodel_id = "{name}-id"\ncontext_length = 128000\n'
    return head + more.replace("; ", "\n") + "\n"


def one(server: WireServer, dialect: str = "openai") -> str:
    return provider("p", server.url, dialect) + model("a", "p")


def scripted(*names: str) -> str:
    """Models of one provider each, answered by a `ScriptedModel`; the first is the default one."""
    return "".join(provider(f"p-{name}") + model(name, f"p-{name}") for name in names)


def of_kind(turn: list[events.AnyEvent], *kinds: type[events.Event]) -> list[Any]:
    return [event for event in turn if isinstance(event, kinds)]


def switches(turn: list[events.AnyEvent]) -> list[tuple[str, str]]:
    return [(event.from_model, event.to_model) for event in of_kind(turn, events.ModelFallback)]


def asked(model: ScriptedModel) -> list[str]:
    return [request["model"].removesuffix("-id") for request in model.requests]


async def stored(conversation: Talk) -> list[tuple[str, str, str]]:
    page = await conversation.hub.history.newest(conversation.session_id)
    assert page.session.messages == len(page.messages), "the session's count of rows is wrong"
    return [(row.role.value, row.status.value, row.content) for row in page.messages]


# ---- the same model again ------------------------------------------------------------------------------------


@BOTH
async def test_a_server_that_asks_to_wait_is_asked_again_after_that_time(
    placet_home: Path, tmp_path: Path, servers: list[WireServer], dialect: str
) -> None:
    servers[0].script(error(429, retry_after="7"), [text("Now.")])
    pauses = Pauses()
    async with talk(placet_home, None, tmp_path, config=one(servers[0], dialect), pauses=pauses) as conversation:
        turn = await conversation.say("go")
    assert pauses.asked == [7.0]
    assert [event.content for event in of_kind(turn, events.Done)] == ["Now."]
    assert of_kind(turn, events.Error, events.ModelFallback, events.RoundRestarted) == []
    assert servers[0].requests[0].body == servers[0].requests[1].body


@BOTH
async def test_without_a_time_the_pause_grows(
    placet_home: Path, tmp_path: Path, servers: list[WireServer], dialect: str
) -> None:
    servers[0].script(error(503), error(503), [text("Third time.")])
    pauses = Pauses()
    async with talk(placet_home, None, tmp_path, config=one(servers[0], dialect), pauses=pauses) as conversation:
        turn = await conversation.say("go")
        assert conversation.core.catalogue.health.of("a") is Health.HEALTHY
    first, second = pauses.asked
    assert 0 < first < second <= 5
    assert of_kind(turn, events.Done)


async def test_a_server_that_wants_very_long_to_pass_is_not_waited_for(
    placet_home: Path, tmp_path: Path, servers: list[WireServer]
) -> None:
    servers[0].script(error(429, retry_after="3600"), [text("too late")])
    pauses = Pauses()
    async with talk(placet_home, None, tmp_path, config=one(servers[0]), pauses=pauses) as conversation:
        turn = await conversation.say("go")
    assert (pauses.asked, len(servers[0].requests)) == ([], 1)
    [told] = of_kind(turn, events.Error)
    assert (told.code, "3600 s" in told.hint) == ("rate_limited", True)


async def test_a_server_that_does_not_run_is_tried_three_times_and_named(placet_home: Path, tmp_path: Path) -> None:
    pauses = Pauses()
    config = provider("p") + model("a", "p")
    async with talk(placet_home, None, tmp_path, config=config, pauses=pauses) as conversation:
        turn = await conversation.say("go")
    assert len(pauses.asked) == 2
    failed, told = of_kind(turn, events.LlmFailed, events.Error)
    assert (failed.tried, failed.fault) == (("a",), "unreachable")
    assert "127.0.0.1:9" in told.message
    assert "Start the server" in told.hint


@BOTH
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refusal_is_not_tried_again_nor_elsewhere(
    placet_home: Path, tmp_path: Path, servers: list[WireServer], dialect: str, status: int
) -> None:
    servers[0].script(error(status), [text("never asked")])
    servers[1].script([text("never asked")])
    pauses = Pauses()
    config = one(servers[0], dialect) + provider("q", servers[1].url) + model("b", "q")
    async with talk(placet_home, None, tmp_path, config=config, pauses=pauses) as conversation:
        turn = await conversation.say("go")
    assert (len(servers[0].requests), servers[1].requests, pauses.asked) == (1, [], [])
    failed, told = of_kind(turn, events.LlmFailed, events.Error)
    assert failed.tried == ("a",)
    assert told.hint


# ---- text that was shown -------------------------------------------------------------------------------------


@BOTH
async def test_p6_a_stream_that_breaks_after_text_restarts_the_round_and_voids_it(
    placet_home: Path, tmp_path: Path, servers: list[WireServer], dialect: str
) -> None:
    servers[0].script([text("half a xylo", "phone"), cut()], [text("The whole.")], [text("Later.")])
    async with talk(placet_home, None, tmp_path, config=one(servers[0], dialect)) as conversation:
        turn = await conversation.say("go")
        names = [type(event).__name__ for event in turn]
        assert names.count("RoundRestarted") == 1
        shown = ""
        for event in turn:
            if isinstance(event, events.RoundRestarted):
                shown = ""
            shown += event.text if isinstance(event, events.TextDelta) else ""
        assert shown == "The whole."
        assert await stored(conversation) == [("user", "ok", "go"), ("assistant", "ok", "The whole.")]
        await conversation.say("more")
        assert (await conversation.hub.history.search("xylophone"))[1] == 0
    assert all(b"xylo" not in request.body for request in servers[0].requests)


@BOTH
async def test_p6_calls_of_a_stream_that_broke_never_run(
    placet_home: Path, tmp_path: Path, servers: list[WireServer], dialect: str
) -> None:
    servers[0].script([call("write_file", {"path": "b.txt", "content": "x"}), cut(clean=True)], [text("No calls.")])
    async with talk(placet_home, None, tmp_path, config=one(servers[0], dialect)) as conversation:
        turn = await conversation.say("go")
    assert of_kind(turn, events.ToolStart, events.PendingWrite) == []
    assert len(of_kind(turn, events.RoundRestarted)) == 1, "the call was announced"


async def test_p6_text_that_was_saved_while_it_streamed_is_voided_too(
    placet_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from placet.core.turn import draft

    monkeypatch.setattr(draft, "SAVE_EVERY_S", 0.0)
    scripted_model = ScriptedModel(say("half", fault=ProviderFault.BROKEN_STREAM), say("whole"))
    async with talk(placet_home, scripted_model, tmp_path) as conversation:
        await conversation.say("go")
        assert await stored(conversation) == [("user", "ok", "go"), ("assistant", "ok", "whole")]


async def test_s2_what_arrived_of_the_last_try_is_kept(placet_home: Path, tmp_path: Path) -> None:
    tries = [say(f"half {number}", fault=ProviderFault.BROKEN_STREAM) for number in (1, 2, 3)]
    async with talk(placet_home, ScriptedModel(*tries), tmp_path) as conversation:
        turn = await conversation.say("go")
        rows = await stored(conversation)
    assert [(role, status, content.strip()) for role, status, content in rows] == [
        ("user", "ok", "go"),
        ("assistant", "interrupted", "half 3"),
    ]
    assert len(of_kind(turn, events.RoundRestarted)) == 2
    assert [event.code for event in of_kind(turn, events.Error)] == ["broken_stream"]


async def test_p3_a_model_that_falls_silent_is_given_up_for_another(
    placet_home: Path, tmp_path: Path, servers: list[WireServer]
) -> None:
    servers[0].script([text("I thi"), stall()])
    servers[1].script([text("Here.")])
    config = provider("p", servers[0].url, idle_s=0.2) + model("a", "p") + provider("q", servers[1].url)
    async with talk(placet_home, None, tmp_path, config=config + model("b", "q")) as conversation:
        turn = await conversation.say("go")
    order = [type(event).__name__ for event in turn if not isinstance(event, events.SessionChanged)]
    at = order.index("RoundRestarted")
    assert order[at : at + 2] == ["RoundRestarted", "ModelFallback"], "first the text goes, then the note comes"
    assert [event.content for event in of_kind(turn, events.Done)] == ["Here."]


# ---- a stop --------------------------------------------------------------------------------------------------


async def test_t8_a_stop_ends_the_pause_and_keeps_what_had_arrived(placet_home: Path, tmp_path: Path) -> None:
    pauses = Pauses(holds=True)
    scripted_model = ScriptedModel(say("half", fault=OVERLOADED), say("and on"))
    async with talk(placet_home, scripted_model, tmp_path, pauses=pauses) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(pauses.begun.wait(), 5)
        await asyncio.wait_for(conversation.hub.cancel(conversation.source), 5)  # the pause would last for ever
        await conversation.until_idle()
        page = await conversation.hub.history.newest(conversation.session_id)
        assert [row.status for row in page.messages] == [MessageStatus.OK, MessageStatus.INTERRUPTED]
        assert of_kind(conversation.seen, events.RoundRestarted) == []
        turn = await conversation.say("on")
        assert of_kind(turn, events.Done)
    assert len(scripted_model.requests) == 2
    assert_well_formed_chat(scripted_model.bodies[-1])


# ---- another model -------------------------------------------------------------------------------------------


async def test_a_switch_is_told_and_lasts_for_the_turn_and_no_longer(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    read = ("read_file", {"path": "a.txt"})
    scripted_model = ScriptedModel(
        say("").calling(*read), say(fault=OVERLOADED), say("").calling(*read), say("Done."), say("Hello.")
    )
    pauses = Pauses()
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b"), pauses=pauses) as conversation:
        turn = await conversation.say("go")
        assert of_kind(turn, events.ModelFallback) == [
            events.ModelFallback(from_model="a", to_model="b", reason="overloaded")
        ]
        page = await conversation.hub.history.newest(conversation.session_id)
        assert [row.model for row in page.messages[1:]] == ["a", "b", "b"]
        assert page.session.model == ""
        assert switches(await conversation.say("again")) == []
    assert asked(scripted_model) == ["a", "a", "b", "b", "a"]
    assert pauses.asked == []


async def test_a_model_that_a_person_chose_by_name_fails_over_too_and_stays_chosen(
    placet_home: Path, tmp_path: Path
) -> None:
    scripted_model = ScriptedModel(say(fault=OVERLOADED), say("From a."), say("From b."))
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b")) as conversation:
        await conversation.hub.select_model("desktop", "b")
        assert switches(await conversation.say("go")) == [("b", "a")]
        await conversation.say("again")
    assert asked(scripted_model) == ["b", "a", "b"]


async def test_at_most_three_models_are_tried_and_each_is_named(placet_home: Path, tmp_path: Path) -> None:
    faults = (OVERLOADED, ProviderFault.TIMEOUT, ProviderFault.RATE_LIMITED)
    scripted_model = ScriptedModel(*[say(fault=fault) for fault in faults], say("never asked"))
    config = scripted("a", "b", "c", "d")
    async with talk(placet_home, scripted_model, tmp_path, config=config) as conversation:
        turn = await conversation.say("go")
    assert asked(scripted_model) == ["a", "b", "c"]
    failed, told = of_kind(turn, events.LlmFailed, events.Error)
    assert (failed.tried, failed.fault, told.code) == (("a", "b", "c"), "rate_limited", "rate_limited")
    assert "a (overloaded), b (no answer in time), c (too many requests)" in told.message
    assert turn.index(failed) < turn.index(told)


async def test_a_stand_in_that_cannot_be_used_does_not_end_the_turn(placet_home: Path, tmp_path: Path) -> None:
    scripted_model = ScriptedModel(say(fault=OVERLOADED), say(fault=ProviderFault.AUTH), say("At last."))
    pauses = Pauses()
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b"), pauses=pauses) as conversation:
        turn = await conversation.say("go")
    assert asked(scripted_model) == ["a", "b", "a"]
    assert switches(turn) == [("a", "b"), ("b", "a")]
    assert len(pauses.asked) == 1
    assert of_kind(turn, events.Done)


async def test_a_stand_in_whose_window_is_too_small_is_passed_over(placet_home: Path, tmp_path: Path) -> None:
    config = scripted("a") + scripted("b").replace("128000", "500") + scripted("c")
    scripted_model = ScriptedModel(say(fault=OVERLOADED), say("From c."))
    async with talk(placet_home, scripted_model, tmp_path, config=config) as conversation:
        turn = await conversation.say("go")
    assert asked(scripted_model) == ["a", "c"]
    assert switches(turn) == [("a", "b"), ("b", "c")]


async def test_other_models_of_a_server_that_does_not_run_are_not_tried(placet_home: Path, tmp_path: Path) -> None:
    config = scripted("a") + model("a2", "p-a", "priority = 1") + scripted("b")
    config = config.replace('model_id = "a-id"\n', 'model_id = "a-id"\ndefault = true\n')
    scripted_model = ScriptedModel(say(fault=ProviderFault.UNREACHABLE), say("From b."))
    async with talk(placet_home, scripted_model, tmp_path, config=config) as conversation:
        await conversation.say("go")
    assert asked(scripted_model) == ["a", "b"]


async def test_the_demo_never_answers_in_the_place_of_a_model(placet_home: Path, tmp_path: Path) -> None:
    scripted_model = ScriptedModel(*[say(fault=OVERLOADED) for _ in range(3)])
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a")) as conversation:
        await conversation.core.catalogue.add_demo()
        turn = await conversation.say("go")
    assert asked(scripted_model) == ["a", "a", "a"]
    assert switches(turn) == []


# ---- health --------------------------------------------------------------------------------------------------


async def test_a_default_model_that_is_down_is_left_for_a_while_and_comes_back(
    placet_home: Path, tmp_path: Path
) -> None:
    now = 0.0
    scripted_model = ScriptedModel(say("From b."), say("From a."), say("Again from a."))
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b")) as conversation:
        health = conversation.core.catalogue.health = ModelHealth(lambda: now)
        for _ in range(5):
            health.failed("a")
        assert switches(await conversation.say("one")) == [("a", "b")]
        now += ANOTHER_CHANCE_S
        assert switches(await conversation.say("two")) == []
        now += 1
        assert health.of("a") is Health.HEALTHY, "its answer healed it"
        assert switches(await conversation.say("three")) == []
    assert asked(scripted_model) == ["b", "a", "a"]


async def test_failures_of_turns_add_up_until_the_model_is_down(placet_home: Path, tmp_path: Path) -> None:
    tries = [say(fault=OVERLOADED) if number % 2 == 0 else say("From b.") for number in range(10)]
    scripted_model = ScriptedModel(*tries, say("From b at once."))
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b")) as conversation:
        for _ in range(6):
            assert switches(await conversation.say("go")) == [("a", "b")]
        assert conversation.core.catalogue.health.of("a") is Health.DOWN
    assert asked(scripted_model) == ["a", "b"] * 5 + ["b"]


async def test_a_refusal_says_nothing_about_health(placet_home: Path, tmp_path: Path) -> None:
    scripted_model = ScriptedModel(*[say(fault=ProviderFault.AUTH) for _ in range(6)])
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b")) as conversation:
        for _ in range(6):
            turn = await conversation.say("go")
            assert [event.code for event in of_kind(turn, events.Error)] == ["auth"]
    assert asked(scripted_model) == ["a"] * 6


async def test_a_model_that_a_person_changed_is_not_held_to_what_it_did_before(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path, config=scripted("a")) as conversation:
        catalogue = conversation.core.catalogue
        server = Provider(name="mine", type=Dialect.OPENAI, base_url=REFUSING)
        mine = Model(name="m", provider="mine", model_id="m")
        await catalogue.save_provider(server)
        await catalogue.save_model(mine)
        for change in (catalogue.save_model(mine), catalogue.save_provider(server)):
            for _ in range(5):
                catalogue.health.failed("m")
            assert catalogue.health.of("m") is Health.DOWN
            await change
            assert catalogue.health.of("m") is Health.HEALTHY


async def test_where_every_model_is_down_the_default_one_is_tried_with_a_warning(
    placet_home: Path, tmp_path: Path, expected_logs: list[str]
) -> None:
    expected_logs.append("every model has failed")
    scripted_model = ScriptedModel(say("I am back."))
    async with talk(placet_home, scripted_model, tmp_path, config=scripted("a", "b")) as conversation:
        for name in ("a", "b") * 5:
            conversation.core.catalogue.health.failed(name)
        turn = await conversation.say("go")
    assert of_kind(turn, events.Done)
    assert asked(scripted_model) == ["a"]


async def test_a_wish_for_scope_and_strength_chooses_and_a_name_overrules_it(placet_home: Path, tmp_path: Path) -> None:
    config = scripted("a") + provider("q") + model("b", "q", 'strength = "high"; scopes = ["coding"]')
    async with talk(placet_home, ScriptedModel(), tmp_path, config=config) as conversation:
        catalogue = conversation.core.catalogue
        assert (await catalogue.resolve("", "coding")).label == "b"
        assert (await catalogue.resolve("", "", "high")).label == "b"
        assert (await catalogue.resolve("a", "coding", "very_high")).label == "a"
        assert (await catalogue.resolve()).label == "a"


# ---- another dialect -----------------------------------------------------------------------------------------


async def test_p4_t6_a_switch_to_another_dialect_keeps_history_well_formed_and_signed_parts_at_home(
    placet_home: Path, tmp_path: Path, servers: list[WireServer]
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    chat, messages, _ = servers
    read = call("read_file", {"path": "a.txt"}, id="call|with a strange id")
    chat.script(
        [reasoning("chat thought"), text("I look."), read],
        error(503),
        [text("Back on chat.")],
    )
    messages.script(
        [text("half"), cut()],  # tried once more after a pause: nobody else is there
        [reasoning("signed thought", signature="c2ln"), call("read_file", {"path": "a.txt"})],
        [text("Done.")],
        [text("Hello again.")],
    )
    config = provider("chat", chat.url) + model("a", "chat")
    config += provider("messages", messages.url, "anthropic") + model("b", "messages")
    async with talk(placet_home, None, tmp_path, config=config) as conversation:
        turn = await conversation.say("go")
        assert switches(turn) == [("a", "b")]
        assert [event.content for event in of_kind(turn, events.Done)] == ["Done."]
        assert switches(await conversation.say("and now?")) == []
        await conversation.hub.select_model("desktop", "b")
        await conversation.say("and you?")
    for request in chat.requests:
        assert_well_formed_chat(request.body)
        assert b"c2ln" not in request.body
        assert b"signed thought" not in request.body
    for request in messages.requests:
        assert_well_formed_messages(request.body)
        assert b"chat thought" not in request.body
        assert b"half" not in request.body
    assert b"chat thought" in chat.requests[-1].body
    signed = json.dumps({"type": "thinking", "thinking": "signed thought", "signature": "c2ln"}, separators=(",", ":"))
    for request in messages.requests[2:]:
        assert signed.encode() in request.body
    assert len(messages.requests) == 4


async def test_what_broke_goes_on_without_being_said_again(placet_home: Path, tmp_path: Path) -> None:
    tries = [say(f"half {number}", fault=ProviderFault.BROKEN_STREAM) for number in (1, 2, 3)]
    async with talk(placet_home, ScriptedModel(*tries, say("whole")), tmp_path) as conversation:
        await conversation.say("go")
        await conversation.hub.resume(conversation.session_id)
        await conversation.next(events.Done)
        rows = [row for row in await stored(conversation) if row[2].strip()]
    assert [row[2].strip() for row in rows].count("go") == 1
    assert rows[-1] == ("assistant", "ok", "whole")


async def test_that_an_answer_reached_the_limit_is_known_after_a_restart(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("too long", finish=Finish.LENGTH), say("short"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("go")
        await conversation.say("again")
    async with talk(placet_home, None, tmp_path) as conversation:
        page = await conversation.hub.history.newest(conversation.session_id)
    told = {message.content: message.metadata.get("truncated") for message in page.messages}
    assert (told["too long"], told["short"]) == (True, None)
