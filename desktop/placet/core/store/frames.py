"""The statements about frames: the root, sub-agents under it, and the notes they share. Parts of one transaction each."""

from __future__ import annotations

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, FrameId, SessionId
from placet.core.domain.messages import Frame
from placet.core.store.connection import Connection, Row

_COLUMNS = "id, session_id, agent, depth, parent_call, terminated"


def root_frame(connection: Connection, session_id: SessionId) -> Frame | None:
    sql = f"SELECT {_COLUMNS} FROM frames WHERE session_id = ? AND depth = 0 ORDER BY id LIMIT 1"
    row = connection.one(sql, (session_id,))
    return _frame(row) if row is not None else None


def make_root_frame(connection: Connection, session_id: SessionId) -> Frame:
    """The root frame, made unless another process was faster. Raises: UnknownItem for an unknown session."""
    if found := root_frame(connection, session_id):
        return found
    row = connection.one("SELECT agent FROM sessions WHERE id = ?", (session_id,))
    if row is None:
        raise UnknownItem(f"There is no session {session_id}.")
    frame_id = connection.insert("INSERT INTO frames (session_id, agent) VALUES (?, ?)", (session_id, row[0]))
    return Frame(id=FrameId(frame_id), session_id=session_id, agent=row[0])


def open_frame(connection: Connection, call_id: CallId, agent: str) -> Frame:
    """A new frame under the one that made the call. Raises: UnknownItem."""
    parent = connection.one(
        "SELECT f.session_id, f.depth FROM frames f JOIN tool_calls c ON c.frame_id = f.id WHERE c.id = ?", (call_id,)
    )
    if parent is None:
        raise UnknownItem(f"There is no tool call {call_id}.")
    session_id, depth = SessionId(parent[0]), parent[1] + 1
    frame_id = connection.insert(
        "INSERT INTO frames (session_id, agent, depth, parent_call) VALUES (?, ?, ?, ?)",
        (session_id, agent, depth, call_id),
    )
    return Frame(id=FrameId(frame_id), session_id=session_id, agent=agent, depth=depth, parent_call=call_id)


def end_frame(connection: Connection, frame_id: FrameId) -> None:
    connection.execute("UPDATE frames SET terminated = 1 WHERE id = ?", (frame_id,))


def active_frames(connection: Connection, session_id: SessionId) -> list[Frame]:
    """Frames of sub-agents that have not ended, deepest first, within a depth in the order they were opened."""
    sql = f"SELECT {_COLUMNS} FROM frames WHERE session_id = ? AND depth > 0 AND NOT terminated ORDER BY depth DESC, id"
    return [_frame(row) for row in connection.all(sql, (session_id,))]


def of_session(connection: Connection, session_id: SessionId) -> list[Frame]:
    """All frames of a session in the order they were opened."""
    sql = f"SELECT {_COLUMNS} FROM frames WHERE session_id = ? ORDER BY id"
    return [_frame(row) for row in connection.all(sql, (session_id,))]


def notes(connection: Connection, session_id: SessionId) -> dict[str, str]:
    sql = "SELECT key, value FROM scratchpad WHERE session_id = ? ORDER BY key"
    return {row[0]: row[1] for row in connection.all(sql, (session_id,))}


def set_note(connection: Connection, session_id: SessionId, key: str, value: str) -> None:
    if value:
        sql = "INSERT INTO scratchpad VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        connection.execute(sql, (session_id, key, value))
    else:
        connection.execute("DELETE FROM scratchpad WHERE session_id = ? AND key = ?", (session_id, key))


def _frame(row: Row) -> Frame:
    return Frame(
        id=FrameId(row[0]),
        session_id=SessionId(row[1]),
        agent=row[2],
        depth=row[3],
        parent_call=CallId(row[4]) if row[4] is not None else None,
        terminated=bool(row[5]),
    )
