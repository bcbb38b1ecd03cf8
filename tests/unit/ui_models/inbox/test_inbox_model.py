"""The list over all sessions, and the place in it while others decide too."""

from __future__ import annotations

import pytest

from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.stopping import TaskScope
from placet.ui.models.inbox import InboxModel
from placet.ui.models.inbox_items import Shown, what
from support.fake_hub import FakeHub
from support.review_samples import command_request, file_diff, question_request, write_request
from support.settled import settled

ONE, TWO, THREE = (SessionId(name) for name in ("one", "two", "three"))


@pytest.fixture
async def model(hub: FakeHub, scope: TaskScope) -> InboxModel:
    """Twenty that wait in three sessions: 12 edits in one, 4 commands in two, 3 questions and an edit in three."""
    for number in range(1, 13):
        hub.ask(write_request(number, session_id=ONE, path=f"/w/{number:02}.py"), file_diff())
    for number in range(13, 17):
        hub.ask(command_request(f"make {number}", number, session_id=TWO))
    for number in range(17, 20):
        hub.ask(question_request(number, session_id=THREE))
    hub.ask(write_request(20, session_id=THREE, path="/w/last.py"), file_diff())
    made = InboxModel(hub, scope)
    made.begin()
    await settled()
    return made


def titles(model: InboxModel) -> list[str]:
    return [what(item) for item in model.items]


async def test_r_10_all_sessions_are_listed_newest_first_and_a_batch_is_one_item(model) -> None:
    questions = [f"Question: Which encoding, {number}?" for number in (19, 18, 17)]
    assert titles(model) == ["Edit last.py", *questions, *["Run a command"] * 4, "12 edits"]
    assert (model.row, model.total) == (0, 9)


async def test_deciding_moves_on_to_the_next_item(hub, model) -> None:
    model.open(4)
    model.review.reject("no")
    await settled()
    assert hub.decided == [("request-16", "rejected", "no")]
    assert (model.row, model.review.current.id) == (4, "request-15")


async def test_new_items_above_do_not_move_the_place(hub, model) -> None:
    model.open(5)
    looked_at = model.review.current
    model.handle(hub.ask(command_request("new", 99, session_id=TWO)))
    await settled()
    assert (model.row, model.review.current) == (6, looked_at)


async def test_what_is_decided_elsewhere_while_it_is_looked_at_gives_its_place_to_the_next(hub, model) -> None:
    model.open(2)
    await hub.resolve_question(RequestId("request-18"), "UTF-8")
    model.refresh()
    await settled()
    assert model.review.current.id == "request-17"
    assert [request for request, *_ in hub.decided] == ["request-18"]


async def test_what_is_withdrawn_by_a_stop_goes_and_the_place_is_the_next_item(hub, model) -> None:
    model.open(6)
    hub.requests = [request for request in hub.requests if request.session_id != TWO]
    model.refresh()
    await settled()
    assert titles(model)[-1] == "12 edits"
    assert (model.row, hub.decided) == (4, [])


async def test_r_10_deciding_one_write_of_a_batch_stays_in_it(hub, model) -> None:
    model.open(8)
    model.review.go_to(model.review.index + 5)
    await settled()
    model.review.approve()
    await settled()
    assert (model.row, model.review.current.id) == (8, "request-7")
    assert titles(model)[8] == "11 edits"


async def test_opening_the_item_one_is_in_does_not_leave_the_place_in_it(model) -> None:
    model.open(8)
    model.review.next()
    model.open(8)
    assert model.review.current.id == "request-2"


async def test_a_kind_alone_is_counted_against_all(model) -> None:
    model.show_only(Shown.QUESTIONS)
    await settled()
    assert (model.rowCount(), model.total) == (3, 9)


async def test_a_wanted_request_is_shown_as_soon_as_it_is_there_and_whatever_kind_is_shown(hub, model) -> None:
    model.show_only(Shown.QUESTIONS)
    await settled()
    model.show_request(RequestId("request-99"))
    model.handle(hub.ask(command_request("late", 99, session_id=TWO)))
    await settled()
    assert (model.shown, model.review.current.id) == (Shown.ALL, "request-99")


async def test_a_list_that_nobody_sees_asks_nothing(hub, model) -> None:
    model.end()
    model.handle(hub.ask(command_request("new", 99)))
    await settled()
    assert model.total == 9
    model.begin()
    await settled()
    assert model.total == 10
