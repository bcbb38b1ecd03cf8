"""The notes that all agents of a session share: how many, how long, and what a removed one leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.turn.scratchpad import MOST_CHARACTERS, MOST_NOTES, Scratchpad
from support.stores import opened_store


async def test_a_removed_note_makes_room_for_another(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        pad = Scratchpad(opened.store.turns, opened.session.id)
        for number in range(MOST_NOTES):
            await pad.write(f"note {number}", "x")
        with pytest.raises(ToolFailure, match="remove one"):
            await pad.write("one more", "x")
        await pad.write("note 0", "")
        await pad.write("one more", "x")
        with pytest.raises(ToolFailure, match="remove one"):
            await pad.write("note 0", "again")
        assert len(await opened.store.turns.scratchpad(opened.session.id)) == MOST_NOTES


async def test_notes_never_grow_so_long_together_that_no_agent_could_be_told_of_them(tmp_path: Path) -> None:
    async with opened_store(tmp_path) as opened:
        pad = Scratchpad(opened.store.turns, opened.session.id)
        await pad.write("half", "x" * (MOST_CHARACTERS // 2))
        await pad.write("half", "y" * (MOST_CHARACTERS // 2))
        await pad.write("other half", "x" * (MOST_CHARACTERS // 2))
        with pytest.raises(ToolFailure, match="every agent is told all of them"):
            await pad.write("more", "x")
        await pad.write("half", "")
        await pad.write("more", "x")
