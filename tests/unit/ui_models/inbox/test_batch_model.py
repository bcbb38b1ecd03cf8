"""Many writes at once: what was looked at, what is offered, and that each is decided on its own."""

from __future__ import annotations

import msgspec
import pytest

from placet.core.domain.errors import StoreError, UsageError
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.review import PendingRequest
from placet.core.domain.stopping import TaskScope
from placet.ui.models.batch import BatchModel, BatchState
from placet.ui.models.review import ReviewModel
from placet.ui.models.together import TogetherModel
from support.fake_hub import FakeHub
from support.review_samples import command_request, file_diff, write_request
from support.settled import settled


def edit(number: int, path: str = "") -> PendingRequest:
    return write_request(number, path=path or f"/w/{number:02}.py")


@pytest.fixture
async def review(hub: FakeHub, scope: TaskScope) -> ReviewModel:
    return ReviewModel(hub, scope)


@pytest.fixture
async def batch(hub: FakeHub, scope: TaskScope, review: ReviewModel) -> BatchModel:
    return BatchModel(review, hub, scope)


async def wait(hub: FakeHub, review: ReviewModel, *requests: PendingRequest) -> None:
    for request in requests:
        hub.ask(request, file_diff())
    review.refresh()
    await settled()


async def resolve(hub: FakeHub, review: ReviewModel, batch: BatchModel, number: int, verb: str = "approve") -> None:
    """Somebody else decides."""
    stream = hub.events()
    await getattr(hub, verb)(RequestId(f"request-{number}"))
    stream.close()
    async for envelope in stream:
        batch.handle(envelope)
    review.refresh()
    await settled()


def states(batch: BatchModel) -> list[str]:
    return [row.state.value for row in batch.rows]


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"request-{number}" for number in numbers)


async def test_one_write_is_no_batch_and_a_command_is_none(hub, review, batch) -> None:
    await wait(hub, review, edit(1), command_request("ls", 2))
    assert not batch.is_open
    await wait(hub, review, edit(3))
    assert [row.request.call_id for row in batch.rows] == [1, 3]
    review.go_to(1)
    assert not batch.is_open


async def test_r_10_only_what_was_looked_at_to_its_end_is_approved(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 6)))
    batch.mark(ids(1, 3), to_the_end=True)
    batch.mark(ids(2), to_the_end=False)
    assert states(batch) == ["seen", "part", "seen", "unseen", "unseen"]
    batch.approve_seen()
    await settled()
    assert [request for request, *_ in hub.decided] == list(ids(1, 3))


async def test_r_10_all_are_approved_only_by_an_offer_that_names_the_unseen(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 5)))
    batch.mark(ids(1), to_the_end=True)
    offer = batch.offer()
    assert (offer.ids, offer.unseen) == (ids(1, 2, 3, 4), ids(2, 3, 4))
    assert batch.approve_all(offer)
    await settled()
    assert [request for request, *_ in hub.decided] == list(ids(1, 2, 3, 4))


async def test_an_offer_holds_only_for_what_waited_when_it_was_made(hub, review, batch) -> None:
    await wait(hub, review, edit(1), edit(2))
    offer = batch.offer()
    await wait(hub, review, edit(3))
    assert not batch.approve_all(offer)
    offer = batch.offer()
    await hub.reject(RequestId("request-2"))
    review.refresh()
    await settled()
    assert not batch.approve_all(offer)
    assert hub.decided == [("request-2", "rejected", "")]


async def test_an_edit_made_anew_counts_as_unseen_and_says_that_it_changed(hub, review, batch) -> None:
    await wait(hub, review, edit(1), edit(2))
    batch.mark(ids(1, 2), to_the_end=True)
    anew = msgspec.structs.replace(edit(9, "/w/01.py"), call_id=CallId(1))
    hub.make_stale(RequestId("request-1"), anew, file_diff())
    review.refresh()
    await settled()
    assert [(row.request.id, row.state.value) for row in batch.rows] == [
        ("request-9", "changed"),
        ("request-2", "seen"),
    ]
    assert batch.seen() == ids(2)


async def test_r_15_one_that_cannot_be_decided_stops_none_of_the_others(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 4)))
    batch.mark(ids(1, 2, 3), to_the_end=True)
    hub.refusals["approve"] = StoreError("The database is busy.")
    batch.approve_seen()
    await settled()
    assert [request for request, *_ in hub.decided] == list(ids(2, 3))
    assert states(batch)[0] == "failed"
    assert batch.rows[0].trouble == "The database is busy."


async def test_r_15_one_rejection_leaves_the_others_waiting(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 4)))
    await resolve(hub, review, batch, 2, "reject")
    assert states(batch) == ["unseen", "rejected", "unseen"]
    assert batch.offer().ids == ids(1, 3)


async def test_what_is_decided_stays_in_its_place_until_nothing_waits(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 4)))
    for number in (1, 3):
        await resolve(hub, review, batch, number)
    assert states(batch) == ["approved", "unseen", "approved"]
    assert (batch.current, review.current.id) == (1, "request-2")
    await resolve(hub, review, batch, 2)
    assert not batch.is_open


async def test_a_stop_shows_as_withdrawn(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 4)))
    hub.requests = [request for request in hub.requests if request.id != "request-3"]
    review.refresh()
    await settled()
    assert states(batch) == ["unseen", "unseen", "withdrawn"]


async def test_r_13_all_can_be_rejected_with_one_reason(hub, review, batch) -> None:
    await wait(hub, review, *map(edit, range(1, 4)))
    batch.reject(batch.offer().ids, " not now ")
    await settled()
    assert hub.decided == [(request, "rejected", "not now") for request in ids(1, 2, 3)]


async def test_while_answers_are_on_their_way_nothing_more_is_sent(hub, review, batch) -> None:
    await wait(hub, review, edit(1), edit(2))
    batch.mark(ids(1, 2), to_the_end=True)
    hub.hold.clear()
    batch.approve_seen()
    assert states(batch) == [BatchState.SENDING, BatchState.SENDING]
    batch.approve_seen()
    batch.reject(ids(1, 2))
    hub.hold.set()
    await settled()
    assert [decision for _, decision, _ in hub.decided] == ["approved", "approved"]


# ---- edits of one file -----------------------------------------------------------------------------------------


@pytest.fixture
async def together(hub: FakeHub, scope: TaskScope, batch: BatchModel) -> TogetherModel:
    return TogetherModel(batch, hub, scope)


async def test_r_17_edits_of_one_file_are_seen_and_approved_together_in_their_order(
    hub, review, batch, together
) -> None:
    await wait(hub, review, edit(1, "/w/a.py"), edit(2, "/w/b.py"), edit(3, "/w/a.py"))
    assert [(row.step, row.steps) for row in batch.rows] == [(1, 2), (1, 1), (2, 2)]
    together.open()
    await settled()
    assert (together.ids, together.diff) == (ids(1, 3), file_diff())
    together.approve()
    await settled()
    assert [request for request, *_ in hub.decided] == list(ids(1, 3))
    assert not together.is_open


async def test_a_further_edit_of_the_file_must_be_seen_before_they_are_approved(hub, review, batch, together) -> None:
    await wait(hub, review, edit(1, "/w/a.py"), edit(2, "/w/a.py"))
    together.open()
    await settled()
    hub.hold.clear()
    hub.ask(edit(3, "/w/a.py"), file_diff())
    together.approve()
    assert states(batch) == [BatchState.SENDING, BatchState.SENDING]  # those two were seen, the third did not wait yet
    hub.hold.set()
    await settled()
    assert [request for request, *_ in hub.decided] == list(ids(1, 2))


async def test_edits_that_do_not_fit_together_say_so_and_cannot_be_approved_so(hub, review, batch, together) -> None:
    await wait(hub, review, edit(1, "/w/a.py"), edit(2, "/w/a.py"))
    hub.refusals["request_diff_together"] = UsageError("These edits do not build on one another.")
    together.open()
    await settled()
    assert together.error is not None
    together.approve()
    await settled()
    assert hub.decided == []


async def test_the_view_goes_with_the_file_that_is_looked_at(hub, review, batch, together) -> None:
    await wait(hub, review, edit(1, "/w/a.py"), edit(2, "/w/a.py"), edit(3, "/w/b.py"))
    together.open()
    await settled()
    review.go_to(2)
    assert not together.is_open
