"""The inbox under any interleaving of what a person and a turn do, against a model of what must hold.

The model: a list of what waits, what the running turn has taken, and where every text ended up.
"""

from __future__ import annotations

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from placet.core.domain.ids import SessionId
from placet.core.domain.stopping import TaskScope
from placet.core.hub.inbox import SourceInbox, Unit
from placet.core.turn.incoming import Incoming

RESUME = "<resume>"


class InboxMachine(RuleBasedStateMachine):
    """A turn that does what it is told: it stores a message, drains, ends. Steps run on one loop, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.numbers = 0
        self.queue: list[str] = []  # the model: texts and resumes that wait
        self.taken: list[str] = []  # taken by the running turn, not stored yet
        self.running = False
        self.stopped = False
        self.held = False
        self.history: list[str] = []
        self.returned: list[str] = []
        self.sent: list[str] = []
        self.served: Unit | None = None
        self.real_history: list[str] = []
        self.ends: asyncio.Future[None] | None = None
        self._run(self._begin())

    # ---- the real thing ------------------------------------------------------------------------------------------

    def _run(self, work):  # type: ignore[no-untyped-def]
        return self.loop.run_until_complete(work)

    async def _begin(self) -> None:
        self.scope = TaskScope("test")
        self.inbox = SourceInbox("desktop", self._serve, self.scope)
        self.hold = self.inbox.held()

    async def _serve(self, unit: Unit) -> None:
        self.served = unit
        self.ends = asyncio.get_running_loop().create_future()
        await self.ends
        self.served = None

    def _settle(self) -> None:
        async def turn_the_loop() -> None:
            for _ in range(8):
                await asyncio.sleep(0)

        self._run(turn_the_loop())
        self._take_next()

    def _take_next(self) -> None:
        """What the consumer does in the model."""
        if not self.running and self.queue and not self.held:
            self.running, self.stopped = True, False
            first = self.queue.pop(0)
            self.taken = [] if first == RESUME else [first]

    def _unit(self) -> Unit:
        self.numbers += 1
        return Unit(message=Incoming(text=f"m{self.numbers}"))

    # ---- what a person does --------------------------------------------------------------------------------------

    @rule()
    def send(self) -> None:
        unit = self._unit()
        assert unit.message is not None
        self._run(self._put(unit))
        self.queue.append(unit.message.text)
        self.sent.append(unit.message.text)
        self._settle()

    async def _put(self, unit: Unit, *, interrupts: bool = False) -> None:
        self.inbox.put(unit, first=interrupts)
        if interrupts:
            self.inbox.stop_served()

    @rule()
    def interrupt_and_send(self) -> None:
        unit = self._unit()
        assert unit.message is not None
        self._run(self._put(unit, interrupts=True))
        self.queue.insert(0, unit.message.text)
        self.sent.append(unit.message.text)
        self.stopped = self.running
        self._settle()

    @rule()
    def resume(self) -> None:
        self._run(self._put(Unit(resumes=SessionId("s"))))
        self.queue.append(RESUME)
        self._settle()

    @rule(place=st.integers(0, 5))
    def take_back(self, place: int) -> None:
        texts = [text for text in self.queue if text != RESUME]
        if place < len(texts):
            unit = self.inbox.take_back(place)
            assert unit.message is not None and unit.message.text == texts[place]
            self.queue.remove(texts[place])
            self.returned.append(texts[place])
        self._settle()

    @rule()
    def stop(self) -> None:
        units = self.inbox.cancel()
        texts = [text for text in self.queue if text != RESUME]
        assert [unit.message.text for unit in units if unit.message] == texts
        self.returned += texts
        self.queue.clear()
        self.stopped = self.running
        self._settle()

    @rule()
    def hold_or_release(self) -> None:
        """A new chat is being made: nothing begins meanwhile."""
        if self.held:
            self.hold.__exit__(None, None, None)
        else:
            self.hold = self.inbox.held()
            self.hold.__enter__()
        self.held = not self.held
        self._settle()

    # ---- what the turn does --------------------------------------------------------------------------------------

    @precondition(lambda self: self.running and not self.stopped)
    @rule()
    def store_one(self) -> None:
        unit = self.inbox.stored()
        if not self.taken:
            assert unit is None
            return
        assert unit is not None and unit.message is not None
        assert unit.message.text == self.taken[0]
        self.real_history.append(unit.message.text)
        self.history.append(self.taken.pop(0))

    @precondition(lambda self: self.running and not self.stopped)
    @rule()
    def drain(self) -> None:
        run: list[str] = []
        while self.queue and self.queue[0] != RESUME:
            run.append(self.queue.pop(0))
        assert [message.text for message in self.inbox.drain_leading_messages()] == run
        self.taken += run

    @precondition(lambda self: self.running)
    @rule()
    def end_turn(self) -> None:
        lost = [unit.message.text for unit in self.inbox.lost() if unit.message is not None]
        assert lost == self.taken
        self.returned += lost
        self.taken.clear()
        self.running = False
        assert self.ends is not None
        self.ends.set_result(None)
        self._settle()

    # ---- what always holds ---------------------------------------------------------------------------------------

    @invariant()
    def h1_waiting_is_in_the_order_of_the_model(self) -> None:
        assert list(self.inbox.waiting) == [text for text in self.queue if text != RESUME]

    @invariant()
    def h6_a_stop_reaches_what_was_taken(self) -> None:
        assert (self.served is not None) == self.running
        if self.served is not None:
            assert self.served.stop.is_set == self.stopped

    @invariant()
    def no_text_is_lost_or_doubled(self) -> None:
        waiting = [text for text in self.queue if text != RESUME]
        assert sorted(self.sent) == sorted([*self.history, *self.returned, *self.taken, *waiting])

    def teardown(self) -> None:
        self._run(self.scope.close())
        self.loop.close()


InboxMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)


class TestInbox(InboxMachine.TestCase):
    """H-1, H-3, H-4, H-6, H-7: order, injection, stops."""
