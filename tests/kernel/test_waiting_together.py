"""Edits of one file that wait together, seen as one diff, in this run of the program and after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import UnknownItem, UsageError
from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from support.conversations import Talk, talk
from support.scripted_model import CastModel, Say, ScriptedModel, say

STEPS = [("one", "first"), ("two", "second"), ("first", "1st")]


def edits(*steps: tuple[str, str], path: str = "notes.txt") -> Say:
    said = say("I mend it.")
    for number, (old, new) in enumerate(steps):
        arguments = {"path": path, "old_string": old, "new_string": new}
        said = said.calling("edit_file", arguments, f"edit-{path}-{number}")
    return said


def new_side(diff: FileDiff) -> list[str]:
    return [line.text for hunk in diff.hunks for line in hunk.lines if line.new is not None]


async def asked(conversation: Talk, count: int) -> Sequence[PendingRequest]:
    """The waiting requests, oldest first."""
    for _ in range(count):
        await conversation.next(events.PendingWrite)
    return sorted(await conversation.hub.pending(), key=lambda request: request.created_at)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes.txt"
    file.write_text("one\ntwo\n")
    return file


async def test_r_17_edits_of_one_file_are_shown_as_one_diff(placet_home: Path, tmp_path: Path, notes: Path) -> None:
    async with talk(placet_home, ScriptedModel(edits(*STEPS), say("done")), tmp_path) as conversation:
        await conversation.send("go")
        waiting = await asked(conversation, 3)
        diff = await conversation.hub.request_diff_together([request.id for request in waiting])
        assert (diff.added, diff.removed) == (2, 2)
        assert new_side(diff) == ["1st", "second"]
        with pytest.raises(UsageError):
            await conversation.hub.request_diff_together([waiting[0].id, waiting[2].id])
        with pytest.raises(UnknownItem):
            await conversation.hub.request_diff_together([RequestId("gone")])
        for request in waiting:
            await conversation.hub.approve(request.id)
        await conversation.until_idle()
    assert notes.read_text() == "1st\nsecond\n"


async def test_r_5_after_a_restart_each_edit_is_shown_on_top_of_those_before_it(
    placet_home: Path, tmp_path: Path, notes: Path
) -> None:
    model = ScriptedModel(edits(*STEPS), say("done"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        waiting = await asked(conversation, 3)
        shown = [await conversation.hub.request_diff(request.id) for request in waiting]
    async with talk(placet_home, model, tmp_path) as conversation:
        assert [await conversation.hub.request_diff(request.id) for request in waiting] == shown
        diff = await conversation.hub.request_diff_together([request.id for request in waiting])
        assert new_side(diff) == ["1st", "second"]
    assert notes.read_text() == "one\ntwo\n"


async def test_r_5_what_a_person_took_up_is_no_step_of_the_edits_that_a_turn_waits_with(
    placet_home: Path, tmp_path: Path, notes: Path
) -> None:
    """It is not written before them, and after a restart they are shown on top of one another alone."""
    model = ScriptedModel(
        edits(("two", "2")), say("As you wish."), edits(("one", "1st"), ("1st", "first")), say("done")
    )
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        (rejected,) = await asked(conversation, 1)
        await conversation.hub.reject(rejected.id)
        await conversation.until_idle()
        taken_up = await conversation.hub.proposals.again(rejected.call_id)
        await conversation.next(events.PendingWrite)
        await conversation.send("go on")
        waiting = [each for each in await asked(conversation, 2) if each.id != taken_up]
        shown = [await conversation.hub.request_diff(request.id) for request in waiting]
    async with talk(placet_home, model, tmp_path) as conversation:
        assert [await conversation.hub.request_diff(request.id) for request in waiting] == shown
    assert notes.read_text() == "one\ntwo\n"


async def test_a_request_says_where_it_comes_from(placet_home: Path, tmp_path: Path) -> None:
    task = {"agent": "writer", "task": "WRITE the letter"}
    cast = {
        "go": [say("I give it away.").calling("execute_task", task), say("done")],
        "WRITE": [say().calling("write_file", {"path": "letter.txt", "content": "Dear"}), say("written")],
    }
    async with talk(placet_home, CastModel(cast), tmp_path) as conversation:
        await conversation.send("go")
        start = await conversation.next(events.AgentStart)
        (request,) = await asked(conversation, 1)
        assert (request.source, request.agent, request.agent_call_id) == ("desktop", "writer", start.tool_call_id)
        await conversation.hub.approve(request.id)
        await conversation.until_idle()
    assert (tmp_path / "letter.txt").read_text() == "Dear"
