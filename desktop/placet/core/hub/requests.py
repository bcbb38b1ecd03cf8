"""What waits for a person: in this process, or left in the store by one that ended."""

from __future__ import annotations

import asyncio

import msgspec

from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.ports import Toolbox
from placet.core.domain.review import Decision, Proposal
from placet.core.domain.tools import FileWrite
from placet.core.review.diffing import diff_contents
from placet.core.review.gate import ReviewGate
from placet.core.review.preview import propose
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

    async def _planned_anew(self, request_id: RequestId) -> Proposal:
        """After a restart only the intent is stored; an approval holds if it still gives the same bytes."""
        request = await self._store.approvals.get(request_id)
        if request is None:
            raise UnknownItem(DECIDED)
        call = await self._store.turns.call(request.call_id)
        session = await self._store.sessions.get(request.session_id)
        operation = self._tools.prepare(call.name, msgspec.json.decode(call.arguments), session.context)
        if not isinstance(operation, FileWrite):
            raise UnknownItem("That request is no file write.")
        return await asyncio.to_thread(propose, operation)
