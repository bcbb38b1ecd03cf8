"""Search over messages, tool arguments, results and the paths in them; newest first."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from placet.core.domain.errors import StoreError
from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.messages import SearchHit
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.needle import Needle
from placet.core.store.search_index import Document, call_document, documents, index_some, message_document, message_of

MOST_HITS = 1000
_FEW_HITS = 20  # with fewer, the newest rows are looked through for matches inside of words
_CANDIDATES = 5000
_BATCH = 200
_RECENT_MESSAGES = 5000
_CATCH_UP_CHUNKS = 50

_log = logging.getLogger(__name__)


class SearchRows:
    """Finds what a person typed, literally: every word, in one message or one tool call.

    A word is found at the beginning of words everywhere, and inside of words within the newest few thousand
    messages. Chinese, Japanese, Korean and Thai are found in any place, everywhere.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(self, text: str, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[SearchHit], int]:
        """One page of hits and how many there are (counted up to a thousand). Blank text finds nothing.

        Cancelling interrupts the search. Raises: StoreError if the search itself failed.
        """
        needle = Needle(text)
        if needle.is_blank:
            return (), 0
        await self._catch_up()
        return await self._database.look(lambda connection: _search(connection, needle, page, per_page))

    async def index_all(self) -> None:
        """Index everything that waits, without letting others wait for long; for imports."""
        while await self._database.read(index_some):
            continue

    async def _catch_up(self) -> None:
        waiting = await self._database.look(lambda c: c.all("SELECT 1 FROM search_waiting LIMIT 1"))
        try:
            for _ in range(_CATCH_UP_CHUNKS if waiting else 0):
                if not await self._database.read(index_some):
                    break
        except StoreError as error:  # what is indexed, and the newest rows, can be searched all the same
            _log.info("the search index could not be brought up to date: %s", error)


def _search(connection: Connection, needle: Needle, page: int, per_page: int) -> tuple[list[SearchHit], int]:
    numbers = _from_index(connection, needle) if needle.match_query else []
    if len(numbers) < _FEW_HITS:
        numbers = sorted({*numbers, *_from_recent(connection, needle)}, reverse=True)[:MOST_HITS]
    numbers = _without_hidden(connection, numbers)
    start = max(page - 1, 0) * per_page
    shown = documents(connection, numbers[start : start + per_page])
    titles = _titles(connection, shown)
    return [_hit(document, needle, titles) for document in shown], len(numbers)


def _without_hidden(connection: Connection, numbers: list[int]) -> list[int]:
    """What belongs to no session that is to be removed."""
    sql = "SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.deleted IS NOT NULL"
    hidden = {row[0] for row in connection.all(sql)}
    return [number for number in numbers if message_of(number) not in hidden] if hidden else numbers


def _from_index(connection: Connection, needle: Needle) -> list[int]:
    limit = _CANDIDATES if needle.needs_text else MOST_HITS
    sql = "SELECT rowid FROM search_index WHERE search_index MATCH ? ORDER BY rowid DESC LIMIT ?"
    candidates = [row[0] for row in connection.all(sql, (needle.match_query, limit))]
    if not needle.needs_text:
        return candidates
    numbers: list[int] = []
    for start in range(0, len(candidates), _BATCH):
        batch = documents(connection, candidates[start : start + _BATCH])
        numbers += [document.number for document in batch if needle.signs_are_in(document.text)]
        if len(numbers) >= MOST_HITS:
            break
    return numbers[:MOST_HITS]


def _from_recent(connection: Connection, needle: Needle) -> list[int]:
    """Look through the newest messages themselves, which also finds what is not indexed yet."""
    newest = connection.all("SELECT max(id) FROM messages")[0][0]
    if newest is None:
        return []
    patterns = [f"%{_escaped(word)}%" for word in needle.words]
    lowest = newest - _RECENT_MESSAGES
    hits = [
        message_document(row[0])
        for row in connection.all(_all_like(_RECENT_SQL, "content", patterns), [lowest, *patterns])
    ]
    call_text = "name || char(10) || arguments || char(10) || result"
    calls = connection.all(_all_like(_RECENT_CALLS_SQL, call_text, patterns), [lowest, *patterns])
    return hits + [call_document(row[0], row[1]) for row in calls]


_RECENT_SQL = "SELECT id FROM messages WHERE id > ?"
_RECENT_CALLS_SQL = "SELECT message_id, position FROM tool_calls WHERE message_id > ?"


def _all_like(sql: str, text: str, patterns: Sequence[str]) -> str:
    return sql + f" AND ({text}) LIKE ? ESCAPE '\\'" * len(patterns)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _titles(connection: Connection, shown: Sequence[Document]) -> dict[str, str]:
    ids = list({document.session_id for document in shown})
    marks = ",".join("?" * len(ids))
    return dict(connection.all(f"SELECT id, title FROM sessions WHERE id IN ({marks})", ids))


def _hit(document: Document, needle: Needle, titles: dict[str, str]) -> SearchHit:
    snippet = needle.snippet(document.text)
    return SearchHit(
        session_id=SessionId(document.session_id),
        message_id=MessageId(document.message_id),
        kind=document.kind,
        snippet=snippet.text,
        created_at=document.created,
        title=titles.get(document.session_id, ""),
        marks=snippet.marks,
    )
