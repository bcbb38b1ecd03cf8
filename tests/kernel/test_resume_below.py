"""After a crash in the middle of sub-agents: what goes on, what is handed up, what is failed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.ids import CallId, FrameId, MessageId
from placet.core.domain.messages import CallStatus, Frame, ToolCall
from placet.core.domain.model_calls import Answer
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import CastModel, say


async def ask(conversation: Talk, frame_id: FrameId, *tasks: str) -> list[CallId]:
    """The rows of an answer that gives tasks, none of them begun."""
    turns = conversation.core.store.turns
    name = "execute_task"
    calls = [
        ToolCall(
            id=CallId(0),
            message_id=MessageId(0),
            provider_id=f"c{n}",
            name=name,
            arguments=f'{{"agent": "researcher", "task": "{task}"}}',
        )
        for n, task in enumerate(tasks)
    ]
    binding = await conversation.hub.catalogue.resolve()
    answer = Answer(text="I ask.")
    row = await turns.add_answer(frame_id, binding, answer, calls, cost=None, duration_s=0.1, ends_turn=False)
    return [call.id for call in row.calls]


async def begin(conversation: Talk, call_id: CallId, task: str, agent: str = "researcher") -> Frame:
    return await conversation.core.store.turns.begin_sub_agent(
        call_id, agent, task, context_block="", label=task, decision="allowed"
    )


async def root_asking(conversation: Talk, *tasks: str) -> list[CallId]:
    turns = conversation.core.store.turns
    frame = await turns.root_frame(conversation.session_id)
    await turns.append_user(frame.id, "go")
    return await ask(conversation, frame.id, *tasks)


async def say_in(conversation: Talk, frame: Frame, text: str) -> None:
    binding = await conversation.hub.catalogue.resolve()
    await conversation.core.store.turns.add_answer(
        frame.id, binding, Answer(text=text), [], cost=None, duration_s=0.1, ends_turn=True
    )


async def results(conversation: Talk) -> list[tuple[CallStatus, str]]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [(call.status, call.result) for row in page.messages for call in row.calls]


async def resumed(conversation: Talk) -> list[events.AnyEvent]:
    await conversation.hub.resume(conversation.session_id)
    await conversation.until_idle()
    return conversation.seen


async def test_an_interrupted_sub_agent_goes_on_and_its_report_reaches_the_parent(
    placet_home: Path, tmp_path: Path
) -> None:
    model = CastModel({"count": [say("Three.")], "go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "count")
        await begin(conversation, call_id, "count")
        turn = await resumed(conversation)
        assert await results(conversation) == [(CallStatus.DONE, "Three.")]
        assert not await conversation.core.store.turns.active_frames(conversation.session_id)
    assert any(isinstance(event, events.Done) and event.content == "done" for event in turn)
    assert len(model.bodies_of("count")) == 1
    for body in model.bodies:
        assert_well_formed_chat(body)


async def test_a_report_that_was_never_handed_up_is_handed_up_without_asking_again(
    placet_home: Path, tmp_path: Path
) -> None:
    model = CastModel({"count": [say("Never asked.")], "go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "count")
        await say_in(conversation, await begin(conversation, call_id, "count"), "Three.")
        await resumed(conversation)
        assert await results(conversation) == [(CallStatus.DONE, "Three.")]
    assert model.bodies_of("count") == []


async def test_going_on_cascades_from_the_deepest_frame_up(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({"outer": [say("Outer report.")], "inner": [say("Inner report.")], "go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "outer")
        outer = await begin(conversation, call_id, "outer")
        (below,) = await ask(conversation, outer.id, "inner")
        await begin(conversation, below, "inner", agent="generalist")
        turn = await resumed(conversation)
        assert await results(conversation) == [(CallStatus.DONE, "Outer report.")]
    ends = [(event.depth, event.outcome) for event in turn if isinstance(event, events.AgentDone)]
    assert ends == [(2, "done"), (1, "done")]
    assert assert_well_formed_chat(model.bodies_of("outer")[0])[-1]["content"] == "Inner report."


async def test_an_interrupted_batch_is_failed_with_all_below_it(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({"go": [say("done")], "left": [say("x")], "right": [say("x")], "below": [say("x")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        left, right = await root_asking(conversation, "left", "right")
        frame = await begin(conversation, left, "left")
        await begin(conversation, right, "right")
        (below,) = await ask(conversation, frame.id, "below")
        await begin(conversation, below, "below", agent="generalist")
        await resumed(conversation)
        assert [status for status, _ in await results(conversation)] == [CallStatus.FAILED] * 2
        assert not await conversation.core.store.turns.active_frames(conversation.session_id)
    assert len(model.bodies) == 1
    assert "interrupted" in assert_well_formed_chat(model.bodies[0])[-1]["content"]


async def test_the_rest_of_a_batch_that_was_not_begun_runs_after_a_crash(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({"go": [say("done")], "left": [say("L")], "right": [say("R")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        await root_asking(conversation, "left", "right")
        await resumed(conversation)
        assert await results(conversation) == [(CallStatus.DONE, "L"), (CallStatus.DONE, "R")]


async def test_a_new_message_after_a_crash_finishes_the_sub_agent_first(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({"count": [say("Three.")], "go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "count")
        await begin(conversation, call_id, "count")
        await conversation.say("and now?")
        assert await results(conversation) == [(CallStatus.DONE, "Three.")]
    sent = assert_well_formed_chat(model.bodies_of("go")[0])
    assert [message["role"] for message in sent[1:]] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize("begun", [True, False])
async def test_an_agent_that_is_gone_fails_the_call_it_was_running_for(
    placet_home: Path, tmp_path: Path, begun: bool
) -> None:
    model = CastModel({"go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "count")
        if begun:
            await begin(conversation, call_id, "count", agent="removed-agent")
        else:
            await conversation.core.store.database.run(
                lambda c: c.execute("UPDATE tool_calls SET arguments = replace(arguments, 'researcher', 'gone')")
            )
        await resumed(conversation)
        ((status, result),) = await results(conversation)
        assert status is CallStatus.FAILED
        assert "There is no agent" in result
        assert not await conversation.core.store.turns.active_frames(conversation.session_id)


async def test_t1_a_stop_before_a_sub_agent_goes_on_ends_it_and_all_below(placet_home: Path, tmp_path: Path) -> None:
    """The first call of the batch had not begun when the program ended, the second one had."""
    model = CastModel({"first": [say("I think", stalls=True)], "go": [say("done")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        _, second = await root_asking(conversation, "first", "second")
        frame = await begin(conversation, second, "second")
        (below,) = await ask(conversation, frame.id, "below")
        await begin(conversation, below, "below", agent="generalist")
        await conversation.hub.resume(conversation.session_id)
        await asyncio.wait_for(model.streaming.wait(), 5)
        await conversation.hub.cancel("desktop")
        turns = conversation.core.store.turns
        assert [status for status, _ in await results(conversation)] == [CallStatus.CANCELLED] * 2
        assert (await turns.call(below)).status is CallStatus.CANCELLED
        assert not await turns.active_frames(conversation.session_id)


async def test_an_agent_that_is_gone_leaves_nothing_open_below_it(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, CastModel({"go": [say("done")]}), tmp_path) as conversation:
        (call_id,) = await root_asking(conversation, "count")
        frame = await begin(conversation, call_id, "count", agent="removed-agent")
        (below,) = await ask(conversation, frame.id, "below")
        await begin(conversation, below, "below", agent="generalist")
        await resumed(conversation)
        assert (await conversation.core.store.turns.call(below)).status is CallStatus.FAILED
        assert not await conversation.core.store.turns.active_frames(conversation.session_id)


async def test_the_rest_of_a_mixed_answer_runs_one_by_one_as_it_would_have(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({"go": [say("done")], "left": [say("L")], "right": [say("R")]})
    async with talk(placet_home, model, tmp_path) as conversation:
        turns = conversation.core.store.turns
        frame = await turns.root_frame(conversation.session_id)
        await turns.append_user(frame.id, "go")
        calls = [
            ToolCall(id=CallId(0), message_id=MessageId(0), provider_id=f"c{n}", name=name, arguments=arguments)
            for n, (name, arguments) in enumerate([
                ("list_files", "{}"),
                ("execute_task", '{"agent": "researcher", "task": "left"}'),
                ("execute_task", '{"agent": "researcher", "task": "right"}'),
            ])
        ]  # fmt: skip
        binding = await conversation.hub.catalogue.resolve()
        row = await turns.add_answer(
            frame.id, binding, Answer(text=""), calls, cost=None, duration_s=0.1, ends_turn=False
        )
        await turns.end_call(row.calls[0].id, CallStatus.DONE, "a.txt", facts={}, decision="")
        turn = await resumed(conversation)
    order = [type(event).__name__ for event in turn if isinstance(event, (events.AgentStart, events.AgentDone))]
    assert order == ["AgentStart", "AgentDone"] * 2
