"""History as a front end sees it. Thin: the parts below do the work."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.domain import events
from placet.core.domain.costs import CostInfo
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import HistoryPage, SearchHit, Session
from placet.core.domain.review import Verdict
from placet.core.hub.bus import EventBus
from placet.core.store.store import Store


class History:
    """Implements `HistoryApi`."""

    def __init__(self, store: Store, bus: EventBus) -> None:
        self._store, self._bus = store, bus

    async def sessions(
        self,
        *,
        source: str = "",
        archived: bool | None = None,
        pinned_first: bool = False,
        page: int = 1,
        per_page: int = 20,
    ) -> tuple[Sequence[Session], int]:
        return await self._store.sessions.list(
            source=source, archived=archived, pinned_first=pinned_first, page=page, per_page=per_page
        )

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
