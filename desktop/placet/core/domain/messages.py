"""Rows of a conversation as values: sessions, frames, messages, tool calls."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from placet.core.domain.ids import CallId, FrameId, MessageId, SessionId


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    AGENT = "agent"  # a sub-agent's prompt; sent as `user`


class MessageStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"  # never sent again, shown with Retry
    INTERRUPTED = "interrupted"  # an answer cut by a stop or a crash


class CallStatus(StrEnum):
    RUNNING = "running"
    PENDING = "pending"  # waits for a person
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REJECTED = "rejected"

    @property
    def is_final(self) -> bool:
        return self not in (CallStatus.RUNNING, CallStatus.PENDING)


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call a model asked for. `arguments` is always the JSON text of one object.

    `facts` are small values for display (exit code, lines, counts, change id), never needed by the model.
    `decision` tells who let it pass or refused it, in words. `started_at` empty means: not begun.
    """

    id: CallId
    message_id: MessageId
    provider_id: str
    name: str
    arguments: str = "{}"
    status: CallStatus = CallStatus.RUNNING
    result: str = ""
    label: str = ""
    facts: dict[str, Any] = {}
    decision: str = ""
    created_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens of one model call as its provider reported them. `input_tokens` includes the cached ones."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a frame's history, with its tool calls in order.

    `content` is the clean text. `context_block` is what was appended for the model when the row was made; it
    is sent unchanged ever after. `parts` holds the provider's own blocks verbatim (signed reasoning and the
    like) as JSON text; they go back to `provider` only.
    """

    id: MessageId
    frame_id: FrameId
    role: Role
    content: str = ""
    status: MessageStatus = MessageStatus.OK
    synthetic: bool = False
    reasoning: str = ""
    context_block: str = ""
    parts: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage | None = None
    duration_s: float | None = None
    metadata: dict[str, Any] = {}
    created_at: float = 0.0
    calls: tuple[ToolCall, ...] = ()
    unreadable: bool = False
    revision: int = 0  # grows whenever the row or a result of its calls changes

    @property
    def typed(self) -> str:
        """What a person typed where `content` is something else, made of a command. Empty where it is the same."""
        typed = self.metadata.get("typed", "")
        return typed if isinstance(typed, str) else ""


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's call inside a session; depth 0 is the root."""

    id: FrameId
    session_id: SessionId
    agent: str
    depth: int = 0
    parent_call: CallId | None = None
    terminated: bool = False


class Mode(StrEnum):
    """The dial of a session: how much a person wants to be asked."""

    ASK = "ask"
    ASK_ALL = "ask_all"
    EDITS = "edits"
    AUTO = "auto"


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """A session's permissions and place. Paths are absolute.

    `max_rounds` is the session's own limit for a turn (0: none); None leaves it to the program's settings.
    """

    workdir: str = ""
    group: str = "default"
    mode: Mode = Mode.ASK
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    extra_prompt: str = ""
    auto_deny: bool = False
    max_rounds: int | None = None


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A persistent conversation. Counts are of its rows; `cost` is None where no call had a price."""

    id: SessionId
    title: str = ""
    source: str = "desktop"
    agent: str = "assistant"
    interactive: bool = True
    ephemeral: bool = False
    context: RunContext = RunContext()
    model: str = ""
    created_at: float = 0.0
    last_activity: float = 0.0
    messages: int = 0
    turns: int = 0
    snippet: str = ""
    waiting: int = 0
    interrupted: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    pinned: bool = False
    archived: bool = False
    forked_from: str = ""


class HistoryPage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of one session's rows, oldest first. `has_older` says whether rows precede it."""

    session: Session
    messages: tuple[Message, ...]
    has_older: bool = False


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """`marks` are (start, end) offsets of the matches in `snippet`."""

    session_id: SessionId
    message_id: MessageId
    kind: str
    snippet: str
    created_at: float
    title: str = ""
    marks: tuple[tuple[int, int], ...] = ()
