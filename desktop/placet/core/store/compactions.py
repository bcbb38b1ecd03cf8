"""What stands for old rows in requests: the port `Compactions`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec

from placet.core.domain.compaction import Carried, CompactedBy, Compaction
from placet.core.domain.errors import StaleOperation
from placet.core.domain.ids import FrameId, MessageId
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.records import DECODE_ERRORS, to_json

_COLUMNS = "id, frame_id, covers_to, shortened_to, content, carried, by, tokens_before, tokens_after, created"
_NEWEST = f"SELECT {_COLUMNS} FROM summaries WHERE frame_id = ? ORDER BY id DESC LIMIT 1"
_RATIOS = """
    SELECT provider, model, sum(input_tokens) * 4.0 / sum(request_bytes) FROM (
        SELECT provider, model, input_tokens, request_bytes FROM usage
        WHERE request_bytes > 0 AND input_tokens > 0 ORDER BY id DESC LIMIT 2000
    ) GROUP BY provider, model
"""
_decode = msgspec.json.Decoder(Carried).decode


class CompactionRows:
    """Implements `Compactions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_frame(self, frame_id: FrameId) -> Compaction | None:
        """Implements `Compactions.of_frame`."""
        row = await self._database.read(lambda connection: connection.one(_NEWEST, (frame_id,)))
        return None if row is None else _from(row)

    async def all_of(self, frame_id: FrameId) -> Sequence[Compaction]:
        """All of a frame, newest first; the first one holds."""
        return await self._database.read(lambda connection: compactions_of(connection, frame_id))

    async def add(self, compaction: Compaction, *, based_on: int) -> Compaction:
        """Implements `Compactions.add`."""
        made = msgspec.structs.replace(compaction, created_at=time.time())

        def work(connection: Connection) -> Compaction:
            newest = connection.one(_NEWEST, (compaction.frame_id,))
            if (newest[0] if newest else 0) != based_on:
                raise StaleOperation("This history was shortened in another way meanwhile; nothing was changed.")
            insert_compaction(connection, made)
            added = connection.one(_NEWEST, (compaction.frame_id,))
            assert added is not None, "it was written in this very transaction"
            return _from(added)

        return await self._database.run(work)

    async def ratios(self) -> Mapping[tuple[str, str], float]:
        """Implements `Compactions.ratios`."""
        rows = await self._database.read(lambda connection: connection.all(_RATIOS))
        return {(provider, model): float(ratio) for provider, model, ratio in rows}


def compactions_of(connection: Connection, frame_id: FrameId) -> list[Compaction]:
    """All of a frame, newest first."""
    sql = f"SELECT {_COLUMNS} FROM summaries WHERE frame_id = ? ORDER BY id DESC"
    return [_from(row) for row in connection.all(sql, (frame_id,))]


def insert_compaction(connection: Connection, compaction: Compaction) -> None:
    """Part of a transaction. The id is a new one."""
    connection.execute(
        "INSERT INTO summaries (frame_id, covers_to, shortened_to, content, carried, by, tokens_before, "
        "tokens_after, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            compaction.frame_id,
            compaction.covers_to,
            compaction.shortened_to,
            clean_text(compaction.content),
            to_json(compaction.carried),
            compaction.by.value,
            compaction.tokens_before,
            compaction.tokens_after,
            compaction.created_at,
        ),
    )


def _from(row: Row) -> Compaction:
    """A damaged part becomes an empty one: the rows themselves are all there."""
    try:
        carried = _decode(row[5])
    except DECODE_ERRORS:
        carried = Carried()
    return Compaction(
        id=row[0],
        frame_id=FrameId(row[1]),
        covers_to=MessageId(row[2]),
        shortened_to=MessageId(row[3]),
        content=row[4],
        carried=carried,
        by=CompactedBy.PERSON if row[6] == CompactedBy.PERSON.value else CompactedBy.MODEL,
        tokens_before=row[7],
        tokens_after=row[8],
        created_at=row[9],
    )
