"""Format 4: what was decided about each call, what a person changed in a write before it happened (`R-12`), and the
whole texts of results that were cut for the model.
"""

from __future__ import annotations

from placet.core.store.connection import Connection

_STATEMENTS = (
    "ALTER TABLE file_changes ADD COLUMN note TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE approvals ADD COLUMN call_id INTEGER NOT NULL DEFAULT 0",
    "UPDATE approvals SET call_id = coalesce(json_extract(body, '$.call_id'), 0) WHERE json_valid(body)",
    "CREATE INDEX changes_by_path ON file_changes(path, id)",
    "CREATE INDEX approvals_by_call ON approvals(call_id)",
    """
    CREATE TABLE decisions (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        call_id INTEGER NOT NULL,
        at REAL NOT NULL,
        action TEXT NOT NULL,
        by TEXT NOT NULL,
        because TEXT NOT NULL,
        rule_id INTEGER,
        digest TEXT NOT NULL DEFAULT '',
        note TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX decisions_by_call ON decisions(call_id)",
    "CREATE INDEX decisions_by_session ON decisions(session_id, id)",
    """
    CREATE TABLE remainders (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        digest TEXT NOT NULL,
        call_id INTEGER NOT NULL,
        created REAL NOT NULL,
        size INTEGER NOT NULL,
        data BLOB,
        PRIMARY KEY (session_id, digest)
    )
    """,
    "CREATE INDEX remainders_by_time ON remainders(created) WHERE data IS NOT NULL",
)


def add_review_tables(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
