"""What a person wrote or left out is never lost, overtaken or replaced by what the model proposed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.errors import StalePreview
from placet.core.domain.events import PendingWrite
from placet.core.domain.ids import RequestId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import (
    Action,
    BypassGrant,
    BypassScope,
    ChosenHunks,
    DecidedBy,
    Decision,
    EditedText,
    Permit,
    Refusal,
    ReviewNotes,
    Rule,
)
from placet.core.domain.stopping import TaskScope
from support.amending_desk import NEW, OLD, Desk
from support.review_fakes import SESSION, call_ref, write_of

WRITES = BypassGrant(scope=BypassScope.CATEGORY)
MINE = Decision(approved=True, amendment=EditedText("mine\n"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def left_over(desk: Desk) -> RequestId:
    """A write waits, the program ends and begins again; returns the stored request."""
    desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    await desk.scope.close()
    desk.restart()
    desk.scope = TaskScope("test")
    return asked.request_id


async def test_r_17_what_was_looked_at_goes_on_to_the_request_that_asks_anew(desk: Desk) -> None:
    stored = await left_over(desk)
    notes = ReviewNotes(of="digest", seen=(1,), text="mine\n")
    desk.approvals.requests[stored] = msgspec.structs.replace(desk.approvals.requests[stored], notes=notes)
    desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite, after=1)
    assert asked.request_id != stored
    assert desk.approvals.requests[asked.request_id].notes == notes
    await desk.scope.close()


async def grant(desk: Desk) -> int:
    """Let writes pass, by one that waits or waited."""
    request = next(iter(desk.gate.waiting()), None) or desk.asked
    assert request is not None
    return desk.gate.bypasses.add(request, WRITES).id


async def test_r_5_an_amendment_from_before_counts_also_when_a_rule_lets_the_call_pass_by_now(desk: Desk) -> None:
    await desk.gate.answer_stored(await left_over(desk), MINE)
    desk.rules.add(Rule(tool="write_file", action=Action.ALLOW))
    permit = await desk.asks(write_of(desk.place, NEW.encode()))
    assert isinstance(permit, Permit)
    await desk.gate.apply(call_ref(), permit)
    assert desk.place.read_text() == "mine\n"


@pytest.mark.parametrize("amendment", [ChosenHunks((0,)), EditedText("an hour of my work\n")])
async def test_r_5_a_stale_write_that_was_amended_is_asked_again_whatever_lets_writes_pass(
    desk: Desk, amendment: ChosenHunks | EditedText
) -> None:
    permit = await desk.amends(write_of(desk.place, NEW.encode()), amendment)
    await grant(desk)
    desk.place.write_text(OLD + "somebody's line\n")
    with pytest.raises(StalePreview):
        await desk.gate.apply(call_ref(), permit)
    desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite, 1)
    assert desk.approvals.requests[asked.request_id].draft == amendment
    assert desk.place.read_text() == OLD + "somebody's line\n"
    await desk.scope.close()


async def test_while_an_edit_is_being_stored_neither_a_bypass_nor_another_answer_overtakes_it(desk: Desk) -> None:
    first = desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    desk.approvals.may_decide.clear()
    amending = desk.scope.start(desk.gate.answer_amended(asked.request_id, MINE))
    await desk.approvals.deciding.wait()
    await grant(desk)
    await desk.gate.answer_covered(SESSION, desk.context)
    assert not desk.gate.answer(asked.request_id, Decision(approved=False, note="never"))
    desk.approvals.may_decide.set()
    assert await amending
    permit = await first
    assert isinstance(permit, Permit)
    await desk.gate.apply(call_ref(), permit)
    assert desk.place.read_text() == "mine\n"


@pytest.mark.parametrize(("first", "second"), [(False, True), (True, False)])
async def test_of_two_answers_to_what_an_earlier_run_left_the_first_counts(
    desk: Desk, first: bool, second: bool
) -> None:
    request_id = await left_over(desk)
    assert await desk.gate.answer_stored(request_id, Decision(approved=first)) == SESSION
    assert await desk.gate.answer_stored(request_id, Decision(approved=second)) is None
    outcome = await desk.asks(write_of(desk.place, NEW.encode()))
    assert isinstance(outcome, Permit if first else Refusal)


async def test_a_permit_of_a_bypass_that_waits_for_others_is_void_when_the_bypass_has_ended(desk: Desk) -> None:
    task = desk.asks(write_of(desk.place, NEW.encode()))
    await desk.heard.next(PendingWrite)
    bypass = await grant(desk)
    await desk.gate.answer_covered(SESSION, desk.context)
    permit = await task
    assert isinstance(permit, Permit)
    assert permit.verdict.by is DecidedBy.BYPASS
    assert permit.verdict.because == "you let writing files pass in this session"
    assert await desk.gate.still_allows(call_ref(), permit, desk.context)
    desk.gate.bypasses.remove(bypass)
    for mode in (Mode.ASK, Mode.ASK_ALL):
        context = RunContext(workdir=str(desk.folder), mode=mode)
        assert not await desk.gate.still_allows(call_ref(), permit, context)


async def test_hunks_of_another_difference_than_the_one_shown_are_refused(desk: Desk) -> None:
    """`R-5`"""
    task = desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    decision = Decision(approved=True, amendment=ChosenHunks((0,), of="of another one"))
    with pytest.raises(Exception, match="changed since its hunks were shown"):
        await desk.gate.answer_amended(asked.request_id, decision)
    assert not task.done()
    await asyncio.wait([task], timeout=0)
    await desk.scope.close()


async def test_a_new_bypass_lets_no_stale_amended_write_pass(desk: Desk) -> None:
    permit = await desk.amends(write_of(desk.place, NEW.encode()), ChosenHunks((0,)))
    desk.place.write_text(OLD + "somebody's line\n")
    with pytest.raises(StalePreview):
        await desk.gate.apply(call_ref(), permit)
    desk.asks(write_of(desk.place, NEW.encode()))
    await desk.heard.next(PendingWrite, 1)
    await grant(desk)
    await desk.gate.answer_covered(SESSION, desk.context)
    (waiting,) = desk.gate.waiting()
    assert desk.gate.open(waiting.id) is not None
    await desk.scope.close()


async def test_a_bypass_for_something_else_lets_no_write_pass_that_waits_for_its_other_names(desk: Desk) -> None:
    """`R-13`: a rule allows the place, and the person is asked because the file lies elsewhere as well."""
    (desk.folder / "elsewhere").hardlink_to(desk.place)
    desk.rules.add(Rule(tool="write_file", action=Action.ALLOW))
    desk.asks(write_of(desk.place, NEW.encode()))
    await desk.heard.next(PendingWrite)
    await desk.gate.answer_covered(SESSION, desk.context)
    (waiting,) = desk.gate.waiting()
    assert desk.gate.open(waiting.id) is not None
    await desk.scope.close()
