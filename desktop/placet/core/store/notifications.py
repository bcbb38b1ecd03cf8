"""Notifications: stored first, then delivered into a conversation exactly once (`H-10`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import msgspec

from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, ToolCall
from placet.core.domain.notifications import READ_NOTIFICATION, Notification
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.frames import make_root_frame
from placet.core.store.records import DECODE_ERRORS, to_json
from placet.core.store.turn_writes import insert_calls

_COLUMNS = "source, event_type, summary, event_time, refs"
_BATCH = 50  # more come with the next row

_decode_refs = msgspec.json.Decoder(tuple[str, ...]).decode


class NotificationRows:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, notification: Notification) -> None:
        now = time.time()
        await self._database.run(lambda connection: insert_notification(connection, notification, now))

    async def are_waiting(self) -> bool:
        """Whether any was not delivered yet."""
        sql = "SELECT 1 FROM notifications WHERE delivered IS NULL LIMIT 1"
        return await self._database.read(lambda connection: connection.one(sql)) is not None

    async def deliver(self, source: str, session_id: SessionId) -> int:
        """Put what waits into the session, as one finished call that no person sees; returns how many that were.

        None are put in a session that is not the source's active one any more, nor behind calls that are not
        finished: their turn has not ended. Row and mark are one transaction, so none is delivered twice.
        """
        now = time.time()
        return await self._database.run(lambda connection: _deliver(connection, source, session_id, now), durable=True)

    async def of_session(self, session_id: SessionId, limit: int) -> Sequence[Notification]:
        """The newest that were delivered into the session, oldest first."""
        sql = f"SELECT {_COLUMNS} FROM notifications WHERE session_id = ? ORDER BY id DESC LIMIT ?"
        return await self._database.read(lambda c: _from_rows(c.all(sql, (session_id, limit))[::-1]))


def insert_notification(connection: Connection, notification: Notification, now: float) -> None:
    """Part of a transaction: what is told is stored together with what it is told of."""
    values = (
        clean_text(notification.source),
        clean_text(notification.event_type),
        clean_text(notification.summary),
        notification.event_time,
        to_json(notification.refs),
        now,
    )
    connection.execute(f"INSERT INTO notifications ({_COLUMNS}, created) VALUES (?, ?, ?, ?, ?, ?)", values)


def as_result(notifications: Sequence[Notification]) -> str:
    """The JSON list that a model reads."""
    return to_json([_for_model(notification) for notification in notifications])


def _for_model(notification: Notification) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(notification)
    with suppress(ValueError, OverflowError, OSError):  # no time that a calendar has: the number says as much
        told["event_time"] = datetime.fromtimestamp(notification.event_time).astimezone().isoformat("T", "seconds")
    return told


def _deliver(connection: Connection, source: str, session_id: SessionId, now: float) -> int:
    if connection.one("SELECT 1 FROM sources WHERE name = ? AND session_id = ?", (source, session_id)) is None:
        return 0
    frame = make_root_frame(connection, session_id)
    if connection.one(
        "SELECT 1 FROM tool_calls WHERE frame_id = ? AND status IN ('running', 'pending') LIMIT 1", (frame.id,)
    ):
        return 0
    rows = connection.all(
        f"SELECT {_COLUMNS}, id FROM notifications WHERE delivered IS NULL ORDER BY id LIMIT {_BATCH}"
    )
    if not rows:
        return 0
    message_id = MessageId(
        connection.insert(
            "INSERT INTO messages (frame_id, session_id, role, synthetic, created) VALUES (?, ?, 'assistant', 1, ?)",
            (frame.id, session_id, now),
        )
    )
    call = ToolCall(
        id=CallId(0),
        message_id=message_id,
        provider_id=f"notification_{message_id}",
        name=READ_NOTIFICATION,
        status=CallStatus.DONE,
        result=as_result(_from_rows(rows)),
    )
    insert_calls(connection, message_id, [call], now)
    connection.execute("UPDATE sessions SET messages = messages + 1, last_activity = ? WHERE id = ?", (now, session_id))
    for row in rows:
        connection.execute(
            "UPDATE notifications SET delivered = ?, session_id = ? WHERE id = ?", (now, session_id, row[-1])
        )
    return len(rows)


def _from_rows(rows: Sequence[Row]) -> list[Notification]:
    return [
        Notification(source=row[0], event_type=row[1], summary=row[2], event_time=row[3], refs=_refs(row[4]))
        for row in rows
    ]


def _refs(text: str) -> tuple[str, ...]:
    try:
        return _decode_refs(text)
    except DECODE_ERRORS:
        return ()
