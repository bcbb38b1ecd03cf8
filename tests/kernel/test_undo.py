"""`R-9` through the whole core: turns with sub-agents, a turn that waits on the same file, contents past their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain import events
from placet.core.domain.messages import Mode
from placet.core.domain.review import RevertStatus
from placet.core.domain.undo import UndoStatus, UndoWish
from support.conversations import CONFIG, Talk, talk
from support.scripted_model import CastModel, Say, ScriptedModel, say

MONTH_S = 31 * 24 * 3600.0


def write(step: Say, path: str, content: str) -> Say:
    return step.calling("write_file", {"path": path, "content": content})


def message_of(turn: list[events.AnyEvent]) -> int:
    return next(event.message_id for event in turn if isinstance(event, events.UserMessage))


async def test_r_9_everything_since_a_message_is_undone_with_what_sub_agents_wrote(
    placet_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    task = {"agent": "software-engineer", "task": "make b"}
    model = CastModel({
        "begin": [
            write(say("I write."), "a.txt", "two\n"), say("Done."),
            write(say("I write."), "a.txt", "three\n").calling("execute_task", task), say("Done."),
            write(say("I write."), "a.txt", "four\n"), say("Done."),
        ],
        "make b": [write(say("I make it."), "b.txt", "b\n"), say("Made.")],
    })  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.EDITS)
        await conversation.say("begin")
        since = message_of(await conversation.say("go on"))
        await conversation.say("and more")
        changes = conversation.hub.changes

        turn = await changes.plan_undo(UndoWish(message_id=since))
        plans = await changes.plan_undo(UndoWish(message_id=since, whole_rest=True))
        assert [(Path(plan.path).name, len(plan.changes)) for plan in plans] == [("a.txt", 2), ("b.txt", 1)], plans
        assert {Path(plan.path).name: plan.status for plan in turn} == {
            "a.txt": UndoStatus.CONFLICT,  # a later turn wrote on top of it
            "b.txt": UndoStatus.READY,
        }
        assert (tmp_path / "a.txt").read_text() == "four\n"

        outcomes = await changes.undo(plans)
        told = [await conversation.next(events.FileChanged, lambda event: event.change == "reverted") for _ in outcomes]
    assert {outcome.status for outcome in outcomes} == {RevertStatus.REVERTED}
    assert (tmp_path / "a.txt").read_text() == "two\n"
    assert not (tmp_path / "b.txt").exists()
    assert len({event.tool_call_id for event in told}) == 3


async def test_r_9_an_undo_under_a_waiting_write_makes_it_be_asked_anew(placet_home: Path, tmp_path: Path) -> None:
    """`R-5`: what was shown before the undo is not what is written after it."""
    (tmp_path / "a.txt").write_text("one\n")
    edit = {"path": "a.txt", "old_string": "\n", "new_string": " and more\n"}
    model = ScriptedModel(
        write(say("I write."), "a.txt", "two\n"), say("Done."),
        say("I edit.").calling("edit_file", edit), say("Done."),
    )  # fmt: skip
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("write it")
        await conversation.approve_next()
        await conversation.until_idle()
        (change,), _ = await conversation.hub.changes.changes()
        await conversation.send("edit it")
        waiting = await conversation.next(events.PendingWrite)
        (outcome,) = await conversation.hub.changes.undo(
            await conversation.hub.changes.plan_undo(UndoWish(changes=(change.id,)))
        )
        await conversation.hub.approve(waiting.request_id)
        again = await conversation.next(events.PendingWrite)
        assert (tmp_path / "a.txt").read_text() == "one\n"
        await conversation.hub.approve(again.request_id)
        await conversation.until_idle()
    assert outcome.status is RevertStatus.REVERTED
    assert (tmp_path / "a.txt").read_text() == "one and more\n"


async def age(conversation: Talk, seconds: float) -> None:
    """Let every change be that much older."""
    await conversation.core.store.database.run(
        lambda connection: connection.execute("UPDATE file_changes SET created = created - ?", (seconds,))
    )


@pytest.mark.parametrize(
    ("setting", "status"), [("", UndoStatus.GONE), ("0", UndoStatus.READY), ("60", UndoStatus.READY)]
)
async def test_r_9_contents_are_kept_for_thirty_days_or_as_it_is_set(
    placet_home: Path, tmp_path: Path, setting: str, status: UndoStatus
) -> None:
    config = CONFIG + (f"\n[review]\nkeep_contents_days = {setting}\n" if setting else "")
    model = ScriptedModel(write(say("I write."), "a.txt", "two\n"), say("Done."))
    async with talk(placet_home, model, tmp_path, config=config) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.EDITS)
        await conversation.say("write it")
        await age(conversation, MONTH_S)
        conversation.core.start_chores()
        await conversation.core.scope.finish()
        (plan,) = await conversation.hub.changes.plan_undo(UndoWish(path=str(tmp_path.resolve() / "a.txt")))
    assert plan.status is status
