"""The life of a turn on a scripted model, with the real store, tools, gate and files."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.errors import ProviderFault
from placet.core.domain.messages import CallStatus, MessageStatus, Mode, Role
from placet.core.domain.model_calls import Finish
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import ScriptedModel, say


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


def kinds(turn: list[events.AnyEvent]) -> list[str]:
    skipped = (events.TextDelta, events.SessionChanged, events.NewSession)
    return [type(event).__name__ for event in turn if not isinstance(event, skipped)]


async def rows(conversation: Talk) -> list[tuple[str, str, list[str]]]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [(row.role.value, row.content, [call.status.value for call in row.calls]) for row in page.messages]


async def test_a_read_and_an_approved_edit_happen_in_this_order(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(
        say("I look.").calling("read_file", {"path": "a.txt"}),
        say("Two becomes 2.").calling("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "2"}),
        say("Done."),
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("change it")
        await conversation.approve_next()
        await conversation.until_idle()
        assert (folder / "a.txt").read_text() == "one\n2\nthree\n"
        assert kinds(conversation.seen) == [
            "TurnRunning", "UserMessage",
            "Thinking", "ToolStart", "ToolDone",
            "Thinking", "ToolStart", "PendingWrite", "ApprovalResolved", "ToolDone", "FileChanged",
            "Done", "TurnRunning",
        ]  # fmt: skip
        assert await rows(conversation) == [
            ("user", "change it", []),
            ("assistant", "I look.", ["done"]),
            ("assistant", "Two becomes 2.", ["done"]),
            ("assistant", "Done.", []),
        ]
        for body in model.bodies:
            assert_well_formed_chat(body)


async def test_r13_a_rejection_changes_nothing_and_reaches_the_model(placet_home: Path, folder: Path) -> None:
    before = (folder / "a.txt").read_bytes()
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": "x"}), say("I see."))
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("overwrite")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.reject(waiting.request_id, "keep it")
        await conversation.until_idle()
    assert (folder / "a.txt").read_bytes() == before
    result = model.requests[1]["messages"][-1]
    assert result["content"] == "User rejected this tool call. Reason: keep it"


async def test_a_user_message_is_echoed_only_when_it_is_stored(placet_home: Path, folder: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("Hello.")), folder) as conversation:
        await conversation.send("hi")
        echo = await conversation.next(events.UserMessage)
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages[0].id == echo.message_id
        await conversation.until_idle()


async def test_p2_arguments_that_are_no_json_object_fail_and_the_turn_goes_on(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(
        say().calling("execute_cmd", '{"command":"a"}{"command":"b"}').calling("list_files", ""), say("I try again.")
    )
    async with talk(placet_home, model, folder) as conversation:
        turn = await conversation.say("go")
        assert kinds(turn) == [
            "TurnRunning", "UserMessage", "ToolStart", "ToolError", "ToolStart", "ToolDone", "Done", "TurnRunning",
        ]  # fmt: skip
    messages = assert_well_formed_chat(model.bodies[1])
    assert "one JSON object" in messages[3]["content"]


@pytest.mark.parametrize("raw", ['"just text"', "[1,2]", '{"command":"a"}{"command":"b"}', "{}"])
async def test_a03_unusable_arguments_open_no_approval(placet_home: Path, folder: Path, raw: str) -> None:
    model = ScriptedModel(say().calling("execute_cmd", raw), say("Sorry."))
    async with talk(placet_home, model, folder) as conversation:
        turn = await conversation.say("go")
    assert "PendingCommand" not in kinds(turn)
    assert "ToolError" in kinds(turn)


async def test_an_unknown_tool_is_an_error_that_names_the_nearest(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(say().calling("readfile", {"path": "a.txt"}), say("Oh."))
    async with talk(placet_home, model, folder) as conversation:
        await conversation.say("go")
    assert "read_file" in model.requests[1]["messages"][-1]["content"]


async def test_a_call_with_names_of_any_length_is_refused_in_few_words(placet_home: Path, folder: Path) -> None:
    many = {f"argument {number}": 1 for number in range(50_000)}
    model = ScriptedModel(say().calling("x" * 1_000_000, {}).calling("read_file", many | {"y" * 1_000_000: 1}))
    async with talk(placet_home, model, folder) as conversation:
        turn = await conversation.say("go")
    failed = [event for event in turn if isinstance(event, events.ToolError)]
    assert len(failed) == 2
    assert all(len(event.name) + len(event.error) < 1000 for event in failed)
    assert "49,996 more unknown arguments" in failed[1].error
    starts = [event for event in turn if isinstance(event, events.ToolStart)]
    assert all(len(event.label) + len(event.detail) < 1000 for event in starts)


async def test_the_round_limit_ends_the_turn_with_an_error(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(*[say().calling("read_file", {"path": "a.txt", "offset": n + 1}) for n in range(30)])
    async with talk(placet_home, model, folder) as conversation:
        turn = await conversation.say("loop")
    errors = [event for event in turn if isinstance(event, events.Error)]
    assert [error.code for error in errors] == ["rounds_exhausted"]
    assert len(model.requests) == 20


async def test_an_answer_cut_at_the_output_limit_is_told_as_truncated(placet_home: Path, folder: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("long", finish=Finish.LENGTH)), folder) as conversation:
        assert kinds(await conversation.say("go"))[-3:] == ["Truncated", "Done", "TurnRunning"]


@pytest.mark.parametrize("fault", [ProviderFault.AUTH, ProviderFault.UNREACHABLE, ProviderFault.BROKEN_STREAM])
async def test_t9_a_failed_model_call_is_one_error_and_the_session_goes_on(
    placet_home: Path, folder: Path, fault: ProviderFault
) -> None:
    model = ScriptedModel(*[say("half", fault=fault) for _ in range(3 if fault.is_retriable else 1)], say("It works."))
    async with talk(placet_home, model, folder) as conversation:
        turn = await conversation.say("xylophone")
        assert [e.code for e in turn if isinstance(e, events.Error)] == [fault.value]
        turn = await conversation.say("second")
        assert "Done" in kinds(turn)
    sent = assert_well_formed_chat(model.bodies[-1])
    assert json.dumps(sent).count("xylophone") == 1


async def test_t9_a_message_that_could_not_be_stored_is_given_back(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(say("never asked"))
    async with talk(placet_home, model, folder) as conversation:
        await conversation.core.store.database.run(lambda c: c.execute("DROP TABLE messages"))
        await conversation.send("precious words")
        error = await conversation.next(events.Error)
    assert error.draft == "precious words"


async def test_no_model_keeps_the_message_and_says_what_to_do(placet_home: Path, folder: Path) -> None:
    async with talk(placet_home, ScriptedModel(), folder, config="") as conversation:
        turn = await conversation.say("hello")
        error = next(event for event in turn if isinstance(event, events.Error))
        assert error.code == "no_model"
        assert "Settings" in error.hint
        assert [role for role, *_ in await rows(conversation)] == ["user"]


async def test_r5_a_file_that_changed_during_review_is_asked_about_anew(placet_home: Path, folder: Path) -> None:
    target = folder / "a.txt"
    target.write_text("a\nb\nc\n")
    model = ScriptedModel(
        say().calling("edit_file", {"path": "a.txt", "old_string": "b", "new_string": "B"}), say("ok")
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
        target.write_text("a\nb\nc\nMINE\n")
        await conversation.hub.approve(first.request_id)
        await conversation.next(events.PreviewStale)
        second = await conversation.next(events.PendingWrite)
        assert target.read_text() == "a\nb\nc\nMINE\n"
        assert second.new_content == "a\nB\nc\nMINE\n"
        await conversation.hub.approve(second.request_id)
        await conversation.until_idle()
    assert target.read_text() == "a\nB\nc\nMINE\n"


async def test_a_mode_tightened_during_a_turn_holds_from_the_next_call_on(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(
        say().calling("write_file", {"path": "b.txt", "content": "1\n"}),
        say().calling("read_file", {"path": "a.txt"}),
        say("ok"),
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
        await conversation.hub.set_policy("desktop", mode=Mode.ASK_ALL)
        await conversation.hub.approve(first.request_id)
        second = await conversation.next(events.ApprovalRequired)
        assert second.name == "read_file"
        await conversation.hub.approve(second.request_id)
        await conversation.until_idle()


async def test_c1_each_request_of_a_session_extends_the_one_before(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(
        *[say("step").calling("read_file", {"path": "a.txt"}) for _ in range(4)],
        say("first done"),
        *[say("again").calling("list_files", {}) for _ in range(3)],
        say("second done"),
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.say("one")
        await conversation.say("two")
    for earlier, later in zip(model.bodies, model.bodies[1:], strict=False):
        assert later.startswith(earlier[:-2])


async def test_the_decision_and_the_audit_trail_are_stored_with_the_call(placet_home: Path, folder: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "n.txt", "content": "1\n"}), say("ok"))
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("go")
        await conversation.approve_next()
        await conversation.until_idle()
        page = await conversation.hub.history.newest(conversation.session_id)
        (call,) = page.messages[1].calls
        assert call.status is CallStatus.DONE
        assert "approved by a person" in call.decision
        assert call.facts["change"] == "created"
        assert page.messages[1].role is Role.ASSISTANT
        assert page.messages[1].status is MessageStatus.OK


async def test_a08_an_escaped_emoji_in_arguments_arrives_whole_and_a_lone_half_is_replaced(
    placet_home: Path, folder: Path
) -> None:
    model = ScriptedModel(
        say().calling("write_file", '{"path":"e.txt","content":"\\ud83d\\ude80 \\ud83c x"}'), say("ok")
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("go")
        await conversation.approve_next()
        await conversation.until_idle()
    assert (folder / "e.txt").read_text() == "\N{ROCKET} \N{REPLACEMENT CHARACTER} x"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "x" * 300}),
        ("write_file", {"path": "y" * 300, "content": "1"}),
        ("list_files", {"path": "/".join(["d"] * 3000)}),
        ("grep_files", {"pattern": "a\0b"}),
        ("grep_files", {"pattern": "one", "path": "pipe"}),
        ("read_file", {"path": "/proc/self/mem"}),
    ],
)
async def test_t9_what_a_tool_did_not_foresee_fails_its_call_and_nothing_else(
    placet_home: Path, folder: Path, name: str, arguments: dict[str, str], expected_logs: list[str]
) -> None:
    expected_logs.append("failed in a way it does not know")
    os.mkfifo(folder / "pipe")
    model = ScriptedModel(say().calling(name, arguments), say("I see."), say("still here"))
    async with talk(placet_home, model, folder) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        turn = await conversation.say("go")
        assert "ToolError" in kinds(turn)
        assert "Done" in kinds(turn)
        assert "Done" in kinds(await conversation.say("again"))


async def test_p2_arguments_nested_too_deeply_fail_their_call(placet_home: Path, folder: Path) -> None:
    deep = '{"path":' + "[" * 50_000 + "]" * 50_000 + "}"
    async with talk(placet_home, ScriptedModel(say().calling("read_file", deep), say("ok")), folder) as conversation:
        turn = await conversation.say("go")
    assert "ToolError" in kinds(turn)
    assert "Done" in kinds(turn)


async def test_t9_arguments_that_can_just_be_read_leave_the_session_usable(placet_home: Path, folder: Path) -> None:
    """Each later request decodes them again, some of them from deeper within the program than the first time."""
    calls = say()
    for levels in range(880, 990):
        calls.calling("read_file", '{"path":' + "[" * levels + "]" * levels + "}").calling("list_files", {})
    async with talk(placet_home, ScriptedModel(calls, say("ok"), say("ok")), folder) as conversation:
        assert "Done" in kinds(await conversation.say("go"))
        assert "Done" in kinds(await conversation.say("again"))


async def test_s2_a_partial_answer_that_could_not_be_saved_in_time_is_saved_at_its_end(
    placet_home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from placet.core.turn import draft

    monkeypatch.setattr(draft, "SAVE_EVERY_S", 0.001)
    model = ScriptedModel(say("a thought that matters", stalls=True))
    async with talk(placet_home, model, folder) as conversation:
        database = conversation.core.store.database
        await database.run(lambda c: c.execute("PRAGMA max_page_count = 1"))
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await database.run(lambda c: c.execute("PRAGMA max_page_count = 1000000"))
        await conversation.hub.cancel("desktop")
        page = await conversation.hub.history.newest(conversation.session_id)
    answers = [row for row in page.messages if row.role is Role.ASSISTANT]
    assert [row.content.strip() for row in answers] == ["a thought that matters"]
