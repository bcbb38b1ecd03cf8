"""SIGKILL while messages wait in the queue: the next start has their texts, and none of them in the history."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from support.conversations import talk
from support.scripted_model import ScriptedModel

DIES = """
import asyncio, os, sys
from pathlib import Path
from support.conversations import talk
from support.scripted_model import ScriptedModel, say
from placet.core.domain.notifications import Notification

async def main(home, work):
    model = ScriptedModel(say("thinking", stalls=True))
    async with talk(home, model, work) as conversation:
        await conversation.hub.register("desktop")
        await conversation.send("go")
        await model.streaming.wait()
        await conversation.send("one")
        await conversation.send("two")
        await conversation.hub.notify(Notification(source="tic", event_type="x", summary="kept", event_time=1.0))
        os.kill(os.getpid(), 9)

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
"""


async def test_h6_h10_a_crash_loses_no_queued_text_and_no_notification(placet_home: Path, tmp_path: Path) -> None:
    paths = os.pathsep.join(str(Path(__file__).resolve().parents[2] / name) for name in ("desktop", "tests"))
    died = subprocess.run(  # noqa: ASYNC221 (nothing else runs here)
        [sys.executable, "-c", DIES, str(placet_home), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths},
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        assert await conversation.hub.take_drafts("desktop") == ["one", "two"]
        page = await conversation.hub.history.newest(conversation.session_id)
        assert [row.content for row in page.messages if row.role == "user"] == ["go"]
        assert await conversation.core.store.notifications.are_waiting()
