"""Texts that wait in a source's queue, so that neither an exit nor a crash loses them (`H-6`)."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.owners import is_alive, own_start
from placet.core.store.records import DECODE_ERRORS, to_json

_ADD = """
INSERT INTO drafts (id, source, position, text, attachments, owner_pid, owner_started)
VALUES (?, ?, coalesce((SELECT {} FROM drafts WHERE source = ?), 0), ?, ?, ?, ?)
"""
_ADD_LAST, _ADD_FIRST = _ADD.format("max(position) + 1"), _ADD.format("min(position) - 1")

_decode_paths = msgspec.json.Decoder(tuple[str, ...]).decode


class DraftRows:
    """Each belongs to the process that wrote it, for as long as that lives.

    Adding and removing wait for nothing, never raise, and are done in order with everything else that is stored.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, draft_id: str, source: str, text: str, attachments: Sequence[str], *, first: bool) -> None:
        """Keep a text behind those of its source, or before them."""
        sql = _ADD_FIRST if first else _ADD_LAST
        values = (draft_id, source, source, clean_text(text), to_json(attachments), os.getpid(), own_start())
        self._database.hand_over(lambda connection: connection.execute(sql, values))

    def remove(self, draft_ids: Sequence[str]) -> None:
        """Those that are not there do not matter."""
        marks = ",".join("?" * len(draft_ids))
        self._database.hand_over(lambda c: c.execute(f"DELETE FROM drafts WHERE id IN ({marks})", draft_ids))

    async def take(self, source: str) -> Sequence[tuple[str, Sequence[str]]]:
        """Remove and return text and attachments of what nobody alive waits with, in the order of the queue."""

        def work(connection: Connection) -> list[tuple[str, Sequence[str]]]:
            taken = []
            for row in connection.all(
                "SELECT id, text, attachments, owner_pid, owner_started FROM drafts WHERE source = ? ORDER BY position",
                (source,),
            ):
                if not is_alive(row[3], row[4]):
                    connection.execute("DELETE FROM drafts WHERE id = ?", (row[0],))
                    taken.append((row[1], _paths(row[2])))
            return taken

        return await self._database.run(work)

    async def release(self) -> None:
        """Give up what this process has: it ends, and the next one may take it."""
        sql = "UPDATE drafts SET owner_pid = NULL, owner_started = '' WHERE owner_pid = ? AND owner_started = ?"
        await self._database.run(lambda connection: connection.execute(sql, (os.getpid(), own_start())))


def _paths(text: str) -> Sequence[str]:
    try:
        return _decode_paths(text)
    except DECODE_ERRORS:
        return ()
