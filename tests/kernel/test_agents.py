"""Agents in sessions: which one answers, from when on, and what its requests say."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.errors import SessionBusy, UnknownItem, UsageError
from support.conversations import CONFIG, Talk, talk
from support.scripted_model import ScriptedModel, say

SECOND_MODEL = CONFIG + '\n[[models]]\nname = "other"\nprovider = "scripted"\nmodel_id = "other-id"\n'


def _add(home: Path, agent_id: str, prompt: str, toml: str = "") -> Path:
    folder = home / "agents" / agent_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "AGENT.md").write_text(prompt)
    (folder / "agent.toml").write_text(toml)
    return folder


def _system(model: ScriptedModel, number: int = -1) -> str:
    found = model.requests[number]["messages"][0]
    assert found["role"] == "system"
    return found["content"]


async def test_a_chat_is_answered_by_the_assistant_at_first(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("hi")), tmp_path) as conversation:
        await conversation.say("hello")
        assert _system(conversation.model) == conversation.core.agents.get("assistant").prompt


async def test_a_chosen_agent_answers_from_the_next_turn_on(placet_home: Path, tmp_path: Path) -> None:
    _add(placet_home, "poet", "You rhyme.")
    model = ScriptedModel(say("plain"), say("rhymed"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("hello")
        await conversation.hub.select_agent("desktop", "poet")
        await conversation.next(events.SessionChanged)
        session = await conversation.hub.history.session(conversation.session_id)
        assert session.agent == "poet"
        await conversation.say("again")
    assert "You rhyme." not in _system(model, 0)
    assert _system(model).strip() == "You rhyme."
    assert [message["content"] for message in model.requests[1]["messages"][1:] if message["role"] == "assistant"] == [
        "plain"
    ]


async def test_a_chosen_agent_outlives_a_restart(placet_home: Path, tmp_path: Path) -> None:
    _add(placet_home, "poet", "You rhyme.")
    async with talk(placet_home, ScriptedModel(say("a")), tmp_path) as conversation:
        await conversation.say("hello")
        await conversation.hub.select_agent("desktop", "poet")
    async with talk(placet_home, ScriptedModel(say("b")), tmp_path) as conversation:
        await conversation.say("again")
        assert _system(conversation.model).strip() == "You rhyme."


async def test_only_agents_for_chats_can_be_chosen(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        with pytest.raises(UsageError, match=r"writer works for other agents.*For a chat there are: assistant\."):
            await conversation.hub.select_agent("desktop", "writer")
        with pytest.raises(UnknownItem, match="no agent named zzz"):
            await conversation.hub.select_agent("desktop", "zzz")
        assert (await conversation.hub.history.session(conversation.session_id)).agent == "assistant"


async def test_a_running_turn_keeps_its_agent(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("long", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        with pytest.raises(SessionBusy):
            await conversation.hub.select_agent("desktop", "assistant")
        await conversation.hub.cancel("desktop")


async def test_an_edited_prompt_holds_from_the_next_turn_on(placet_home: Path, tmp_path: Path) -> None:
    folder = _add(placet_home, "assistant", "First version.")
    waits = say("I write.").calling("write_file", {"path": "a", "content": "1\n"})
    model = ScriptedModel(waits, say("done"), say("b"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingWrite)
        (folder / "AGENT.md").write_text("The second version.")
        await conversation.hub.approve(waiting.request_id)
        await conversation.until_idle()
        await conversation.say("again")
    assert [_system(model, number).strip() for number in range(3)] == [
        "First version.", "First version.", "The second version.",
    ]  # fmt: skip


async def test_a_session_whose_agent_is_gone_opens_and_says_so(placet_home: Path, tmp_path: Path) -> None:
    folder = _add(placet_home, "poet", "You rhyme.")
    async with talk(placet_home, ScriptedModel(say("fine")), tmp_path) as conversation:
        await conversation.hub.select_agent("desktop", "poet")
        (folder / "AGENT.md").unlink()
        await conversation.send("hello")
        error = await conversation.next(events.Error)
        assert (error.message, error.draft) == ("There is no agent named poet.", "hello")
        await conversation.until_idle()
        assert (await conversation.hub.history.newest(conversation.session_id)).session.agent == "poet"
        await conversation.hub.select_agent("desktop", "assistant")
        assert any(isinstance(event, events.Done) for event in await conversation.say("hello"))


async def test_an_agents_own_model_answers_unless_a_person_chose_one(placet_home: Path, tmp_path: Path) -> None:
    _add(placet_home, "poet", "You rhyme.", 'model = "other"')
    model = ScriptedModel(say("a"), say("b"))
    async with talk(placet_home, model, tmp_path, config=SECOND_MODEL) as conversation:
        await conversation.hub.select_agent("desktop", "poet")
        await conversation.say("one")
        await conversation.hub.select_model("desktop", "script")
        await conversation.say("two")
    assert [request["model"] for request in model.requests] == ["other-id", "script"]


async def test_a_broken_own_agent_is_among_the_problems(placet_home: Path, tmp_path: Path) -> None:
    _add(placet_home, "poet", "You rhyme.", "type = \n")
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert conversation.hub.problems() == (
            "agents/poet/agent.toml: line 1, column 8: Invalid value; the agent is left out.",
        )


async def test_c1_notes_written_during_a_session_do_not_change_its_beginning(placet_home: Path, tmp_path: Path) -> None:
    memory = placet_home / "memory"
    memory.mkdir(parents=True)
    (memory / "index.md").write_text("Ada likes short answers.")
    model = ScriptedModel(say("a"), say("b"), say("c"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("one")
        (memory / "index.md").write_text("Ada likes long answers.")
        await conversation.say("two")
        other: Talk = conversation
        await other.hub.clear("desktop")
        await other.say("three")
    assert "short answers" in _system(model, 0) and _system(model, 0) == _system(model, 1)
    assert "long answers" in _system(model, 2)
