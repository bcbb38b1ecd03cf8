"""Sessions that run or may run in this process: their handler, policy and ownership."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from placet.core.agents.catalogue import AgentCatalogue
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext, Session
from placet.core.hub.bus import EventBus
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.context.builder import RequestBuilder
    from placet.core.hub.engine import Engine
    from placet.core.turn.handler import SessionHandler


class LiveSession(msgspec.Struct, eq=False):
    """One session with everything its turns need. `context` is what the gate reads at every check."""

    id: SessionId
    source: str
    model: str
    title: str
    context: RunContext
    builder: RequestBuilder
    handler: SessionHandler


class LiveSessions:
    """Makes the parts of a session on first use and keeps them. The owner of what runs."""

    def __init__(
        self,
        *,
        store: Store,
        bus: EventBus,
        engine: Callable[[], Engine],
        agents: AgentCatalogue,
    ) -> None:
        self._store, self._bus, self._engine, self._agents = store, bus, engine, agents
        self._live: dict[SessionId, LiveSession] = {}

    async def get(self, session_id: SessionId) -> LiveSession:
        """Raises: UnknownItem."""
        if session_id not in self._live:
            made = self._make(await self._store.sessions.get(session_id))
            self._live.setdefault(session_id, made)
        return self._live[session_id]

    def check_agent(self, agent: str) -> None:
        """Raises: UnknownItem for one that does not exist."""
        self._agents.get(agent)

    def peek(self, session_id: SessionId) -> LiveSession | None:
        return self._live.get(session_id)

    def running(self) -> list[LiveSession]:
        return [live for live in self._live.values() if live.handler.is_running]

    def _make(self, session: Session) -> LiveSession:
        def emit(event: AnyEvent) -> None:
            self._bus.publish(session.source, session.id, event)

        def policy() -> RunContext:
            return live.context

        engine = self._engine()
        builder = engine.builder(self._agents.prompts())
        handler = engine.handler(session, builder, emit, policy)
        live = LiveSession(session.id, session.source, session.model, session.title, session.context, builder, handler)
        return live

    async def refuse_foreign(self, session_id: SessionId) -> None:
        """Raises: SessionBusy where a turn of another process runs in the session (`S-4`, `S-10`)."""
        live = self._live.get(session_id)
        if live is None or not live.handler.is_running:
            async with self.owned(session_id):
                pass

    @asynccontextmanager
    async def owned(self, session_id: SessionId) -> AsyncIterator[None]:
        """Hold the session for this process while a turn runs (`S-4`). Raises: SessionBusy."""
        await self._store.sessions.claim(session_id)
        try:
            yield
        finally:
            await self._store.sessions.release(session_id)
