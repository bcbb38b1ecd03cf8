"""The notes that all agents of a session share, while a turn runs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import SessionId
from placet.core.domain.ports import TurnStore

MOST_NOTES = 200
MOST_CHARACTERS = 60_000  # of all of them: they must leave room in a small model's window
_REMOVED = "(removed)"


class Scratchpad:
    """One for a turn and all that it starts; stored first, then known here. Siblings share it, the last writer wins."""

    def __init__(self, store: TurnStore, session_id: SessionId) -> None:
        self._store, self._session_id = store, session_id
        self._notes: dict[str, str] | None = None
        self.revision = 0  # grows with every change

    async def write(self, key: str, value: str) -> str:
        """Store a note; returns its line. Raises: ToolFailure where there are too many."""
        notes = await self._read()
        if value and not notes.get(key) and sum(map(bool, notes.values())) >= MOST_NOTES:
            raise ToolFailure(f"The scratchpad has {MOST_NOTES} notes; remove one that is no longer needed.")
        size = sum(map(len, notes.values())) - len(notes.get(key, "")) + len(value)
        if value and size > MOST_CHARACTERS:
            raise ToolFailure(
                f"The notes would have {size:,} characters together; at most {MOST_CHARACTERS:,} fit, because every "
                "agent is told all of them. Nothing was noted.",
                hint="Remove or shorten others, or write long texts to a file and note its path.",
            )
        await self._store.set_note(self._session_id, key, value)
        notes[key] = value
        self.revision += 1
        return _line(key, value)

    async def lines(self) -> Sequence[str]:
        """A line for each note, "name: text", the removed ones of this turn among them."""
        return [_line(key, value) for key, value in (await self._read()).items()]

    async def _read(self) -> dict[str, str]:
        if self._notes is None:
            self._notes = await self._store.scratchpad(self._session_id)
        return self._notes


def _line(key: str, value: str) -> str:
    return f"Scratchpad {key}: {json.dumps(value, ensure_ascii=False) if value else _REMOVED}"
