"""One source: the session it talks in, its inbox, and the turns that come of it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import TaskScope
from placet.core.domain.text import first_line
from placet.core.hub.bus import EventBus
from placet.core.hub.inbox import SourceInbox, Unit
from placet.core.hub.live import LiveSession, LiveSessions
from placet.core.store.store import Store
from placet.core.turn.incoming import Incoming

log = logging.getLogger(__name__)

TITLE_LIMIT = 60


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What conversations share."""

    store: Store
    bus: EventBus
    live: LiveSessions
    scope: TaskScope
    active_session: Callable[[str], Awaitable[SessionId]]


class Conversation:
    """Everything a source does. Its turns run one after the other, each in a task of its own."""

    def __init__(self, source: str, around: Surroundings) -> None:
        self.source = source
        self._around = around
        self._inbox = SourceInbox(source, self._serve, around.scope)

    @property
    def queued(self) -> tuple[str, ...]:
        return self._inbox.waiting

    def send(self, message: Incoming) -> None:
        self._inbox.put(Unit(message=message))

    def resume(self, session_id: SessionId) -> None:
        """Go on with the session's interrupted turn, in its place among the messages."""
        self._inbox.put(Unit(resumes=session_id))

    def take_back(self, index: int) -> str:
        return self._inbox.take_back(index)

    def stop(self) -> Sequence[str]:
        """Stop what is served now and clear the queue; returns the texts that were queued."""
        return self._inbox.cancel()

    async def _serve(self, unit: Unit) -> None:
        draft = unit.message.shown if unit.message is not None else ""
        await self._guarded(self._turn(unit), unit.resumes, draft)

    async def _turn(self, unit: Unit) -> None:
        session_id = unit.resumes or await self._around.active_session(self.source)
        live = await self._around.live.get(session_id)
        if unit.message is not None:
            await self._title(live, unit.message.shown)
        async with self._around.live.owned(live.id):
            drain = self._inbox.drain_leading_messages
            if unit.message is not None:
                await live.handler.handle_message(unit.message, drain=drain, stop=unit.stop)
            else:
                await live.handler.resume(drain=drain, stop=unit.stop)
        self._changed(live.id)

    async def _guarded(self, run: Awaitable[None], session_id: SessionId | None, draft: str = "") -> None:
        """What could not even begin is told as an error, gives its text back, and ends nothing else (`H-8`)."""
        try:
            await run
        except PlacetError as error:
            self._tell(session_id, error, draft)
        except Exception as error:
            log.exception("turn of source %s crashed, consumer goes on", self.source)
            self._tell(session_id, PlacetError(f"Something unexpected went wrong: {error!r}"), draft)

    def _tell(self, session_id: SessionId | None, error: PlacetError, draft: str) -> None:
        told = events.Error(code="not_begun", message=error.message, hint=error.hint, detail=error.detail, draft=draft)
        self._around.bus.publish(self.source, session_id, told)

    def _changed(self, session_id: SessionId) -> None:
        self._around.bus.publish(self.source, session_id, events.SessionChanged(session_id=session_id))

    async def _title(self, live: LiveSession, text: str) -> None:
        """The first words at once; a person's own title is never touched."""
        if live.title:
            return
        live.title = first_line(text, TITLE_LIMIT)
        await self._around.store.sessions.update(live.id, title=live.title, by_person=False)
        self._changed(live.id)
