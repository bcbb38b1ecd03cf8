"""Proposed writes as a front end sees them: waiting, decided, undone. Thin; what it needs is made on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.messages import CallStatus
from placet.core.domain.proposals import ProposedWrite
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.hub.engine import Engine


class Proposals:
    """Implements `ProposalsApi`."""

    def __init__(self, store: Store, engine: Callable[[], Engine]) -> None:
        self._store, self._engine = store, engine

    async def of_call(self, call_id: CallId) -> ProposedWrite:
        past = await self._store.past_calls.get(call_id)
        if past.call.status is CallStatus.PENDING:
            for request in await self._store.approvals.waiting(past.session_id):
                if request.call_id == call_id:
                    return await self._waiting(call_id, request.id)
        return await self._engine().past_writes.told(call_id)

    async def _waiting(self, call_id: CallId, request_id: RequestId) -> ProposedWrite:
        from placet.core.hub.past_writes import text_of

        proposal = await self._engine().requests.proposal(request_id)
        path, label = str(proposal.path), proposal.shown_path
        proposed = await asyncio.to_thread(text_of, label, path, proposal.old, proposal.new)
        return ProposedWrite(call_id=call_id, path=path, label=label, proposed=proposed)

    async def again(self, call_id: CallId) -> RequestId:
        return await self._engine().own_requests.make(call_id)
