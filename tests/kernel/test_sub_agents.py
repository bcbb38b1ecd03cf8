"""Sub-agents: a frame under a call, run inline, alone or in a batch."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path

from placet.core.context.history import SentHistory
from placet.core.domain import events
from placet.core.domain.messages import CallStatus, Role
from support.conversations import CONFIG, Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import CastModel, Say, first_message, say


def task(step: Say, agent: str, words: str, name: str = "execute_task") -> Say:
    return step.calling(name, {"agent": agent, "task": words})


async def calls_of(conversation: Talk) -> list[tuple[str, CallStatus, str]]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [(call.name, call.status, call.result) for row in page.messages for call in row.calls]


async def test_t3_the_final_text_of_a_sub_agent_is_the_result_of_its_call(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    model = CastModel({
        "look into it": [task(say("I ask."), "researcher", "count the lines"), say("One line.")],
        "count the lines": [say("I read.").calling("read_file", {"path": "a.txt"}), say("There is one line.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("look into it")
        assert await calls_of(conversation) == [("execute_task", CallStatus.DONE, "There is one line.")]
        call_id = next(event.tool_call_id for event in turn if isinstance(event, events.AgentStart))
        nested = await conversation.hub.history.nested(call_id)
        assert [(row.role, row.content) for row in nested.messages] == [
            (Role.AGENT, "count the lines"),
            (Role.ASSISTANT, "I read."),
            (Role.ASSISTANT, "There is one line."),
        ]
    told = [event for event in turn if not isinstance(event, (events.TextDelta, events.SessionChanged))]
    assert [(type(event).__name__, event.agent_call_id) for event in told] == [
        ("TurnRunning", None), ("UserMessage", None), ("Thinking", None), ("ToolStart", None),
        ("AgentStart", None),
        ("Thinking", call_id), ("ToolStart", call_id), ("ToolDone", call_id),
        ("AgentDone", None), ("ToolDone", None), ("Done", None), ("TurnRunning", None),
    ]  # fmt: skip
    done = next(event for event in turn if isinstance(event, events.Done))
    assert (done.input_tokens, done.output_tokens) == (40, 20)  # four model calls, two of them the sub-agent's
    for body in model.bodies:
        assert_well_formed_chat(body)


async def test_t2_an_agent_that_takes_no_task_is_an_error_that_names_those_that_do(
    placet_home: Path, tmp_path: Path
) -> None:
    step = say()
    for agent in ("nobody", "assistant"):
        task(step, agent, "do it")
    async with talk(placet_home, CastModel({"go": [step, say("Oh.")]}), tmp_path) as conversation:
        turn = await conversation.say("go")
        unknown, itself = await calls_of(conversation)
    assert not any(isinstance(event, events.AgentStart) for event in turn)
    assert unknown[1] is itself[1] is CallStatus.FAILED
    assert "There is no agent 'nobody'" in unknown[2]
    assert "researcher" in unknown[2]
    assert "cannot give a task to itself" in itself[2]


async def test_t2_sub_agents_go_five_levels_deep(placet_home: Path, tmp_path: Path) -> None:
    agents = ["researcher", "generalist"] * 3
    cast = {f"level {n} ": [task(say(), agents[n - 1], f"level {n + 1} please", "execute_subtask"), say(f"end {n}")]
            for n in range(1, 6)}  # fmt: skip
    cast["begin"] = [task(say(), "generalist", "level 1 please"), say("done")]
    model = CastModel(cast)
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("begin")
    starts = [event for event in turn if isinstance(event, events.AgentStart)]
    assert [event.depth for event in starts] == [1, 2, 3, 4, 5]
    names = [{tool["function"]["name"] for tool in json.loads(body)["tools"]} for body in model.bodies]
    assert "execute_task" in names[0]
    assert "execute_subtask" not in names[0]
    assert all("execute_task" not in offered for offered in names[1:6])
    assert all("execute_subtask" in offered for offered in names[1:5])
    assert not names[5] & {"execute_subtask", "ask_user_clarification"}
    refused = [event.error for event in turn if isinstance(event, events.ToolError)]
    assert len(refused) == 1
    assert "execute_subtask cannot be used here" in refused[0]


async def test_a_tool_that_was_not_offered_is_refused(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({
        "go": [task(say(), "researcher", "part one"), say("done")],
        "part one": [task(say(), "generalist", "x"), say("I see.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("go")
    assert next(event.error for event in turn if isinstance(event, events.ToolError)).startswith(
        "Error: execute_task cannot be used here"
    )


async def test_t3_an_exhausted_sub_agent_says_so_and_an_error_fails_its_call(placet_home: Path, tmp_path: Path) -> None:
    step = task(say(), "researcher", "endless")
    model = CastModel({
        "go": [step, task(say(), "researcher", "broken"), say("I see.")],
        "endless": [say(f"round {n}").calling("list_files", {"depth": n + 1}) for n in range(40)],
        "broken": [say("half", fault=None).calling("list_files", {}), *[say() for _ in range(2)]],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("go")
        exhausted, failed = await calls_of(conversation)
    assert exhausted[1] is CallStatus.DONE
    assert "used all of its 20 rounds" in exhausted[2]
    assert exhausted[2].endswith("round 19")
    assert failed[1] is CallStatus.FAILED
    assert "researcher could not finish" in failed[2]
    outcomes = [event.outcome for event in turn if isinstance(event, events.AgentDone)]
    assert outcomes == ["exhausted", "failed"]
    assert any(isinstance(event, events.Done) for event in turn)


def batch(count: int) -> tuple[Say, dict[str, list[Say]]]:
    step, cast = say(), {}
    for n in range(count):
        task(step, "researcher", f"part <{n}>")
        cast[f"part <{n}>"] = [say(f"report {n}")]
    return step, cast


async def test_t4_a_batch_is_begun_in_order_before_anything_runs_and_bounded(placet_home: Path, tmp_path: Path) -> None:
    step, cast = batch(8)
    for steps in cast.values():
        steps.insert(0, say().calling("list_files", {}))

    class Meeting(CastModel):
        """Sub-agents answer only once as many as may run at once are being answered."""

        most = 0
        met = asyncio.Event()

        async def stream(self, request):  # type: ignore[no-untyped-def]
            async for piece in super().stream(request):
                if not first_message(json.loads(request.body)).startswith("go"):
                    self.most = max(self.most, self.open_streams)
                    if self.most == 4:
                        self.met.set()
                    await self.met.wait()
                yield piece

    model = Meeting({"go": [step, say("done")], **cast})
    async with talk(placet_home, model, tmp_path) as conversation:
        turn = await conversation.say("go")
        results = await calls_of(conversation)
        frames = await conversation.core.store.database.read(
            lambda c: c.all("SELECT parent_call, terminated FROM frames WHERE depth = 1 ORDER BY id")
        )
    assert [result for _, _, result in results] == [f"report {n}" for n in range(8)]
    root = [event for event in turn if event.agent_call_id is None]
    starts = [event.tool_call_id for event in root if isinstance(event, events.ToolStart)]
    assert starts == sorted(starts)
    assert [row[0] for row in frames] == starts
    assert all(row[1] for row in frames)
    first_run = next(i for i, event in enumerate(turn) if isinstance(event, events.AgentStart))
    assert sum(isinstance(event, events.ToolStart) for event in turn[:first_run]) == 8
    assert model.most == 4


async def test_t4_sub_agents_run_in_the_order_of_their_calls(placet_home: Path, tmp_path: Path) -> None:
    step, cast = batch(5)
    model = CastModel({"go": [step, say("done")], **cast})
    config = CONFIG + "\n[llm]\nmax_parallel_subagents = 2\n"
    async with talk(placet_home, model, tmp_path, config=config) as conversation:
        turn = await conversation.say("go")
    started = [event.tool_call_id for event in turn if isinstance(event, events.AgentStart)]
    assert started == sorted(started)
    assert len(started) == 5


async def test_t4_with_one_at_a_time_a_batch_is_sequential(placet_home: Path, tmp_path: Path) -> None:
    step, cast = batch(3)
    model = CastModel({"go": [step, say("done")], **cast})
    config = CONFIG + "\n[llm]\nmax_parallel_subagents = 1\n"
    async with talk(placet_home, model, tmp_path, config=config) as conversation:
        turn = await conversation.say("go")
    order = [
        (type(event).__name__, event.tool_call_id)
        for event in turn
        if isinstance(event, (events.AgentStart, events.AgentDone))
    ]
    ids = [call_id for name, call_id in order if name == "AgentStart"]
    assert order == [(name, call_id) for call_id in ids for name in ("AgentStart", "AgentDone")]


async def test_t1_a_stop_ends_every_sub_agent_of_a_batch_and_the_parent(placet_home: Path, tmp_path: Path) -> None:
    step, cast = batch(4)
    for steps in cast.values():
        steps[:] = [say("thinking", stalls=True)]
    model = CastModel({"go": [step, say("never")], **cast})
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        for _ in range(4):
            await conversation.next(events.TextDelta)
        await conversation.hub.cancel("desktop")
        await conversation.until_idle()
        assert model.open_streams == 0
        assert {status for _, status, _ in await calls_of(conversation)} == {CallStatus.CANCELLED}
        assert not await conversation.core.store.turns.active_frames(conversation.session_id)
        turn = await conversation.say("again")
        assert any(isinstance(event, events.Done) for event in turn)
    for body in model.bodies:
        assert_well_formed_chat(body)


async def test_a_waiting_write_of_a_sub_agent_names_its_call(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({
        "go": [task(say(), "researcher", "write it"), say("done")],
        "write it": [say().calling("write_file", {"path": "n.txt", "content": "1\n"}), say("Written.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        start = await conversation.next(events.AgentStart)
        waiting = await conversation.next(events.PendingWrite)
        assert waiting.agent_call_id == start.tool_call_id
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
    assert (tmp_path / "n.txt").read_text() == "1\n"


async def test_siblings_share_the_scratchpad_and_the_parent_reads_it(placet_home: Path, tmp_path: Path) -> None:
    note = {"key": "finding", "value": "the port is 8080"}
    model = CastModel({
        "go": [task(say(), "researcher", "first"), task(say(), "generalist", "second"), say("done")],
        "first": [say().calling("update_scratchpad", note), say("Noted it.")],
        "second": [say("I know.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("go")
    sent = [json.dumps(json.loads(body)["messages"], ensure_ascii=False) for body in model.bodies]
    told = ['Scratchpad finding: \\"the port is 8080\\"' in text for text in sent]
    #      go     first, its 2nd: own call  go: by another  second: whole pad  go
    assert told == [False, False, False, True, True, True]
    for body in model.bodies:
        assert_well_formed_chat(body)


async def test_r14_a_sub_agent_is_asked_and_denied_like_its_root(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SECRET=1\n")
    model = CastModel({
        "go": [task(say(), "researcher", "look around"), say("done")],
        "look around": [say().calling("read_file", {"path": ".env"}).calling("execute_cmd", {"command": "touch x"}),
                        say("I could not.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingCommand)
        await conversation.hub.reject(waiting.request_id, "no")
        await conversation.until_idle()
        refused = [event for event in conversation.seen if isinstance(event, events.ToolRejected)]
    assert [event.name for event in refused] == ["read_file", "execute_cmd"]
    assert not (tmp_path / "x").exists()
    assert b"SECRET" not in b"".join(model.bodies)


async def test_nothing_of_a_sub_agent_that_has_ended_is_kept_in_memory(placet_home: Path, tmp_path: Path) -> None:
    tasks = say()
    for number in range(6):
        task(tasks, "researcher", f"part {number}")
    gc.collect()
    of_others = {id(each) for each in gc.get_objects() if isinstance(each, SentHistory)}
    async with talk(placet_home, CastModel({"go": [tasks, say("done")]}), tmp_path) as conversation:
        await conversation.say("go")
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, SentHistory) and id(each) not in of_others]
        assert len(kept) == 1  # the root's
