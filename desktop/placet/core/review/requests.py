"""How a call is put to a person: the stored request, and the event that announces it, by kind."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from placet.core.domain.events import AgentQuestion, AnyEvent, ApprovalRequired, PendingCommand, PendingWrite
from placet.core.domain.ids import new_request_id
from placet.core.domain.review import CallRef, PendingRequest, Proposal, RequestKind, Verdict
from placet.core.domain.tools import Command, Operation, Question
from placet.core.review.decoding import read_content
from placet.core.review.facts import command_facts

_MOST_SHOWN = 4_000_000  # bytes of a content that an event carries


def request_for(
    call: CallRef, operation: Operation, verdict: Verdict, proposal: Proposal | None, *, stale: bool
) -> PendingRequest:
    """Return the request. Reads the whole command for its facts: meant for a worker thread."""
    request = PendingRequest(
        id=new_request_id(),
        session_id=call.session_id,
        call_id=call.call_id,
        kind=RequestKind.OTHER,
        tool=call.name,
        label=operation.label,
        detail=operation.detail,
        because=verdict.because,
        reason=call.reason,
        category=operation.category.value,
        server=operation.server,
        path=str(operation.path or ""),
        created_at=time.time(),
        stale=stale,
        binding=binding_of(operation, proposal),
        **_asker(call),
    )
    if proposal is not None:
        return _with(
            request,
            kind=RequestKind.WRITE,
            path=str(proposal.path),
            added=proposal.added,
            removed=proposal.removed,
            is_new_file=proposal.old is None,
            facts=(proposal.notice,) if proposal.notice else (),
        )
    if isinstance(operation, Command):
        return _with(
            request,
            kind=RequestKind.COMMAND,
            workdir=str(operation.workdir),
            timeout_s=operation.timeout_s,
            facts=facts_of(operation),
        )
    return request


def facts_of(operation: Command) -> tuple[str, ...]:
    """What is unusual about a command, each once. Reads all of it: meant for a worker thread."""
    return tuple(dict.fromkeys((*operation.facts, *command_facts(operation.command, operation.workdir))))


def question_request(call: CallRef, question: Question) -> PendingRequest:
    said = json.dumps([question.title, question.question, question.suggested_answers])
    return PendingRequest(
        id=new_request_id(),
        session_id=call.session_id,
        call_id=call.call_id,
        kind=RequestKind.QUESTION,
        tool=call.name,
        label=question.title,
        detail=question.question,
        because="a question",
        reason=call.reason,
        created_at=time.time(),
        binding=hashlib.sha256(said.encode()).hexdigest(),
        suggested_answers=question.suggested_answers,
        **_asker(call),
    )


def question_event(request: PendingRequest, question: Question) -> AgentQuestion:
    return AgentQuestion(
        request_id=request.id,
        tool_call_id=request.call_id,
        name=request.tool,
        title=question.title,
        question=question.question,
        suggested_answers=question.suggested_answers,
    )


def announcement_of(
    request: PendingRequest, call: CallRef, operation: Operation, proposal: Proposal | None
) -> AnyEvent:
    """Return `pending_write`, `pending_command` or `approval_required`."""
    common: dict[str, Any] = {
        "request_id": request.id,
        "tool_call_id": call.call_id,
        "name": call.name,
        "because": request.because,
        "reason": request.reason,
    }
    if proposal is not None:
        return PendingWrite(
            path=str(proposal.path),
            old_content=_readable(proposal.old),
            new_content=_readable(proposal.new),
            added=proposal.added,
            removed=proposal.removed,
            is_new_file=proposal.old is None,
            is_own=request.is_own,
            **common,
        )
    if isinstance(operation, Command):
        return PendingCommand(
            command=operation.command,
            workdir=request.workdir,
            timeout_s=operation.timeout_s,
            facts=request.facts,
            **common,
        )
    return ApprovalRequired(arguments=_arguments(call), **common)


def _with(request: PendingRequest, **fields: Any) -> PendingRequest:
    import msgspec

    return msgspec.structs.replace(request, **fields)


def _asker(call: CallRef) -> dict[str, Any]:
    agent = call.agent if call.agent_call_id is not None else ""
    return {"source": call.source, "agent": agent, "agent_call_id": call.agent_call_id}


def binding_of(operation: Operation, proposal: Proposal | None) -> str:
    """The digest of what would happen: the place and both contents, the command and where it runs, the call's text."""
    if proposal is not None:
        return write_binding(proposal.path, proposal.old_digest, proposal.new_digest)
    if isinstance(operation, Command):
        said = f"{operation.workdir}\0{operation.command}\0{operation.timeout_s}"
    else:
        said = f"{operation.tool}\0{operation.path}\0{operation.detail}"
    return _digest(said)


def write_binding(path: Path, old_digest: str, new_digest: str) -> str:
    """The digest of a write: the place and both contents."""
    return _digest(f"{path}\0{old_digest}\0{new_digest}")


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _readable(content: bytes | None) -> str:
    """Text for reading; what is no text, or very long, is cut and says so."""
    if content is None:
        return ""
    if read_content(content[:_MOST_SHOWN]).is_binary:
        return f"(binary, {len(content):,} bytes)"
    text = content[:_MOST_SHOWN].decode("utf-8", "replace")
    return text if len(content) <= _MOST_SHOWN else f"{text}\n(… {len(content) - _MOST_SHOWN:,} more bytes)"


def _arguments(call: CallRef) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}
