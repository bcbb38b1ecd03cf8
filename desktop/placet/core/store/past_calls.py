"""Stored calls with what their decisions depended on: for explaining them, and for trying out rules on them."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.domain.errors import UnknownItem
from placet.core.domain.explaining import PastCall
from placet.core.domain.ids import CallId, SessionId
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.records import CALL_COLUMNS, DECODE_ERRORS, call_from
from placet.core.store.session_values import context_from

_COLUMNS = ", ".join(f"tool_calls.{column}" for column in CALL_COLUMNS.split(", "))
_SELECT = (
    f"SELECT {_COLUMNS}, frames.agent, sessions.id, sessions.source, sessions.run_context, sessions.title, sessions.agent "
    "FROM tool_calls JOIN frames ON frames.id = tool_calls.frame_id JOIN sessions ON sessions.id = frames.session_id"
)
_OWN = CALL_COLUMNS.count(",") + 1


class PastCallRows:
    """Reads only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int) -> Sequence[PastCall]:
        """The newest calls of all sessions, newest first; damaged ones are left out."""
        sql = f"{_SELECT} ORDER BY tool_calls.id DESC LIMIT ?"

        def work(connection: Connection) -> list[PastCall]:
            found = (_past_call(row) for row in connection.all(sql, (limit,)))
            return [past for past in found if past is not None]

        return await self._database.look(work)

    async def get(self, call_id: CallId) -> PastCall:
        """Raises: UnknownItem, also for a damaged row."""
        sql = f"{_SELECT} WHERE tool_calls.id = ?"
        row = await self._database.look(lambda connection: connection.one(sql, (call_id,)))
        past = _past_call(row) if row is not None else None
        if past is None:
            raise UnknownItem(f"There is no tool call {call_id}.", hint="`placet sessions show ID --json` names them.")
        return past


def _past_call(row: Row) -> PastCall | None:
    try:
        call = call_from(row[:_OWN])
    except DECODE_ERRORS:
        return None
    agent, session_id, source, context, title, root_agent = row[_OWN:]
    return PastCall(
        call=call,
        session_id=SessionId(session_id),
        agent=agent,
        source=source,
        context=context_from(context),
        title=title,
        root_agent=root_agent,
    )
