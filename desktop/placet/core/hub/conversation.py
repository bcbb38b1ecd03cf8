"""One source: the session it talks in, its inbox, and the turns that come of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial

import msgspec

from placet.core.domain import events
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import SessionId
from placet.core.domain.ports import Pause
from placet.core.domain.stopping import TaskScope
from placet.core.domain.text import first_line
from placet.core.hub.bus import EventBus
from placet.core.hub.drafts import Drafts
from placet.core.hub.inbox import SourceInbox, Unit
from placet.core.hub.live import LiveSession, LiveSessions, RunningTurn
from placet.core.turn.incoming import Incoming

log = logging.getLogger(__name__)

TITLE_LIMIT = 60


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What conversations share. `turn_ended` is called after each turn, however it ended."""

    bus: EventBus
    live: LiveSessions
    drafts: Drafts
    scope: TaskScope
    active_session: Callable[[str], Awaitable[SessionId]]
    turn_ended: Callable[[], None]
    debounce_s: float = 0.0
    pause: Pause = asyncio.sleep


class Conversation:
    """Everything a source does. Its turns run one after the other, each in a task of its own."""

    def __init__(self, source: str, around: Surroundings) -> None:
        self.source = source
        self._around = around
        self._inbox = SourceInbox(source, self._serve, around.scope, debounce_s=around.debounce_s, pause=around.pause)

    @property
    def queued(self) -> tuple[str, ...]:
        return self._inbox.waiting

    def send(self, message: Incoming) -> None:
        unit = self._around.drafts.named(self.source, message)
        self._around.drafts.keep(self.source, unit)
        self._inbox.put(unit)

    def interrupt(self, message: Incoming) -> None:
        """Stop what is served, keep the queue, and begin with this message."""
        unit = self._around.drafts.named(self.source, message)
        self._around.drafts.keep(self.source, unit, first=True)
        self._inbox.put(unit, first=True)
        self._inbox.stop_served()

    def resume(self, session_id: SessionId) -> None:
        """Go on with the session's interrupted turn, in its place among the messages."""
        self._inbox.put(Unit(resumes=session_id))

    def compact(self, focus: str) -> None:
        """Shorten the active session's history, in its place among the messages: a running turn ends first."""
        self._inbox.put(Unit(compacts=focus))

    def take_back(self, index: int) -> str:
        """Raises: UnknownItem where it is on its way to the model."""
        unit = self._inbox.take_back(index)
        self._around.drafts.forget([unit])
        assert unit.message is not None
        return unit.message.returned

    async def stop(self) -> Sequence[str]:
        """Stop what is served now and clear the queue, at once; returns the queued texts when the turn has ended."""
        units = self._inbox.cancel()
        self._around.drafts.forget(units)
        await self._inbox.served_ended()
        return [unit.message.returned for unit in units if unit.message is not None]

    def held(self) -> AbstractContextManager[None]:
        """Begin no turn meanwhile."""
        return self._inbox.held()

    # ---- turns ---------------------------------------------------------------------------------------------------

    async def _serve(self, unit: Unit) -> None:
        """The boundary of a turn: what goes wrong in it is told, and ends nothing else (`H-8`)."""
        try:
            await self._turn(unit)
        except PlacetError as error:
            self._tell(unit, "not_begun", error)
        except Exception as error:
            log.exception("turn of source %s crashed, consumer goes on", self.source)
            self._tell(unit, "not_begun", PlacetError(f"Something unexpected went wrong: {error!r}"))
        self._around.turn_ended()

    async def _turn(self, unit: Unit) -> None:
        session_id = unit.resumes or await self._around.active_session(self.source)
        live = await self._around.live.get(session_id)
        async with self._around.live.owned(live.id):
            with self._having(live, unit):
                drain = self._inbox.drain_leading_messages
                if unit.message is not None:
                    await live.handler.handle_message(unit.message, drain=drain, stop=unit.stop)
                elif unit.compacts is not None:
                    await live.handler.compact(unit.compacts, stop=unit.stop)
                else:
                    await live.handler.resume(drain=drain, stop=unit.stop)
            lost = self._lost()
            if lost and lost[0] is unit:  # the turn's own error has given it back
                del lost[0]
            if lost:
                self._tell(unit, "not_sent", PlacetError("The turn ended before all messages were in it."), lost)
        self._changed(live.id)

    @contextmanager
    def _having(self, live: LiveSession, unit: Unit) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None
        live.turn, live.on_stored = RunningTurn(unit.stop, task), partial(self._on_stored, live)
        try:
            yield
        finally:
            live.turn = live.on_stored = None

    def _on_stored(self, live: LiveSession, event: events.UserMessage) -> None:
        """A message has become history: it is no draft any more, and the first one gives the title."""
        if (unit := self._inbox.stored()) is not None:
            self._around.drafts.forget([unit])
        if not live.title:  # the store has given the same, unless a person gave another
            live.title = first_line(event.typed or event.content, TITLE_LIMIT)
            self._changed(live.id)

    def _lost(self) -> list[Unit]:
        """What the turn took and did not store; it is no draft any more, because it is given back."""
        lost = list(self._inbox.lost())
        self._around.drafts.forget(lost)
        return lost

    def _tell(self, unit: Unit, code: str, error: PlacetError, lost: Sequence[Unit] | None = None) -> None:
        """Tell what went wrong, and give back the texts that are nowhere else."""
        lost = self._lost() if lost is None else lost
        draft = "\n\n".join(each.message.returned for each in lost if each.message is not None)
        told = events.Error(code=code, message=error.message, hint=error.hint, detail=error.detail, draft=draft)
        self._around.bus.publish(self.source, unit.resumes, told)

    def _changed(self, session_id: SessionId) -> None:
        self._around.bus.publish(self.source, session_id, events.SessionChanged(session_id=session_id))
