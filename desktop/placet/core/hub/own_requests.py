"""A proposal that a person takes up again: planned on what is there now, reviewed like any other, and their own.

No turn waits for it. It is stored with the other requests, so that it outlives the program, and approving it writes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import msgspec

from placet.core.domain.errors import StalePreview, ToolFailure, UnknownItem, UsageError
from placet.core.domain.events import AnyEvent, ApprovalResolved, FileChanged, PreviewStale
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.proposals import AGAIN
from placet.core.domain.review import (
    Action,
    CallRef,
    Change,
    ChangeState,
    DecidedBy,
    Decision,
    PendingRequest,
    Proposal,
    Verdict,
)
from placet.core.hub.past_writes import PastWrite, PastWrites
from placet.core.review.amending import Effect
from placet.core.review.gate import ReviewGate
from placet.core.review.past_proposals import again
from placet.core.review.preview import propose
from placet.core.review.requests import announcement_of, binding_of, request_for
from placet.core.review.writer import JournalledWriter, PlannedChange
from placet.core.store.store import Store

_BECAUSE = "you, who took up an earlier proposal; the model is not told"


class OwnRequests:
    """Makes and decides the requests that a person made. `publish` tells events of a session."""

    def __init__(
        self, gate: ReviewGate, past: PastWrites, store: Store, publish: Callable[[SessionId, AnyEvent], None]
    ) -> None:
        self._gate, self._past, self._store, self._publish = gate, past, store, publish
        self._writer = JournalledWriter(store.changes)
        self._one_at_a_time = asyncio.Lock()

    async def make(self, call_id: CallId) -> RequestId:
        """Put what a call proposed to review again; returns the request that waits for it, perhaps already.

        Raises: UnknownItem; UsageError where it waits or is written already, a rule denies it, or it does not fit.
        """
        async with self._one_at_a_time:
            write = await self._past.write(call_id)
            for waiting in await self._store.approvals.waiting(write.past.session_id):
                if waiting.call_id == call_id:
                    return waiting.id
            if not write.past.call.status.is_final:
                raise UsageError("This call has not ended, so there is nothing to take up again.")
            change = await self._past.change(call_id)
            if change is not None and change.state is ChangeState.APPLIED:
                raise UsageError(f"{change.path} was written by this call already.", hint="Undo it first.")
            return (await self._ask(write, stale=False)).id

    async def planned(self, request: PendingRequest) -> tuple[CallRef, Effect, RunContext]:
        """What approving it would do now. Raises: UnknownItem, UsageError."""
        write = await self._past.write(request.call_id)
        return write.call, await self._effect(write), write.past.context

    async def decide(self, request: PendingRequest, decision: Decision) -> None:
        """Write what was shown, or let it be.

        Raises: UnknownItem where it was decided before; UsageError; StalePreview where the file moved on meanwhile:
        nothing was written, and a new request waits; ToolFailure where it cannot be written.
        """
        async with self._one_at_a_time:
            if await self._store.approvals.get(request.id) is None:
                raise UnknownItem("That request was decided already.")
            if decision.approved:
                change = await self._approved(request, decision)
                await self._end(request, decision)
                self._tell_change(request, change)
            else:
                await self._keep(request, Action.DENY, request.binding)
                await self._end(request, decision)

    async def _approved(self, request: PendingRequest, decision: Decision) -> Change:
        write = await self._past.write(request.call_id)
        effect = await self._effect(write)
        if binding_of(effect.operation, effect.proposal) != (decision.on or request.binding):
            raise await self._stale(request, write)
        if decision.amendment is not None:
            effect = await self._gate.amended(write.call, effect, decision.amendment, write.past.context)
        assert effect.proposal is not None
        try:
            change = await self._writer.write(_planned_change(write, effect.proposal, is_amended=bool(effect.note)))
        except StalePreview:
            raise await self._stale(request, write) from None
        await self._keep(request, Action.ALLOW, binding_of(effect.operation, effect.proposal))
        return change

    async def _keep(self, request: PendingRequest, action: Action, digest: str) -> None:
        """In the audit trail (`R-12`)."""
        said = "approved" if action is Action.ALLOW else "rejected"
        because = f"{said} by a person, who had taken it up again"
        verdict = Verdict(action=action, by=DecidedBy.PERSON, because=because, digest=digest, at=time.time())
        await self._store.decisions.append(request.call_id, verdict)

    async def _effect(self, write: PastWrite) -> Effect:
        """Raises: UsageError where a rule denies it (`R-2`), or it does not fit what is there."""
        verdict = await self._gate.explain(write.call, write.operation, write.past.context)
        if verdict.action is Action.DENY:
            raise UsageError(
                f"Writing {write.operation.label} is not allowed ({verdict.because}).",
                hint="Change the rule first, or copy the proposal.",
            )
        operation = again(write.operation, await self._past.sides(write))
        try:
            proposal = await asyncio.to_thread(propose, operation)
        except ToolFailure as failure:
            raise UsageError(failure.message, hint=failure.hint, detail=failure.detail) from failure
        return Effect(operation=operation, proposal=proposal)

    async def _ask(self, write: PastWrite, *, stale: bool) -> PendingRequest:
        effect = await self._effect(write)
        verdict = Verdict(action=Action.REQUIRE, by=DecidedBy.PERSON, because=_BECAUSE)
        operation, proposal = effect.operation, effect.proposal
        request = await asyncio.to_thread(request_for, write.call, operation, verdict, proposal, stale=stale)
        request = msgspec.structs.replace(request, is_own=True)
        announcement = await asyncio.to_thread(announcement_of, request, write.call, operation, proposal)
        await self._store.approvals.add(request)
        self._publish(request.session_id, announcement)
        return request

    async def _stale(self, request: PendingRequest, write: PastWrite) -> StalePreview:
        """The file moved on: a new request takes the place of this one, unless it does not fit any more."""
        told = PreviewStale(request_id=request.id, tool_call_id=request.call_id, path=request.path)
        await self._ask(write, stale=True)
        await self._store.approvals.remove(request.id)
        self._publish(request.session_id, told)
        return StalePreview(f"{request.path} has changed since. Nothing was written.", hint="Look at it again.")

    async def _end(self, request: PendingRequest, decision: Decision) -> None:
        await self._store.approvals.remove(request.id)
        resolved = ApprovalResolved(
            request_id=request.id,
            tool_call_id=request.call_id,
            decision="approved" if decision.approved else "rejected",
            by=decision.by.value,
            note=decision.note,
            is_amended=decision.amendment is not None,
        )
        self._publish(request.session_id, resolved)

    def _tell_change(self, request: PendingRequest, change: Change) -> None:
        kind = "created" if change.before_digest == "absent" else "modified"
        told = FileChanged(
            path=change.path,
            change=kind,
            change_id=change.id,
            tool_call_id=request.call_id,
            added=change.added,
            removed=change.removed,
            conflict=change.conflict,
        )
        self._publish(request.session_id, told)


def _planned_change(write: PastWrite, proposal: Proposal, *, is_amended: bool) -> PlannedChange:
    """In the journal it stands by its call, under a name of its own: who wrote it is the person."""
    return PlannedChange(
        session_id=write.past.session_id,
        call_id=write.past.call.id,
        tool=AGAIN,
        path=proposal.path,
        before=proposal.old,
        after=proposal.new,
        added=proposal.added,
        removed=proposal.removed,
        note="changed by you" if is_amended else "",
        other_names=proposal.other_names,
    )
