"""What waits for a person: in this process, or left in the store by one that ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import ToolFailure, UnknownItem, UsageError
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.messages import RunContext, Session, ToolCall
from placet.core.domain.ports import Toolbox
from placet.core.domain.review import (
    Amendment,
    CallRef,
    ChosenHunks,
    Decision,
    EditableText,
    EditedCommand,
    PendingRequest,
    Proposal,
    RequestKind,
)
from placet.core.domain.tools import Command, FileWrite, Operation
from placet.core.hub.own_requests import OwnRequests
from placet.core.review.amending import Effect, editable_text
from placet.core.review.diffing import diff_contents
from placet.core.review.gate import ReviewGate
from placet.core.review.preview import propose
from placet.core.review.requests import binding_of, facts_of
from placet.core.store.store import Store

DECIDED = "That request was decided already, or its turn was stopped."


class Requests:
    """Answers and previews by request id."""

    def __init__(self, gate: ReviewGate, tools: Toolbox, store: Store, own: OwnRequests) -> None:
        self._gate, self._tools, self._store, self._own = gate, tools, store, own

    async def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that this process waits for; False where none does.

        Raises: UsageError for an amendment that does not fit; the request still waits.
        """
        if decision.amendment is not None:
            return await self._gate.answer_amended(request_id, decision)
        return self._gate.answer(request_id, decision)

    async def answer_own(self, request: PendingRequest, decision: Decision) -> None:
        """Decide what a person took up themselves. Raises: like `OwnRequests.decide`."""
        await self._own.decide(request, decision)

    async def answer_later(self, request_id: RequestId, decision: Decision) -> SessionId:
        """Keep the decision on a request of an earlier run until its session, which is returned, asks again.

        An approval is of what was shown: what the request was made for, or the difference that `on` names.
        Raises: UnknownItem; UsageError and ToolFailure for an amendment that does not fit.
        """
        request = await self._store.approvals.get(request_id)
        if request is None:
            raise UnknownItem(DECIDED)
        if decision.amendment is not None:
            decision = await self._checked(request_id, decision, decision.amendment)
        session_id = await self._gate.answer_stored(request_id, decision)
        if session_id is None:
            raise UnknownItem(DECIDED)
        return session_id

    async def diff(self, request_id: RequestId, amendment: Amendment | None = None) -> FileDiff:
        """The diff of a waiting write, amended or as it was proposed.

        Raises: UnknownItem, UsageError for an amendment that does not fit, ToolFailure where it cannot be planned any
        more.
        """
        effect, proposal = await self._write_of(request_id, amendment)
        diff = await asyncio.to_thread(diff_contents, str(proposal.path), proposal.old, proposal.new)
        return msgspec.structs.replace(diff, of=binding_of(effect.operation, proposal))

    async def proposal(self, request_id: RequestId) -> Proposal:
        """Both contents of a waiting write. Raises: like `diff`."""
        return (await self._write_of(request_id, None))[1]

    async def diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        """The diff that edits of one file come to, one on top of the other.

        Raises: UnknownItem, UsageError, ToolFailure where one cannot be planned any more.
        """
        steps = [(await self._write_of(each, None))[1] for each in request_ids]
        if not steps:
            raise UsageError("There is nothing to show together.")
        if any(step.path != before.path or step.old != before.new for before, step in pairwise(steps)):
            raise UsageError("These edits do not build on one another.", hint="Look at them step by step.")
        return await asyncio.to_thread(diff_contents, str(steps[0].path), steps[0].old, steps[-1].new)

    async def text(self, request_id: RequestId, amendment: Amendment | None = None) -> EditableText:
        """The new side of a waiting write, amended or as it was proposed. Raises: like `diff`."""
        _, proposal = await self._write_of(request_id, amendment)
        return await asyncio.to_thread(editable_text, proposal)

    async def facts(self, request_id: RequestId, command: str) -> tuple[str, ...]:
        """What would be unusual about a waiting command that was edited. Raises: UnknownItem, UsageError."""
        operation = (await self._effect_of(request_id, EditedCommand(command))).operation
        if not isinstance(operation, Command):
            raise UnknownItem("That request is no command.")
        return await asyncio.to_thread(facts_of, operation)

    async def let_covered_pass(self, session_id: SessionId) -> None:
        """After a new bypass: what waits in the session and is covered by it is not asked any more."""
        context = (await self._store.sessions.get(session_id)).context
        await self._gate.answer_covered(session_id, context)

    async def _checked(self, request_id: RequestId, decision: Decision, amendment: Amendment) -> Decision:
        call, effect, context = await self._planned_anew(request_id)
        if isinstance(amendment, ChosenHunks):
            if not amendment.of:
                raise UsageError("It is not said of which difference these hunks are.", hint="Look at it again.")
            decision = msgspec.structs.replace(decision, on=amendment.of)
        await self._gate.amended(call, effect, amendment, context)
        return decision

    async def _write_of(self, request_id: RequestId, amendment: Amendment | None) -> tuple[Effect, Proposal]:
        effect = await self._effect_of(request_id, amendment)
        if effect.proposal is None:
            raise UnknownItem("That request is no file write.")
        return effect, effect.proposal

    async def _effect_of(self, request_id: RequestId, amendment: Amendment | None = None) -> Effect:
        """What a request would do. Raises: UnknownItem, UsageError, ToolFailure."""
        wait = self._gate.open(request_id)
        if wait is not None and wait.effect is not None:
            call, effect, context = wait.call, wait.effect, wait.context
        else:
            call, effect, context = await self._planned_anew(request_id)
        return effect if amendment is None else await self._gate.amended(call, effect, amendment, context)

    async def _planned_anew(self, request_id: RequestId) -> tuple[CallRef, Effect, RunContext]:
        """After a restart only the intent is stored; an approval holds if it still gives the same bytes."""
        request = await self._store.approvals.get(request_id)
        if request is None:
            raise UnknownItem(DECIDED)
        if request.is_own:
            return await self._own.planned(request)
        row, session, operation = await self._intended(request)
        proposal = await self._proposal(request, operation) if isinstance(operation, FileWrite) else None
        call = CallRef(
            session_id=session.id,
            call_id=row.id,
            name=row.name,
            arguments=row.arguments,
            agent=request.agent or session.agent,
            source=session.source,
            root_agent=session.agent,
        )
        return call, Effect(operation=operation, proposal=proposal), session.context

    async def _proposal(self, request: PendingRequest, operation: FileWrite) -> Proposal:
        """Plan a stored write on what is there now, or on edits of the same file that wait before it."""
        proposal = await asyncio.to_thread(_attempt, operation, None)
        if isinstance(proposal, Proposal) and binding_of(operation, proposal) == request.binding:
            return proposal
        above = await self._planned_above(request, operation)
        if above is not None:
            return above
        if isinstance(proposal, ToolFailure):
            raise proposal
        return proposal

    async def _planned_above(self, request: PendingRequest, operation: FileWrite) -> Proposal | None:
        """The plan on top of the edits of the same file that wait before it, if that is what was shown."""
        waiting = await self._store.approvals.waiting(request.session_id)
        earlier = [each for each in waiting if each.path == request.path and each.created_at < request.created_at]
        content: bytes | None = None
        for each in reversed(earlier):
            if each.kind is not RequestKind.WRITE or each.is_own:
                continue
            _, _, below = await self._intended(each)
            if isinstance(below, FileWrite):
                planned = await asyncio.to_thread(_attempt, below, content)
                content = planned.new if isinstance(planned, Proposal) else content
        if content is None:
            return None
        planned = await asyncio.to_thread(_attempt, operation, content)
        is_same = isinstance(planned, Proposal) and binding_of(operation, planned) == request.binding
        return planned if isinstance(planned, Proposal) and is_same else None

    async def _intended(self, request: PendingRequest) -> tuple[ToolCall, Session, Operation]:
        """What the stored call of a request is to do, prepared as the engine does. Raises: UnknownItem, ToolFailure."""
        row = await self._store.turns.call(request.call_id)
        session = await self._store.sessions.get(request.session_id)
        return row, session, self._tools.prepare(row.name, msgspec.json.decode(row.arguments), session.context)


def _attempt(operation: FileWrite, earlier: bytes | None) -> Proposal | ToolFailure:
    try:
        return propose(operation, earlier)
    except ToolFailure as failure:
        return failure
