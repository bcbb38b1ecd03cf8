"""TIC: from time to time the events that wait are looked through in a session of their own, and a few are told."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import msgspec

from placet.core.background.prompt import tick_prompt
from placet.core.domain.background import Tick, TicState
from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import SessionId
from placet.core.domain.notifications import Notification
from placet.core.domain.outcomes import Cancelled, Exhausted, Failed, Outcome
from placet.core.domain.stopping import TaskScope
from placet.core.store.background import BackgroundRows

log = logging.getLogger(__name__)


class TicOptions(msgspec.Struct, frozen=True, kw_only=True):
    enabled: bool = True
    interval_minutes: int = 15
    batch_size: int = 50


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn over events came to: how it ended, and what it wants told."""

    outcome: Outcome
    told: tuple[Notification, ...] = ()


class Tic:
    """One for the program. Nothing of a tick is told before its end, so that a crash tells nothing twice.

    `look` runs the turn: it gets the tick, the prompt and the ids of its events, and calls `begun` with its session before the turn
    begins. `announce` is called with what was told, after it is stored.
    """

    def __init__(
        self,
        rows: BackgroundRows,
        *,
        look: Callable[[Tick, str, frozenset[int], Callable[[SessionId], Awaitable[None]]], Awaitable[Look]],
        announce: Callable[[Sequence[Notification]], Awaitable[None]],
        rules: Callable[[], str],
        changed: Callable[[], None],
        options: TicOptions,
    ) -> None:
        self._rows, self._look, self._announce = rows, look, announce
        self._rules, self._changed = rules, changed
        self._options = options
        self._ticking = asyncio.Lock()
        self._woken = asyncio.Event()
        self._next_at: float | None = None

    # ---- looking at it -------------------------------------------------------------------------------------------

    async def state(self) -> TicState:
        waiting, lost = await self._rows.waiting()
        return TicState(
            enabled=self._options.enabled,
            interval_minutes=self._options.interval_minutes,
            waiting=waiting,
            lost=lost,
            is_running=self._ticking.locked(),
            next_at=self._next_at,
        )

    def configure(self, options: TicOptions) -> None:
        """Takes effect at once."""
        self._options = options
        self.wake()

    def wake(self) -> None:
        """Something may be different: an event came, or an option changed."""
        self._woken.set()

    # ---- ticks ---------------------------------------------------------------------------------------------------

    def start(self, scope: TaskScope) -> None:
        """Look from now on, whenever it is time."""
        self.wake()
        scope.start(self._run_for_ever(), name="tic")

    async def _run_for_ever(self) -> None:
        while True:
            self._woken.clear()
            wait_s = await self._seconds_to_wait()
            self._next_at = None if wait_s is None else time.time() + wait_s
            if wait_s is None or wait_s > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), wait_s)
                continue
            try:
                await self.run_now()
            except PlacetError as error:  # the database is busy or full; the next event or hour tries again
                log.warning("tic: %s", error)
                await asyncio.sleep(self._options.interval_minutes * 60)

    async def _seconds_to_wait(self) -> float | None:
        """Until the next tick; None where there is nothing to wait for: an event or an option wakes."""
        if not self._options.enabled or not (await self._rows.waiting())[0]:
            return None
        newest, _ = await self._rows.ticks(per_page=1)
        last = newest[0].started_at if newest else 0.0
        interval_s = self._options.interval_minutes * 60.0
        return min(max(last + interval_s - time.time(), 0.0), interval_s)

    async def run_now(self) -> Tick | None:
        """Look through the oldest events that wait; None where none do, or a tick runs already, here or elsewhere.

        A turn that fails fails the tick, which is returned so. Raises: StoreError.
        """
        if self._ticking.locked():
            return None
        async with self._ticking:
            claimed = await self._rows.claim(self._options.batch_size)
            if claimed is None:
                return None
            self._changed()
            tick, events = claimed
            try:
                ended = await self._looked(tick, tick_prompt(events, self._rules()), frozenset(e.id for e in events))
            finally:
                self._changed()
            return ended

    async def _looked(self, tick: Tick, prompt: str, events: frozenset[int]) -> Tick:
        async def begun(session_id: SessionId) -> None:
            await self._rows.begin_turn(tick.id, session_id)
            self._changed()

        try:
            look = await self._look(tick, prompt, events, begun)
        except PlacetError as error:
            return await self._rows.fail(tick.id, str(error))
        if error_words := _why_failed(look.outcome):
            return await self._rows.fail(tick.id, error_words)
        ended = await self._rows.finish(tick.id, look.told)
        if look.told:
            await self._announce(look.told)
        return ended

    async def put_back(self, tick_id: int) -> int:
        """Let the events of a failed tick wait again; returns how many. Raises: UnknownItem."""
        count = await self._rows.put_back(tick_id)
        self._changed()
        self.wake()
        return count


def _why_failed(outcome: Outcome) -> str:
    match outcome:
        case Failed(error=error):
            return str(error)
        case Cancelled():
            return "It was stopped."
        case Exhausted(rounds=rounds):
            return f"It used all of its {rounds} rounds without coming to an end."
    return ""
