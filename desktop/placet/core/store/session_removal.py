"""Removing sessions: hidden at once, really gone after a moment in which a person may think again."""

from __future__ import annotations

import time
from functools import partial

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import SessionId
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.search_index import forget_documents

_CHUNK = 200  # messages whose words leave the index in one transaction: a turn may wait for the lock


class SessionRemoval:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def hide(self, session_id: SessionId) -> None:
        """It is in no list and no search from now on, and cannot be opened. Raises: UnknownItem."""
        now = time.time()

        def work(connection: Connection) -> None:
            sql = "UPDATE sessions SET deleted = ? WHERE id = ? AND deleted IS NULL"
            if connection.execute(sql, (now, session_id)).rowcount == 0:
                raise UnknownItem(f"There is no session {session_id}.")
            connection.execute("DELETE FROM sources WHERE session_id = ?", (session_id,))

        await self._database.run(work)

    async def bring_back(self, session_id: SessionId) -> None:
        """Undo `hide`. Raises: UnknownItem where it is really gone."""

        def work(connection: Connection) -> None:
            sql = "UPDATE sessions SET deleted = NULL WHERE id = ? AND deleted IS NOT NULL"
            if connection.execute(sql, (session_id,)).rowcount == 0:
                raise UnknownItem(
                    "That session is gone for good.", hint="The daily copies in the folder backups may have it."
                )

        await self._database.run(work)

    async def hidden(self, before: float) -> list[SessionId]:
        """Sessions that were hidden before a time."""
        sql = "SELECT id FROM sessions WHERE deleted < ?"
        return await self._database.read(lambda c: [SessionId(row[0]) for row in c.all(sql, (before,))])

    async def remove(self, session_id: SessionId) -> None:
        """Remove a hidden session for good: its rows, its words in the search, and contents that nothing else needs.

        The ledger of model calls keeps what it cost. A session that was brought back meanwhile stays.
        """
        first = 0
        while True:
            last = await self._database.run(partial(_forget_words, session_id=session_id, first=first))
            if last is None:
                break
            first = last
        await self._database.run(lambda connection: _remove(connection, session_id))


def _is_hidden(connection: Connection, session_id: SessionId) -> bool:
    return connection.one("SELECT 1 FROM sessions WHERE id = ? AND deleted IS NOT NULL", (session_id,)) is not None


def _forget_words(connection: Connection, session_id: SessionId, first: int) -> int | None:
    """Take the words of some messages out of the search; returns the last one, None where there are no more."""
    if not _is_hidden(connection, session_id):
        return None
    sql = "SELECT id FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ?"
    ids = [row[0] for row in connection.all(sql, (session_id, first, _CHUNK))]
    forget_documents(connection, ids)
    return ids[-1] if ids else None


def _remove(connection: Connection, session_id: SessionId) -> None:
    if not _is_hidden(connection, session_id):
        return
    sql = "SELECT before_digest, after_digest, found_digest FROM file_changes WHERE session_id = ?"
    digests = {digest for row in connection.all(sql, (session_id,)) for digest in row}
    connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    for digest in digests:
        connection.execute(
            "DELETE FROM blobs WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM file_changes "
            "WHERE ?1 IN (before_digest, after_digest, found_digest)) "
            "AND NOT EXISTS (SELECT 1 FROM approvals WHERE instr(body, ?1))",
            (digest,),
        )
