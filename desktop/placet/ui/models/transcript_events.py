"""Which event changes a conversation in which way. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from placet.core.domain import events
from placet.core.domain.tools import QUESTION_TOOL
from placet.ui.models import transcript_calls as calls
from placet.ui.models.transcript_conversation import Conversation
from placet.ui.models.transcript_rows import CallRow, CallState
from placet.ui.models.transcript_stored import TRUNCATED

STREAMED = (events.TextDelta, events.ReasoningDelta, events.ToolArgsDelta, events.ToolOutput)
"""Events that come many times a second and may wait for the next drawing."""


def tell(conversation: Conversation, event: events.AnyEvent) -> bool:
    """Apply `event`; False where a transcript does not care."""
    handler = _HANDLERS.get(type(event))
    if handler is not None:
        handler(conversation, event)
    return handler is not None


def _asked(to: Conversation, event: events.AgentQuestion) -> None:
    name = event.name or QUESTION_TOOL
    to.change_call(event.tool_call_id, name, lambda call: replace(call, state=CallState.WAITING))


def _waiting(to: Conversation, event: events.PendingWrite | events.PendingCommand | events.ApprovalRequired) -> None:
    def change(call: CallRow) -> CallRow:
        if call.state.is_final:
            return call  # a person took its proposal up again; what became of the call itself stays
        counts = (event.added, event.removed) if isinstance(event, events.PendingWrite) else call.counts
        return replace(call, state=CallState.WAITING, counts=counts)

    is_own = isinstance(event, events.PendingWrite) and event.is_own  # its call may not be loaded, and is never new
    to.change_call(event.tool_call_id, "" if is_own else event.name, change)


def _resolved(to: Conversation, event: events.ApprovalResolved) -> None:
    def change(call: CallRow) -> CallRow:
        return replace(call, state=CallState.RUNNING, detail="") if call.state is CallState.WAITING else call

    to.change_call(event.tool_call_id, "", change)


def _stale(to: Conversation, event: events.PreviewStale) -> None:
    def change(call: CallRow) -> CallRow:
        return call if call.state.is_final else replace(call, detail="changed since you looked")

    to.change_call(event.tool_call_id, "", change)


def _output(to: Conversation, event: events.ToolOutput) -> None:
    to.change_call(
        event.tool_call_id, "", lambda call: call if call.state.is_final else calls.with_output(call, event.text)
    )


def _done(to: Conversation, event: events.ToolDone) -> None:
    to.change_call(
        event.tool_call_id,
        event.name,
        lambda call: calls.ended(call, CallState.DONE, event.result, event.facts, event.duration_ms),
    )


def _failed(to: Conversation, event: events.ToolError) -> None:
    to.change_call(
        event.tool_call_id,
        event.name,
        lambda call: calls.ended(call, CallState.FAILED, event.error, event.facts, event.duration_ms),
    )


def _cancelled(to: Conversation, event: events.ToolCancelled) -> None:
    to.change_call(event.tool_call_id, event.name, lambda call: calls.ended(call, CallState.CANCELLED, event.note, {}))


def _rejected(to: Conversation, event: events.ToolRejected) -> None:
    to.change_call(event.tool_call_id, event.name, lambda call: calls.rejected(call, event))


def _file(to: Conversation, event: events.FileChanged) -> None:
    if event.tool_call_id is None:
        return

    def change(call: CallRow) -> CallRow:
        if event.change == "reverted":
            return replace(call, undone=True)
        is_taken_up = call.is_taken_up or call.state in (CallState.REJECTED, CallState.CANCELLED)
        return replace(
            call,
            change_id=event.change_id,
            counts=(event.added, event.removed),
            note=event.conflict or (call.note if is_taken_up else ""),
            is_taken_up=is_taken_up,
            undone=False,
        )

    to.change_call(event.tool_call_id, "", change)
    to.entries.find_changes()


def _shortened(event: events.CompactionDone) -> str:
    counts = f"{event.tokens_before:,} tokens became {event.tokens_after:,}"
    if event.tokens_after >= event.tokens_before:
        return f"The conversation was not shortened. {event.problem}".strip()
    what = "Earlier messages summarised" if event.summarised else "Long results of earlier calls left out for the model"
    return f"{what}: {counts}. {event.problem}".strip(". ") if event.problem else f"{what}: {counts}"


def _note_of(event: events.ModelFallback | events.CompactionDone | events.Truncated) -> str:
    match event:
        case events.ModelFallback():
            return f"Switched from {event.from_model} to {event.to_model}: {event.reason}"
        case events.CompactionDone():
            return _shortened(event)
        case events.Truncated():
            return TRUNCATED


_HANDLERS: Mapping[type[events.Event], Callable[[Conversation, Any], None]] = {
    events.UserMessage: Conversation.add_user,
    events.TextDelta: Conversation.add_text,
    events.ReasoningDelta: Conversation.add_reasoning,
    events.ToolArgsDelta: Conversation.add_arguments,
    events.Thinking: lambda to, event: to.store_answer(event.message_id, event.content, is_final=False),
    events.Done: lambda to, event: to.store_answer(event.message_id, event.content, is_final=True),
    events.RoundRestarted: lambda to, event: to.restart_round(),
    events.TurnRunning: lambda to, event: to.set_running(event.running),
    events.Error: Conversation.fail,
    events.LlmFailed: Conversation.fail,
    events.ToolStart: Conversation.start_call,
    events.ToolOutput: _output,
    events.ToolDone: _done,
    events.ToolError: _failed,
    events.ToolCancelled: _cancelled,
    events.ToolRejected: _rejected,
    events.FileChanged: _file,
    events.PendingWrite: _waiting,
    events.PendingCommand: _waiting,
    events.ApprovalRequired: _waiting,
    events.ApprovalResolved: _resolved,
    events.PreviewStale: _stale,
    events.AgentQuestion: _asked,
    events.ModelFallback: lambda to, event: to.add_note(_note_of(event)),
    events.CompactionStarted: lambda to, event: to.begin_note("Making room in the conversation…"),
    events.CompactionDone: lambda to, event: to.end_note(_note_of(event)),
}
