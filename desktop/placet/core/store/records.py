"""Rows of messages and tool calls as domain values, and back.

A damaged row becomes a message that is marked unreadable; it hides no other and is never deleted (`S-7`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from placet.core.domain.ids import FrameId, MessageId
from placet.core.domain.messages import Message, MessageStatus, Role, ToolCall, Usage
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection, Row

DECODE_ERRORS = (msgspec.MsgspecError, ValueError, TypeError)

MESSAGE_COLUMNS = (
    "id, frame_id, role, content, status, synthetic, reasoning, context_block, parts, provider, model, "
    "input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost, duration_s, metadata, created, revision"
)
CALL_COLUMNS = (
    "id, message_id, provider_id, name, arguments, status, result, label, facts, decision, created, started, ended"
)

_decode_object = msgspec.json.Decoder(dict[str, Any]).decode
_decode_raw = msgspec.json.Decoder(msgspec.Raw).decode
_encode = msgspec.json.Encoder().encode


def clean_value(value: Any) -> Any:
    """Clean every text inside a JSON value, so that it can be encoded."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_value(key): clean_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_value(item) for item in value]
    return value


def to_json(value: Any) -> str:
    """The JSON text of a value or struct, with its texts cleaned."""
    try:
        return _encode(value).decode()
    except UnicodeEncodeError:
        return _encode(clean_value(msgspec.to_builtins(value))).decode()


def object_from(text: str) -> dict[str, Any]:
    return {} if text == "{}" else _decode_object(text)


def _check_json(text: str) -> None:
    """Raises: one of `DECODE_ERRORS` for text that is no JSON."""
    try:
        _decode_raw(text)
    except msgspec.DecodeError:
        json.loads(text)  # slower, and takes the lone surrogates that models escape


def call_from(row: Row) -> ToolCall:
    """Raises: one of `DECODE_ERRORS` for a damaged row."""
    call = msgspec.convert(
        {
            "id": row[0],
            "message_id": row[1],
            "provider_id": row[2],
            "name": row[3],
            "arguments": row[4],
            "status": row[5],
            "result": row[6],
            "label": row[7],
            "facts": object_from(row[8]),
            "decision": row[9],
            "created_at": row[10],
            "started_at": row[11],
            "ended_at": row[12],
        },
        ToolCall,
    )
    _check_json(call.arguments)
    return call


def readable_calls(rows: Iterable[Row]) -> list[ToolCall]:
    """The calls of those rows that are not damaged."""
    calls = []
    for row in rows:
        try:
            calls.append(call_from(row))
        except DECODE_ERRORS:
            continue
    return calls


def messages_from(connection: Connection, rows: Sequence[Row]) -> tuple[Message, ...]:
    """Messages in the order of `rows` (which must share a frame or be few), each with its calls."""
    calls = _calls_of(connection, rows)
    return tuple(_message_from(row, calls.get(row[0], ())) for row in rows)


def message_by_id(connection: Connection, message_id: MessageId) -> Message | None:
    rows = connection.all(f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE id = ?", (message_id,))
    return messages_from(connection, rows)[0] if rows else None


def _calls_of(connection: Connection, rows: Sequence[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    answers = [row for row in rows if row[2] == Role.ASSISTANT]
    for frame_id in {row[1] for row in answers}:
        ids = [row[0] for row in answers if row[1] == frame_id]
        sql = f"SELECT {CALL_COLUMNS} FROM tool_calls WHERE frame_id = ? AND message_id BETWEEN ? AND ? ORDER BY id"
        for call in connection.all(sql, (frame_id, min(ids), max(ids))):
            found.setdefault(call[1], []).append(call)
    return found


def _message_from(row: Row, calls: Sequence[Row]) -> Message:
    try:
        return _read_message(row, calls)
    except DECODE_ERRORS:
        role = Role(row[2]) if row[2] in set(Role) else Role.USER
        content = row[3] if isinstance(row[3], str) else ""
        created_at = row[18] if isinstance(row[18], float) else 0.0
        return Message(
            id=MessageId(row[0]),
            frame_id=FrameId(row[1]),
            role=role,
            content=content,
            created_at=created_at,
            unreadable=True,
            revision=row[19],
        )


def _read_message(row: Row, calls: Sequence[Row]) -> Message:
    if row[8]:
        _check_json(row[8])
    usage = None
    if row[11] is not None:
        usage = Usage(
            input_tokens=row[11],
            output_tokens=row[12],
            cached_tokens=row[13],
            reasoning_tokens=row[14],
            cost=row[15],
        )
    return Message(
        id=row[0],
        frame_id=row[1],
        role=Role(row[2]),
        content=_text(row[3]),
        status=MessageStatus(row[4]),
        synthetic=bool(row[5]),
        reasoning=_text(row[6]),
        context_block=_text(row[7]),
        parts=row[8],
        provider=row[9],
        model=row[10],
        usage=usage,
        duration_s=row[16],
        metadata=object_from(row[17]),
        created_at=row[18],
        calls=tuple([call_from(call) for call in calls]),
        revision=row[19],
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text column holds something else")
    return value
