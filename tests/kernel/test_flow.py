"""Questions, plans, repeated calls, empty answers, and writes that are decided together."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest

from placet.core.domain import events
from placet.core.domain.errors import UnknownItem, UsageError
from placet.core.domain.ids import RequestId
from placet.core.domain.messages import CallStatus, Mode, RunContext
from placet.core.domain.review import Proposal, RequestKind
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import CastModel, Say, ScriptedModel, say

QUESTION = {"title": "Port", "question": "Which port?", "suggested_answers": ["80", "8080"]}


async def statuses(conversation: Talk) -> list[CallStatus]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [call.status for row in page.messages for call in row.calls]


def asking() -> Say:
    return say("I ask.").calling("ask_user_clarification", QUESTION)


async def test_a_question_waits_for_its_answer_which_becomes_the_result(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(asking(), say("So be it."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.AgentQuestion)
        assert (asked.title, asked.suggested_answers) == ("Port", ("80", "8080"))
        (request,) = await conversation.hub.pending(conversation.session_id)
        assert (request.kind, request.detail) == (RequestKind.QUESTION, "Which port?")
        assert await statuses(conversation) == [CallStatus.PENDING]
        with pytest.raises(UsageError):
            await conversation.hub.approve(request.id)
        with pytest.raises(UsageError):
            await conversation.hub.resolve_question(request.id, "  ")
        await conversation.hub.resolve_question(request.id, "443, please")
        resolved = await conversation.next(events.ApprovalResolved)
        assert (resolved.decision, resolved.note) == ("answered", "443, please")
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    assert assert_well_formed_chat(model.bodies[1])[-1]["content"] == "443, please"


async def test_an_approval_is_not_answered_like_a_question(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "x"}), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        with pytest.raises(UsageError):
            await conversation.hub.resolve_question(waiting.request_id, "yes")
        assert not (tmp_path / "a").exists()
        await conversation.hub.reject(waiting.request_id)
        await conversation.until_idle()


async def test_a_question_is_asked_again_after_a_restart_and_an_early_answer_counts(
    placet_home: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(asking(), say("So be it."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.AgentQuestion)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        assert stored.suggested_answers == ("80", "8080")
        await conversation.hub.resolve_question(stored.id, "80")
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.DONE]
    assert assert_well_formed_chat(model.bodies[1])[-1]["content"] == "80"


async def test_t10_a_stop_withdraws_a_question_for_good(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(asking(), say("So be it."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.AgentQuestion)
        await conversation.hub.cancel("desktop")
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
        assert await statuses(conversation) == [CallStatus.CANCELLED]
        await conversation.hub.resume(conversation.session_id)
        await conversation.until_idle()
        assert "AgentQuestion" not in conversation.names()[-8:]


async def test_where_nobody_can_be_asked_a_question_fails_and_says_so(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(asking(), say("I decide."))
    async with talk(placet_home, model, tmp_path, source="job") as conversation:
        live = await conversation.core.store.sessions.update(
            conversation.session_id, context=RunContext(workdir=str(tmp_path), auto_deny=True)
        )
        assert live.context.auto_deny
        await conversation.say("go")
        assert await statuses(conversation) == [CallStatus.FAILED]


async def test_a_plan_is_shown_whole_each_time(placet_home: Path, tmp_path: Path) -> None:
    plan = [{"content": "read", "status": "completed"}, {"content": "write", "status": "in_progress"}]
    model = ScriptedModel(
        say().calling("write_todos", {"todos": plan}).calling("write_todos", {"todos": "[]"}),
        say().calling("write_todos", {"todos": [{"content": "x", "status": "maybe"}]}),
        say("done"),
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("go")
    shown = [event.items for event in turn if isinstance(event, events.Todos)]
    assert shown == [tuple(plan), ()]
    assert [event.name for event in turn if isinstance(event, events.ToolError)] == ["write_todos"]
    assert next(event.facts for event in turn if isinstance(event, events.ToolDone)) == {"todos": 2}


def repeating(count: int, name: str = "list_files", arguments: dict[str, Any] | str | None = None) -> list[Say]:
    return [say().calling(name, arguments if arguments is not None else {"path": "."}) for _ in range(count)]


@pytest.mark.parametrize(("name", "arguments"), [("no_such_tool", {}), ("execute_cmd", "[1]"), ("execute_cmd", {})])
async def test_a_call_that_fails_the_same_way_ten_times_is_asked_about_too(
    placet_home: Path, tmp_path: Path, name: str, arguments: dict[str, Any] | str
) -> None:
    model = ScriptedModel(*repeating(11, name, arguments), say("Enough."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.AgentQuestion)
        await conversation.hub.resolve_question(asked.request_id, "Stop")
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    for body in model.bodies:
        assert_well_formed_chat(body)


@pytest.mark.parametrize(("answer", "ends"), [("Go on", "Done"), ("Stop", "Error")])
async def test_the_same_call_ten_times_is_told_to_the_model_then_asked_of_the_person(
    placet_home: Path, tmp_path: Path, answer: str, ends: str
) -> None:
    model = ScriptedModel(*repeating(11), say("Enough."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.AgentQuestion)
        told = [event.error for event in conversation.seen if isinstance(event, events.ToolError)]
        assert len(told) == 1
        assert "10 times in a row" in told[0]
        await conversation.hub.resolve_question(asked.request_id, answer)
        await conversation.until_idle()
    assert ends in conversation.names()[-3:]
    done = sum(isinstance(event, events.ToolDone) for event in conversation.seen)
    assert done == (10 if answer == "Go on" else 9)


@pytest.mark.parametrize(("answer", "runs"), [("Go on", 10), ("Stop", 9)])
async def test_the_answer_to_a_repetition_counts_after_a_restart_too(
    placet_home: Path, tmp_path: Path, answer: str, runs: int
) -> None:
    model = ScriptedModel(*repeating(11, "execute_cmd", {"command": "echo run >> log"}))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        await conversation.send("go")
        await conversation.next(events.AgentQuestion)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        (stored,) = await conversation.hub.pending()
        await conversation.hub.resolve_question(stored.id, answer)
        await conversation.until_idle()
        assert await conversation.hub.pending() == []
    assert (tmp_path / "log").read_text() == "run\n" * runs


async def test_a_question_about_a_call_that_has_ended_does_not_wait_for_ever(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(*repeating(11, "execute_cmd", "[1]"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.AgentQuestion)
    async with talk(placet_home, model, tmp_path) as conversation:
        (stored,) = await conversation.hub.pending()
        await conversation.hub.resolve_question(stored.id, "Stop")
        await conversation.until_idle()
        assert await conversation.hub.pending() == []


async def test_an_answer_in_own_words_to_a_repetition_is_for_the_model(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(*repeating(11), say("Thank you."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.AgentQuestion)
        await conversation.hub.resolve_question(asked.request_id, "look in src instead")
        await conversation.until_idle()
    assert "Done" in conversation.names()[-3:]
    assert "look in src instead" in assert_well_formed_chat(model.bodies[-1])[-1]["content"]


async def test_an_empty_answer_is_asked_for_once_more_and_then_an_error(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say(), say("Here I am."), say(), say(" "))
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("go")
        assert next(event.content for event in turn if isinstance(event, events.Done)) == "Here I am."
        assert sum(isinstance(event, events.UserMessage) for event in turn) == 1
        turn = await conversation.say("again")
        (error,) = (event for event in turn if isinstance(event, events.Error))
        assert "answered nothing" in error.message
    for body in model.bodies:
        assert_well_formed_chat(body)


def writing(*edits: tuple[str, str]) -> Say:
    step = say("Both.")
    for old, new in edits:
        step.calling("edit_file", {"path": "a.txt", "old_string": old, "new_string": new})
    return step


async def test_writes_of_one_answer_wait_together_each_planned_on_the_one_before(
    placet_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    model = ScriptedModel(writing(("one", "two"), ("two", "three")), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
        second = await conversation.next(events.PendingWrite)
        assert (second.old_content, second.new_content) == ("two\n", "three\n")
        assert len(await conversation.hub.pending()) == 2
        await conversation.hub.approve(second.request_id)
        await conversation.next(events.ApprovalResolved)
        assert (tmp_path / "a.txt").read_text() == "one\n"  # in order: it waits for the first
        await conversation.hub.approve(first.request_id)
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.DONE, CallStatus.DONE]
    assert (tmp_path / "a.txt").read_text() == "three\n"


async def test_a_write_planned_on_a_rejected_one_is_asked_anew(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\nmore\n")
    model = ScriptedModel(writing(("one", "two"), ("more", "less")), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
        second = await conversation.next(events.PendingWrite)
        await conversation.hub.approve(second.request_id)
        await conversation.hub.reject(first.request_id, "no")
        again = await conversation.next(events.PendingWrite)
        assert (again.old_content, again.new_content) == ("one\nmore\n", "one\nless\n")
        await conversation.hub.approve(again.request_id)
        await conversation.until_idle()
    assert (tmp_path / "a.txt").read_text() == "one\nless\n"


async def test_a_stop_cancels_all_writes_that_wait_together(placet_home: Path, tmp_path: Path) -> None:
    step = say()
    for n in range(3):
        step.calling("write_file", {"path": f"{n}.txt", "content": "x"})
    step.calling("list_files", {})
    async with talk(placet_home, ScriptedModel(step, say("done")), tmp_path) as conversation:
        await conversation.send("go")
        for _ in range(3):
            await conversation.next(events.PendingWrite)
        await conversation.hub.cancel("desktop")
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.CANCELLED] * 4
        assert await conversation.hub.pending() == []
    assert list(tmp_path.glob("*.txt")) == []


async def test_a_question_of_a_sub_agent_reaches_the_person(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({
        "go": [say().calling("execute_task", {"agent": "researcher", "task": "find the port"}), say("done")],
        "find the port": [asking(), say("It is 80.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        start = await conversation.next(events.AgentStart)
        asked = await conversation.next(events.AgentQuestion)
        assert asked.agent_call_id == start.tool_call_id
        await conversation.hub.resolve_question(asked.request_id, "80")
        await conversation.until_idle()
        assert await statuses(conversation) == [CallStatus.DONE]


async def test_an_approved_write_that_a_stop_prevented_leaves_no_contents_in_memory(
    placet_home: Path, tmp_path: Path
) -> None:
    both = say()
    for name in ("a.txt", "b.txt"):
        both.calling("write_file", {"path": name, "content": "x"})
    async with talk(placet_home, ScriptedModel(both), tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
        second = await conversation.next(events.PendingWrite)
        await conversation.hub.approve(second.request_id)
        await conversation.next(events.ApprovalResolved)
        await conversation.hub.cancel("desktop")
        await conversation.until_idle()
        gc.collect()
        assert [each for each in gc.get_objects() if isinstance(each, Proposal)] == []
    assert not (tmp_path / "b.txt").exists()


async def test_a_mode_tightened_while_writes_wait_together_holds_for_those_not_begun(
    placet_home: Path, tmp_path: Path
) -> None:
    inside, elsewhere = tmp_path / "inside", tmp_path / "elsewhere"
    inside.mkdir()
    elsewhere.mkdir()
    both = say()
    for path in (str(elsewhere / "a.txt"), "b.txt"):
        both.calling("write_file", {"path": path, "content": "x"})
    async with talk(placet_home, ScriptedModel(both), inside) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.EDITS)
        await conversation.send("go")
        first = await conversation.next(events.PendingWrite)
        await conversation.hub.set_policy("desktop", mode=Mode.ASK)
        await conversation.hub.approve(first.request_id)
        second = await conversation.next(events.PendingWrite)
        assert (elsewhere / "a.txt").exists()
        assert not (inside / "b.txt").exists()
        await conversation.hub.reject(second.request_id)
        await conversation.until_idle()
    assert not (inside / "b.txt").exists()


async def test_deciding_again_in_the_very_moment_of_a_decision_is_refused(placet_home: Path, tmp_path: Path) -> None:
    for steps in range(12):
        model = ScriptedModel(say().calling("write_file", {"path": f"{steps}.txt", "content": "x"}))
        async with talk(placet_home, model, tmp_path) as conversation:
            await conversation.send("go")
            waiting = await conversation.next(events.PendingWrite)

            async def rejected(after: int, request_id: RequestId) -> None:
                for _ in range(after):
                    await asyncio.sleep(0)
                await conversation.hub.reject(request_id)

            first, second = await asyncio.gather(
                conversation.hub.approve(waiting.request_id),
                rejected(steps, waiting.request_id),
                return_exceptions=True,
            )
            await conversation.until_idle()
        assert first is None
        assert isinstance(second, UnknownItem), f"{steps} steps of the loop later"


async def test_t10_a_stop_while_writes_are_put_to_the_person_is_clean(placet_home: Path, tmp_path: Path) -> None:
    crashes: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: crashes.append(context["message"]))
    for steps in range(0, 60, 6):
        writes = say()
        for number in range(6):
            writes.calling("write_file", {"path": f"{number}.txt", "content": "x"})
        async with talk(placet_home / str(steps), ScriptedModel(writes), tmp_path) as conversation:
            await conversation.send("go")
            await conversation.next(events.ToolStart)
            for _ in range(steps):
                await asyncio.sleep(0)
            await conversation.hub.cancel("desktop")
            assert await conversation.hub.pending() == []
            assert set(await statuses(conversation)) == {CallStatus.CANCELLED}
    gc.collect()
    assert crashes == []
    assert list(tmp_path.glob("*.txt")) == []
