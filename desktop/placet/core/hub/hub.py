"""The way in for conversations that a person takes part in. Verbs down, events up; the store owns every fact."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from placet.core.agents.catalogue import AgentCatalogue
from placet.core.commands.shelf import CommandShelf
from placet.core.context.window import last_use, window_info
from placet.core.domain import events
from placet.core.domain.agents import AgentType
from placet.core.domain.errors import SessionBusy, UsageError
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.model_calls import ContextInfo
from placet.core.domain.ports import Pause
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import CAPACITY, BusSubscription, EventBus
from placet.core.hub.catalogue import Catalogue
from placet.core.hub.changes import Changes
from placet.core.hub.commands import Commands
from placet.core.hub.conversation import Surroundings
from placet.core.hub.conversations import Conversations
from placet.core.hub.decisions import Decisions
from placet.core.hub.drafts import Drafts
from placet.core.hub.facades import History
from placet.core.hub.folders import checked_folder
from placet.core.hub.live import LiveSession, LiveSessions
from placet.core.hub.notifier import HOME_SOURCE, Notifier
from placet.core.hub.proposals import Proposals
from placet.core.hub.rules import Rules
from placet.core.hub.sources import Sources
from placet.core.hub.summaries import Summaries
from placet.core.review.bypasses import Bypasses
from placet.core.store.store import Store

if TYPE_CHECKING:
    from placet.core.archive.redaction import Redaction
    from placet.core.hub.archive import Archive
    from placet.core.hub.background import Background
    from placet.core.hub.requests import Requests

__all__ = ["HOME_SOURCE", "Hub"]


class Hub(Decisions):
    """Implements `HubApi`. On the loop's thread only.

    Verbs that a part carries out alone are the part's own, under their names in the api.
    """

    def __init__(
        self,
        *,
        store: Store,
        bus: EventBus,
        live: LiveSessions,
        requests: Callable[[], Requests],
        bypasses: Bypasses,
        history: History,
        changes: Changes,
        proposals: Proposals,
        rules: Rules,
        catalogue: Catalogue,
        agents: AgentCatalogue,
        sources: Sources,
        background: Callable[[], Background],
        redaction: Callable[[], Awaitable[Redaction]],
        shelf: CommandShelf,
        max_rounds: int,
        problems: Sequence[str] = (),
        debounce_s: float = 0.0,
        pause: Pause = asyncio.sleep,
    ) -> None:
        super().__init__(store, requests, bypasses)
        self.history, self.changes, self.catalogue, self.agents = history, changes, catalogue, agents
        self.rules, self.proposals = rules, proposals
        self._background, self._redaction, self._pause = background, redaction, pause
        self._archive: Archive | None = None
        self._bus, self._live = bus, live
        self._sources, self._problems = sources, tuple(problems)
        self.commands = Commands(self, shelf, active_session=sources.active, max_rounds=max_rounds)
        self._scope = TaskScope("hub")
        self._drafts = Drafts(store.drafts)
        self._notifier = Notifier(store=store, bus=bus, live=live, sources=sources, pause=pause)
        around = Surroundings(
            bus=bus,
            live=live,
            drafts=self._drafts,
            scope=self._scope,
            active_session=sources.active,
            turn_ended=self._notifier.wake,
            debounce_s=debounce_s,
            pause=pause,
        )
        self._conversations = talk = Conversations(store, around)
        self.summaries = Summaries(store, bus, live, talk)
        self.send_message = talk.send_message
        self.queued, self.drop_queued, self.take_drafts = talk.queued, talk.drop_queued, talk.take_drafts
        self.interrupt_and_send, self.cancel_session = talk.interrupt_and_send, talk.cancel_session
        self.announce = self._notifier.announce
        self.notify, self.home, self.set_home = self._notifier.notify, self._notifier.home, self._notifier.set_home
        self.cost_info = history.cost_info

    @property
    def archive(self) -> Archive:
        """Made on first use."""
        if self._archive is None:
            from placet.core.hub.archive import Archive

            self._archive = Archive(self._store, self._bus, self._live, self._scope, self._redaction, self._pause)
        return self._archive

    @property
    def background(self) -> Background:
        return self._background()

    # ---- looking ---------------------------------------------------------------------------------------------

    def events(self, capacity: int | None = CAPACITY) -> BusSubscription:
        return self._bus.subscribe(capacity)

    def is_running(self, session_id: SessionId) -> bool:
        live = self._live.peek(session_id)
        return live is not None and live.handler.is_running

    def problems(self) -> Sequence[str]:
        return (*self._problems, *self.agents.problems())

    async def context_info(self, session_id: SessionId) -> ContextInfo:
        live = self._live.peek(session_id)
        page = await self._store.sessions.newest(session_id)
        binding = await self.catalogue.resolve(live.model if live is not None else page.session.model)
        used = live.builder.used if live is not None else 0
        return window_info(binding.model, used or last_use(page.messages))

    # ---- sources and sessions --------------------------------------------------------------------------------

    async def register(self, source: str) -> SessionId:
        self._drafts.attach(source)
        session_id = await self._sources.active(source)
        await self._live.end_old_mode(session_id)
        running = events.TurnRunning(running=self.is_running(session_id))
        self._bus.publish(source, session_id, running)
        return session_id

    async def provision_session(
        self, source: str, *, agent: str = "assistant", context: RunContext | None = None, reset: bool = False
    ) -> SessionId:
        """Return the source's active session, a new one with `reset` or where there is none."""
        before = await self._sources.known(source) if reset else None
        session_id = await self._sources.provision(source, agent=agent, context=context, reset=reset)
        if before is not None:  # what was let pass in it ends with it
            self._bypasses.end(before)
            await self._live.end_mode(before)
        self._notifier.wake()
        return session_id

    async def clear(self, source: str) -> SessionId:
        with self._conversations.of(source).held():  # what is sent meanwhile is for the new session
            await self.cancel(source)
            return await self.provision_session(source, reset=True)

    async def continue_session(self, source: str, session_id: SessionId) -> None:
        await self._live.refuse_foreign(session_id)
        await self._live.end_old_mode(session_id)
        await self._sources.continue_in(source, session_id)
        self._notifier.wake()

    async def select_model(self, source: str, name: str) -> None:
        binding = await self.catalogue.resolve(name)
        live = await self._changeable(source, keeps="model")
        live.model = binding.model.name
        await self._store.sessions.update(live.id, model=live.model)
        _tell_change(self._bus, live)

    async def select_agent(self, source: str, agent_id: str) -> None:
        agent = self.agents.get(agent_id)
        if agent.type is not AgentType.CHAT:
            chats = ", ".join(agent.id for agent in self.agents.all() if agent.type is AgentType.CHAT)
            raise UsageError(
                f"{agent_id} works for other agents, not in a chat.", hint=f"For a chat there are: {chats}."
            )
        live = await self._changeable(source, keeps="agent")
        await self._store.sessions.set_agent(live.id, agent.id)
        _tell_change(self._bus, live)

    async def set_policy(
        self,
        source: str,
        *,
        mode: Mode | None = None,
        workdir: str | None = None,
        max_rounds: int | msgspec.UnsetType | None = msgspec.UNSET,
    ) -> None:
        """Raises: UsageError for a folder that does not exist, SessionBusy for a folder during a turn."""
        live = await self._changeable(source, keeps="folder" if workdir is not None else "")
        context = live.context
        if mode is not None:
            context = msgspec.structs.replace(context, mode=mode)
        if workdir is not None:
            context = msgspec.structs.replace(context, workdir=checked_folder(workdir))
        if max_rounds is not msgspec.UNSET:
            context = msgspec.structs.replace(context, max_rounds=max_rounds)
        live.context = context
        await self._store.sessions.update(live.id, context=context)
        _tell_change(self._bus, live)

    async def _changeable(self, source: str, *, keeps: str = "") -> LiveSession:
        """The source's session, for a change; a running turn keeps what `keeps` names. Raises: SessionBusy."""
        live = await self._live.get(await self._sources.active(source))
        await self._live.refuse_foreign(live.id)
        if keeps and live.handler.is_running:
            raise SessionBusy(f"The running turn keeps its {keeps}.", hint="Choose another one when it has ended.")
        return live

    async def _refuse_foreign(self, session_id: SessionId) -> None:
        await self._live.refuse_foreign(session_id)

    def _tell_bypasses(self, session_id: SessionId) -> None:
        live = self._live.peek(session_id)
        self._bus.publish(
            live.source if live is not None else "", session_id, events.SessionChanged(session_id=session_id)
        )

    # ---- turns -----------------------------------------------------------------------------------------------

    async def cancel(self, source: str) -> Sequence[str]:
        return await self._conversations.cancel(source)

    async def resume(self, session_id: SessionId) -> None:
        await self._conversations.resume(session_id)

    # ---- beginning and ending --------------------------------------------------------------------------------

    def start_deliveries(self) -> None:
        """For a program that stays: bring notifications to the home source, first those of an earlier run."""
        self._notifier.start(self._scope, self._conversations.resume)

    async def aclose(self) -> None:
        """End all turns; what waits for a person stays waiting in the store."""
        await self._scope.close()
        await self._drafts.release()


def _tell_change(bus: EventBus, live: LiveSession) -> None:
    bus.publish(live.source, live.id, events.SessionChanged(session_id=live.id))
