"""The journal of file writes with both contents: the port `ChangeJournal` (`R-8`, `R-9`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, ChangeId, MessageId, SessionId
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.text import clean_text
from placet.core.store.blobs import get_blob, put_blob
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.owners import is_alive

COLUMNS = (
    "f.id, f.session_id, f.call_id, f.path, f.before_digest, f.after_digest, f.state, f.created, f.added, f.removed, "
    "f.reverts, f.conflict, f.tool, f.note, s.title"
)
# A row of a write that undid several changes at once, beside the first: it names one more of them.
_NOT_ALSO = "NOT (f.reverts IS NOT NULL AND f.before_digest = f.after_digest)"
_ALSO = """
    INSERT INTO file_changes (session_id, call_id, tool, path, before_digest, after_digest, state, created, reverts)
    SELECT undone.session_id, NULL, w.tool, w.path, w.after_digest, w.after_digest, w.state, w.created, undone.id
    FROM file_changes w, file_changes undone WHERE undone.id = ? AND w.id = ?
"""
_TOGETHER = 10_000  # rows of one write follow one another; far from a row there is no need to look
_SELECT = f"SELECT {COLUMNS} FROM file_changes f JOIN sessions s ON s.id = f.session_id"


class ChangeRows:
    """Implements `ChangeJournal`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def intend(
        self,
        *,
        session_id: SessionId,
        call_id: CallId | None,
        tool: str,
        path: str,
        before: bytes | None,
        after: bytes | None,
        added: int,
        removed: int,
        reverts: ChangeId | None = None,
        note: str = "",
        reverts_also: Sequence[ChangeId] = (),
    ) -> ChangeId:
        def work(connection: Connection) -> ChangeId:
            values = {
                "session_id": session_id,
                "call_id": call_id,
                "tool": clean_text(tool),
                "path": clean_text(path),
                "before_digest": put_blob(connection, before),
                "after_digest": put_blob(connection, after),
                "state": ChangeState.INTENDED.value,
                "created": time.time(),
                "added": added,
                "removed": removed,
                "reverts": reverts,
                "note": clean_text(note),
            }
            marks = ", ".join("?" * len(values))
            sql = f"INSERT INTO file_changes ({', '.join(values)}) VALUES ({marks})"
            change_id = ChangeId(connection.insert(sql, tuple(values.values())))
            for also in reverts_also:
                connection.execute(_ALSO, (also, change_id))
            return change_id

        return await self._database.run(work, durable=True)

    async def settle(
        self, change_id: ChangeId, state: ChangeState, *, conflict: str = "", found: bytes | None = None
    ) -> None:
        """A revert of a revert, settled as applied, also gives the first change its state `applied` back."""

        def work(connection: Connection) -> None:
            change = _change(connection, change_id)
            found_digest = "" if found is None else put_blob(connection, found)
            connection.execute(
                "UPDATE file_changes SET state = ?, conflict = ?, found_digest = ? WHERE id = ?",
                (state.value, clean_text(conflict), found_digest, change_id),
            )
            settled = [change]
            if change.reverts is not None:
                settled += _also(connection, change)
                for also in settled[1:]:
                    connection.execute("UPDATE file_changes SET state = ? WHERE id = ?", (state.value, also.id))
            if state is ChangeState.APPLIED:
                for each in settled:
                    _turn_over(connection, each.reverts)

        await self._database.run(work)

    async def change(self, change_id: ChangeId) -> Change:
        return await self._database.read(lambda connection: _change(connection, change_id))

    async def contents(self, change_id: ChangeId) -> tuple[bytes | None, bytes | None]:
        def work(connection: Connection) -> tuple[bytes | None, bytes | None]:
            change = _change(connection, change_id)
            try:
                return get_blob(connection, change.before_digest), get_blob(connection, change.after_digest)
            except LookupError as error:
                raise UnknownItem(
                    f"The contents of change {change_id} are no longer kept.",
                    hint="It is older than the time that contents are kept for; it cannot be shown or undone.",
                ) from error

        return await self._database.read(work)

    async def of_call(self, call_id: CallId) -> Change | None:
        found = await self._select("WHERE f.call_id = ? ORDER BY f.id DESC LIMIT 1", (call_id,))
        return found[0] if found else None

    async def of_file(self, path: str, session_id: SessionId | None = None) -> Sequence[Change]:
        where, params = "WHERE f.path = ?", list[Any]((path,))
        if session_id is not None:
            where, params = f"{where} AND f.session_id = ?", [*params, session_id]
        sql = f"{_SELECT} {where} ORDER BY f.id DESC"  # may read the whole table, so beside the writer
        return await self._database.look(lambda connection: [change_from(row) for row in connection.all(sql, params)])

    async def undone_by(self, change_id: ChangeId) -> Change | None:
        rest = "WHERE f.reverts = ? AND f.state = 'applied' ORDER BY f.id DESC LIMIT 1"
        found = await self._select(rest, (change_id,))
        return found[0] if found else None

    async def together_with(self, change: Change) -> Sequence[Change]:
        if change.reverts is None:
            return [change]
        rest = "WHERE f.id BETWEEN ? AND ? AND f.path = ? AND f.created = ? AND f.reverts IS NOT NULL ORDER BY f.id"
        near = (change.id - _TOGETHER, change.id + _TOGETHER)
        return await self._select(rest, (*near, change.path, change.created_at))

    async def intended(self) -> Sequence[Change]:
        sql = f"SELECT {COLUMNS}, s.owner_pid, s.owner_started FROM file_changes f JOIN sessions s "
        sql += "ON s.id = f.session_id WHERE f.state = 'intended' "
        sql += f"AND {_NOT_ALSO} ORDER BY f.id"
        rows = await self._database.read(lambda connection: connection.all(sql))
        return [change_from(row) for row in rows if not is_alive(*row[-2:])]

    async def page(
        self, session_id: SessionId | None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        where, params = f"WHERE {_NOT_ALSO}", list[Any]()
        if session_id is not None:
            where, params = f"{where} AND f.session_id = ?", [session_id]
        sql = f"{_SELECT} {where} ORDER BY f.id DESC LIMIT ? OFFSET ?"

        def work(connection: Connection) -> tuple[Sequence[Change], int]:
            rows = connection.all(sql, [*params, per_page, (max(page, 1) - 1) * per_page])
            total = connection.all(f"SELECT count(*) FROM file_changes f {where}", params)[0][0]
            return [change_from(row) for row in rows], int(total)

        return await self._database.look(work)

    async def since(self, session_id: SessionId, message_id: MessageId, *, whole_rest: bool) -> Sequence[Change]:
        """Changes made by tool calls. A turn ends at the next row that begins one: a person's, or what the program
        told; not at notes that a turn gets between its rounds.
        """
        sql = f"{_SELECT} JOIN tool_calls c ON c.id = f.call_id WHERE f.session_id = ? AND c.message_id > ?"
        params: list[Any] = [session_id, message_id]
        if not whole_rest:
            sql += (
                " AND c.message_id < coalesce((SELECT min(id) FROM messages WHERE session_id = ? AND id > ? "
                "AND role = 'user' AND NOT (synthetic AND content = '')), 9223372036854775807)"
            )
            params += [session_id, message_id]
        rows = await self._database.read(lambda connection: connection.all(f"{sql} ORDER BY f.id DESC", params))
        return [change_from(row) for row in rows]

    async def _select(self, rest: str, params: tuple[Any, ...]) -> list[Change]:
        rows = await self._database.read(lambda connection: connection.all(f"{_SELECT} {rest}", params))
        return [change_from(row) for row in rows]


def _change(connection: Connection, change_id: ChangeId) -> Change:
    row = connection.one(f"{_SELECT} WHERE f.id = ?", (change_id,))
    if row is None:
        raise UnknownItem(f"There is no change {change_id}.", hint="`placet changes` lists the ones there are.")
    return change_from(row)


def _also(connection: Connection, change: Change) -> list[Change]:
    """The other rows of the write that this row tells of; none for one of those itself."""
    if change.before_digest == change.after_digest:
        return []
    sql = f"{_SELECT} WHERE f.id > ? AND f.id <= ? AND f.path = ? AND f.created = ? AND NOT ({_NOT_ALSO}) ORDER BY f.id"
    near = (change.id, change.id + _TOGETHER)
    return [change_from(row) for row in connection.all(sql, (*near, change.path, change.created_at))]


def _turn_over(connection: Connection, reverted: ChangeId | None) -> None:
    """Mark what was reverted; what that one had reverted itself is in force again, and so on down the chain."""
    state = ChangeState.REVERTED
    while reverted is not None:
        connection.execute("UPDATE file_changes SET state = ? WHERE id = ?", (state.value, reverted))
        row = connection.one("SELECT reverts FROM file_changes WHERE id = ?", (reverted,))
        reverted = ChangeId(row[0]) if row and row[0] is not None else None
        state = ChangeState.APPLIED if state is ChangeState.REVERTED else ChangeState.REVERTED


def change_from(row: Row) -> Change:
    return Change(
        id=ChangeId(row[0]),
        session_id=SessionId(row[1]),
        call_id=row[2],
        path=row[3],
        before_digest=row[4],
        after_digest=row[5],
        state=ChangeState(row[6]),
        created_at=row[7],
        added=row[8],
        removed=row[9],
        reverts=row[10],
        conflict=row[11],
        tool=row[12],
        note=row[13],
        session_title=row[14],
    )
