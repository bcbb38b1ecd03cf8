"""The audit trail: who let each call pass or refused it, when, and on what exactly (`R-12`)."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.review import Action, DecidedBy, Verdict
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database

_ADD = (
    "INSERT INTO decisions (session_id, call_id, at, action, by, because, rule_id, digest, note) "
    "SELECT f.session_id, c.id, ?, ?, ?, ?, ?, ?, ? FROM tool_calls c JOIN messages m ON m.id = c.message_id "
    "JOIN frames f ON f.id = m.frame_id WHERE c.id = ?"
)
_OF_SESSION = (
    "SELECT call_id, at, action, by, because, rule_id, digest, note FROM decisions WHERE session_id = ? ORDER BY id"
)
_OF_CALL = (
    "SELECT call_id, at, action, by, because, rule_id, digest, note FROM decisions WHERE call_id = ? ORDER BY id DESC"
)


class DecisionRows:
    """What was decided about calls. It is written with the calls themselves, while they have not ended."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_session(self, session_id: SessionId) -> Sequence[tuple[CallId, Verdict]]:
        """Every decision about calls of a session, sub-agents' included, in the order they were made."""
        return await self._database.read(lambda connection: of_session(connection, session_id))

    async def of_call(self, call_id: CallId) -> Sequence[Verdict]:
        """Every decision about one call, newest first."""
        rows = await self._database.read(lambda connection: connection.all(_OF_CALL, (call_id,)))
        return [_verdict(row) for row in rows]

    async def append(self, call_id: CallId, verdict: Verdict) -> None:
        """Keep what a person decided about a call that had ended."""
        await self._database.run(lambda connection: add(connection, call_id, (verdict,)))


def of_session(connection: Connection, session_id: SessionId) -> list[tuple[CallId, Verdict]]:
    return [(CallId(row[0]), _verdict(row)) for row in connection.all(_OF_SESSION, (session_id,))]


def add(connection: Connection, call_id: CallId, trail: Sequence[Verdict]) -> None:
    """Append what was decided about a call, in order."""
    for verdict in trail:
        values = (verdict.at, verdict.action.value, verdict.by.value, clean_text(verdict.because), verdict.rule_id)
        connection.execute(_ADD, (*values, verdict.digest, clean_text(verdict.note), call_id))


def note_of(connection: Connection, call_id: CallId) -> str:
    """What a person changed in the call, as its last decision tells."""
    row = connection.one("SELECT note FROM decisions WHERE call_id = ? ORDER BY id DESC LIMIT 1", (call_id,))
    return row[0] if row is not None else ""


def _verdict(row: Row) -> Verdict:
    _, at, action, by, because, rule_id, digest, note = row
    return Verdict(
        action=Action(action), by=DecidedBy(by), because=because, rule_id=rule_id, digest=digest, note=note, at=at
    )
