"""What waits, in order, and that each answer is for one request only."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from placet.core.domain.errors import StoreError
from placet.core.domain.review import RequestKind
from placet.core.domain.stopping import TaskScope
from placet.ui.models.review import ReviewModel
from support.fake_hub import FakeHub
from support.review_samples import SESSION, command_request, file_diff, question_request, write_request
from support.settled import settled


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
async def scope() -> AsyncGenerator[TaskScope]:
    made = TaskScope("test")
    yield made
    await made.close()


@pytest.fixture
async def model(hub: FakeHub, scope: TaskScope) -> ReviewModel:
    return ReviewModel(hub, scope)


async def follow(model: ReviewModel, scope: TaskScope, *envelopes: object) -> None:
    for envelope in envelopes:
        model.handle(envelope)
    await settled()


async def test_requests_come_oldest_first_with_the_diff_of_the_first(hub, scope, model) -> None:
    events = [hub.ask(write_request(n), file_diff()) for n in (2, 1, 3)]
    await follow(model, scope, *events)
    assert [request.call_id for request in model.requests] == [1, 2, 3]
    assert model.diff == file_diff()


async def test_R15_each_request_is_decided_on_its_own(hub, scope, model) -> None:
    for number in (1, 2, 3):
        hub.ask(write_request(number), file_diff())
    model.refresh()
    await settled()
    model.next()
    model.reject("  not this one ")
    await settled()
    assert hub.decided == [("request-2", "rejected", "not this one")]
    assert [request.id for request in model.requests] == ["request-1", "request-3"]
    model.approve()
    await settled()
    assert hub.decided[1] == ("request-3", "approved", "")


async def test_a_second_answer_while_one_is_on_its_way_is_not_sent(hub, scope, model) -> None:
    hub.ask(command_request("ls"))
    model.refresh()
    await settled()
    model.approve()
    assert model.is_deciding
    model.approve()
    model.reject("too late")
    await settled()
    assert hub.decided == [("request-1", "approved", "")]


async def test_the_place_is_kept_when_others_come_and_go(hub, scope, model) -> None:
    for number in (1, 2, 3):
        hub.ask(write_request(number), file_diff())
    model.refresh()
    await settled()
    model.go_to(1)
    await hub.approve("request-1")
    await follow(model, scope, hub.ask(write_request(4), file_diff()))
    assert model.current is not None
    assert model.current.id == "request-2"
    assert model.index == 0


async def test_R17_a_stale_request_is_followed_by_its_successor(hub, scope, model) -> None:
    hub.ask(write_request(1), file_diff())
    hub.ask(write_request(2), file_diff())
    model.refresh()
    await settled()
    model.go_to(1)
    fresh = write_request(2, id="request-2b", created_at=9.0)
    await follow(model, scope, *hub.make_stale("request-2", fresh, file_diff(added=7)))
    assert model.current is not None
    assert (model.current.id, model.current.stale) == ("request-2b", True)
    assert model.diff is not None
    assert model.diff.added == 7


async def test_an_error_of_an_answer_stays_with_its_request(hub, scope, model) -> None:
    hub.ask(command_request("ls"))
    model.refresh()
    await settled()
    hub.refusals["approve"] = StoreError("The disk is full.", hint="Free some space.")
    model.approve()
    await settled()
    assert str(model.error) == "The disk is full. Free some space."
    model.approve()
    await settled()
    assert hub.decided == [("request-1", "approved", "")]


async def test_only_the_chosen_session_is_shown(hub, scope, model) -> None:
    hub.ask(command_request("ls", 1))
    hub.ask(command_request("ls", 2, session_id="other"))
    model.show_session(SESSION)
    await settled()
    assert len(model.requests) == 1
    model.show_session(None)
    await settled()
    assert len(model.requests) == 2


async def test_a_list_that_cannot_be_read_is_told(hub, scope, model) -> None:
    told: list[object] = []
    model.failed.connect(told.append)
    hub.refusals["pending"] = error = StoreError("The database is locked.")
    model.refresh()
    await settled()
    assert told == [error]


async def test_many_events_in_a_row_ask_the_hub_at_most_twice(hub, scope, model) -> None:
    changes: list[None] = []
    model.changed.connect(lambda: changes.append(None))
    for number in range(20):
        model.handle(hub.ask(command_request("ls", number + 1)))
    await settled()
    assert len(model.requests) == 20
    assert len(changes) <= 2


async def test_a_model_for_one_kind_lists_no_other(hub, scope) -> None:
    model = ReviewModel(hub, scope, only=RequestKind.QUESTION)
    hub.ask(write_request(1), file_diff())
    model.handle(hub.ask(question_request(2)))
    await settled()
    assert [request.id for request in model.requests] == ["request-2"]
    model.answer("UTF-8")
    await settled()
    assert hub.decided == [("request-2", "answered", "UTF-8")]
