"""Whole texts of results that were cut for the model: the port `Remainders`.

A text belongs to the session whose model was told its reference. When it is removed after a while, its row stays, so
that the model is told "expired" and not "unknown".
"""

from __future__ import annotations

import time

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.tools import Remainder
from placet.core.store.connection import Connection
from placet.core.store.database import Database

PREFIX = "ref:output:"


class RemainderRows:
    """Implements `Remainders`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, session_id: SessionId, call_id: CallId, remainder: Remainder) -> str:
        """Implements `Remainders.keep`."""
        values = (session_id, remainder.digest, call_id, time.time(), remainder.size, remainder.data)
        sql = (
            "INSERT INTO remainders (session_id, digest, call_id, created, size, data) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (session_id, digest) DO UPDATE SET created = excluded.created, data = excluded.data"
        )

        def work(connection: Connection) -> None:
            connection.execute(sql, values)

        await self._database.run(work)
        return PREFIX + remainder.digest

    async def read(self, session_id: SessionId, reference: str) -> bytes:
        """Implements `Remainders.read`."""
        digest = reference.removeprefix(PREFIX)
        sql = "SELECT session_id, data FROM remainders WHERE digest = ?"
        found = await self._database.read(lambda connection: connection.all(sql, (digest,)))
        rows: dict[str, bytes | None] = dict(found)
        if not reference.startswith(PREFIX) or not rows:
            raise ToolFailure(
                f"There is no output {reference}.", hint="References stand at the end of results that were shortened."
            )
        if session_id not in rows:
            raise ToolFailure(f"The output {reference} belongs to another conversation.")
        data = rows[session_id]
        if data is None:
            raise ToolFailure(f"The output {reference} has expired.", hint="Make the call again.")
        return data

    async def expire(self, before: float) -> None:
        """Remove the texts that were kept before a time, in seconds since 1970."""
        sql = "UPDATE remainders SET data = NULL WHERE created < ? AND data IS NOT NULL"

        def work(connection: Connection) -> None:
            connection.execute(sql, (before,))

        await self._database.run(work)
