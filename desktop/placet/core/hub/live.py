"""Sessions that run or may run in this process: their handler, policy and ownership."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from placet.core.agents.catalogue import AgentCatalogue
from placet.core.domain.events import AnyEvent, UserMessage
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Mode, RunContext, Session
from placet.core.domain.stopping import StopFlag
from placet.core.hub.bus import EventBus
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.context.builder import RequestBuilder
    from placet.core.hub.engine import Engine
    from placet.core.turn.handler import SessionHandler


class RunningTurn(msgspec.Struct, frozen=True, eq=False):
    """A turn that has its session. What is told to stop here is this turn, never one that begins later."""

    stop: StopFlag
    task: asyncio.Task[Any]

    async def ended(self) -> None:
        await asyncio.wait((self.task,))


class LiveSession(msgspec.Struct, eq=False):
    """One session with everything its turns need. `context` is what the gate reads at every check.

    `turn` has the session now, and `on_stored` is told of each message that it stores.
    """

    id: SessionId
    source: str
    model: str
    title: str
    context: RunContext
    builder: RequestBuilder
    handler: SessionHandler
    turn: RunningTurn | None = None
    on_stored: Callable[[UserMessage], None] | None = None


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
        self._made_here: set[SessionId] = set()
        self._locks: defaultdict[SessionId, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def get(self, session_id: SessionId) -> LiveSession:
        """Raises: UnknownItem."""
        if session_id not in self._live:
            await self.end_old_mode(session_id)
            made = self._make(await self._store.sessions.get(session_id))
            self._live.setdefault(session_id, made)
        return self._live[session_id]

    def made_here(self, session_id: SessionId) -> None:
        """A session of this very run of the program: its mode was chosen in it."""
        self._made_here.add(session_id)

    async def end_old_mode(self, session_id: SessionId) -> None:
        """A mode that lets calls pass unasked ends with the program in which it was chosen, as every bypass does."""
        if session_id not in self._live and session_id not in self._made_here:
            await self.end_mode(session_id)

    async def end_mode(self, session_id: SessionId) -> None:
        """Let nothing pass in a session because of its mode any more."""
        live = self.peek(session_id)
        context = live.context if live is not None else (await self._store.sessions.get(session_id)).context
        if context.mode not in (Mode.EDITS, Mode.AUTO):
            return
        context = msgspec.structs.replace(context, mode=Mode.ASK)
        if live is not None:
            live.context = context
        await self._store.sessions.update(session_id, context=context)

    def check_agent(self, agent: str) -> None:
        """Raises: UnknownItem for one that does not exist."""
        self._agents.get(agent)

    def peek(self, session_id: SessionId) -> LiveSession | None:
        return self._live.get(session_id)

    def running(self) -> list[LiveSession]:
        return [live for live in self._live.values() if live.handler.is_running]

    def turns(self) -> dict[SessionId, RunningTurn]:
        """The turn of each session that has one now."""
        return {live.id: live.turn for live in self._live.values() if live.turn is not None}

    def _make(self, session: Session) -> LiveSession:
        def emit(event: AnyEvent) -> None:
            self._bus.publish(session.source, session.id, event)
            if isinstance(event, UserMessage) and event.agent_call_id is None and live.on_stored is not None:
                live.on_stored(event)

        def policy() -> RunContext:
            return live.context

        engine = self._engine()
        builder = engine.builder(self._agents.prompts())
        handler = engine.handler(session, builder, emit, policy)
        live = LiveSession(session.id, session.source, session.model, session.title, session.context, builder, handler)
        return live

    async def refuse_foreign(self, session_id: SessionId) -> None:
        """Raises: SessionBusy where a turn of another process runs in the session (`S-4`, `S-10`)."""
        if not self.is_owned(session_id):
            await self._store.sessions.claim(session_id)
            if not self.is_owned(session_id):  # a turn that has begun meanwhile keeps it
                await self._store.sessions.release(session_id)

    def is_owned(self, session_id: SessionId) -> bool:
        return session_id in self._locks and self._locks[session_id].locked()

    @asynccontextmanager
    async def owned(self, session_id: SessionId) -> AsyncIterator[None]:
        """Have the session: alone in this process, and this process alone (`S-4`). Raises: SessionBusy."""
        async with self._locks[session_id]:
            await self._store.sessions.claim(session_id)
            try:
                yield
            finally:
                await self._store.sessions.release(session_id)
