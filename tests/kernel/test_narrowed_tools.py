"""A message may narrow the tools of its turn, and nothing widens them again."""

from __future__ import annotations

import json
from pathlib import Path

from placet.core.domain import events
from support.conversations import talk
from support.scripted_model import CastModel, ScriptedModel, say


def offered(body: bytes) -> set[str]:
    return {tool["function"]["name"] for tool in json.loads(body).get("tools", [])}


async def test_only_the_named_tools_are_offered_and_others_are_refused(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "x"}), say("I see."), say("All again."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.send_message("desktop", "look only", tools=("read_file", "no_such_tool"))
        await conversation.until_idle()
        refused = [event.error for event in conversation.seen if isinstance(event, events.ToolError)]
        assert refused == ["Error: write_file cannot be used here. There are: read_file."]
        await conversation.say("and now")
    assert offered(model.bodies[0]) == {"read_file"}
    assert "write_file" in offered(model.bodies[2])


async def test_r14_a_sub_agent_has_no_tool_that_its_caller_was_denied(placet_home: Path, tmp_path: Path) -> None:
    model = CastModel({
        "look only": [say().calling("execute_task", {"agent": "researcher", "task": "part"}), say("done")],
        "part": [say().calling("write_file", {"path": "a", "content": "x"}), say("I could not.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.send_message("desktop", "look only", tools=("read_file", "execute_task"))
        await conversation.until_idle()
    assert offered(model.bodies_of("part")[0]) == {"read_file", "execute_subtask"}
    assert not (tmp_path / "a").exists()


async def test_a_message_that_narrows_waits_for_a_turn_of_its_own(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a", "content": "x"}), say("Seen."), say("Narrow."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("first")
        waiting = await conversation.next(events.PendingWrite)
        await conversation.hub.send_message("desktop", "a narrow one", tools=("read_file",))
        await conversation.hub.reject(waiting.request_id)
        await conversation.until_idle()
        await conversation.until_idle()
    assert [b"a narrow one" in body for body in model.bodies] == [False, False, True]
    assert [offered(body) == {"read_file"} for body in model.bodies] == [False, False, True]


async def test_a_turn_that_goes_on_after_a_crash_has_no_more_tools_than_before(
    placet_home: Path, tmp_path: Path
) -> None:
    asking = say().calling("ask_user_clarification", {"title": "t", "question": "Now?"})
    tools = ("read_file", "ask_user_clarification")
    async with talk(placet_home, ScriptedModel(asking), tmp_path) as conversation:
        await conversation.hub.send_message("desktop", "look only", tools=tools)
        await conversation.next(events.AgentQuestion)
    model = ScriptedModel(say("Done."), say("All again."))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.resume(conversation.session_id)
        asked = await conversation.next(events.AgentQuestion)
        await conversation.hub.resolve_question(asked.request_id, "yes")
        await conversation.until_idle()
        await conversation.say("and now")
    assert offered(model.bodies[0]) == set(tools)
    assert "write_file" in offered(model.bodies[1])


async def test_a_message_that_narrows_leaves_calls_of_an_earlier_turn_as_they_are(
    placet_home: Path, tmp_path: Path
) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": "x"}), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.PendingWrite)
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.send_message(conversation.source, "and now?", tools=("read_file",))
        await conversation.approve_next()
        await conversation.until_idle()
    assert (tmp_path / "a.txt").read_text() == "x"
    assert [tool["function"]["name"] for tool in model.requests[-1]["tools"]] == ["read_file"]
