"""The rows of a session as the engine writes and reads them: the port `TurnStore`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, Frame, Message, Session, ToolCall, Usage
from placet.core.domain.model_calls import Answer, Binding
from placet.core.domain.review import Verdict
from placet.core.domain.text import clean_text
from placet.core.store import approvals, decisions, frames, turn_writes
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.records import (
    CALL_COLUMNS,
    MESSAGE_COLUMNS,
    message_by_id,
    messages_from,
    readable_calls,
    to_json,
)
from placet.core.store.session_values import session_by_id

_START_CALL = "UPDATE tool_calls SET status = 'running', started = ?, label = ?, decision = ? WHERE id = ?"


class TurnRows:
    """Implements `TurnStore`. Every method is one transaction, committed on return (`S-1`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def session(self, session_id: SessionId) -> Session:
        return await self._database.read(lambda connection: session_by_id(connection, session_id))

    async def root_frame(self, session_id: SessionId) -> Frame:
        found = await self._database.read(lambda connection: frames.root_frame(connection, session_id))
        if found is None:
            found = await self._database.run(lambda connection: frames.make_root_frame(connection, session_id))
        return found

    async def append_user(
        self,
        frame_id: FrameId,
        content: str,
        *,
        context_block: str = "",
        synthetic: bool = False,
        metadata: dict[str, Any] | None = None,
    ) -> Message:
        shown = clean_text(str((metadata or {}).get("typed") or content))
        block = clean_text(context_block)
        row = turn_writes.UserRow(
            frame_id, clean_text(content), block, synthetic, to_json(metadata or {}), shown, time.time()
        )

        def work(connection: Connection) -> Message:
            return _written(connection, turn_writes.append_user(connection, row))

        return await self._database.run(work)

    async def begin_answer(self, frame_id: FrameId, binding: Binding) -> MessageId:
        now = time.time()
        return await self._database.run(lambda c: turn_writes.begin_answer(c, frame_id, binding, now))

    async def save_partial(self, message_id: MessageId, text: str, reasoning: str) -> None:
        text, reasoning = clean_text(text), clean_text(reasoning)
        sql = (
            "UPDATE messages SET content = ?, reasoning = ?, revision = revision + 1 "
            "WHERE id = ? AND status = 'interrupted'"
        )
        await self._database.run(lambda connection: connection.execute(sql, (text, reasoning, message_id)))

    async def void_answer(self, message_id: MessageId) -> None:
        await self._database.run(lambda connection: turn_writes.void_answer(connection, message_id))

    async def finish_answer(
        self,
        message_id: MessageId,
        answer: Answer,
        calls: Sequence[ToolCall],
        *,
        cost: float | None,
        duration_s: float,
        ends_turn: bool,
    ) -> Message:
        now = time.time()

        def work(connection: Connection) -> Message:
            turn_writes.finish_answer(connection, message_id, answer, cost, duration_s, now)
            turn_writes.insert_calls(connection, message_id, calls, now)
            return _written(connection, message_id)

        return await self._database.run(work, durable=ends_turn)

    async def add_answer(
        self,
        frame_id: FrameId,
        binding: Binding,
        answer: Answer,
        calls: Sequence[ToolCall],
        *,
        cost: float | None,
        duration_s: float,
        ends_turn: bool,
    ) -> Message:
        now = time.time()

        def work(connection: Connection) -> Message:
            message_id = turn_writes.begin_answer(connection, frame_id, binding, now)
            turn_writes.finish_answer(connection, message_id, answer, cost, duration_s, now)
            turn_writes.insert_calls(connection, message_id, calls, now)
            return _written(connection, message_id)

        return await self._database.run(work, durable=ends_turn)

    async def count_call(
        self, session_id: SessionId, binding: Binding, usage: Usage | None, *, request_bytes: int, duration_s: float
    ) -> None:
        cost = binding.cost(usage) if usage is not None else None
        call = turn_writes.LedgerRow(
            session_id,
            None,
            binding.provider.name,
            binding.model.name,
            usage,
            cost,
            duration_s,
            time.time(),
            request_bytes,
        )
        await self._database.run(lambda connection: turn_writes.count_call(connection, call))

    async def start_call(self, call_id: CallId, *, label: str, decision: str, trail: Sequence[Verdict] = ()) -> None:
        values = (time.time(), clean_text(label), clean_text(decision), call_id)

        def work(connection: Connection) -> None:
            if connection.execute(_START_CALL, values).rowcount == 0:
                raise UnknownItem(f"There is no tool call {call_id}.")
            decisions.add(connection, call_id, trail)
            approvals.remove_decided(connection, call_id)

        await self._database.run(work)

    async def begin_sub_agent(
        self,
        call_id: CallId,
        agent: str,
        prompt: str,
        *,
        context_block: str,
        label: str,
        decision: str,
        trail: Sequence[Verdict] = (),
    ) -> Frame:
        now, prompt, block = time.time(), clean_text(prompt), clean_text(context_block)
        params = (now, clean_text(label), clean_text(decision), call_id)

        def work(connection: Connection) -> Frame:
            connection.execute(_START_CALL, params)
            decisions.add(connection, call_id, trail)
            approvals.remove_decided(connection, call_id)
            frame = frames.open_frame(connection, call_id, agent)
            turn_writes.append_user(connection, turn_writes.UserRow(frame.id, prompt, block, False, "{}", prompt, now))
            return frame

        return await self._database.run(work)

    async def end_call(
        self,
        call_id: CallId,
        status: CallStatus,
        result: str,
        *,
        facts: dict[str, Any],
        decision: str,
        label: str = "",
        ends_frame: FrameId | None = None,
        trail: Sequence[Verdict] = (),
    ) -> None:
        texts = (clean_text(decision), clean_text(label))
        values = (status.value, clean_text(result), to_json(facts), *texts, time.time(), call_id)

        def work(connection: Connection) -> None:
            turn_writes.end_call(connection, call_id, values)
            decisions.add(connection, call_id, trail)
            approvals.remove_decided(connection, call_id)
            if ends_frame is not None:
                frames.end_frame(connection, ends_frame)

        await self._database.run(work)

    async def active_frames(self, session_id: SessionId) -> Sequence[Frame]:
        return await self._database.read(lambda connection: frames.active_frames(connection, session_id))

    async def scratchpad(self, session_id: SessionId) -> dict[str, str]:
        return await self._database.read(lambda connection: frames.notes(connection, session_id))

    async def set_note(self, session_id: SessionId, key: str, value: str) -> None:
        key, value = clean_text(key), clean_text(value)
        await self._database.run(lambda connection: frames.set_note(connection, session_id, key, value))

    async def note_of(self, call_id: CallId) -> str:
        return await self._database.read(lambda connection: decisions.note_of(connection, call_id))

    async def call(self, call_id: CallId) -> ToolCall:
        """Raises: UnknownItem."""
        sql = f"SELECT {CALL_COLUMNS} FROM tool_calls WHERE id = ?"
        found = readable_calls(await self._database.read(lambda connection: connection.all(sql, (call_id,))))
        if not found:
            raise UnknownItem(f"There is no tool call {call_id}.")
        return found[0]

    async def unfinished_calls(self, frame_id: FrameId) -> Sequence[ToolCall]:
        sql = (
            f"SELECT {CALL_COLUMNS} FROM tool_calls "
            "WHERE frame_id = ? AND status IN ('running', 'pending') ORDER BY message_id, position"
        )
        return readable_calls(await self._database.read(lambda connection: connection.all(sql, (frame_id,))))

    async def fail_unanswered(self, frame_id: FrameId) -> Sequence[MessageId]:
        return await self._database.run(lambda connection: turn_writes.fail_unanswered(connection, frame_id))

    async def message(self, message_id: MessageId) -> Message | None:
        return await self._database.read(lambda connection: message_by_id(connection, message_id))

    async def last_said(self, frame_id: FrameId) -> Message | None:
        sql = (
            f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ? AND role = 'user' AND NOT synthetic "
            "ORDER BY id DESC LIMIT 1"
        )
        found = await self._database.read(lambda c: messages_from(c, c.all(sql, (frame_id,))))
        return found[0] if found else None

    async def last_message(self, frame_id: FrameId) -> Message | None:
        messages = await self.newest_messages(frame_id, None, 1)
        return messages[0] if messages else None

    async def messages_after(self, frame_id: FrameId, after: MessageId | None) -> Sequence[Message]:
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ? AND id > ? ORDER BY id"
        params = (frame_id, after or 0)
        return await self._database.read(lambda c: messages_from(c, c.all(sql, params)))

    async def newest_messages(self, frame_id: FrameId, before: MessageId | None, limit: int) -> Sequence[Message]:
        end = "" if before is None else "AND id < ?"
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ? {end} ORDER BY id DESC LIMIT ?"
        params = (frame_id, limit) if before is None else (frame_id, before, limit)
        return await self._database.read(lambda c: messages_from(c, c.all(sql, params)[::-1]))


def _written(connection: Connection, message_id: MessageId) -> Message:
    message = message_by_id(connection, message_id)
    assert message is not None, "the row was written in this very transaction"
    return message
