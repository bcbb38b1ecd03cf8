"""Everything the core tells the outside: immutable, typed, with one JSON form.

`resources/events.schema.json` is generated from these classes; a test holds both together. Fields are added,
never renamed: scripts read them.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from placet.core.domain.ids import CallId, ChangeId, MessageId, RequestId, SessionId


def _tag(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=_tag):
    """Base of all events. The JSON form carries the class name in snake case as `type`.

    `agent_call_id` is the call that started the sub-agent in whose frame this happened, None in the root frame.
    """

    agent_call_id: CallId | None = None


# ---- the turn ------------------------------------------------------------------------------------------------


class UserMessage(Event, frozen=True, kw_only=True):
    """A message of a person is stored. A window shows the bubble only now, never before.

    `content` is what the model gets; `typed` is what the person wrote where that is something else (a command).
    """

    message_id: MessageId
    content: str
    typed: str = ""
    attachments: tuple[str, ...] = ()


class TurnRunning(Event, frozen=True, kw_only=True):
    running: bool


class TextDelta(Event, frozen=True, kw_only=True):
    text: str


class ReasoningDelta(Event, frozen=True, kw_only=True):
    text: str


class ToolArgsDelta(Event, frozen=True, kw_only=True):
    index: int
    name: str
    text: str


class Thinking(Event, frozen=True, kw_only=True):
    """An answer with tool calls is stored; `content` is the text before the calls."""

    message_id: MessageId
    content: str


class RoundRestarted(Event, frozen=True, kw_only=True):
    """The text streamed since the round began is void; it will come anew."""

    reason: str


class Truncated(Event, frozen=True, kw_only=True):
    message_id: MessageId


class Done(Event, frozen=True, kw_only=True):
    """The turn ended with a final text."""

    message_id: MessageId
    content: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Error(Event, frozen=True, kw_only=True):
    """A turn, or something a person asked for, failed. `code` is stable, the rest is for reading.

    `draft` is text that could not be stored: the composer gets it back.
    """

    code: str
    message: str
    hint: str = ""
    detail: str = ""
    draft: str = ""


# ---- tool calls ----------------------------------------------------------------------------------------------


class ToolStart(Event, frozen=True, kw_only=True):
    """`arguments` are the model's own; `label` is short, `detail` complete."""

    tool_call_id: CallId
    message_id: MessageId
    name: str
    arguments: dict[str, Any]
    label: str
    detail: str


class ToolOutput(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    text: str


class ToolDone(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    name: str
    result: str
    facts: dict[str, Any] = {}
    duration_ms: float = 0.0


class ToolError(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    name: str
    error: str
    facts: dict[str, Any] = {}
    duration_ms: float = 0.0


class ToolCancelled(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    name: str
    note: str


class ToolRejected(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    name: str
    note: str
    by: str = "person"


class FileChanged(Event, frozen=True, kw_only=True):
    """`change` is created, modified, deleted or reverted."""

    path: str
    change: str
    change_id: ChangeId
    tool_call_id: CallId | None = None
    added: int = 0
    removed: int = 0
    conflict: str = ""


# ---- review --------------------------------------------------------------------------------------------------


class PendingWrite(Event, frozen=True, kw_only=True):
    """A file write waits. Contents are text for reading (a lossy decoding where the bytes are no text).

    `is_own` says that a person took up the proposal of that call, which had ended: no turn waits.
    """

    request_id: RequestId
    tool_call_id: CallId
    name: str
    path: str
    old_content: str
    new_content: str
    added: int = 0
    removed: int = 0
    is_new_file: bool = False
    because: str = ""
    reason: str = ""
    is_own: bool = False


class PendingCommand(Event, frozen=True, kw_only=True):
    request_id: RequestId
    tool_call_id: CallId
    name: str
    command: str
    workdir: str
    timeout_s: float
    facts: tuple[str, ...] = ()
    because: str = ""
    reason: str = ""


class ApprovalRequired(Event, frozen=True, kw_only=True):
    request_id: RequestId
    tool_call_id: CallId
    name: str
    arguments: dict[str, Any]
    because: str = ""
    reason: str = ""


class ApprovalResolved(Event, frozen=True, kw_only=True):
    """`decision` is approved, rejected or cancelled; for a question answered, rejected (left open) or cancelled.

    `note` is the reason, or the answer.
    """

    request_id: RequestId
    tool_call_id: CallId
    decision: str
    by: str = "person"
    note: str = ""
    is_amended: bool = False


class PreviewStale(Event, frozen=True, kw_only=True):
    """The file changed while its diff was shown. Nothing was written; a new request follows."""

    request_id: RequestId | None
    tool_call_id: CallId
    path: str


# ---- models --------------------------------------------------------------------------------------------------


class ModelFallback(Event, frozen=True, kw_only=True):
    from_model: str
    to_model: str
    reason: str


class LlmFailed(Event, frozen=True, kw_only=True):
    tried: tuple[str, ...]
    last_error: str
    fault: str = ""


class PrefixReset(Event, frozen=True, kw_only=True):
    reason: str


class CompactionStarted(Event, frozen=True, kw_only=True):
    focus: str = ""


class CompactionDone(Event, frozen=True, kw_only=True):
    """`problem` says why nothing, or only less, was done; empty where all went well."""

    tokens_before: int
    tokens_after: int
    summarised: bool = False
    problem: str = ""


# ---- agents, questions, plans --------------------------------------------------------------------------------


class AgentStart(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    agent_id: str
    depth: int
    prompt: str


class AgentDone(Event, frozen=True, kw_only=True):
    tool_call_id: CallId
    agent_id: str
    depth: int
    outcome: str


class AgentQuestion(Event, frozen=True, kw_only=True):
    """`name` is the tool whose call waits: the question's own, or one that the program itself asks about."""

    request_id: RequestId
    tool_call_id: CallId
    name: str = ""
    title: str
    question: str
    suggested_answers: tuple[str, ...] = ()


class Todos(Event, frozen=True, kw_only=True):
    items: tuple[dict[str, Any], ...]


class OpenFile(Event, frozen=True, kw_only=True):
    path: str


# ---- sessions and the bus ------------------------------------------------------------------------------------


class NewSession(Event, frozen=True, kw_only=True):
    session_id: SessionId
    previous: SessionId | None = None


class SessionChanged(Event, frozen=True, kw_only=True):
    """Title, model, mode, folder, counts or bypasses of a session changed; read it anew."""

    session_id: SessionId


class Notification(Event, frozen=True, kw_only=True):
    summary: str
    event_type: str = ""
    refs: tuple[str, ...] = ()


class BackgroundChanged(Event, frozen=True, kw_only=True):
    """Events, ticks or watched folders are different; read them anew."""


class Lagged(Event, frozen=True, kw_only=True):
    """A subscriber missed `missed` events and should reload what it shows from the store."""

    missed: int


AnyEvent = (
    UserMessage | TurnRunning | TextDelta | ReasoningDelta | ToolArgsDelta | Thinking | RoundRestarted | Truncated
    | Done | Error | ToolStart | ToolOutput | ToolDone | ToolError | ToolCancelled | ToolRejected | FileChanged
    | PendingWrite | PendingCommand | ApprovalRequired | ApprovalResolved | PreviewStale | ModelFallback | LlmFailed
    | PrefixReset | CompactionStarted | CompactionDone | AgentStart | AgentDone | AgentQuestion | Todos | OpenFile
    | NewSession | SessionChanged | Notification | BackgroundChanged | Lagged
)  # fmt: skip


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """An event on the bus. `seq` grows within a session (joined deltas carry the last one's); `session_id` is None for sessionless events."""

    source: str
    session_id: SessionId | None
    seq: int
    event: AnyEvent


def to_json(envelope: Envelope) -> bytes:
    """The one JSON form, a single line."""
    return msgspec.json.encode(envelope)


def from_json(line: bytes | str) -> Envelope:
    return msgspec.json.decode(line, type=Envelope)
