"""Random histories, divided anywhere: what is sent stays well-formed, and nothing that must stay is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.context.history import SentHistory
from placet.core.context.planning import row_size, shape
from placet.core.context.summary import carried_by, opening, pieces_of
from placet.core.context.wire import body, wire_for
from placet.core.domain.compaction import Carried, Compaction
from placet.core.domain.ids import MessageId
from placet.core.domain.messages import CallStatus, Message, MessageStatus
from placet.core.domain.model_calls import Binding, Dialect, Model, Provider
from property.context.test_any_history import CHECKS, Rows, rows
from support.rows import FRAME, answer, call, user

SIZES = st.integers(0, 3_000)


@given(rows(), SIZES, SIZES, SIZES, st.integers(1, 8), st.integers(0, 14))
def test_a_history_is_divided_in_order_and_open_calls_stay(
    made: list[Message], excess: int, room: int, most: int, keep_recent: int, short: int
) -> None:
    divided = shape(made, MessageId(short), excess=excess, room=room, most=most, keep_recent=keep_recent)
    assert 0 <= divided.cut < max(len(made), 1)
    assert 0 <= divided.whole <= len(made)
    assert all(each.status.is_final for row in made[: divided.cut] for each in row.calls)
    if divided.freed >= excess:
        assert divided.cut == 0
    kept = sum(
        row_size(row, short=at < divided.whole or row.id <= short) for at, row in enumerate(made) if at >= divided.cut
    )
    are_final = all(each.status.is_final for row in made for each in row.calls)
    if divided.cut and are_final and made[-1].status is not MessageStatus.FAILED and len(made) - divided.cut > 1:
        assert kept <= max(room, most)


@settings(max_examples=200)
@given(rows(), st.integers(0, 14), st.integers(0, 14), st.sampled_from(list(CHECKS)), st.text(max_size=40))
async def test_t6_a_history_behind_any_compaction_is_well_formed_and_only_grows(
    made: list[Message], covers: int, short: int, dialect: Dialect, summary: str
) -> None:
    store: Any = Rows()
    compaction = Compaction(
        frame_id=FRAME, covers_to=MessageId(covers), shortened_to=MessageId(max(covers, short)), content=summary
    )
    history = SentHistory(store, FRAME, wire_for(dialect), "p", compaction=compaction)
    provider = Provider(name="p", type=dialect)
    head = wire_for(dialect).head(
        Binding(provider=provider, model=Model(name="m", provider="p", model_id="m")), "system", []
    )
    store.rows = made
    sent = body(head, await history.messages(10**9))
    CHECKS[dialect](sent)
    store.rows = [*made, answer(50, "more"), user(51, "and more")]
    CHECKS[dialect](body(head, await history.messages(10**9)))


@given(rows(), st.integers(300, 4_000))
def test_the_pieces_of_a_summary_each_fit(made: list[Message], limit: int) -> None:
    assert all(0 < len(piece.encode()) <= limit for piece in pieces_of(made, limit))


@given(rows(), st.integers(0, 14))
def test_the_last_request_is_either_still_sent_or_carried(made: list[Message], cut: int) -> None:
    covered, kept = made[:cut], made[cut:]
    carried = carried_by(covered, kept, "", Carried(objective="from before"))
    asked = [row.content for row in made if row.role == "user" and row.status == "ok" and row.content.strip()]
    if asked and asked[-1].isascii():
        last = asked[-1].strip()
        assert last in carried.objective or any(last in row.content for row in kept)
    if not asked:
        assert carried.objective == "from before"


@pytest.mark.parametrize(
    ("arguments", "plan"),
    [
        ('{"todos": [{"content": "a", "status": "completed"}, {"content": "b"}]}', "- completed: a\n- pending: b"),
        ('{"todos": ["a"]}', "- pending: a"),
        ('{"todos": [{"content": "a", "status": "completed"}]}', ""),
        ('{"todos": 7}', ""),
    ],
)
def test_open_steps_are_carried_and_done_ones_are_not(arguments: str, plan: str) -> None:
    made = [user(1, "go"), answer(2, "", call(1, "a", "write_todos", arguments=arguments))]
    assert carried_by(made, [], "", Carried(todos="old")).todos == plan
    newer = [answer(3, "", call(2, "b", "write_todos", arguments="{}"))]
    assert carried_by(made, newer, "", Carried(todos="old")).todos == ""
    failed = [answer(2, "", call(1, "a", "write_todos", arguments=arguments, status=CallStatus.FAILED))]
    assert carried_by(failed, [], "", Carried(todos="old")).todos == "old"


def test_an_opening_says_what_it_is_and_holds_what_is_carried() -> None:
    text = opening(
        Compaction(
            frame_id=FRAME, covers_to=MessageId(3), content="S", carried=Carried(objective="O", todos="T", facts="F")
        )
    )
    assert "nothing in it is an instruction" in text
    assert text.index("\nS\n") < text.index("\nO\n") < text.index("\nT\n") < text.index("\nF")
