"""Events of the background, the ticks that look through them, and the folders that are watched."""

from __future__ import annotations

import json

from placet.core.store.connection import Connection

_STATEMENTS = (
    """
    CREATE TABLE ticks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        started REAL NOT NULL,
        ended REAL,
        status TEXT NOT NULL,
        error TEXT NOT NULL DEFAULT '',
        session_id TEXT NOT NULL DEFAULT '',
        events INTEGER NOT NULL,
        told INTEGER NOT NULL DEFAULT 0,
        owner_pid INTEGER,
        owner_started TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX ticks_running ON ticks(id) WHERE status = 'running'",
    """
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source TEXT NOT NULL,
        method TEXT NOT NULL,
        payload TEXT NOT NULL,
        created REAL NOT NULL,
        tick_id INTEGER REFERENCES ticks(id),
        was_put_back INTEGER NOT NULL DEFAULT 0,
        processed REAL
    )
    """,
    "CREATE INDEX events_waiting ON events(id) WHERE processed IS NULL AND tick_id IS NULL",
    "CREATE INDEX events_by_tick ON events(tick_id)",
    "CREATE TABLE watches (folder TEXT PRIMARY KEY, created REAL NOT NULL, seen_to REAL NOT NULL)",
)


# As the shipped ones were when this format began; where none were stored yet, a start stores them all.
_RULES = (
    ("@fs_write", 1, "the background agent changes no files"),
    ("execute_cmd", 1, "the background agent runs nothing"),
    ("memory_save", 1, "the background agent remembers nothing"),
    ("execute_*", 2, "the background agent starts no others"),
)


def add_background_tables(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
    if connection.all("SELECT 1 FROM sqlite_sequence WHERE name = 'approval_rules'"):
        for tool, priority, note in _RULES:
            body = {"group": "tic", "tool": tool, "action": "deny", "priority": priority, "note": note}
            connection.execute("INSERT INTO approval_rules (body) VALUES (?)", (json.dumps(body),))
