"""What waits for a person: in this process, or left in the store by one that ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import ToolFailure, UnknownItem, UsageError
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.ports import Toolbox
from placet.core.domain.review import Decision, PendingRequest, Proposal, RequestKind
from placet.core.domain.tools import FileWrite
from placet.core.review.diffing import diff_contents
from placet.core.review.gate import ReviewGate
from placet.core.review.preview import propose
from placet.core.review.requests import binding_of
from placet.core.store.store import Store

DECIDED = "That request was decided already, or its turn was stopped."


class Requests:
    """Answers and previews by request id."""

    def __init__(self, gate: ReviewGate, tools: Toolbox, store: Store) -> None:
        self._gate, self._tools, self._store = gate, tools, store

    async def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that this process waits for; False where none does."""
        return self._gate.answer(request_id, decision)

    async def answer_later(self, request_id: RequestId, decision: Decision) -> SessionId:
        """Keep the decision on a request of an earlier run until its session, which is returned, asks again.

        Raises: UnknownItem.
        """
        session_id = await self._gate.answer_stored(request_id, decision)
        if session_id is None:
            raise UnknownItem(DECIDED)
        return session_id

    async def diff(self, request_id: RequestId) -> FileDiff:
        """The diff of a waiting write. Raises: UnknownItem, ToolFailure where it cannot be planned any more."""
        proposal = self._gate.proposal(request_id) or await self._planned_anew(request_id)
        return await asyncio.to_thread(diff_contents, str(proposal.path), proposal.old, proposal.new)

    async def diff_together(self, request_ids: Sequence[RequestId]) -> FileDiff:
        """The diff that edits of one file come to, one on top of the other.

        Raises: UnknownItem, UsageError, ToolFailure where one cannot be planned any more.
        """
        steps = [self._gate.proposal(each) or await self._planned_anew(each) for each in request_ids]
        if not steps:
            raise UsageError("There is nothing to show together.")
        if any(step.path != before.path or step.old != before.new for before, step in pairwise(steps)):
            raise UsageError("These edits do not build on one another.", hint="Look at them step by step.")
        return await asyncio.to_thread(diff_contents, str(steps[0].path), steps[0].old, steps[-1].new)

    async def _planned_anew(self, request_id: RequestId) -> Proposal:
        """After a restart only the intent is stored; an approval holds if it still gives the same bytes."""
        request = await self._store.approvals.get(request_id)
        if request is None:
            raise UnknownItem(DECIDED)
        operation = await self._write_of(request)
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
            if each.kind is RequestKind.WRITE:
                planned = await asyncio.to_thread(_attempt, await self._write_of(each), content)
                content = planned.new if isinstance(planned, Proposal) else content
        if content is None:
            return None
        planned = await asyncio.to_thread(_attempt, operation, content)
        is_same = isinstance(planned, Proposal) and binding_of(operation, planned) == request.binding
        return planned if isinstance(planned, Proposal) and is_same else None

    async def _write_of(self, request: PendingRequest) -> FileWrite:
        call = await self._store.turns.call(request.call_id)
        session = await self._store.sessions.get(request.session_id)
        operation = self._tools.prepare(call.name, msgspec.json.decode(call.arguments), session.context)
        if not isinstance(operation, FileWrite):
            raise UnknownItem("That request is no file write.")
        return operation


def _attempt(operation: FileWrite, earlier: bytes | None) -> Proposal | ToolFailure:
    try:
        return propose(operation, earlier)
    except ToolFailure as failure:
        return failure
