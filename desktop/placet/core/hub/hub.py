"""The way in for conversations that a person takes part in. Verbs down, events up; the store owns every fact."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.context.window import last_use, window_info
from placet.core.domain import events
from placet.core.domain.diff import FileDiff
from placet.core.domain.errors import SessionBusy, UnknownItem, UsageError
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.model_calls import ContextInfo
from placet.core.domain.review import DecidedBy, Decision, PendingRequest
from placet.core.domain.stopping import TaskScope
from placet.core.domain.text import clean_text
from placet.core.hub.bus import CAPACITY, BusSubscription, EventBus
from placet.core.hub.catalogue import Catalogue
from placet.core.hub.conversation import Conversation, Surroundings
from placet.core.hub.facades import Changes, History
from placet.core.hub.live import LiveSession, LiveSessions
from placet.core.hub.sources import Sources
from placet.core.store.store import Store
from placet.core.turn.incoming import Incoming

if TYPE_CHECKING:
    from placet.core.hub.requests import Requests

log = logging.getLogger(__name__)

HOME_SOURCE = "desktop"


class Hub:
    """Implements `HubApi`. On the loop's thread only."""

    def __init__(
        self,
        *,
        store: Store,
        bus: EventBus,
        live: LiveSessions,
        requests: Callable[[], Requests],
        history: History,
        changes: Changes,
        catalogue: Catalogue,
        sources: Sources,
        problems: Sequence[str] = (),
    ) -> None:
        self.history, self.changes, self.catalogue = history, changes, catalogue
        self._store, self._bus, self._live, self._requests = store, bus, live, requests
        self._sources, self._problems = sources, tuple(problems)
        self._scope = TaskScope("hub")
        self._conversations: dict[str, Conversation] = {}
        self._around = Surroundings(
            store=store, bus=bus, live=live, scope=self._scope, active_session=self._sources.active
        )

    # ---- looking ---------------------------------------------------------------------------------------------

    def events(self, capacity: int | None = CAPACITY) -> BusSubscription:
        return self._bus.subscribe(capacity)

    def is_running(self, session_id: SessionId) -> bool:
        live = self._live.peek(session_id)
        return live is not None and live.handler.is_running

    def queued(self, source: str) -> Sequence[str]:
        return self._conversation(source).queued

    def problems(self) -> Sequence[str]:
        return self._problems

    async def context_info(self, session_id: SessionId) -> ContextInfo:
        live = self._live.peek(session_id)
        page = await self._store.sessions.newest(session_id)
        binding = await self.catalogue.resolve(live.model if live is not None else page.session.model)
        used = live.builder.used if live is not None else 0
        return window_info(binding.model, used or last_use(page.messages))

    # ---- sources and sessions --------------------------------------------------------------------------------

    async def register(self, source: str) -> SessionId:
        session_id = await self._sources.active(source)
        running = events.TurnRunning(running=self.is_running(session_id))
        self._bus.publish(source, session_id, running)
        return session_id

    async def provision_session(
        self, source: str, *, agent: str = "assistant", context: RunContext | None = None, reset: bool = False
    ) -> SessionId:
        """Return the source's active session, a new one with `reset` or where there is none."""
        return await self._sources.provision(source, agent=agent, context=context, reset=reset)

    async def clear(self, source: str) -> SessionId:
        await self.cancel(source)
        return await self._sources.provision(source, reset=True)

    async def continue_session(self, source: str, session_id: SessionId) -> None:
        await self._live.refuse_foreign(session_id)
        await self._sources.continue_in(source, session_id)

    async def select_model(self, source: str, name: str) -> None:
        binding = await self.catalogue.resolve(name)
        live = await self._live.get(await self._sources.active(source))
        await self._live.refuse_foreign(live.id)
        if live.handler.is_running:
            raise SessionBusy("The running turn keeps its model.", hint="Choose another one when it has ended.")
        live.model = binding.model.name
        await self._store.sessions.update(live.id, model=live.model)
        _tell_changed(self._bus, live)

    async def set_policy(self, source: str, *, mode: Mode | None = None, workdir: str | None = None) -> None:
        """Raises: UsageError for a folder that does not exist, SessionBusy for a folder during a turn."""
        live = await self._live.get(await self._sources.active(source))
        await self._live.refuse_foreign(live.id)
        context = live.context
        if mode is not None:
            context = msgspec.structs.replace(context, mode=mode)
        if workdir is not None:
            if live.handler.is_running:
                raise SessionBusy("The running turn keeps its folder.", hint="Choose another one when it has ended.")
            context = msgspec.structs.replace(context, workdir=checked_folder(workdir))
        live.context = context
        await self._store.sessions.update(live.id, context=context)
        _tell_changed(self._bus, live)

    # ---- turns -----------------------------------------------------------------------------------------------

    async def send_message(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        if not text.strip() and not attachments:
            raise UsageError("There is nothing to send.")
        self._conversation(source).send(Incoming(text=text, attachments=tuple(attachments)))

    async def drop_queued(self, source: str, index: int) -> str:
        return self._conversation(source).take_back(index)

    async def cancel(self, source: str) -> Sequence[str]:
        texts = self._conversation(source).stop()
        session_id = await self._sources.known(source)
        if session_id is not None:
            await self.cancel_session(session_id)
        return texts

    async def cancel_session(self, session_id: SessionId) -> None:
        """Stop the session's turn if it runs in this process, and wait for its end (`T-10`)."""
        live = self._live.peek(session_id)
        if live is not None and live.handler.cancel():
            await live.handler.ended()

    async def resume(self, session_id: SessionId) -> None:
        live = await self._live.get(session_id)
        if not live.handler.is_running:
            self._conversation(live.source).resume(live.id)

    # ---- review ----------------------------------------------------------------------------------------------

    async def approve(self, request_id: RequestId, *, by: DecidedBy = DecidedBy.PERSON, who: str = "") -> None:
        await self._decide(request_id, Decision(approved=True, by=by, who=who))

    async def reject(
        self, request_id: RequestId, note: str = "", *, by: DecidedBy = DecidedBy.PERSON, who: str = ""
    ) -> None:
        await self._decide(request_id, Decision(approved=False, note=note, by=by, who=who))

    async def resolve_question(self, request_id: RequestId, answer: str) -> None:
        raise UnknownItem("That question does not wait any more.")

    async def _decide(self, request_id: RequestId, decision: Decision) -> None:
        """A request of an earlier run of the program is decided by resuming its session."""
        if not await self._requests().answer(request_id, decision):
            await self.resume(await self._requests().answer_later(request_id, decision))

    async def pending(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        return await self._store.approvals.waiting(session_id)

    async def request_diff(self, request_id: RequestId) -> FileDiff:
        return await self._requests().diff(request_id)

    # ---- ending ----------------------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """End all turns; what waits for a person stays waiting in the store."""
        await self._scope.close()

    def _conversation(self, source: str) -> Conversation:
        if source not in self._conversations:
            self._conversations[source] = Conversation(source, self._around)
        return self._conversations[source]


def _tell_changed(bus: EventBus, live: LiveSession) -> None:
    bus.publish(live.source, live.id, events.SessionChanged(session_id=live.id))


def checked_folder(workdir: str) -> str:
    """Raises: UsageError where it is no folder, or its name is no text."""
    folder = Path(workdir).expanduser()
    if not folder.is_dir():
        raise UsageError(f"{workdir} is not a folder.", hint="Choose a folder that exists.")
    resolved = str(folder.resolve())
    if clean_text(resolved) != resolved:
        raise UsageError(f"The name of the folder {workdir!r} is no valid text.", hint="Choose or rename the folder.")
    return resolved


def current_folder() -> str:
    """Raises: UsageError where the folder that the program was started in is gone."""
    try:
        return checked_folder(str(Path.cwd()))
    except OSError:
        raise UsageError("The current folder does not exist any more.", hint="Name one with --workdir.") from None
