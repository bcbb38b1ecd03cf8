"""Builders of stored rows, for tests of what is made from them."""

from __future__ import annotations

from typing import Any

from placet.core.domain.ids import CallId, FrameId, MessageId
from placet.core.domain.messages import CallStatus, Message, MessageStatus, Role, ToolCall

FRAME = FrameId(1)


def user(row: int, text: str, **values: Any) -> Message:
    return Message(id=MessageId(row), frame_id=FRAME, role=Role.USER, content=text, **values)


def answer(row: int, text: str = "", *calls: ToolCall, **values: Any) -> Message:
    owned = tuple(call for call in calls)
    return Message(id=MessageId(row), frame_id=FRAME, role=Role.ASSISTANT, content=text, calls=owned, **values)


def interrupted(row: int, text: str, *calls: ToolCall) -> Message:
    return answer(row, text, *calls, status=MessageStatus.INTERRUPTED)


def call(row: int, provider_id: str, name: str = "read_file", **values: Any) -> ToolCall:
    values.setdefault("status", CallStatus.DONE)
    values.setdefault("result", "ok")
    return ToolCall(id=CallId(row), message_id=MessageId(0), provider_id=provider_id, name=name, **values)
