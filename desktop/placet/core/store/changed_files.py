"""Looking at the journal by file: which files were changed, by whom, in which order, and what is no longer needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.proposals import AGAIN
from placet.core.domain.text import folded
from placet.core.domain.undo import ChangedFile, ChangeStep
from placet.core.store.changes import COLUMNS, change_from
from placet.core.store.connection import Connection
from placet.core.store.database import Database

# Only what a tool wrote is a step; that it was undone, or applied again, is its state.
_STEPS = "f.reverts IS NULL AND f.state IN ('applied', 'reverted')"
_FILES = f"""
    SELECT f.path, count(*), sum(f.state = 'reverted'), sum(CASE f.state WHEN 'applied' THEN f.added ELSE 0 END),
        sum(CASE f.state WHEN 'applied' THEN f.removed ELSE 0 END), max(f.created), count(DISTINCT f.session_id),
        max(f.conflict <> ''), min(CASE WHEN f.before_digest = 'absent' THEN f.id END) = min(f.id)
    FROM file_changes f WHERE {_STEPS}
"""
_STARTS = "m.role = 'user' AND NOT m.synthetic AND m.session_id = f.session_id AND m.id < c.message_id"
_STEP = f"""
    SELECT {COLUMNS}, c.decision, (SELECT m.id FROM messages m WHERE {_STARTS} ORDER BY m.id DESC LIMIT 1),
        (SELECT substr(coalesce(json_extract(m.metadata, '$.typed'), m.content), 1, 200)
         FROM messages m WHERE {_STARTS} ORDER BY m.id DESC LIMIT 1)
    FROM file_changes f JOIN sessions s ON s.id = f.session_id LEFT JOIN tool_calls c ON c.id = f.call_id
    WHERE {_STEPS} AND f.path = ?
"""
_TAKEN_UP = "proposed again by you"
_BATCH = 200
_GONE = f"""
    DELETE FROM blobs WHERE digest IN (
        SELECT digest FROM (
            SELECT before_digest AS digest FROM file_changes WHERE created < ?1
            UNION SELECT after_digest FROM file_changes WHERE created < ?1
            UNION SELECT found_digest FROM file_changes WHERE created < ?1
        ) old JOIN blobs b USING (digest)
        WHERE NOT EXISTS (
            SELECT 1 FROM file_changes f WHERE (f.created >= ?1 OR f.state = 'intended')
            AND digest IN (f.before_digest, f.after_digest, f.found_digest)
        ) AND NOT EXISTS (SELECT 1 FROM approvals a WHERE instr(a.body, digest))
        LIMIT {_BATCH}
    )
"""


class ChangedFileRows:
    """Reads beside the writer; removes contents that are past their time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def files(
        self, session_id: SessionId | None = None, *, text: str = "", page: int = 1, per_page: int = 100
    ) -> tuple[Sequence[ChangedFile], int]:
        """Files whose path has `text` in it, in any case, the one that was changed last first, and how many there are in all."""
        sql, params = _FILES, list[Any]()
        if session_id is not None:
            sql, params = f"{sql} AND f.session_id = ?", [session_id]
        if text:
            sql, params = f"{sql} AND instr(folded(f.path), ?)", [*params, folded(text)]
        sql += " GROUP BY f.path"

        def work(connection: Connection) -> tuple[Sequence[ChangedFile], int]:
            total = connection.all(f"SELECT count(*) FROM ({sql})", params)[0][0]
            rows = connection.all(
                f"{sql} ORDER BY max(f.id) DESC LIMIT ? OFFSET ?", [*params, per_page, (max(page, 1) - 1) * per_page]
            )
            return [_file_from(row) for row in rows], int(total)

        return await self._database.look(work)

    async def steps(self, path: str, session_id: SessionId | None = None) -> Sequence[ChangeStep]:
        """What was done to a file, first step first, with the message that asked for it."""
        sql, params = _STEP, list[Any]((path,))
        if session_id is not None:
            sql, params = f"{sql} AND f.session_id = ?", [*params, session_id]

        def work(connection: Connection) -> Sequence[ChangeStep]:
            return [_step_from(row) for row in connection.all(f"{sql} ORDER BY f.id", params)]

        return await self._database.look(work)

    async def forget_contents(self, before: float) -> int:
        """Remove contents that only changes from before that moment need; the changes stay in the journal.

        What a newer change, one that a crash cut, or a waiting request names is kept. Returns how many were removed.
        """

        def work(connection: Connection) -> int:
            return connection.execute(_GONE, (before,)).rowcount

        removed = 0
        while batch := await self._database.run(work):  # others may write between two batches
            removed += batch
        return removed


def _file_from(row: tuple[Any, ...]) -> ChangedFile:
    return ChangedFile(
        path=row[0],
        steps=row[1],
        reverted=row[2],
        added=row[3],
        removed=row[4],
        newest=row[5],
        sessions=row[6],
        has_conflict=bool(row[7]),
        is_new=bool(row[8]),
    )


def _step_from(row: tuple[Any, ...]) -> ChangeStep:
    decision, message_id, said = row[-3:]
    change = change_from(row)
    return ChangeStep(
        change=change,
        decision=_TAKEN_UP if change.tool == AGAIN else decision or "",
        message_id=None if message_id is None else MessageId(message_id),
        said=said or "",
    )
