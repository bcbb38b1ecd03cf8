"""What one process waits for is decided there: another one is told so, and takes over when the first has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from placet.core.domain.errors import SessionBusy
from placet.core.domain.review import BypassGrant, BypassScope, EditedText, PendingRequest, RequestKind
from support.conversations import Talk, talk
from support.scripted_model import ScriptedModel, say

WAITS = """
import asyncio, sys
from pathlib import Path
from placet.core.domain import events
from support.conversations import talk
from support.scripted_model import ScriptedModel, say

CALLS = {
    "write_file": {"path": "a.txt", "content": "theirs\\n"},
    "execute_cmd": {"command": "touch ran"},
    "ask_user_clarification": {"title": "Colour", "question": "Which one?"},
}

async def main(home, work, tool):
    model = ScriptedModel(say().calling(tool, CALLS[tool]), say("Done."))
    async with talk(home, model, work) as conversation:
        await conversation.send("go")
        asked = await conversation.next((events.PendingWrite, events.PendingCommand, events.AgentQuestion))
        print("waits", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        decide = conversation.hub.resolve_question if tool == "ask_user_clarification" else conversation.hub.reject
        await decide(asked.request_id, "decided here")
        await conversation.until_idle()
        print("decided", flush=True)

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
"""


@contextmanager
def waiting_process(home: Path, work: Path, tool: str) -> Iterator[subprocess.Popen[str]]:
    """A process in which a call waits for a person, until it is given a line or ended."""
    paths = os.pathsep.join(str(Path(__file__).resolve().parents[2] / name) for name in ("desktop", "tests"))
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(home), str(work), tool],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        yield process
    finally:
        process.kill()
        process.communicate()


async def refused(conversation: Talk, request: PendingRequest) -> None:
    """Every answer that there is to a request is refused, and says where to give it."""
    hub = conversation.hub
    elsewhere = "running in another Placet process"
    with pytest.raises(SessionBusy, match=elsewhere):
        await hub.reject(request.id, "no")
    if request.kind is RequestKind.QUESTION:
        with pytest.raises(SessionBusy, match=elsewhere):
            await hub.resolve_question(request.id, "green")
        return
    with pytest.raises(SessionBusy, match=elsewhere):
        await hub.approve(request.id)
    with pytest.raises(SessionBusy, match=elsewhere):
        await hub.approve(request.id, bypass=BypassGrant(scope=BypassScope.TOOL))
    assert not await hub.bypasses(request.session_id)
    if request.kind is RequestKind.WRITE:
        with pytest.raises(SessionBusy, match=elsewhere):
            await hub.approve(request.id, amendment=EditedText("mine\n"))


@pytest.mark.parametrize("tool", ["write_file", "execute_cmd", "ask_user_clarification"])
async def test_r_15_what_another_process_waits_for_is_shown_here_and_decided_there(
    placet_home: Path, tmp_path: Path, tool: str
) -> None:
    with waiting_process(placet_home, tmp_path, tool) as other:
        async with talk(placet_home, ScriptedModel(), tmp_path, source="project-1") as conversation:
            (request,) = await conversation.hub.pending()
            await refused(conversation, request)
            (still,) = await conversation.hub.pending()
            assert (still.id, still.decision) == (request.id, None)
            assert other.stdin is not None and other.stdout is not None
            other.stdin.write("\n")
            other.stdin.flush()
            assert other.stdout.readline() == "decided\n"
            trail = [verdict for _, verdict in await conversation.hub.history.decisions(request.session_id)]
            assert "by a person" in trail[-1].because
            assert await conversation.hub.pending() == []
        assert other.wait(20) == 0
    assert not (tmp_path / "a.txt").exists()
    assert not (tmp_path / "ran").exists()


async def test_s_4_what_a_killed_process_waited_for_is_decided_by_the_next_one(
    placet_home: Path, tmp_path: Path
) -> None:
    with waiting_process(placet_home, tmp_path, "write_file") as other:
        async with talk(placet_home, ScriptedModel(say("Done.")), tmp_path, source="project-1") as conversation:
            (request,) = await conversation.hub.pending()
            await refused(conversation, request)
            other.send_signal(signal.SIGKILL)
            other.wait(20)
            await conversation.hub.approve(request.id, amendment=EditedText("mine\n"))
            await conversation.until_idle()
    assert (tmp_path / "a.txt").read_text() == "mine\n"
