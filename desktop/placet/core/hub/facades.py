"""History, changes and the catalogue as a front end sees them. Thin: the parts below do the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from placet.core.domain import events
from placet.core.domain.costs import CostInfo
from placet.core.domain.diff import FileDiff
from placet.core.domain.ids import CallId, ChangeId, MessageId, SessionId
from placet.core.domain.messages import HistoryPage, SearchHit, Session
from placet.core.domain.review import Change, RevertOutcome, RevertStatus, Verdict
from placet.core.hub.bus import EventBus
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.review.undo import Undo


class History:
    """Implements `HistoryApi`."""

    def __init__(self, store: Store, bus: EventBus) -> None:
        self._store, self._bus = store, bus

    async def sessions(self, *, source: str = "", page: int = 1, per_page: int = 20) -> tuple[Sequence[Session], int]:
        return await self._store.sessions.list(source=source, page=page, per_page=per_page)

    async def session(self, session_id: SessionId) -> Session:
        return await self._store.sessions.get(session_id)

    async def newest(self, session_id: SessionId, limit: int = 60) -> HistoryPage:
        return await self._store.sessions.newest(session_id, limit)

    async def older(self, session_id: SessionId, before: MessageId, limit: int = 60) -> HistoryPage:
        return await self._store.sessions.older(session_id, before, limit)

    async def nested(self, call_id: CallId) -> HistoryPage:
        return await self._store.sessions.nested(call_id)

    async def search(self, text: str, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[SearchHit], int]:
        return await self._store.search.search(text, page=page, per_page=per_page)

    async def decisions(self, session_id: SessionId) -> Sequence[tuple[CallId, Verdict]]:
        return await self._store.decisions.of_session(session_id)

    async def cost_info(self, session_id: SessionId) -> CostInfo:
        await self._store.sessions.get(session_id)  # of one that does not exist, nothing is said
        return CostInfo(models=await self._store.usage.of_session(session_id))

    async def rename(self, session_id: SessionId, title: str) -> None:
        await self._store.sessions.update(session_id, title=title)
        session = await self.session(session_id)
        self._bus.publish(session.source, session_id, events.SessionChanged(session_id=session_id))


class Changes:
    """Implements `ChangesApi`."""

    def __init__(self, store: Store, undo: Callable[[], Undo], bus: EventBus) -> None:
        self._store, self._undo, self._bus = store, undo, bus

    async def changes(
        self, session_id: SessionId | None = None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        return await self._store.changes.page(session_id, page=page, per_page=per_page)

    async def diff(self, change_id: ChangeId) -> FileDiff:
        return await self._undo().diff(change_id)

    async def revert(self, change_ids: Sequence[ChangeId]) -> Sequence[RevertOutcome]:
        outcomes = await self._undo().revert(change_ids)
        for outcome in outcomes:
            if outcome.status is RevertStatus.REVERTED:
                await self._tell(outcome)
        return outcomes

    async def _tell(self, outcome: RevertOutcome) -> None:
        change = await self._store.changes.change(outcome.change_id)
        session = await self._store.sessions.get(change.session_id)
        told = events.FileChanged(
            path=outcome.path, change="reverted", change_id=outcome.change_id, tool_call_id=change.call_id
        )
        self._bus.publish(session.source, session.id, told)

    async def revert_turn(self, message_id: MessageId) -> Sequence[RevertOutcome]:
        session_id = await self._store.sessions.of_message(message_id)
        changes = await self._store.changes.since(session_id, message_id, whole_rest=False)
        return await self.revert([change.id for change in changes])
