"""The single crossing between core and window: hub events become signals, intents become hub coroutines."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Lagged, ReasoningDelta, TextDelta, ToolArgsDelta, ToolOutput
from placet.core.domain.stopping import TaskScope
from placet.core.hub.api import HubApi, Subscription

T = TypeVar("T")
_STREAMED = (TextDelta, ReasoningDelta, ToolArgsDelta, ToolOutput)


class Bridge(QObject):
    """Main thread only. Widgets listen here and never await: they hand their wishes to `run`."""

    event_arrived = Signal(object)  # an Envelope, in order
    fact_arrived = Signal(object)  # the same without streamed pieces: for whoever does not draw them
    reload_needed = Signal()  # events were missed; show anew what the store says
    failed = Signal(object)  # a PlacetError of an intent, for a notice

    def __init__(self, hub: HubApi, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hub = hub
        self._scope = TaskScope("window")

    @property
    def scope(self) -> TaskScope:
        """Owner of all tasks the window starts."""
        return self._scope

    def start(self) -> None:
        """Subscribe now and pass events on until `aclose`. Nothing that happens after this call is missed."""
        subscription = self.hub.events()
        task = self._scope.start(self._pump(subscription), "window events")
        task.add_done_callback(lambda _: subscription.close())

    async def _pump(self, subscription: Subscription) -> None:
        async for envelope in subscription:
            if isinstance(envelope.event, Lagged):
                self.reload_needed.emit()
            else:
                self.event_arrived.emit(envelope)
                if not isinstance(envelope.event, _STREAMED):
                    self.fact_arrived.emit(envelope)

    def run(
        self,
        work: Awaitable[T],
        then: Callable[[T], None] | None = None,
        otherwise: Callable[[PlacetError], None] | None = None,
    ) -> None:
        """Do `work`; `then` gets its result. A PlacetError goes to `otherwise`, else it is shown as a notice.

        While the window closes, a late wish (a timer, a view that fetches more) is dropped; so is one that Qt
        delivers when the loop has already stopped.
        """
        if self._scope.is_closed or not _is_loop_running():
            if inspect.iscoroutine(work):
                work.close()
            return
        task = self._scope.start(self._carry_out(work, then, otherwise), "window intent")
        if inspect.iscoroutine(work):
            task.add_done_callback(lambda _: work.close())  # cancelled before its first step, it was never begun

    async def _carry_out(
        self,
        work: Awaitable[T],
        then: Callable[[T], None] | None,
        otherwise: Callable[[PlacetError], None] | None,
    ) -> None:
        try:
            result = await work
        except PlacetError as error:
            if otherwise is not None:
                otherwise(error)
            else:
                self.failed.emit(error)
        else:
            if then is not None:
                then(result)

    async def aclose(self) -> None:
        """Cancel and await everything the window started. Idempotent."""
        await self._scope.close()


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
