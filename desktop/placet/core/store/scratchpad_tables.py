"""Format 2: notes that the agents of a session share."""

from __future__ import annotations

from placet.core.store.connection import Connection


def create_scratchpad(connection: Connection) -> None:
    connection.execute(
        """
        CREATE TABLE scratchpad (
            session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (session_id, key)
        )
        """
    )
    connection.execute("CREATE INDEX frames_active ON frames(session_id) WHERE depth > 0 AND NOT terminated")
