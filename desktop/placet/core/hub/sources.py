"""Where a person talks from: each source has exactly one active session, made on first use."""

from __future__ import annotations

import time

from placet.core.domain import events
from placet.core.domain.agents import DEFAULT_AGENT
from placet.core.domain.errors import SessionBusy
from placet.core.domain.ids import SessionId, new_session_id
from placet.core.domain.messages import RunContext, Session
from placet.core.hub.bus import EventBus
from placet.core.hub.live import LiveSessions
from placet.core.store.store import Store


class Sources:
    """Maps sources to their active sessions."""

    def __init__(self, store: Store, bus: EventBus, live: LiveSessions, default_workdir: str) -> None:
        self._store, self._bus, self._live, self._default_workdir = store, bus, live, default_workdir

    async def active(self, source: str) -> SessionId:
        """The source's session, made if there is none."""
        return await self.provision(source)

    async def known(self, source: str) -> SessionId | None:
        """The source's session if there is one."""
        return await self._store.sources.active(source)

    async def provision(
        self, source: str, *, agent: str = DEFAULT_AGENT, context: RunContext | None = None, reset: bool = False
    ) -> SessionId:
        """Return the source's active session, a new one with `reset` or where there is none.

        A new chat works in the folder of the one before, and asks as carefully as the program does at first.
        """
        previous = await self._store.sources.active(source)
        if previous is not None and not reset:
            return previous
        self._live.check_agent(agent)
        before = await self._store.sessions.get(previous) if previous is not None else None
        workdir = (before.context.workdir if before is not None else "") or self._default_workdir
        made = Session(
            id=new_session_id(),
            source=source,
            agent=agent,
            context=context or RunContext(workdir=workdir),
            model=before.model if before is not None else "",
            created_at=time.time(),
        )
        session = await self._store.sessions.create(made)
        self._live.made_here(session.id)
        await self._switch(source, session.id, previous)
        return session.id

    async def continue_in(self, source: str, session_id: SessionId) -> None:
        """Make a past session the active one. Raises: SessionBusy while the source's turn runs, UnknownItem."""
        current = await self._store.sources.active(source)
        if current == session_id:
            return
        running = self._live.peek(current) if current is not None else None
        if running is not None and running.handler.is_running:
            raise SessionBusy("A turn is running in this chat.", hint="Stop it first, then open the other one.")
        await self._live.get(session_id)
        await self._switch(source, session_id, current)

    async def _switch(self, source: str, session_id: SessionId, previous: SessionId | None) -> None:
        await self._store.sources.activate(source, session_id)
        self._bus.publish(source, session_id, events.NewSession(session_id=session_id, previous=previous))
