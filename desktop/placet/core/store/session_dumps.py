"""Whole sessions out of the database and into it: for export, import and forks."""

from __future__ import annotations

import msgspec

from placet.core.domain.archive import Decided, SessionDump
from placet.core.domain.compaction import NO_ROW, Compaction
from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId
from placet.core.domain.messages import Frame, Message, Session
from placet.core.domain.text import clean_text
from placet.core.store import decisions, frames
from placet.core.store.changes import COLUMNS as CHANGE_COLUMNS
from placet.core.store.changes import change_from
from placet.core.store.compactions import compactions_of, insert_compaction
from placet.core.store.connection import Connection
from placet.core.store.database import Database
from placet.core.store.records import MESSAGE_COLUMNS, messages_from, to_json
from placet.core.store.search_index import await_indexing, call_document, message_document
from placet.core.store.session_values import session_by_id
from placet.core.store.turn_writes import insert_calls

_CALL_TIMES = "UPDATE tool_calls SET created = ?, started = ?, ended = ? WHERE id = ?"


class SessionDumps:
    """Reads beside the writer; writes a session in one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, session_id: SessionId) -> SessionDump:
        """Raises: UnknownItem."""
        return await self._database.look(lambda connection: _read(connection, session_id))

    async def write(self, dump: SessionDump, *, origin: str = "", forked_from: str = "") -> Session:
        """Store the session of a dump under the id that it has there, which must be free; all other ids are new.

        Changes of files are not taken over: the journal is of what was written here.
        """
        return await self._database.run(lambda connection: _write(connection, dump, origin, forked_from))

    async def from_origin(self, origin: str) -> SessionId | None:
        """The session that was imported from there before and still is."""
        sql = "SELECT id FROM sessions WHERE origin = ? AND deleted IS NULL LIMIT 1"
        row = await self._database.read(lambda connection: connection.one(sql, (origin,)))
        return None if row is None else SessionId(row[0])


def _read(connection: Connection, session_id: SessionId) -> SessionDump:
    session = session_by_id(connection, session_id)
    found = frames.of_session(connection, session_id)
    messages: list[Message] = []
    for frame in found:
        sql = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE frame_id = ? ORDER BY id"
        messages += messages_from(connection, connection.all(sql, (frame.id,)))
    changes = connection.all(
        f"SELECT {CHANGE_COLUMNS} FROM file_changes f JOIN sessions s ON s.id = f.session_id "
        "WHERE f.session_id = ? ORDER BY f.id",
        (session_id,),
    )
    return SessionDump(
        session=session,
        frames=tuple(found),
        messages=tuple(sorted(messages, key=lambda message: message.id)),
        decisions=tuple(Decided(*entry) for entry in decisions.of_session(connection, session_id)),
        summaries=tuple(each for frame in found for each in reversed(compactions_of(connection, frame.id))),
        notes=frames.notes(connection, session_id),
        changes=tuple(map(change_from, changes)),
    )


def _write(connection: Connection, dump: SessionDump, origin: str, forked_from: str) -> Session:
    session = dump.session
    connection.execute(
        "INSERT INTO sessions (id, title, title_by_person, source, agent, interactive, ephemeral, run_context, model, "
        "created, last_activity, messages, turns, snippet, input_tokens, output_tokens, cost, origin, forked_from) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.id,
            clean_text(session.title),
            bool(session.title),
            clean_text(session.source),
            clean_text(session.agent),
            session.interactive,
            session.ephemeral,
            to_json(session.context),
            clean_text(session.model),
            session.created_at,
            session.last_activity,
            len(dump.messages),
            session.turns,
            clean_text(session.snippet),
            session.input_tokens,
            session.output_tokens,
            session.cost,
            clean_text(origin),
            clean_text(forked_from),
        ),
    )
    _Writing(connection, dump).rows()
    for key, value in dump.notes.items():
        frames.set_note(connection, session.id, clean_text(key), clean_text(value))
    return session_by_id(connection, session.id)


class _Writing:
    """The rows of one dump under new ids. A frame is opened behind the call that started it."""

    def __init__(self, connection: Connection, dump: SessionDump) -> None:
        self._connection, self._dump = connection, dump
        self._frames: dict[FrameId, FrameId] = {}
        self._messages: dict[MessageId, MessageId] = {NO_ROW: NO_ROW}
        self._calls: dict[CallId, CallId] = {}

    def rows(self) -> None:
        waiting = {frame.parent_call: frame for frame in self._dump.frames}
        if root := self._dump.root():
            self._open(root)
        for message in self._dump.messages:
            if message.frame_id not in self._frames:
                raise UnknownItem(f"Message {message.id} is in a frame that nothing started.")
            self._append(message)
            for call in message.calls:
                if (frame := waiting.get(call.id)) is not None:
                    self._open(frame)
        for entry in self._dump.decisions:
            if (call_id := self._calls.get(entry.call_id)) is not None:
                decisions.add(self._connection, call_id, [entry.verdict])
        for summary in self._dump.summaries:
            if summary.frame_id in self._frames:
                insert_compaction(self._connection, self._placed(summary))

    def _open(self, frame: Frame) -> None:
        parent = self._calls.get(frame.parent_call) if frame.parent_call is not None else None
        made = self._connection.insert(
            "INSERT INTO frames (session_id, agent, depth, parent_call, terminated) VALUES (?, ?, ?, ?, ?)",
            (self._dump.session.id, clean_text(frame.agent), frame.depth, parent, frame.terminated),
        )
        self._frames[frame.id] = FrameId(made)

    def _append(self, message: Message) -> None:
        usage = message.usage
        tokens = (
            (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens, usage.cost)
            if usage is not None
            else (None,) * 5
        )
        texts = (message.reasoning, message.context_block, message.parts, message.provider, message.model)
        made = self._connection.insert(
            "INSERT INTO messages (frame_id, session_id, role, content, status, synthetic, reasoning, context_block, "
            "parts, provider, model, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost, duration_s, "
            "metadata, created, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._frames[message.frame_id],
                self._dump.session.id,
                message.role.value,
                clean_text(message.content),
                message.status.value,
                message.synthetic,
                *map(clean_text, texts),
                *tokens,
                message.duration_s,
                to_json(message.metadata),
                message.created_at,
                message.revision,
            ),
        )
        message_id = self._messages[message.id] = MessageId(made)
        await_indexing(self._connection, message_document(message_id))
        insert_calls(self._connection, message_id, message.calls, message.created_at)
        rows = self._connection.all("SELECT id FROM tool_calls WHERE message_id = ? ORDER BY position", (message_id,))
        for position, (call, (call_id,)) in enumerate(zip(message.calls, rows, strict=True)):
            self._calls[call.id] = CallId(call_id)
            times = (call.created_at, call.started_at, call.ended_at, call_id)
            self._connection.execute(_CALL_TIMES, times)
            await_indexing(self._connection, call_document(message_id, position))

    def _placed(self, summary: Compaction) -> Compaction:
        return msgspec.structs.replace(
            summary,
            frame_id=self._frames[summary.frame_id],
            covers_to=self._messages.get(summary.covers_to, NO_ROW),
            shortened_to=self._messages.get(summary.shortened_to, NO_ROW),
        )
