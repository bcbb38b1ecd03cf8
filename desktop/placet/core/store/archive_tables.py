"""What forks and imports come from, and sessions that are to be removed after a moment for second thoughts."""

from __future__ import annotations

from placet.core.store.connection import Connection

_STATEMENTS = (
    "ALTER TABLE sessions ADD COLUMN forked_from TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sessions ADD COLUMN deleted REAL",
    "CREATE INDEX sessions_by_origin ON sessions(origin) WHERE origin <> ''",
    "CREATE INDEX sessions_deleted ON sessions(deleted) WHERE deleted IS NOT NULL",
)


def add_archive_columns(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
