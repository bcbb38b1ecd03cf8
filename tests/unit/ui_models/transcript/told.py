"""Builders: events of one session as the bus gives them, and rows as the store gives them."""

from __future__ import annotations

from typing import Any

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import CallId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import CallStatus, HistoryPage, Message, MessageStatus, Role, Session, ToolCall
from placet.ui.models.transcript import TranscriptModel

SESSION = SessionId("s1")


def envelope(event: AnyEvent, session: str = SESSION) -> Envelope:
    return Envelope(source="desktop", session_id=SessionId(session), seq=0, event=event)


def tell(model: TranscriptModel, *told: AnyEvent) -> None:
    for event in told:
        model.apply(envelope(event))
    model.flush()


def user(number: int, content: str = "hello", **more: Any) -> Message:
    return Message(id=MessageId(number), frame_id=FrameId(1), role=Role.USER, content=content, **more)


def answer(number: int, content: str = "", *calls: ToolCall, **more: Any) -> Message:
    return Message(id=MessageId(number), frame_id=FrameId(1), role=Role.ASSISTANT, content=content, calls=calls, **more)


def call(number: int, message: int, name: str = "read_file", **more: Any) -> ToolCall:
    known = {"label": "a.py", "status": CallStatus.DONE, "result": "text"} | more
    return ToolCall(id=CallId(number), message_id=MessageId(message), provider_id=f"c{number}", name=name, **known)


def page(*messages: Message, has_older: bool = False, interrupted: bool = False) -> HistoryPage:
    return HistoryPage(session=Session(id=SESSION, interrupted=interrupted), messages=messages, has_older=has_older)


def started(number: int, message: int, name: str = "read_file", label: str = "a.py", **arguments: Any) -> AnyEvent:
    return events.ToolStart(
        tool_call_id=CallId(number), message_id=MessageId(message), name=name, arguments=arguments, label=label,
        detail=label,
    )  # fmt: skip


def waiting(number: int, name: str = "edit_file", added: int = 2, removed: int = 1) -> AnyEvent:
    return events.PendingWrite(
        request_id=RequestId("r1"), tool_call_id=CallId(number), name=name, path="a.py", old_content="",
        new_content="", added=added, removed=removed,
    )  # fmt: skip


def done(number: int, name: str = "read_file", result: str = "text", **facts: Any) -> AnyEvent:
    return events.ToolDone(tool_call_id=CallId(number), name=name, result=result, facts=facts, duration_ms=3)


def said(number: int, content: str) -> AnyEvent:
    return events.UserMessage(message_id=MessageId(number), content=content)


def finished(number: int, content: str) -> AnyEvent:
    return events.Done(message_id=MessageId(number), content=content)


CUT = MessageStatus.INTERRUPTED
FAILED = MessageStatus.FAILED
