"""The statements behind `TurnRows`: each function is part of one transaction and keeps the session's counts true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId
from placet.core.domain.messages import ToolCall, Usage
from placet.core.domain.model_calls import Answer, Binding, Finish
from placet.core.domain.text import clean_text, first_line
from placet.core.store.connection import Connection
from placet.core.store.records import to_json
from placet.core.store.search_index import await_indexing, call_document, message_document

_SNIPPET_CHARS = 160
_TITLE_CHARS = 60


class UserRow(msgspec.Struct, frozen=True):
    """What is stored for a message of a person; texts are clean, `metadata` is JSON.

    `shown` is what a person sees of it, for title and snippet.
    """

    frame_id: FrameId
    content: str
    context_block: str
    synthetic: bool
    metadata: str
    shown: str
    created: float


def append_user(connection: Connection, row: UserRow) -> MessageId:
    session_id, depth = _place_of(connection, row.frame_id)
    _index_cut_answer(connection, row.frame_id)
    message_id = connection.insert(
        "INSERT INTO messages (frame_id, session_id, role, content, context_block, synthetic, metadata, created) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.frame_id,
            session_id,
            "agent" if depth else "user",
            row.content,
            row.context_block,
            row.synthetic,
            row.metadata,
            row.created,
        ),
    )
    await_indexing(connection, message_document(message_id))
    is_turn = depth == 0 and not row.synthetic
    if is_turn:
        _end_draft(connection, session_id, row)
    connection.execute(
        "UPDATE sessions SET messages = messages + 1, turns = turns + ?, last_activity = ?, "
        "snippet = CASE WHEN ? THEN ? ELSE snippet END, "
        "title = CASE WHEN ? AND title = '' AND NOT title_by_person THEN ? ELSE title END WHERE id = ?",
        (
            is_turn,
            row.created,
            is_turn,
            first_line(row.shown, _SNIPPET_CHARS),
            is_turn,
            first_line(row.shown, _TITLE_CHARS),
            session_id,
        ),
    )
    return MessageId(message_id)


def _end_draft(connection: Connection, session_id: SessionId, row: UserRow) -> None:
    """A queued text becomes history: it is a draft no more, in the same moment (`H-6`)."""
    connection.execute(
        "DELETE FROM drafts WHERE id = (SELECT id FROM drafts WHERE text = ? "
        "AND source IN (SELECT name FROM sources WHERE session_id = ?) ORDER BY position LIMIT 1)",
        (row.shown, session_id),
    )


def begin_answer(connection: Connection, frame_id: FrameId, binding: Binding, now: float) -> MessageId:
    session_id, _ = _place_of(connection, frame_id)
    _index_cut_answer(connection, frame_id)
    message_id = connection.insert(
        "INSERT INTO messages (frame_id, session_id, role, status, provider, model, created) "
        "VALUES (?, ?, 'assistant', 'interrupted', ?, ?, ?)",
        (frame_id, session_id, clean_text(binding.provider.name), clean_text(binding.model.name), now),
    )
    connection.execute("UPDATE sessions SET messages = messages + 1, last_activity = ? WHERE id = ?", (now, session_id))
    return MessageId(message_id)


def void_answer(connection: Connection, message_id: MessageId) -> None:
    """Delete an answer that never was one. It has no calls, is in no sum but the count of rows, and not in the search."""
    sql = "DELETE FROM messages WHERE id = ? AND role = 'assistant' AND status = 'interrupted' RETURNING session_id"
    for (session_id,) in connection.all(sql, (message_id,)):
        connection.execute("UPDATE sessions SET messages = messages - 1 WHERE id = ?", (session_id,))


def finish_answer(
    connection: Connection, message_id: MessageId, answer: Answer, cost: float | None, duration_s: float, now: float
) -> None:
    """Store the answer, add it to the ledger of model calls and to the session's sums. Raises: UnknownItem."""
    tokens = _tokens(answer.usage)
    text = clean_text(answer.text)
    found = connection.all(
        "UPDATE messages SET status = 'ok', content = ?, reasoning = ?, parts = ?, input_tokens = ?, "
        "output_tokens = ?, cached_tokens = ?, reasoning_tokens = ?, cost = ?, duration_s = ?, "
        "metadata = CASE WHEN ? THEN json_set(metadata, '$.truncated', json('true')) ELSE metadata END, "
        "revision = revision + 1 WHERE id = ? RETURNING session_id, provider, model, frame_id",
        (
            text,
            clean_text(answer.reasoning),
            clean_text(answer.parts),
            *tokens,
            cost,
            duration_s,
            answer.finish is Finish.LENGTH,
            message_id,
        ),
    )
    if not found:
        raise UnknownItem(f"There is no message {message_id}.")
    session_id, provider, model, frame_id = found[0]
    await_indexing(connection, message_document(message_id))
    row = (session_id, message_id, provider, model, answer.usage, cost, duration_s, now, answer.request_bytes)
    count_call(connection, LedgerRow(*row))
    _, depth = _place_of(connection, frame_id)
    snippet = first_line(text, _SNIPPET_CHARS) if depth == 0 else ""
    connection.execute(
        "UPDATE sessions SET last_activity = ?, snippet = CASE WHEN ? = '' THEN snippet ELSE ? END WHERE id = ?",
        (now, snippet, snippet, session_id),
    )


class LedgerRow(msgspec.Struct, frozen=True):
    """One model call. `message_id` is None where it gave no row of the conversation."""

    session_id: SessionId
    message_id: MessageId | None
    provider: str
    model: str
    usage: Usage | None
    cost: float | None
    duration_s: float
    created: float
    request_bytes: int


def count_call(connection: Connection, row: LedgerRow) -> None:
    """Add a call to the ledger and to the session's sums."""
    tokens = _tokens(row.usage)
    connection.execute(
        "INSERT INTO usage (session_id, message_id, provider, model, input_tokens, output_tokens, cached_tokens, "
        "reasoning_tokens, cost, duration_s, created, request_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.session_id,
            row.message_id,
            clean_text(row.provider),
            clean_text(row.model),
            *tokens,
            row.cost,
            row.duration_s,
            row.created,
            row.request_bytes,
        ),
    )
    connection.execute(
        "UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, "
        "cost = CASE WHEN ? IS NULL THEN cost ELSE coalesce(cost, 0) + ? END WHERE id = ?",
        (tokens[0] or 0, tokens[1] or 0, row.cost, row.cost, row.session_id),
    )


def _tokens(usage: Usage | None) -> tuple[int | None, ...]:
    if usage is None:
        return (None, None, None, None)
    return (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens)


def insert_calls(connection: Connection, message_id: MessageId, calls: Sequence[ToolCall], now: float) -> None:
    """Store an answer's calls. None has begun: `started` is set by `start_call` only (`T-5`)."""
    for position, call in enumerate(calls):
        connection.execute(
            "INSERT INTO tool_calls (message_id, frame_id, position, provider_id, name, arguments, status, result, "
            "label, facts, decision, created, ended) "
            "VALUES (?, (SELECT frame_id FROM messages WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                message_id,
                message_id,
                position,
                clean_text(call.provider_id),
                clean_text(call.name),
                clean_text(call.arguments),
                call.status.value,
                clean_text(call.result),
                clean_text(call.label),
                to_json(call.facts),
                clean_text(call.decision),
                now,
                now if call.status.is_final else None,
            ),
        )
        if call.status.is_final:
            await_indexing(connection, call_document(message_id, position))


def end_call(connection: Connection, call_id: CallId, values: Sequence[Any]) -> None:
    """`values`: status, result, facts, decision, label, ended, id. Empty texts keep those that are there."""
    found = connection.all(
        "UPDATE tool_calls SET status = ?, result = ?, facts = ?, "
        "decision = coalesce(nullif(?, ''), decision), label = coalesce(nullif(?, ''), label), ended = ? "
        "WHERE id = ? RETURNING message_id, position",
        values,
    )
    if not found:
        raise UnknownItem(f"There is no tool call {call_id}.")
    message_id, position = found[0]
    connection.execute("UPDATE messages SET revision = revision + 1 WHERE id = ?", (message_id,))
    await_indexing(connection, call_document(message_id, position))


def fail_unanswered(connection: Connection, frame_id: FrameId) -> list[MessageId]:
    rows = connection.all(
        "UPDATE messages SET status = 'failed', revision = revision + 1 "
        "WHERE frame_id = ? AND status = 'ok' AND role IN ('user', 'agent') AND id > coalesce("
        "(SELECT id FROM messages WHERE frame_id = ? AND role = 'assistant' ORDER BY id DESC LIMIT 1), 0) "
        "RETURNING id",
        (frame_id, frame_id),
    )
    return sorted(MessageId(row[0]) for row in rows)


def _place_of(connection: Connection, frame_id: FrameId) -> tuple[SessionId, int]:
    row = connection.one("SELECT session_id, depth FROM frames WHERE id = ?", (frame_id,))
    if row is None:
        raise UnknownItem(f"There is no frame {frame_id}.")
    return SessionId(row[0]), row[1]


def _index_cut_answer(connection: Connection, frame_id: FrameId) -> None:
    """An answer that was cut was never finished, so it was never given to the search; now it will not change."""
    row = connection.one(
        "SELECT id, role, status FROM messages WHERE frame_id = ? ORDER BY id DESC LIMIT 1", (frame_id,)
    )
    if row is not None and row[1:] == ("assistant", "interrupted"):
        await_indexing(connection, message_document(row[0]))
