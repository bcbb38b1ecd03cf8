"""Stores for tests and benchmarks: a binding, a session with its frame, long histories made at once."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.core.domain.ids import CallId, FrameId, MessageId, new_request_id, new_session_id
from placet.core.domain.messages import Frame, Message, Session, ToolCall, Usage
from placet.core.domain.model_calls import Answer, Binding, Dialect, Model, Provider
from placet.core.domain.review import PendingRequest, RequestKind
from placet.core.store.connection import Connection
from placet.core.store.store import Store, open_store

BINDING = Binding(
    provider=Provider(name="demo", type=Dialect.DEMO),
    model=Model(name="small", provider="demo", model_id="demo-1"),
)

_WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "water",
    "boils",
    "and",
    "nobody",
    "reads",
    "this",
    "configuration",
    "file",
    "because",
    "tests",
    "were",
    "green",
    "before",
    "lunch",
    "though",
    "parser",
    "errors",
    "remain",
    "in",
    "module",
    "streams",
    "under",
    "heavy",
    "load",
    "tonight",
]


@dataclass(frozen=True)
class OpenStore:
    """A store that holds one session with its root frame."""

    store: Store
    session: Session
    frame: Frame


@asynccontextmanager
async def opened_store(home: Path, messages: int = 0, *, busy_timeout_s: float = 5.0) -> AsyncIterator[OpenStore]:
    """A store in `home` with a session of that many messages, closed at the end."""
    store = open_store(home, busy_timeout_s=busy_timeout_s)
    try:
        session = await new_session(store)
        frame = await store.turns.root_frame(session.id)
        if messages:
            await fill(store, frame.id, messages)
        yield OpenStore(store, session, frame)
    finally:
        await store.aclose()


async def new_session(store: Store, *, source: str = "desktop", title: str = "", at: float | None = None) -> Session:
    return await store.sessions.create(
        Session(id=new_session_id(), source=source, title=title, created_at=time.time() if at is None else at)
    )


def generated_text(index: int) -> str:
    """About 400 characters; each text has one word of its own, `mark<index>`, and common ones."""
    words = [_WORDS[(index * 7 + place * place) % len(_WORDS)] for place in range(68)]
    return f"mark{index} " + " ".join(words)


async def fill(store: Store, frame_id: FrameId, messages: int) -> None:
    """Append a long history in one transaction: question and answer by turns, every eighth answer with a read."""

    def work(connection: Connection) -> None:
        session_id = connection.all("SELECT session_id FROM frames WHERE id = ?", (frame_id,))[0][0]
        first = connection.all("SELECT coalesce(max(id), 0) + 1 FROM messages")[0][0]
        connection.execute(_INSERT_MESSAGES, (messages, frame_id, session_id))
        texts = [(generated_text(index), first + index) for index in range(messages)]
        for pair in texts:
            connection.execute("UPDATE messages SET content = ? WHERE id = ?", pair)
        connection.execute(_INSERT_CALLS, (frame_id, first))
        connection.execute("INSERT INTO search_waiting SELECT id * 1024 FROM messages WHERE id >= ?", (first,))
        connection.execute(
            "UPDATE sessions SET messages = messages + ?, turns = turns + ? WHERE id = ?",
            (messages, messages // 2, session_id),
        )

    await store.database.run(work)


_INSERT_MESSAGES = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
INSERT INTO messages (frame_id, session_id, role, provider, model, input_tokens, output_tokens, cached_tokens,
                      reasoning_tokens, created)
SELECT ?, ?, iif(i % 2, 'assistant', 'user'), iif(i % 2, 'demo', ''), iif(i % 2, 'small', ''),
       iif(i % 2, 1000, NULL), iif(i % 2, 100, NULL), iif(i % 2, 900, NULL), iif(i % 2, 0, NULL), 1000000.0 + i
FROM n
"""
_INSERT_CALLS = """
INSERT INTO tool_calls (message_id, frame_id, position, provider_id, name, arguments, status, result, created,
                        started, ended)
SELECT id, frame_id, 0, 'call_' || id, 'read_file', '{"path":"src/file' || id || '.py"}', 'done',
       substr(content, 1, 200), created, created, created
FROM messages WHERE frame_id = ? AND id >= ? AND role = 'assistant' AND id % 16 = 0
"""


def call(name: str = "read_file", arguments: str = "{}", provider_id: str = "call_1") -> ToolCall:
    """A call as an answer brings it; the store gives it its ids."""
    return ToolCall(id=CallId(0), message_id=MessageId(0), provider_id=provider_id, name=name, arguments=arguments)


async def answer(
    store: Store,
    frame_id: FrameId,
    text: str,
    *calls: ToolCall,
    usage: Usage | None = None,
    cost: float | None = None,
) -> Message:
    """Begin and finish one answer."""
    message_id = await store.turns.begin_answer(frame_id, BINDING)
    return await store.turns.finish_answer(
        message_id, Answer(text=text, usage=usage), calls, cost=cost, duration_s=0.5, ends_turn=not calls
    )


def request(opened: OpenStore, call_id: CallId, *, label: str = "Run it", at: float = 1.0) -> PendingRequest:
    """A request that waits for a person, of the opened session."""
    return PendingRequest(
        id=new_request_id(),
        session_id=opened.session.id,
        call_id=call_id,
        kind=RequestKind.COMMAND,
        tool="execute_cmd",
        label=label,
        detail="ls",
        because="rule 1",
        facts=("uses sudo",),
        created_at=at,
    )
