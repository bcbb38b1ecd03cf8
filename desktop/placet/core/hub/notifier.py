"""Notifications on their way to a person: stored first, gathered, put into the home source's session, answered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from placet.core.domain import events
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import SessionId
from placet.core.domain.notifications import Notification
from placet.core.domain.ports import Pause
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.live import LiveSessions
from placet.core.hub.sources import Sources
from placet.core.store.store import Store

log = logging.getLogger(__name__)

HOME_SOURCE = "desktop"  # until a person chooses another
BATCH_S = 0.2
RETRY_S = 30.0
_HOME_KEY = "home_source"


class Notifier:
    """Delivers once it was started, which only a program that stays does; until then they wait in the store (`H-10`).

    A running turn is waited for. It is woken by whatever may have made a delivery possible.
    """

    def __init__(
        self,
        *,
        store: Store,
        bus: EventBus,
        live: LiveSessions,
        sources: Sources,
        pause: Pause,
    ) -> None:
        self._store, self._bus, self._live, self._sources = store, bus, live, sources
        self._pause = pause
        self._may_wait = True  # an earlier run of the program may have left some
        self._woken = asyncio.Event()

    async def notify(self, notification: Notification) -> None:
        """Store it and return; it is delivered when no turn runs in the home source's session."""
        await self._store.notifications.add(notification)
        await self.announce((notification,))

    async def announce(self, stored: Sequence[Notification]) -> None:
        """These were stored; tell of them, and deliver them when it can be done."""
        home = await self.home()
        for each in stored:
            told = events.Notification(summary=each.summary, event_type=each.event_type, refs=each.refs)
            self._bus.publish(home, None, told)
        self._may_wait = True
        self.wake()

    async def home(self) -> str:
        """The source where notifications arrive."""
        return str(await self._store.settings.get(_HOME_KEY, HOME_SOURCE))

    async def set_home(self, source: str) -> None:
        """Let notifications arrive there from now on, also those that wait."""
        await self._store.settings.set(_HOME_KEY, source)
        self.wake()

    def start(self, scope: TaskScope, resume: Callable[[SessionId], Awaitable[None]]) -> None:
        """Deliver from now on, beginning with what an earlier run left; `resume` lets a session be answered."""
        self.wake()
        scope.start(self._deliver_for_ever(resume), name="notifications")

    def wake(self) -> None:
        """A turn has ended, or the home source talks in another session: look again."""
        if self._may_wait:
            self._woken.set()

    async def _deliver_for_ever(self, resume: Callable[[SessionId], Awaitable[None]]) -> None:
        while True:
            await self._woken.wait()
            await self._pause(BATCH_S)
            self._woken.clear()
            try:
                if (session_id := await self._deliver()) is not None:
                    self._woken.set()  # there may be more than one batch
                    await resume(session_id)
            except PlacetError as error:  # another process has the session, or the disk is full
                log.warning("notifications wait: %s", error)
                await self._pause(RETRY_S)
                self._woken.set()

    async def _deliver(self) -> SessionId | None:
        """Put what waits where it belongs; returns the session, None where nothing could be delivered now."""
        self._may_wait = False
        if not await self._store.notifications.are_waiting():
            return None
        self._may_wait = True
        source = await self.home()
        session_id = await self._sources.active(source)
        if self._live.is_owned(session_id):
            return None  # its end wakes
        async with self._live.owned(session_id):
            return session_id if await self._store.notifications.deliver(source, session_id) else None
