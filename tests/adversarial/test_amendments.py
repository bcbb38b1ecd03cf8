"""Approvals that a person changed or widened, and what tries to come in with them (`R-2`, `R-11`, `R-13`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from placet.core.domain import events
from placet.core.domain.errors import PlacetError
from placet.core.domain.messages import Mode
from placet.core.domain.review import (
    Amendment,
    BypassGrant,
    BypassScope,
    ChosenHunks,
    EditedCommand,
    EditedText,
)
from support.arena import fingerprint
from support.conversations import Talk, talk
from support.scripted_model import ScriptedModel, say

_ASKS = (events.PendingWrite, events.PendingCommand, events.ApprovalRequired)
OLD = "".join(f"line {n}\n" for n in range(30))
NEW = OLD.replace("line 3\n", "three\n").replace("line 14\n", "fourteen\n").replace("line 25\n", "evil\n")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text(OLD)
    (folder / ".env").write_bytes(b"TOKEN=secret\n")
    (tmp_path / "theirs.txt").write_text(OLD)
    return folder


async def asked_or_ended(conversation: Talk) -> Any:
    while True:
        event = await conversation.next(events.Event)
        if isinstance(event, _ASKS):
            return event
        if isinstance(event, events.TurnRunning) and not event.running:
            return None


@pytest.mark.parametrize("hunks", [(), (0, 1, 2, 3), (3,), (-1,), (0, -1), (99,), (0, 0, 99)])
async def test_hunks_that_were_not_shown_cannot_be_chosen(
    placet_home: Path, work: Path, hunks: tuple[int, ...]
) -> None:
    """None at all is no approval either; the call still waits afterwards."""
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": NEW}), say("done"))
    before = fingerprint(work)
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        with pytest.raises(PlacetError):
            await conversation.hub.approve(asked.request_id, amendment=ChosenHunks(hunks))
        assert fingerprint(work) == before
        await conversation.hub.reject(asked.request_id)
        await conversation.until_idle()
    assert fingerprint(work) == before


async def test_a_hunk_that_was_left_out_is_not_written(placet_home: Path, work: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": NEW}), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        await conversation.hub.approve(asked.request_id, amendment=ChosenHunks((0, 1)))
        await conversation.until_idle()
    assert (work / "a.txt").read_text() == NEW.replace("evil\n", "line 25\n")


@pytest.mark.parametrize(
    ("kind", "amendment"),
    [
        ("write", EditedCommand("touch evil")), ("command", EditedText("x\n")), ("command", ChosenHunks((0,))),
        ("other", EditedCommand("touch evil")), ("other", EditedText("x\n")), ("other", ChosenHunks((0,))),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)  # fmt: skip
async def test_an_amendment_of_another_kind_decides_nothing(
    placet_home: Path, work: Path, kind: str, amendment: Amendment
) -> None:
    call = {
        "write": ("write_file", {"path": "a.txt", "content": NEW}), "command": ("execute_cmd", {"command": "ls"}),
        "other": ("read_file", {"path": "../theirs.txt"}),
    }[kind]  # fmt: skip
    before = fingerprint(work)
    async with talk(placet_home, ScriptedModel(say().calling(*call), say("done")), work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        with pytest.raises(PlacetError):
            await conversation.hub.approve(asked.request_id, amendment=amendment)
        await conversation.hub.reject(asked.request_id)
        await conversation.until_idle()
    assert fingerprint(work) == before


async def test_r_5_an_amendment_is_for_the_bytes_that_were_shown(placet_home: Path, work: Path) -> None:
    model = ScriptedModel(say().calling("write_file", {"path": "a.txt", "content": NEW}), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await conversation.next(events.PendingWrite)
        (work / "a.txt").write_text("mine\n")
        before = fingerprint(work)
        await conversation.hub.approve(asked.request_id, amendment=EditedText("edited\n"))
        again = await asked_or_ended(conversation)
        assert fingerprint(work) == before
        assert again is not None
        assert again.new_content == NEW  # an amendment is not carried over to other bytes
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert fingerprint(work) == before


SCOPES = [BypassScope.TOOL, BypassScope.CATEGORY, BypassScope.COMMAND, BypassScope.ALL]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": ".env"}),
        ("write_file", {"path": ".env", "content": "x"}),
        ("grep_files", {"pattern": "secre."}),
    ],
)
async def test_r_2_no_bypass_opens_what_is_denied(
    placet_home: Path, work: Path, scope: BypassScope, tool: str, arguments: dict[str, Any]
) -> None:
    first = ("execute_cmd", {"command": "true"}) if scope is BypassScope.COMMAND else {
        "read_file": ("read_file", {"path": "../theirs.txt"}), "write_file": ("write_file", {"path": "b", "content": "x"}),
        "grep_files": ("grep_files", {"path": "..", "pattern": "nothing"}),
    }[tool]  # fmt: skip
    model = ScriptedModel(say().calling(*first), say().calling(tool, arguments), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        await conversation.hub.approve(asked.request_id, bypass=BypassGrant(scope=scope))
        assert await asked_or_ended(conversation) is None
    assert (work / ".env").read_bytes() == b"TOKEN=secret\n"
    assert not any(b"TOKEN=secret" in body for body in model.bodies)


@pytest.mark.parametrize(
    ("scope", "evil"),
    [
        (BypassScope.COMMAND, {"command": "echo  a"}), (BypassScope.COMMAND, {"command": "echo a "}), (BypassScope.COMMAND, {"command": "echo a\n"}),
        (BypassScope.COMMAND, {"command": "echo a; touch evil"}), (BypassScope.COMMAND, {"command": "echo a", "workdir": ".."}),
        (BypassScope.COMMAND, {"command": "echo \u0430"}), (BypassScope.TOOL, {"command": "cat .env"}), (BypassScope.CATEGORY, {"command": "cat .env > x"}),
        (BypassScope.ALL, {"command": "cat .e*"}),
    ],
)  # fmt: skip
async def test_r_13_a_bypass_lets_only_its_own_pass(
    placet_home: Path, work: Path, scope: BypassScope, evil: dict[str, Any]
) -> None:
    """Another byte is another command; and a file that is denied to tools was not meant by any bypass for more."""
    model = ScriptedModel(
        say().calling("execute_cmd", {"command": "echo a"}), say().calling("execute_cmd", evil), say("done")
    )
    before = fingerprint(work)
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        await conversation.hub.approve(asked.request_id, bypass=BypassGrant(scope=scope))
        again = await asked_or_ended(conversation)
        assert again is not None
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert fingerprint(work) == before


async def test_exactly_the_command_that_a_person_let_pass_passes(placet_home: Path, work: Path) -> None:
    """Also where its words name what is denied to tools: these very bytes were shown."""
    same = ("execute_cmd", {"command": "cat .env"})
    model = ScriptedModel(say().calling(*same), say().calling(*same), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        await conversation.hub.approve(asked.request_id, bypass=BypassGrant(scope=BypassScope.COMMAND))
        assert await asked_or_ended(conversation) is None


@pytest.mark.parametrize("scope", [BypassScope.ALL, BypassScope.TOOL, BypassScope.CATEGORY])
async def test_a_bypass_of_one_session_lets_nothing_pass_in_another(
    placet_home: Path, work: Path, scope: BypassScope
) -> None:
    call = ("execute_cmd", {"command": "touch evil"})
    model = ScriptedModel(
        say().calling("execute_cmd", {"command": "true"}), say("done"), say().calling(*call), say("done")
    )
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        await conversation.hub.approve(asked.request_id, bypass=BypassGrant(scope=scope))
        assert await asked_or_ended(conversation) is None
        await conversation.hub.clear("desktop")
        await conversation.hub.set_policy("desktop", workdir=str(work))
        await conversation.send("again")
        again = await asked_or_ended(conversation)
        assert again is not None
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert not (work / "evil").exists()


async def test_asking_for_everything_is_stronger_than_any_bypass(placet_home: Path, work: Path) -> None:
    call = ("execute_cmd", {"command": "touch evil"})
    model = ScriptedModel(say().calling("execute_cmd", {"command": "true"}), say().calling(*call), say("done"))
    async with talk(placet_home, model, work) as conversation:
        await conversation.send("go")
        asked = await asked_or_ended(conversation)
        await conversation.hub.set_policy("desktop", mode=Mode.ASK_ALL)
        await conversation.hub.approve(asked.request_id, bypass=BypassGrant(scope=BypassScope.ALL))
        again = await asked_or_ended(conversation)
        assert again is not None
        await conversation.hub.reject(again.request_id)
        await conversation.until_idle()
    assert not (work / "evil").exists()
