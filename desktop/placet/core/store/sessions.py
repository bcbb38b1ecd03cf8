"""Sessions: making, listing, reading pages of them, and who owns one that runs."""

from __future__ import annotations

import os
from collections.abc import Sequence

from placet.core.domain.errors import SessionBusy, UnknownItem
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import HistoryPage, RunContext, Session
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.owners import is_alive, own_start
from placet.core.store.records import MESSAGE_COLUMNS, messages_from, to_json
from placet.core.store.schema import Sessions
from placet.core.store.session_values import SESSION_COLUMNS, session_by_id, session_from


class SessionRows:
    """The sessions of the database. Looking changes no row (`S-7`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, session: Session) -> Session:
        """Store a new session with these values; its counts begin at zero."""
        values = {
            "id": session.id,
            "title": clean_text(session.title),
            "source": clean_text(session.source),
            "agent": clean_text(session.agent),
            "interactive": session.interactive,
            "ephemeral": session.ephemeral,
            "run_context": to_json(session.context),
            "model": clean_text(session.model),
            "created": session.created_at,
            "last_activity": session.last_activity or session.created_at,
        }

        def work(connection: Connection) -> Session:
            connection.rows(Sessions.insert(values))
            return session_by_id(connection, session.id)

        return await self._database.run(work)

    async def get(self, session_id: SessionId) -> Session:
        """Raises: UnknownItem."""
        return await self._database.look(lambda connection: session_by_id(connection, session_id))

    async def of_message(self, message_id: MessageId) -> SessionId:
        """Return the session that a message belongs to. Raises: UnknownItem."""
        sql = (
            "SELECT frames.session_id FROM messages JOIN frames ON frames.id = messages.frame_id WHERE messages.id = ?"
        )
        row = await self._database.look(lambda connection: connection.one(sql, (message_id,)))
        if row is None:
            raise UnknownItem(f"There is no message {message_id}.")
        return SessionId(row[0])

    async def list(
        self,
        *,
        source: str = "",
        archived: bool | None = None,
        pinned_first: bool = False,
        page: int = 1,
        per_page: int = 20,
    ) -> tuple[Sequence[Session], int]:
        """One page, newest activity first, and how many there are in all. `archived` None: those and others."""
        query = Sessions.select(Sessions.id).where(Sessions.deleted.is_null())
        if source:
            query = query.where(Sessions.source == source)
        if archived is not None:
            query = query.where(Sessions.archived == archived)
        order = [Sessions.last_activity.desc(), Sessions.id.desc()]
        newest_first = query.order_by(*([Sessions.pinned.desc()] if pinned_first else []), *order).paginate(
            page, per_page
        )

        def work(connection: Connection) -> tuple[Sequence[Session], int]:
            ids = [row[0] for row in connection.rows(newest_first)]
            marks = ",".join("?" * len(ids))
            rows = connection.all(f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id IN ({marks})", ids)
            by_id = {row[0]: row for row in rows}
            return [session_from(connection, by_id[i]) for i in ids if i in by_id], connection.count(query)

        return await self._database.look(work)

    async def update(
        self,
        session_id: SessionId,
        *,
        title: str | None = None,
        by_person: bool = True,
        context: RunContext | None = None,
        model: str | None = None,
        pinned: bool | None = None,
        archived: bool | None = None,
    ) -> Session:
        """Change what is given. A title that is not `by_person` never replaces one that was. Raises: UnknownItem."""

        def work(connection: Connection) -> Session:
            if title is not None:
                connection.execute(
                    "UPDATE sessions SET title = ?, title_by_person = ? WHERE id = ? AND (? OR NOT title_by_person)",
                    (clean_text(title), by_person, session_id, by_person),
                )
            if context is not None:
                connection.execute("UPDATE sessions SET run_context = ? WHERE id = ?", (to_json(context), session_id))
            if model is not None:
                connection.execute("UPDATE sessions SET model = ? WHERE id = ?", (clean_text(model), session_id))
            for column, value in (("pinned", pinned), ("archived", archived)):
                if value is not None:
                    connection.execute(f"UPDATE sessions SET {column} = ? WHERE id = ?", (value, session_id))
            return session_by_id(connection, session_id)

        return await self._database.run(work)

    async def set_agent(self, session_id: SessionId, agent: str) -> None:
        """Give the session, and its root frame where there is one, to another agent. Raises: UnknownItem."""

        def work(connection: Connection) -> None:
            agent_id = clean_text(agent)
            if connection.execute("UPDATE sessions SET agent = ? WHERE id = ?", (agent_id, session_id)).rowcount == 0:
                raise UnknownItem(f"There is no session {session_id}.")
            connection.execute("UPDATE frames SET agent = ? WHERE session_id = ? AND depth = 0", (agent_id, session_id))

        await self._database.run(work)

    async def newest(self, session_id: SessionId, limit: int = 60) -> HistoryPage:
        """The last page. Costs the same however long the session is (`S-5`). Raises: UnknownItem."""
        return await self._database.look(lambda connection: _page(connection, session_id, None, limit))

    async def older(self, session_id: SessionId, before: MessageId, limit: int = 60) -> HistoryPage:
        """The page that ends just before the row `before`. Raises: UnknownItem."""
        return await self._database.look(lambda connection: _page(connection, session_id, before, limit))

    async def nested(self, call_id: CallId) -> HistoryPage:
        """All rows of the frame that this call started; none before it began. Raises: UnknownItem."""
        return await self._database.look(lambda connection: _nested_page(connection, call_id))

    async def claim(self, session_id: SessionId) -> None:
        """Make this process the session's owner, for as long as something runs in it (`S-4`).

        A claim of a process that ended is taken over; claiming again what this process owns does nothing.
        Raises: SessionBusy, UnknownItem.
        """

        def work(connection: Connection) -> None:
            pid, started = _owner(connection, session_id)
            if pid != os.getpid() and is_alive(pid, started):
                raise SessionBusy(
                    "This session is running in another Placet process.",
                    hint="Answer or stop it there, or wait until it is done.",
                    detail=f"process {pid}",
                )
            connection.execute(
                "UPDATE sessions SET owner_pid = ?, owner_started = ? WHERE id = ?",
                (os.getpid(), own_start(), session_id),
            )

        await self._database.run(work)

    async def release(self, session_id: SessionId) -> None:
        """Give up this process's claim; another's is left alone."""
        sql = (
            "UPDATE sessions SET owner_pid = NULL, owner_started = '' "
            "WHERE id = ? AND owner_pid = ? AND owner_started = ?"
        )
        await self._database.run(lambda connection: connection.execute(sql, (session_id, os.getpid(), own_start())))

    async def owner_is_alive(self, session_id: SessionId) -> bool:
        """Whether a living process, this one included, has claimed the session. Raises: UnknownItem."""
        return await self._database.look(lambda connection: is_alive(*_owner(connection, session_id)))


def _owner(connection: Connection, session_id: SessionId) -> tuple[int | None, str]:
    row = connection.one("SELECT owner_pid, owner_started FROM sessions WHERE id = ?", (session_id,))
    if row is None:
        raise UnknownItem(f"There is no session {session_id}.")
    return row[0], row[1]


_ROOT = "SELECT id FROM frames WHERE session_id = ? AND depth = 0 ORDER BY id LIMIT 1"


def _page(connection: Connection, session_id: SessionId, before: MessageId | None, limit: int) -> HistoryPage:
    """Rows of the root frame; what sub-agents did is looked at one by one."""
    session = session_by_id(connection, session_id)
    end = "" if before is None else "AND id < ?"
    sql = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ({_ROOT}) {end} ORDER BY id DESC LIMIT ?"
    params = (session_id, limit + 1) if before is None else (session_id, before, limit + 1)
    rows = connection.all(sql, params)
    shown = rows[:limit][::-1]
    return HistoryPage(session=session, messages=messages_from(connection, shown), has_older=len(rows) > limit)


def _nested_page(connection: Connection, call_id: CallId) -> HistoryPage:
    sql = "SELECT frames.session_id FROM tool_calls JOIN frames ON frames.id = tool_calls.frame_id WHERE tool_calls.id = ?"
    row = connection.one(sql, (call_id,))
    if row is None:
        raise UnknownItem(f"There is no tool call {call_id}.")
    session = session_by_id(connection, SessionId(row[0]))
    frame = "SELECT id FROM frames WHERE session_id = ? AND parent_call = ? ORDER BY id DESC LIMIT 1"
    sql = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ({frame}) ORDER BY id"
    rows = connection.all(sql, (session.id, call_id))
    return HistoryPage(session=session, messages=messages_from(connection, rows))
