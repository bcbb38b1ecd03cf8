"""Format 3: notifications, and the texts that wait in a queue."""

from __future__ import annotations

from placet.core.store.connection import Connection

_STATEMENTS = (
    """
    CREATE TABLE notifications (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source TEXT NOT NULL,
        event_type TEXT NOT NULL,
        summary TEXT NOT NULL,
        event_time REAL NOT NULL,
        refs TEXT NOT NULL DEFAULT '[]',
        created REAL NOT NULL,
        delivered REAL,
        session_id TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX notifications_waiting ON notifications(id) WHERE delivered IS NULL",
    "CREATE INDEX notifications_by_session ON notifications(session_id, id)",
    """
    CREATE TABLE drafts (
        id TEXT PRIMARY KEY,
        source TEXT NOT NULL,
        position INTEGER NOT NULL,
        text TEXT NOT NULL,
        attachments TEXT NOT NULL DEFAULT '[]',
        owner_pid INTEGER,
        owner_started TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID
    """,
    "CREATE INDEX drafts_by_source ON drafts(source, position)",
)


def add_notifications_and_drafts(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
