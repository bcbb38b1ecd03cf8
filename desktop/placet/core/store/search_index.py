"""What the search knows: one document a message and one a tool call, numbered in the order of the messages.

A document waits in a table, written with its row, until the database is idle or somebody searches: words are cut
and merged outside the transactions that a turn waits for. It is indexed once, when it will not change any more.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from placet.core.store.connection import Connection, Row

_SLOTS = 1024  # documents of one message: itself and its calls
CHUNK = 40  # a few milliseconds, for a turn may ask meanwhile
_CHUNK_CHARS = 100_000  # others may wait for the lock

# Scripts written without spaces: each character is a word of its own, so any run of them can be found.
_SPACELESS = "([\u0e00-\u0eff\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"


class Document(NamedTuple):
    """The searchable text of one row, and where it belongs."""

    number: int
    session_id: str
    message_id: int
    kind: str
    text: str
    created: float


def message_document(message_id: int) -> int:
    return message_id * _SLOTS


def message_of(document: int) -> int:
    return document // _SLOTS


def call_document(message_id: int, position: int) -> int:
    """Calls beyond the thousandth of one answer share the last number: only the first of them is found."""
    return message_id * _SLOTS + min(position + 1, _SLOTS - 1)


def words_apart(text: str) -> str:
    """The text as it is cut into words: characters of spaceless scripts stand alone, NUL is a space."""
    text = text.replace("\0", " ")
    return text if text.isascii() else re.sub(_SPACELESS, r" \1 ", text)


def await_indexing(connection: Connection, document: int) -> None:
    connection.execute("INSERT OR IGNORE INTO search_waiting (document) VALUES (?)", (document,))


def documents(connection: Connection, numbers: list[int]) -> list[Document]:
    """Those of the documents whose rows are there, in the given order."""
    found = {}
    messages = [number // _SLOTS for number in numbers if number % _SLOTS == 0]
    for row in _in_chunks(connection, _MESSAGES_SQL, messages):
        found[message_document(row[1])] = Document(message_document(row[1]), *row)
    for row in _in_chunks(connection, _CALLS_SQL, [number // _SLOTS for number in numbers if number % _SLOTS]):
        number = call_document(row[1], row[-1])
        found.setdefault(number, Document(number, *row[:-1]))
    return [found[number] for number in numbers if number in found]


_MESSAGES_SQL = "SELECT session_id, id, role, CAST(content AS TEXT), created FROM messages WHERE id IN ({})"
_CALLS_SQL = (
    "SELECT m.session_id, c.message_id, 'tool', c.name || char(10) || c.arguments || char(10) || c.result, "
    "c.created, c.position FROM tool_calls c JOIN messages m ON m.id = c.message_id WHERE c.message_id IN ({}) ORDER BY c.id"
)


def _in_chunks(connection: Connection, sql: str, ids: list[int]) -> list[Row]:
    rows: list[Row] = []
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        rows += connection.all(sql.format(",".join("?" * len(part))), part)
    return rows


def index_some(connection: Connection, limit: int = CHUNK) -> bool:
    """Index up to `limit` waiting documents, newest first, in one transaction; returns whether more wait."""
    if not connection.all("SELECT 1 FROM search_waiting LIMIT 1"):
        return False
    with connection.transaction():
        waiting = [
            row[0]
            for row in connection.all("SELECT document FROM search_waiting ORDER BY document DESC LIMIT ?", (limit,))
        ]
        chars, last = 0, waiting[-1]
        for document in documents(connection, waiting):
            _index(connection, document)
            chars += len(document.text)
            if chars > _CHUNK_CHARS:
                last = document.number
                break
        connection.execute("DELETE FROM search_waiting WHERE document >= ?", (last,))
    return bool(connection.all("SELECT 1 FROM search_waiting LIMIT 1"))


def forget_documents(connection: Connection, message_ids: list[int]) -> None:
    """Take messages and their calls out of the index, and of what waits for it. Their rows must still be there."""
    for message_id in message_ids:
        first, end = message_document(message_id), message_document(message_id + 1)
        sql = "SELECT id FROM search_index_docsize WHERE id >= ? AND id < ?"
        numbers = [row[0] for row in connection.all(sql, (first, end))]
        for document in documents(connection, numbers):
            connection.execute(
                "INSERT INTO search_index (search_index, rowid, body) VALUES ('delete', ?, ?)",
                (document.number, words_apart(document.text)),
            )
        connection.execute("DELETE FROM search_waiting WHERE document >= ? AND document < ?", (first, end))


def _index(connection: Connection, document: Document) -> None:
    """Insert once: an index without contents cannot take a document back."""
    if connection.all("SELECT 1 FROM search_index_docsize WHERE id = ?", (document.number,)):
        return
    connection.execute(
        "INSERT INTO search_index (rowid, body) VALUES (?, ?)", (document.number, words_apart(document.text))
    )
