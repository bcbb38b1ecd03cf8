"""The Inbox under any order of what arrives, is decided here and elsewhere, goes stale and is withdrawn.

The place stays on the same item or on the one that followed it, and nothing is decided but what was pressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.review import PendingRequest, RequestKind
from placet.core.domain.stopping import TaskScope
from placet.ui.models.batch import BatchModel
from placet.ui.models.inbox import InboxModel
from placet.ui.models.inbox_items import group_of
from support.fake_hub import FakeHub
from support.review_samples import command_request, file_diff, question_request, write_request
from support.settled import settled

KINDS = ("write", "write", "write", "command", "question")
EVENTS = ("arrive", "arrive", "arrive", "elsewhere", "elsewhere", "stale", "withdraw")
PRESSES = ("approve", "reject", "walk", "walk", "open", "look", "approve seen")

event = st.tuples(st.sampled_from(EVENTS), st.integers(0, 40), st.sampled_from(KINDS))
step = st.tuples(st.lists(event, max_size=4), st.sampled_from(PRESSES), st.integers(0, 40))


class Desk:
    """One Inbox, one person at it, and somebody else at the same hub."""

    def __init__(self, scope: TaskScope) -> None:
        self.hub = FakeHub()
        self.inbox = InboxModel(self.hub, scope)
        self.batch = BatchModel(self.inbox.review, self.hub, scope)
        self.pressed: set[RequestId] = set()
        self.elsewhere: set[RequestId] = set()
        self.looked_at: set[RequestId] = set()
        self._count = 0

    async def happen(self, events: Sequence[tuple[str, int, str]]) -> None:
        """All of it before the list is read again."""
        before = self._groups()
        at, current = self.inbox.row, self.inbox.review.current
        for kind, number, what in events:
            await self._event(kind, number, what)
        self.inbox.refresh()
        await settled()
        self._check_place(before, at, current)

    async def _event(self, kind: str, number: int, what: str) -> None:
        waiting = self.hub.requests
        if kind == "arrive" or not waiting:
            self.hub.ask(self._request(number, what), file_diff())
            return
        request = waiting[number % len(waiting)]
        if kind == "elsewhere":
            self.elsewhere.add(request.id)
            await self.hub.reject(request.id)
        elif kind == "stale" and request.kind is RequestKind.WRITE:
            self._count += 1
            anew = write_request(self._count, session_id=request.session_id, call_id=request.call_id, path=request.path)
            self.hub.make_stale(request.id, anew, file_diff())
        elif kind == "withdraw":
            self.hub.requests = [each for each in waiting if each.session_id != request.session_id]

    def _request(self, number: int, what: str) -> PendingRequest:
        self._count += 1
        session = SessionId(f"session-{number % 3}")
        if what == "command":
            return command_request("ls", self._count, session_id=session)
        if what == "question":
            return question_request(self._count, session_id=session)
        return write_request(self._count, session_id=session, call_id=CallId(self._count), path=f"/w/{number % 4}.py")

    async def press(self, what: str, number: int) -> None:
        review = self.inbox.review
        current = review.current
        match what:
            case "walk":
                review.next() if number % 2 else review.previous()
            case "open":
                self.inbox.open(number % (len(self.inbox.items) + 1))
            case "look" if current is not None:
                self.batch.mark([current.id], to_the_end=True)
                self.looked_at.add(current.id)
            case "approve seen":
                self.pressed |= {row.request.id for row in self.batch.rows} & self.looked_at
                self.batch.approve_seen()
            case "approve" | "reject" if current is not None:
                self.pressed.add(current.id)
                if current.kind is RequestKind.QUESTION:
                    review.answer("yes")
                else:
                    review.approve() if what == "approve" else review.reject()
        await settled()

    def _groups(self) -> list[str]:
        return [group_of(item.first) for item in self.inbox.items]

    def _check_place(self, before: list[str], at: int, old: PendingRequest | None) -> None:
        now, current = self._groups(), self.inbox.review.current
        assert (current is None) == (not now)
        if current is None or old is None:
            return
        here = group_of(current)
        assert now[self.inbox.row] == here
        followed = [*before[at:], *before[:at][::-1]]
        left = [group for group in followed if group in now]
        if left:
            assert here == left[0]
        same = [each for each in self.inbox.review.requests if each.call_id == old.call_id]
        if same:
            assert current.call_id == old.call_id


async def run(steps: Sequence[tuple[list[tuple[str, int, str]], str, int]]) -> None:
    scope = TaskScope("test")
    try:
        desk = Desk(scope)
        desk.inbox.begin()
        await settled()
        for events, press, number in steps:
            await desk.happen(events)
            await desk.press(press, number)
        decided = [request for request, *_ in desk.hub.decided]
        assert len(decided) == len(set(decided))
        assert set(decided) <= desk.pressed | desk.elsewhere
    finally:
        await scope.close()


@settings(max_examples=150, deadline=None)
@given(st.lists(step, max_size=12))
def test_r_10_r_17_the_place_stays_and_nothing_is_decided_but_what_was_pressed(
    steps: list[tuple[list[tuple[str, int, str]], str, int]],
) -> None:
    with asyncio.Runner() as runner:
        runner.run(run(steps))
