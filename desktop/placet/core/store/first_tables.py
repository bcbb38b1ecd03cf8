"""Format 1: sessions with their rows, review, the journal of changes, models, settings, search."""

from __future__ import annotations

from placet.core.store.connection import Connection

_STATEMENTS = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL DEFAULT '',
        title_by_person INTEGER NOT NULL DEFAULT 0,
        source TEXT NOT NULL,
        agent TEXT NOT NULL,
        interactive INTEGER NOT NULL DEFAULT 1,
        ephemeral INTEGER NOT NULL DEFAULT 0,
        run_context TEXT NOT NULL DEFAULT '{}',
        model TEXT NOT NULL DEFAULT '',
        pinned INTEGER NOT NULL DEFAULT 0,
        archived INTEGER NOT NULL DEFAULT 0,
        created REAL NOT NULL,
        last_activity REAL NOT NULL,
        owner_pid INTEGER,
        owner_started TEXT NOT NULL DEFAULT '',
        messages INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0,
        snippet TEXT NOT NULL DEFAULT '',
        input_tokens INTEGER NOT NULL DEFAULT 0,
        output_tokens INTEGER NOT NULL DEFAULT 0,
        cost REAL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX sessions_by_activity ON sessions(last_activity)",
    "CREATE INDEX sessions_by_source ON sessions(source, last_activity)",
    """
    CREATE TABLE frames (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        agent TEXT NOT NULL,
        depth INTEGER NOT NULL DEFAULT 0,
        parent_call INTEGER,
        terminated INTEGER NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX frames_by_session ON frames(session_id, depth)",
    """
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        frame_id INTEGER NOT NULL REFERENCES frames(id) ON DELETE CASCADE,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        content TEXT NOT NULL DEFAULT '',
        status TEXT NOT NULL DEFAULT 'ok',
        synthetic INTEGER NOT NULL DEFAULT 0,
        reasoning TEXT NOT NULL DEFAULT '',
        context_block TEXT NOT NULL DEFAULT '',
        parts TEXT NOT NULL DEFAULT '',
        provider TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        input_tokens INTEGER,
        output_tokens INTEGER,
        cached_tokens INTEGER,
        reasoning_tokens INTEGER,
        cost REAL,
        duration_s REAL,
        metadata TEXT NOT NULL DEFAULT '{}',
        created REAL NOT NULL,
        revision INTEGER NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX messages_by_frame ON messages(frame_id)",
    "CREATE INDEX messages_by_session ON messages(session_id)",
    """
    CREATE TABLE tool_calls (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        message_id INTEGER NOT NULL REFERENCES messages(id) ON DELETE CASCADE,
        frame_id INTEGER NOT NULL REFERENCES frames(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        provider_id TEXT NOT NULL DEFAULT '',
        name TEXT NOT NULL,
        arguments TEXT NOT NULL DEFAULT '{}',
        status TEXT NOT NULL,
        result TEXT NOT NULL DEFAULT '',
        label TEXT NOT NULL DEFAULT '',
        facts TEXT NOT NULL DEFAULT '{}',
        decision TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL,
        started REAL,
        ended REAL
    )
    """,
    "CREATE INDEX calls_by_message ON tool_calls(message_id)",
    "CREATE INDEX calls_by_frame ON tool_calls(frame_id, message_id)",
    "CREATE INDEX calls_unfinished ON tool_calls(frame_id) WHERE status IN ('running', 'pending')",
    "CREATE TABLE sources (name TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE)",
    """
    CREATE TABLE approval_rules (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        body TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        created REAL NOT NULL,
        body TEXT NOT NULL
    )
    """,
    "CREATE INDEX approvals_by_session ON approvals(session_id)",
    """
    CREATE TABLE file_changes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        call_id INTEGER,
        tool TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL,
        before_digest TEXT NOT NULL,
        after_digest TEXT NOT NULL,
        state TEXT NOT NULL,
        created REAL NOT NULL,
        added INTEGER NOT NULL DEFAULT 0,
        removed INTEGER NOT NULL DEFAULT 0,
        reverts INTEGER,
        conflict TEXT NOT NULL DEFAULT '',
        found_digest TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE INDEX changes_by_session ON file_changes(session_id)",
    "CREATE INDEX changes_by_call ON file_changes(call_id)",
    "CREATE INDEX changes_intended ON file_changes(id) WHERE state = 'intended'",
    "CREATE TABLE blobs (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL)",
    """
    CREATE TABLE usage (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL,
        message_id INTEGER,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        cached_tokens INTEGER,
        reasoning_tokens INTEGER,
        cost REAL,
        duration_s REAL,
        created REAL NOT NULL
    )
    """,
    "CREATE INDEX usage_by_time ON usage(created)",
    "CREATE TABLE providers (name TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE models (name TEXT PRIMARY KEY, provider TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # The index holds words only; what a hit shows is read from the rows themselves.
    """
    CREATE VIRTUAL TABLE search_index USING fts5(
        body, content='', prefix='2 3', tokenize='unicode61 remove_diacritics 2'
    )
    """,
    "CREATE TABLE search_waiting (document INTEGER PRIMARY KEY)",
)


def create_first_tables(connection: Connection) -> None:
    for statement in _STATEMENTS:
        connection.execute(statement)
