"""What a turn prints: readable text, one JSON object at the end, or every event as a line."""

from __future__ import annotations

import sys
from typing import Any, Protocol

from placet.core.domain import events
from placet.core.domain.events import Envelope, to_json
from placet.core.domain.hidden import VisibleStream
from placet.core.domain.ids import SessionId
from placet.headless.session import complain, print_json
from placet.headless.terminal import one_line


class Output(Protocol):
    def write(self, envelope: Envelope) -> None: ...

    def finish(self) -> None:
        """The turn is over."""


def output_for(form: str, session_id: SessionId) -> Output:
    if form == "events":
        return EventLines()
    return OneObject(session_id) if form == "json" else ReadableText()


class EventLines:
    def write(self, envelope: Envelope) -> None:
        sys.stdout.write(to_json(envelope).decode() + "\n")
        sys.stdout.flush()
        _complain_of(envelope.event)

    def finish(self) -> None: ...


class ReadableText:
    """The answer on standard output, what was done on standard error."""

    def __init__(self) -> None:
        self._streamed = ""
        self._shown = VisibleStream()

    def write(self, envelope: Envelope) -> None:
        event = envelope.event
        if not (isinstance(event, events.TextDelta) and event.agent_call_id):  # that is for the agent that asked
            self._write(event)

    def _write(self, event: events.AnyEvent) -> None:
        match event:
            case events.TextDelta(text=text):
                sys.stdout.write(self._shown.feed(text))
                sys.stdout.flush()
                self._streamed += text
            case events.Done(content=content):
                self._end_line()
                if not content.strip():
                    complain("the model ended without saying anything.", 0)
            case events.Truncated():
                complain("the answer was cut off at the model's output limit.", 0)
            case other:
                if remark := _remark(other):
                    self._end_line()
                    sys.stderr.write(f"{remark}\n")
                _complain_of(other)

    def _end_line(self) -> None:
        sys.stdout.write(self._shown.flush())
        if self._streamed and not self._streamed.endswith("\n"):
            sys.stdout.write("\n")
            sys.stdout.flush()
        self._streamed = ""

    def finish(self) -> None:
        self._end_line()


class OneObject:
    def __init__(self, session_id: SessionId) -> None:
        self._streamed = ""
        self._result: dict[str, Any] = {
            "session_id": session_id,
            "message_id": None,
            "content": "",
            "input_tokens": 0,
            "output_tokens": 0,
            "cost": None,
            "changes": [],
            "rejected": [],
            "truncated": False,
            "error": None,
        }

    def write(self, envelope: Envelope) -> None:
        match envelope.event:
            case events.Done() as done:
                self._result |= {
                    "message_id": done.message_id,
                    "content": done.content,
                    "input_tokens": done.input_tokens,
                    "output_tokens": done.output_tokens,
                    "cost": done.cost,
                }
            case events.FileChanged() as changed:
                self._result["changes"].append({
                    "change_id": changed.change_id, "path": changed.path, "change": changed.change,
                    "added": changed.added, "removed": changed.removed,
                })  # fmt: skip
            case events.ToolRejected() as rejected:
                self._result["rejected"].append({
                    "tool_call_id": rejected.tool_call_id, "name": rejected.name, "note": rejected.note,
                })  # fmt: skip
            case events.TextDelta(text=text, agent_call_id=None):
                self._streamed += text
            case events.Thinking(agent_call_id=None) | events.RoundRestarted(agent_call_id=None):
                self._streamed = ""
            case events.Truncated():
                self._result["truncated"] = True
            case events.Error() as error:
                self._result["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
                self._result["content"] = self._result["content"] or self._streamed
                _complain_of(error)

    def finish(self) -> None:
        print_json(self._result)


def _remark(event: events.AnyEvent) -> str:
    """Return the line that says what was done; empty for what needs none."""
    match event:
        case events.AgentStart(agent_id=agent_id):
            return f"· {one_line(agent_id)} begins"
        case events.ToolStart(name=name, label=label):
            return f"· {one_line(name)} {one_line(label)}"
        case events.ToolError(error=error):
            return f"  {one_line(error)}"
        case events.ToolRejected(note=note):
            return f"  rejected: {one_line(note)}"
        case events.FileChanged(path=path, added=added, removed=removed, change_id=change_id):
            return f"  {one_line(path)} +{added} −{removed} (undo: placet revert {change_id})"
        case events.RoundRestarted(reason=reason):
            return f"· the text above is void, it begins anew: {one_line(reason)}"
        case events.ModelFallback(from_model=before, to_model=after, reason=reason):
            return f"· switched from {one_line(before)} to {one_line(after)}: {one_line(reason)}"
    return ""


def _complain_of(event: events.AnyEvent) -> None:
    if isinstance(event, events.Error):
        complain(f"{event.message} {event.hint}".strip(), 0)
