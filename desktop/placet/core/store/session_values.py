"""Rows of sessions as domain values, with the parts of a summary that are looked up instead of stored."""

from __future__ import annotations

import msgspec

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext, Session
from placet.core.store.connection import Connection, Row
from placet.core.store.owners import is_alive
from placet.core.store.records import DECODE_ERRORS

SESSION_COLUMNS = (
    "id, title, source, agent, interactive, ephemeral, run_context, model, created, last_activity, messages, turns, "
    "snippet, input_tokens, output_tokens, cost, owner_pid, owner_started, pinned, archived, forked_from"
)

_decode_context = msgspec.json.Decoder(RunContext).decode

# A turn is open when the root frame's last row is no final text: a question, a cut answer, or tool calls.
_IS_OPEN = """
SELECT m.status != 'failed' AND (m.role != 'assistant' OR m.status = 'interrupted'
       OR EXISTS (SELECT 1 FROM tool_calls c WHERE c.message_id = m.id))
FROM messages m WHERE m.frame_id = (SELECT id FROM frames WHERE session_id = ? AND depth = 0 ORDER BY id LIMIT 1)
ORDER BY m.id DESC LIMIT 1
"""


def session_from(connection: Connection, row: Row) -> Session:
    """A session as lists show it. A damaged run context becomes the strictest one: everything is asked."""
    session_id = SessionId(row[0])
    open_turn = connection.one(_IS_OPEN, (session_id,))
    waiting = connection.all(
        "SELECT count(*) FROM approvals WHERE session_id = ? "
        "AND CASE WHEN json_valid(body) THEN json_extract(body, '$.decision') IS NULL ELSE 1 END",
        (session_id,),
    )[0][0]
    return Session(
        id=session_id,
        title=row[1],
        source=row[2],
        agent=row[3],
        interactive=bool(row[4]),
        ephemeral=bool(row[5]),
        context=context_from(row[6]),
        model=row[7],
        created_at=row[8],
        last_activity=row[9],
        messages=row[10],
        turns=row[11],
        snippet=row[12],
        input_tokens=row[13],
        output_tokens=row[14],
        cost=row[15],
        waiting=waiting,
        pinned=bool(row[18]),
        archived=bool(row[19]),
        forked_from=row[20],
        interrupted=bool(open_turn and open_turn[0]) and not is_alive(row[16], row[17]),
    )


def session_by_id(connection: Connection, session_id: SessionId) -> Session:
    """Raises: UnknownItem, also for one that is to be removed."""
    row = connection.one(f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ? AND deleted IS NULL", (session_id,))
    if row is None:
        raise UnknownItem(f"There is no session {session_id}.", hint="`placet sessions list` shows the ones there are.")
    return session_from(connection, row)


def context_from(text: str) -> RunContext:
    """A damaged one becomes the strictest."""
    try:
        return _decode_context(text)
    except DECODE_ERRORS:
        return RunContext()
