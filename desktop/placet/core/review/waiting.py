"""Calls that wait for a person: stored, so that they outlive the program, and answered by id.

A wait that is cancelled leaves its request stored (the program ended; it is asked again). `withdraw` removes what a
person's stop left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from placet.core.domain.events import AnyEvent, ApprovalResolved
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.ports import ApprovalStore
from placet.core.domain.review import CallRef, DecidedBy, Decision, PendingRequest, Proposal, RequestKind
from placet.core.domain.stopping import TurnStopped

CallEmitter = Callable[[CallRef, AnyEvent], None]


class _Wait(msgspec.Struct, frozen=True):
    call: CallRef
    request: PendingRequest
    proposal: Proposal | None
    answer: asyncio.Future[Decision]


class WaitingCalls:
    """The requests of all sessions. On the loop's thread only."""

    def __init__(self, approvals: ApprovalStore, emit: CallEmitter) -> None:
        self._approvals, self._emit = approvals, emit
        self._waits: dict[RequestId, _Wait] = {}
        self._early: dict[CallId, tuple[Decision, str]] = {}
        self._stored: set[CallId] | None = None  # calls that may have a stored request; unknown until first needed

    async def ask(
        self, call: CallRef, request: PendingRequest, announcement: AnyEvent, proposal: Proposal | None
    ) -> Decision:
        """Store the request, announce it and wait for the answer.

        An older request of the same call is replaced. A decision that was made on it while nobody waited counts if
        it was a rejection, or if exactly the same would happen. Raises: TurnStopped by `withdraw`.
        """
        early = await self._take_older(call, request.binding, "asked again")
        if early is not None:
            return early
        wait = _Wait(call, request, proposal, asyncio.get_running_loop().create_future())
        self._waits[request.id] = wait
        try:
            (await self._calls_with_requests()).add(call.call_id)
            await self._approvals.add(request)
            self._emit(call, announcement)
            decision = await wait.answer
            try:
                await self._approvals.remove(request.id)
            finally:  # a stop may come at this very moment; it was decided all the same
                self._tell(call, request.id, _outcome(decision, request.kind), decision)
            return decision
        finally:
            del self._waits[request.id]
            if wait.answer.done() and not wait.answer.cancelled():
                wait.answer.exception()  # retrieved: a stop may have ended this before it looked

    async def drop_older(self, call: CallRef) -> Decision | None:
        """Remove what was stored for a call that needs no question now; return a rejection made on it meanwhile."""
        if call.call_id not in await self._calls_with_requests():
            return None
        return await self._take_older(call, "", "no longer asked")

    def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that is being waited for; False where none is, or it was decided already."""
        wait = self._waits.get(request_id)
        if wait is None or wait.answer.done():
            return False
        wait.answer.set_result(decision)
        return True

    async def answer_stored(self, request_id: RequestId, decision: Decision) -> SessionId | None:
        """Decide a request from before a restart: remembered until its session is resumed and asks again.

        Returns that session, None where there is no such request.
        """
        request = await self._approvals.get(request_id)
        if request is None or request_id in self._waits:  # decided a moment ago, only not yet removed
            return None
        self._early[request.call_id] = decision, request.binding
        return request.session_id

    def proposal(self, request_id: RequestId) -> Proposal | None:
        wait = self._waits.get(request_id)
        return wait.proposal if wait is not None else None

    def requests(self) -> tuple[PendingRequest, ...]:
        """What is being waited for in this process, newest first."""
        return tuple(wait.request for wait in reversed(self._waits.values()))

    async def withdraw(self, session_id: SessionId) -> None:
        """A person stopped the session: nothing of it is asked any more, now or after a restart."""
        for wait in self._waits.values():
            if wait.call.session_id == session_id and not wait.answer.done():
                wait.answer.set_exception(TurnStopped())
        for request in await self._approvals.waiting(session_id):
            await self._approvals.remove(request.id)
            self._early.pop(request.call_id, None)
            self._tell(_reference(request), request.id, "cancelled")

    async def _calls_with_requests(self) -> set[CallId]:
        if self._stored is None:
            self._stored = {request.call_id for request in await self._approvals.waiting()}
        return self._stored

    async def _take_older(self, call: CallRef, binding: str, note: str) -> Decision | None:
        """Remove older requests of the call; return the decision that was made on one of them, if it holds."""
        early, decided_on = self._early.pop(call.call_id, (None, ""))
        if early is not None and early.approved and binding != decided_on:
            early = None
        for older in await self._approvals.waiting(call.session_id):
            if older.call_id != call.call_id:
                continue
            await self._approvals.remove(older.id)
            if early is None:
                self._tell(call, older.id, "cancelled", note=note)
            else:
                self._tell(call, older.id, _outcome(early, older.kind), early)
        (await self._calls_with_requests()).discard(call.call_id)
        return early

    def _tell(
        self, call: CallRef, request_id: RequestId, outcome: str, decision: Decision | None = None, note: str = ""
    ) -> None:
        by = decision.by if decision is not None else DecidedBy.PERSON
        self._emit(
            call,
            ApprovalResolved(
                request_id=request_id,
                tool_call_id=call.call_id,
                decision=outcome,
                by=by.value,
                note=decision.note if decision is not None else note,
            ),
        )


def _outcome(decision: Decision, kind: RequestKind) -> str:
    if kind is RequestKind.QUESTION and decision.approved:
        return "answered"
    return "approved" if decision.approved else "rejected"


def _reference(request: PendingRequest) -> CallRef:
    return CallRef(
        session_id=request.session_id, call_id=request.call_id, name=request.tool, arguments="", agent="", source=""
    )
