"""Which session a source talks to: each has exactly one active session."""

from __future__ import annotations

from placet.core.domain.ids import SessionId
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.schema import Sources


class SourceRows:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def active(self, source: str) -> SessionId | None:
        """The source's active session; None if it never had one."""

        def work(connection: Connection) -> SessionId | None:
            rows = connection.rows(Sources.select(Sources.session_id).where(Sources.name == source))
            return SessionId(rows[0][0]) if rows else None

        return await self._database.read(work)

    async def of_session(self, session_id: SessionId) -> str | None:
        """The source that began to talk in the session last; None if it is nobody's active one."""
        sql = "SELECT name FROM sources WHERE session_id = ? ORDER BY rowid DESC LIMIT 1"
        row = await self._database.read(lambda connection: connection.one(sql, (session_id,)))
        return str(row[0]) if row is not None else None

    async def activate(self, source: str, session_id: SessionId) -> None:
        """Make the session the source's active one; the one before stays in history."""
        query = Sources.insert(name=source, session_id=session_id).on_conflict_replace()
        await self._database.run(lambda connection: connection.rows(query))
