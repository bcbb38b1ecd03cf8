"""Calls that wait for a person: stored, so that they outlive the program, and answered by id.

A wait that is cancelled leaves its request stored (the program ended; it is asked again). `withdraw` removes what a
person's stop left behind.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from placet.core.domain.events import AnyEvent, ApprovalResolved
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.ports import ApprovalStore
from placet.core.domain.review import (
    Action,
    Amendment,
    CallRef,
    DecidedBy,
    Decision,
    PendingRequest,
    RequestKind,
    ReviewNotes,
    Verdict,
)
from placet.core.domain.stopping import TurnStopped
from placet.core.review.amending import Effect

CallEmitter = Callable[[CallRef, AnyEvent], None]


class Answer(NamedTuple):
    """A decision; `effect` is what the person wants to happen, where they changed it."""

    decision: Decision
    effect: Effect | None = None


class Older(NamedTuple):
    """What was decided about a call before it is cleared now; `draft` is an amendment that does not hold any more.

    `notes` go on to the request that asks anew.
    """

    decision: Decision | None = None
    draft: Amendment | None = None
    notes: ReviewNotes | None = None


class Waiting(msgspec.Struct, frozen=True):
    """A call that is being waited for, with what would happen."""

    call: CallRef
    request: PendingRequest
    effect: Effect | None
    context: RunContext
    answer: asyncio.Future[Answer]


class WaitingCalls:
    """The requests of all sessions. On the loop's thread only."""

    def __init__(self, approvals: ApprovalStore, emit: CallEmitter) -> None:
        self._approvals, self._emit = approvals, emit
        self._waits: dict[RequestId, Waiting] = {}
        self._claimed: set[RequestId] = set()  # an amendment of it is being made
        self._stored: set[CallId] | None = None  # calls that may have a stored request; unknown until first needed

    async def ask(
        self,
        call: CallRef,
        request: PendingRequest,
        announcement: AnyEvent,
        effect: Effect | None,
        context: RunContext,
    ) -> Answer:
        """Store the request, announce it and wait for the answer. Raises: TurnStopped by `withdraw`.

        An amended approval stays stored until its call begins or ends; every other request is removed here.
        """
        wait = Waiting(call, request, effect, context, asyncio.get_running_loop().create_future())
        self._waits[request.id] = wait
        try:
            (await self._calls_with_requests()).add(call.call_id)
            await self._approvals.add(request)
            self._emit(call, announcement)
            answer = await wait.answer
            try:
                if answer.decision.amendment is None:
                    await self._approvals.remove(request.id)
            finally:  # a stop may come at this very moment; it was decided all the same
                self._tell(call, request.id, _outcome(answer.decision, request.kind), answer.decision)
            return answer
        finally:
            del self._waits[request.id]
            if wait.answer.done() and not wait.answer.cancelled():
                wait.answer.exception()  # retrieved: a stop may have ended this before it looked

    async def take_older(self, call: CallRef, binding: str, note: str) -> Older:
        """Take what was stored for a call by an earlier run, or before it was planned anew.

        A decision counts if it was a rejection, or if exactly the same would happen; what it amends is then still to
        be amended. It stays stored until the call begins or ends, an answer to a question until it is taken; everything
        else is removed. An amendment that does not hold any more comes back as a draft: the call is to be asked about,
        whatever lets it pass now. `note` says why the request is gone.
        """
        if call.call_id not in await self._calls_with_requests():
            return Older()
        older, is_kept = Older(), False
        for request in await self._approvals.waiting(call.session_id):
            if request.call_id != call.call_id:
                continue
            decision = request.decision
            holds = decision is not None and (not decision.approved or (decision.on or request.binding) == binding)
            if not holds or request.kind is RequestKind.QUESTION:
                await self._approvals.remove(request.id, None if holds else _voided(request, note))
            if decision is not None and holds:
                is_kept = is_kept or request.kind is not RequestKind.QUESTION
                older = older._replace(decision=older.decision or decision)
                self._tell(call, request.id, _outcome(decision, request.kind), decision)
                continue
            draft = decision.amendment if decision is not None else request.draft
            older = older._replace(draft=older.draft or draft, notes=older.notes or request.notes)
            self._tell(call, request.id, "cancelled", note=note)
        if not is_kept:
            (await self._calls_with_requests()).discard(call.call_id)
        return older

    def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that is being waited for; False where none is, it was decided, or somebody is about to."""
        if request_id in self._claimed:
            return False
        return self._settle(request_id, decision)

    @contextmanager
    def claimed(self, request_id: RequestId) -> Iterator[Waiting | None]:
        """Have a request alone while its amendment is made: no other answer is taken, only a stop ends it meanwhile.

        None where nothing waits under this id, or somebody has it.
        """
        wait = self.open(request_id) if request_id not in self._claimed else None
        if wait is None:
            yield None
            return
        self._claimed.add(request_id)
        try:
            yield wait
        finally:
            self._claimed.discard(request_id)

    async def answer_claimed(self, wait: Waiting, decision: Decision, effect: Effect) -> bool:
        """Decide a claimed request with what the person wants instead; stored first, so that no crash loses it.

        False where a stop came first.
        """
        if not await self._approvals.decide(wait.request.id, decision):
            return False
        return self._settle(wait.request.id, decision, effect)

    def _settle(self, request_id: RequestId, decision: Decision, effect: Effect | None = None) -> bool:
        wait = self.open(request_id)
        if wait is None:
            return False
        wait.answer.set_result(Answer(decision, effect))
        return True

    def open(self, request_id: RequestId) -> Waiting | None:
        """The request while nobody has decided it; None where nothing waits under this id in this process."""
        wait = self._waits.get(request_id)
        return wait if wait is not None and not wait.answer.done() else None

    def all_open(self, session_id: SessionId) -> tuple[Waiting, ...]:
        """What is not decided yet in a session, oldest first."""
        waits = tuple(self._waits.values())
        return tuple(wait for wait in waits if wait.call.session_id == session_id and self.open(wait.request.id))

    async def answer_stored(self, request_id: RequestId, decision: Decision) -> SessionId | None:
        """Decide a request from before a restart: stored with it until its session is resumed and asks again.

        Returns that session, None where there is no such request.
        """
        request = await self._approvals.get(request_id)
        if request is None or request_id in self._waits:  # decided a moment ago, only not yet removed
            return None
        return request.session_id if await self._approvals.decide(request_id, decision) else None

    def requests(self) -> tuple[PendingRequest, ...]:
        """What is being waited for in this process, newest first."""
        return tuple(wait.request for wait in reversed(self._waits.values()))

    async def withdraw(self, session_id: SessionId) -> None:
        """A person stopped the session: nothing of it is asked any more, ever, but what they took up themselves."""
        for wait in self._waits.values():
            if wait.call.session_id == session_id and not wait.answer.done():
                wait.answer.set_exception(TurnStopped())
        for request in await self._approvals.waiting(session_id):
            if request.is_own:
                continue
            await self._approvals.remove(request.id, _stopped(request))
            self._tell(_reference(request), request.id, "cancelled")

    async def _calls_with_requests(self) -> set[CallId]:
        if self._stored is None:
            self._stored = {request.call_id for request in await self._approvals.waiting()}
        return self._stored

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
                is_amended=decision is not None and decision.amendment is not None,
            ),
        )


def _outcome(decision: Decision, kind: RequestKind) -> str:
    if kind is RequestKind.QUESTION and decision.approved:
        return "answered"
    return "approved" if decision.approved else "rejected"


def _stopped(request: PendingRequest) -> Verdict:
    when = "while it waited" if request.decision is None else "before it began"
    return _verdict(request, Action.DENY, DecidedBy.PERSON, f"stopped by a person {when}")


def _voided(request: PendingRequest, note: str) -> Verdict | None:
    """What becomes of an approval that is not of what would happen now; None where nothing was decided."""
    decision = request.decision
    if decision is None:
        return None
    because = f"approved by {decision.decider}, but it is not what would happen any more: {note}"
    return _verdict(request, Action.REQUIRE, decision.by, because)


def _verdict(request: PendingRequest, action: Action, by: DecidedBy, because: str) -> Verdict:
    on = request.decision.on if request.decision is not None else ""
    return Verdict(action=action, by=by, because=because, digest=on or request.binding, at=time.time())


def _reference(request: PendingRequest) -> CallRef:
    return CallRef(
        session_id=request.session_id, call_id=request.call_id, name=request.tool, arguments="", agent="", source=""
    )
