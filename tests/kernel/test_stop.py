"""A stop, wherever the turn is: it ends at once, nothing runs on, and the history stays well-formed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import psutil
import pytest

from placet.core.domain import events
from placet.core.domain.messages import CallStatus, MessageStatus, Mode
from support.conversations import Talk, talk
from support.dialects import assert_well_formed_chat
from support.scripted_model import ScriptedModel, say

HANGS_S = 20  # the promise is 100 ms (`T-8`), measured in the benchmarks; here only that it does not hang


async def stop(conversation: Talk) -> None:
    async with asyncio.timeout(HANGS_S):
        await conversation.hub.cancel(conversation.source)
    await conversation.until_idle()


async def statuses(conversation: Talk) -> list[CallStatus]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [call.status for row in page.messages for call in row.calls]


async def goes_on(conversation: Talk) -> None:
    """The next turn works and its request is well-formed."""
    turn = await conversation.say("and now?")
    assert any(isinstance(event, events.Done) for event in turn)
    assert_well_formed_chat(conversation.model.bodies[-1])


async def test_t8_while_the_model_streams(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("half a thought", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await stop(conversation)
        assert model.open_streams == 0
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages[1].status is MessageStatus.INTERRUPTED
        assert page.messages[1].content.strip() == "half a thought"
        await goes_on(conversation)


async def test_an_unanswered_message_of_a_stopped_turn_is_never_sent_again(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say(stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("take it back")
        await asyncio.wait_for(model.streaming.wait(), 5)
        await stop(conversation)
        page = await conversation.hub.history.newest(conversation.session_id)
        assert [row.status for row in page.messages] == [MessageStatus.FAILED]
        await goes_on(conversation)
        assert b"take it back" not in model.bodies[-1]


async def test_t8_while_a_command_runs(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say().calling("execute_cmd", {"command": "sleep 300 & echo up; sleep 300"}))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await conversation.next(events.PendingCommand)
        await conversation.hub.approve(waiting.request_id)
        await conversation.next(events.ToolOutput)
        await stop(conversation)
        assert [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE] == []
        assert await statuses(conversation) == [CallStatus.CANCELLED]
        await goes_on(conversation)


@pytest.mark.parametrize("name", ["write_file", "execute_cmd"])
async def test_t8_while_an_approval_waits(placet_home: Path, tmp_path: Path, name: str) -> None:
    arguments = {"path": "x", "content": "1"} if name == "write_file" else {"command": "true"}
    model = ScriptedModel(say().calling(name, arguments).calling("list_files", {}))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.Event, lambda e: isinstance(e, events.PendingWrite | events.PendingCommand))
        await stop(conversation)
        assert await conversation.hub.pending() == []
        assert await statuses(conversation) == [CallStatus.CANCELLED, CallStatus.CANCELLED]
        assert not (tmp_path / "x").exists()
        await goes_on(conversation)


async def test_h6_a_stop_right_after_sending_drops_the_message_and_gives_it_back(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.send("one")
        await conversation.send("two")
        dropped = list(await conversation.hub.cancel(conversation.source))
        assert dropped == ["one", "two"]
        page = await conversation.hub.history.newest(conversation.session_id)
        assert page.messages == ()
        await goes_on(conversation)


async def test_a_stop_at_every_point_of_a_turn_leaves_a_usable_session(placet_home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    for point in range(0, 60, 3):
        model = ScriptedModel(
            say("look").calling("read_file", {"path": "a.txt"}).calling("list_files", {}),
            say("more").calling("grep_files", {"pattern": "one"}),
            say("done"),
        )
        async with talk(placet_home, model, tmp_path, reset=True) as conversation:
            await conversation.send("go")
            for _ in range(point):
                await asyncio.sleep(0)
            await conversation.hub.cancel(conversation.source)
            model.script.clear()
            await conversation.send("and now?")
            await conversation.next(events.Done)
            assert_well_formed_chat(model.bodies[-1])


async def test_t10_cancelling_an_idle_session_does_nothing(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(say("hi")), tmp_path) as conversation:
        assert list(await conversation.hub.cancel(conversation.source)) == []
        await conversation.hub.cancel_session(conversation.session_id)
        assert any(isinstance(event, events.Done) for event in await conversation.say("hello"))


async def test_t8_a_stop_while_a_write_is_noted_as_begun_writes_nothing(
    placet_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "new.txt", "content": "x"}))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.EDITS)
        turns = conversation.core.store.turns
        start_call, stops = turns.start_call, []

        async def start_and_stop(*args: Any, **values: Any) -> None:
            stops.append(asyncio.ensure_future(conversation.hub.cancel("desktop")))
            await start_call(*args, **values)

        monkeypatch.setattr(turns, "start_call", start_and_stop)
        seen = await conversation.say("go")
        await asyncio.gather(*stops)
    assert stops
    assert "ToolCancelled" in [type(event).__name__ for event in seen]
    assert not (tmp_path / "new.txt").exists()
