"""A command prints more than a model is sent; the rest can be read page by page."""

from __future__ import annotations

import re
from pathlib import Path

from placet.core.domain.messages import CallStatus, Mode
from support.conversations import Talk, talk
from support.scripted_model import ScriptedModel, say


async def results_of(conversation: Talk) -> list[tuple[CallStatus, str]]:
    page = await conversation.hub.history.newest(conversation.session_id)
    return [(call.status, call.result) for row in page.messages for call in row.calls]


async def test_what_was_left_out_of_a_long_output_is_read_by_its_reference(placet_home: Path, tmp_path: Path) -> None:
    whole = "".join(f"{n}\n" for n in range(1, 100_001))
    first = ScriptedModel(say().calling("execute_cmd", {"command": "seq 1 100000"}), say("Long."))
    async with talk(placet_home, first, tmp_path) as conversation:
        await conversation.hub.set_policy("desktop", mode=Mode.AUTO)
        await conversation.say("go")
        ((status, result),) = await results_of(conversation)
    assert status is CallStatus.DONE
    found = re.search(
        r"\[… ([\d,]+) bytes \([\d,]+ lines\) left out; read_output with ref \"(ref:output:\w+)\"", result
    )
    assert found is not None
    head = result.partition("]\n")[2].partition("\n[…")[0]
    offset = len(head)
    second = ScriptedModel(
        say().calling("read_output", {"ref": found[2], "offset": offset, "limit": 30}),
        say().calling("read_output", {"ref": found[2], "offset": len(whole)}),
        say("Read."),
    )
    async with talk(placet_home, second, tmp_path) as conversation:  # after a restart, and unasked
        await conversation.say("and between?")
        page, beyond = (await results_of(conversation))[1:]
        assert page[0] is CallStatus.DONE
        assert page[1].startswith(whole[offset : offset + 30])
        assert f"go on at {offset + 30}]" in page[1]
        assert beyond[0] is CallStatus.FAILED
        assert f"{len(whole):,} characters" in beyond[1]
        await conversation.hub.clear("desktop")
    third = ScriptedModel(say().calling("read_output", {"ref": found[2]}), say("No."))
    async with talk(placet_home, third, tmp_path) as conversation:
        await conversation.hub.send_message("desktop", "show it")
        await conversation.until_idle()
        page_of = await conversation.hub.history.newest(conversation.session_id)
        (call,) = [call for row in page_of.messages for call in row.calls]
    assert call.status is CallStatus.FAILED
    assert "another conversation" in call.result
