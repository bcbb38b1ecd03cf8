"""Summaries of old rows, and what is needed to count tokens: the size of each request beside what was reported."""

from __future__ import annotations

from placet.core.store.connection import Connection

_STATEMENTS = (
    """
    CREATE TABLE summaries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        frame_id INTEGER NOT NULL REFERENCES frames(id) ON DELETE CASCADE,
        covers_to INTEGER NOT NULL,
        shortened_to INTEGER NOT NULL,
        content TEXT NOT NULL,
        carried TEXT NOT NULL,
        by TEXT NOT NULL,
        tokens_before INTEGER NOT NULL,
        tokens_after INTEGER NOT NULL,
        created REAL NOT NULL
    )
    """,
    "CREATE INDEX summaries_by_frame ON summaries(frame_id, id)",
    "ALTER TABLE usage ADD COLUMN request_bytes INTEGER",
)


def add_compaction_tables(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
