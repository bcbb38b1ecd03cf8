"""A file that keeps changing: asked about anew, but not without end."""

from __future__ import annotations

from pathlib import Path

from placet.core.domain import events
from support.conversations import talk
from support.scripted_model import ScriptedModel, say


async def test_a_call_whose_file_keeps_changing_fails_with_words(placet_home: Path, tmp_path: Path) -> None:
    """`R-5`"""
    folder = tmp_path.resolve() / "work"
    folder.mkdir()
    target = folder / "log"
    target.write_text("first\n")
    model = ScriptedModel(
        say().calling("edit_file", {"path": "log", "old_string": "first", "new_string": "FIRST"}), say("ok")
    )
    async with talk(placet_home, model, folder) as conversation:
        await conversation.send("go")
        for number in range(3):
            pending = await conversation.next(events.PendingWrite)
            with target.open("a") as file:
                file.write(f"line {number}\n")
            await conversation.hub.approve(pending.request_id)
        failed = await conversation.next(events.ToolError)
        await conversation.until_idle()
        assert [type(event) for event in conversation.seen].count(events.PreviewStale) == 3
    assert "keeps changing" in failed.error
    assert target.read_text() == "first\nline 0\nline 1\nline 2\n"
    assert len(model.requests) == 2
