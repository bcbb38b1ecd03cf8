"""Sessions forked, exported, imported and removed, over a whole core."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from placet.core.domain import events
from placet.core.domain.archive import ExportFormat, SessionDump
from placet.core.domain.errors import SessionBusy, UnknownItem, UsageError
from placet.core.domain.messages import CallStatus, Mode, RunContext
from support.conversations import Talk, talk
from support.held_pause import HeldPause
from support.scripted_model import CastModel, ScriptedModel, say

KEY = "sk-abcdefghijklmnopqrstuvwxyz123456"


def played() -> ScriptedModel:
    task = {"agent": "generalist", "task": "BELOW look at it"}
    return CastModel(
        {
            "BELOW": [say("I looked.")],
            "go": [
                say("First.")
                .calling("update_scratchpad", {"key": "harbour", "value": "Brest"})
                .calling("read_file", {"path": "a.txt"})
                .calling("execute_task", task),
                say(f"It says {KEY}."),
                say("The second answer."),
            ],
        }
    )


async def filled(conversation: Talk, folder: Path) -> None:
    (folder / "a.txt").write_text(f"token = {KEY}\n<script>alert(1)</script>\n```\n")
    await conversation.say("go")
    await conversation.say("and again, <b>please</b>")


def without_ids(dump: SessionDump) -> Any:
    """All that is told, with the ids replaced by places."""
    calls = {call.id: at for at, call in enumerate(call for m in dump.messages for call in m.calls)}
    frames = {frame.id: at for at, frame in enumerate(dump.frames)}
    messages = []
    for message in dump.messages:
        told = msgspec.to_builtins(message) | {"id": 0, "frame_id": frames[message.frame_id]}
        told["calls"] = [call | {"id": 0, "message_id": 0} for call in told["calls"]]
        messages.append(told)
    return {
        "title": dump.session.title,
        "counts": (dump.session.turns, dump.session.messages, dump.session.input_tokens),
        "times": (dump.session.created_at, dump.session.last_activity),
        "frames": [(frame.agent, frame.depth, calls.get(frame.parent_call), frame.terminated) for frame in dump.frames],  # type: ignore[arg-type]
        "messages": messages,
        "decisions": [(calls[entry.call_id], entry.verdict) for entry in dump.decisions],
        "notes": dump.notes,
    }


async def test_what_is_exported_comes_back_the_same_in_every_field_but_ids(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await conversation.say("go")
        await conversation.say("more")
        archive, store = conversation.hub.archive, conversation.core.store
        exported = tmp_path / "session.json"
        exported.write_bytes(await archive.export(conversation.session_id, ExportFormat.JSON))
        imported = await archive.import_file(exported)
        assert imported.is_new
        before, after = await store.dumps.read(conversation.session_id), await store.dumps.read(imported.session_id)
    mended = json.loads(json.dumps(msgspec.to_builtins(without_ids(before))).replace(KEY, "[secret removed]"))
    assert json.loads(json.dumps(msgspec.to_builtins(without_ids(after)))) == mended
    assert any(frame.depth for frame in after.frames)


async def test_the_same_again_adds_nothing_until_it_was_removed(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        archive = conversation.hub.archive
        exported = tmp_path / "session.json"
        exported.write_bytes(await archive.export(conversation.session_id, ExportFormat.JSON))
        first, second = await archive.import_file(exported), await archive.import_file(exported)
        assert (first.is_new, second.is_new, second.session_id) == (True, False, first.session_id)
        await archive.delete_now(first.session_id)
        assert (await archive.import_file(exported)).is_new


async def test_r_12_the_audit_trail_is_in_every_export(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        found = {form: await conversation.hub.archive.export(conversation.session_id, form) for form in ExportFormat}
    because = "reading in the folder that this chat works in"
    assert all(because in data.decode() for data in found.values())
    decided = json.loads(found[ExportFormat.JSON])["decisions"]
    assert {"action", "by", "because", "at"} <= decided[0]["verdict"].keys()


async def test_s_9_no_credential_leaves_in_an_export(
    placet_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "plain-looking-value")
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        await conversation.core.keys.store("scripted", "plain-looking-value")
        provider = msgspec.structs.replace(
            (await conversation.hub.catalogue.providers())[0], name="mine", declared=False, api_key_env="MY_KEY"
        )
        await conversation.hub.catalogue.save_provider(provider)
        await conversation.core.store.turns.set_note(conversation.session_id, "k", "it is plain-looking-value")
        for form in ExportFormat:
            data = (await conversation.hub.archive.export(conversation.session_id, form)).decode()
            assert KEY not in data and "plain-looking-value" not in data
            assert "[secret removed]" in data


async def test_what_others_wrote_is_text_in_a_page_and_cannot_leave_its_fence(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        page = (await conversation.hub.archive.export(conversation.session_id, ExportFormat.HTML)).decode()
        text = (await conversation.hub.archive.export(conversation.session_id, ExportFormat.MARKDOWN)).decode()
    assert "<script>" not in page and "<b>please" not in page
    assert "default-src 'none'" in page
    assert "\n````\n" in text, "the fence is longer than the one inside"
    assert "> " in text and "I looked." in text


async def test_a_fork_has_the_history_up_to_a_message_and_lives_on_its_own(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        rows = (await conversation.hub.history.newest(conversation.session_id)).messages
        ends = [row.id for row in rows if row.role == "assistant" and not row.calls]
        archive = conversation.hub.archive
        fork = await archive.fork(conversation.session_id, ends[0])
        whole = await archive.fork(conversation.session_id)
        asked = await archive.fork(conversation.session_id, rows[-2].id)
        assert fork.forked_from == conversation.session_id
        with pytest.raises(UsageError, match="end of a turn"):
            await archive.fork(conversation.session_id, rows[1].id)
        with pytest.raises(UnknownItem):
            await archive.fork(conversation.session_id, rows[-1].id + 1000)
        await archive.delete_now(conversation.session_id)
        counts = [len((await conversation.hub.history.newest(each.id)).messages) for each in (fork, whole, asked)]
        assert counts == [3, 5, 4]
        dump = await conversation.core.store.dumps.read(fork.id)
        assert dump.notes == {"harbour": "Brest"}
        assert [frame.depth for frame in dump.frames] == [0, 1]
        assert dump.session.interrupted is False
        assert (await conversation.hub.history.session(asked.id)).interrupted, "its last message wants an answer"


async def test_the_next_turn_of_a_fork_sends_the_shared_history(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("one"), say("two"), say("three"))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.say("first")
        await conversation.say("second")
        rows = (await conversation.hub.history.newest(conversation.session_id)).messages
        fork = await conversation.hub.archive.fork(conversation.session_id, rows[1].id)
        await conversation.hub.continue_session("desktop", fork.id)
        await conversation.say("another second")
    assert [str(m["content"]).split("\n")[0] for m in model.requests[-1]["messages"][1:]] == [
        "first",
        "one",
        "another second",
    ]


async def test_s_10_nothing_is_forked_or_removed_during_a_turn(placet_home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(say("hm", stalls=True))
    async with talk(placet_home, model, tmp_path) as conversation:
        await conversation.send("go")
        await conversation.next(events.TextDelta)
        for refused in (conversation.hub.archive.fork, conversation.hub.archive.delete):
            with pytest.raises(SessionBusy):
                await refused(conversation.session_id)
        await conversation.hub.cancel(conversation.source)


async def test_a_removed_session_is_hidden_at_once_can_come_back_and_is_gone_after_a_moment(
    placet_home: Path, tmp_path: Path
) -> None:
    pause = HeldPause()
    async with talk(placet_home, ScriptedModel(say("the albatross")), tmp_path, pause=pause) as conversation:
        await conversation.say("a rare bird")
        hub, session_id = conversation.hub, conversation.session_id
        await hub.archive.delete(session_id)
        assert (await hub.history.sessions())[1] == 0
        assert (await hub.history.search("albatross"))[1] == 0
        with pytest.raises(UnknownItem):
            await hub.history.newest(session_id)
        await hub.archive.bring_back(session_id)
        assert (await hub.history.search("albatross"))[1] == 1
        await hub.archive.delete(session_id)
        store = conversation.core.store
        await store.removal.remove(session_id)
        with pytest.raises(UnknownItem):
            await hub.archive.bring_back(session_id)
        for table in ("messages", "tool_calls", "frames", "search_index_docsize", "search_waiting", "scratchpad"):
            assert await store.database.read(lambda c, t=table: c.all(f"SELECT count(*) FROM {t}")) == [(0,)]  # type: ignore[misc]
        matches = "SELECT count(*) FROM search_index WHERE search_index MATCH 'albatross'"
        assert await store.database.read(lambda c: c.all(matches)) == [(0,)]


async def test_a_session_hidden_when_the_program_ended_is_removed_at_the_next_start(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, ScriptedModel(say("x")), tmp_path) as conversation:
        await conversation.say("go")
        await conversation.core.store.removal.hide(conversation.session_id)
        await conversation.core.store.database.run(lambda c: c.execute("UPDATE sessions SET deleted = 1"))
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.archive.remove_hidden()
        rows = await conversation.core.store.database.read(lambda c: c.all("SELECT count(*) FROM messages"))
        assert rows == [(0,)]


HOSTILE: dict[str, Any] = {
    "no JSON": b"{",
    "another JSON": b'{"a": 1}',
    "no UTF-8": b'{"format": "placet-session", "version": 1, "session": {"id": "\xff"}}',
    "half a file": b'{"format": "placet-session", "version": 1, "session": {"id": "x"',
    "a newer form": b'{"format": "placet-session", "version": 99}',
    "a wrong type": b'{"format": "placet-session", "version": 1, "session": {"id": "x"}, "messages": 7}',
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_file_that_is_none_changes_nothing(placet_home: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(HOSTILE[name])
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        with pytest.raises(UsageError):
            await conversation.hub.archive.import_file(path)
        with pytest.raises(UsageError):
            await conversation.hub.archive.import_file(tmp_path / "nowhere")
        with pytest.raises(UsageError):
            await conversation.hub.archive.import_file(tmp_path)
        assert (await conversation.hub.history.sessions())[1] == 1


@pytest.mark.parametrize("damage", ["twice", "nobody's", "no object"])
async def test_ids_that_do_not_fit_together_are_refused(placet_home: Path, tmp_path: Path, damage: str) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        value = json.loads(await conversation.hub.archive.export(conversation.session_id, ExportFormat.JSON))
        if damage == "twice":
            value["messages"].append(value["messages"][-1])
        elif damage == "nobody's":
            value["messages"][0]["frame_id"] = 999
        else:
            value["messages"][1]["calls"][0]["arguments"] = "[]"
        (tmp_path / "x.json").write_text(json.dumps(value))
        with pytest.raises(UsageError, match="damaged"):
            await conversation.hub.archive.import_file(tmp_path / "x.json")


async def test_r_4_an_imported_session_brings_no_mode_no_folder_and_nothing_that_runs(
    placet_home: Path, tmp_path: Path
) -> None:
    async with talk(placet_home, played(), tmp_path) as conversation:
        await filled(conversation, tmp_path)
        value = json.loads(await conversation.hub.archive.export(conversation.session_id, ExportFormat.JSON))
        value["session"]["context"] = {"mode": "auto", "workdir": "/", "writable": ["/"], "group": "tic"}
        value["messages"][1]["calls"][1] |= {"status": "pending", "started_at": None, "ended_at": None}
        (tmp_path / "x.json").write_text(json.dumps(value))
        imported = await conversation.hub.archive.import_file(tmp_path / "x.json")
        session = await conversation.hub.history.session(imported.session_id)
        assert session.context == RunContext() and session.context.mode is Mode.ASK
        rows = (await conversation.hub.history.newest(imported.session_id)).messages
        assert rows[1].calls[1].status is CallStatus.CANCELLED
        assert not session.interrupted


async def test_pinned_and_archived_are_kept(placet_home: Path, tmp_path: Path) -> None:
    async with talk(placet_home, ScriptedModel(), tmp_path) as conversation:
        await conversation.hub.archive.pin(conversation.session_id, True)
        await conversation.hub.archive.put_away(conversation.session_id, True)
        session = await conversation.hub.history.session(conversation.session_id)
        assert (session.pinned, session.archived) == (True, True)
