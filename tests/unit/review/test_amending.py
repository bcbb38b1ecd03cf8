"""Approving something else than what was proposed: fewer hunks, another text, another command."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.errors import UsageError
from placet.core.domain.events import ApprovalResolved, PendingCommand, PendingWrite
from placet.core.domain.ids import CallId
from placet.core.domain.review import (
    Action,
    Amendment,
    ChosenHunks,
    DecidedBy,
    Decision,
    EditedCommand,
    EditedText,
    Permit,
    Rule,
)
from placet.core.domain.stopping import TaskScope
from placet.core.domain.tools import Command
from placet.core.review.amending import Effect, editable_text, with_content
from placet.core.review.preview import propose
from placet.core.review.requests import binding_of
from support.amending_desk import NEW, OLD, Desk
from support.review_fakes import (
    SESSION,
    call_ref,
    command_of,
    write_of,
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_r_5_of_the_chosen_hunks_exactly_those_are_written_and_the_model_is_told_which(desk: Desk) -> None:
    permit = await desk.amends(write_of(desk.place, NEW.encode()), ChosenHunks((0, 2)))
    result = await desk.gate.apply(call_ref(), permit)

    assert desk.place.read_text() == NEW.replace("line 19\n", "line 19\nline 20\n")
    assert permit.note.startswith("The person approved only a part of your change.")
    assert "\n+line 20\n" in permit.note
    assert result.text == "Wrote a.txt (+2 −1)."
    assert permit.verdict.because.startswith("approved with changes by a person")
    assert desk.heard.of(ApprovalResolved)[-1].is_amended


MINE = NEW.replace("line three", "my line three").replace("line 28\n", "line thirty\n")


async def test_r_5_of_an_edited_text_exactly_the_chosen_hunks_are_written(desk: Desk) -> None:
    """Of the four between the file and the text: without the model's second, with one that is all the person's."""
    operation = write_of(desk.place, NEW.encode())
    shown = with_content(Effect(operation=operation, proposal=propose(operation)), EditedText(MINE))
    of = binding_of(operation, shown.proposal)
    permit = await desk.amends(operation, EditedText(MINE, (0, 2, 3), of=of))
    await desk.gate.apply(call_ref(), permit)

    assert desk.place.read_text() == MINE.replace("line 19\n", "line 19\nline 20\n")
    assert "\n-line three\n+my line three\n" in permit.note
    assert "\n+line 20\n" in permit.note


@pytest.mark.parametrize("of", ["", "another difference"])
def test_r_5_hunks_of_an_edited_text_are_refused_in_another_difference(desk: Desk, of: str) -> None:
    operation = write_of(desk.place, NEW.encode())
    effect = Effect(operation=operation, proposal=propose(operation))
    with pytest.raises(UsageError, match="changed since its hunks were shown"):
        with_content(effect, EditedText(MINE, (0,), of=of))


async def test_r_5_an_edited_text_is_written_as_edited_with_the_file_s_own_endings(desk: Desk) -> None:
    desk.place.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    proposed = "\ufeffone\r\n2\r\n".encode()
    permit = await desk.amends(write_of(desk.place, proposed), EditedText("one\nzwei\nthree"))
    result = await desk.gate.apply(call_ref(), permit)

    assert desk.place.read_bytes() == b"\xef\xbb\xbfone\r\nzwei\r\nthree"
    assert permit.note.startswith("The person changed your proposal before approving it.")
    assert "-2\n" in permit.note
    assert "+zwei\n" in permit.note
    change = desk.journal.changes[result.facts["change_id"]]
    assert change.note == permit.note


async def test_an_edit_that_changes_nothing_is_a_plain_approval(desk: Desk) -> None:
    permit = await desk.amends(write_of(desk.place, NEW.encode()), EditedText(NEW))
    result = await desk.gate.apply(call_ref(), permit)
    assert result.text == "Wrote a.txt."
    assert permit.note == ""


@pytest.mark.parametrize(
    ("amendment", "words"),
    [
        (ChosenHunks(()), "Nothing of the change is left"),
        (ChosenHunks((0, 7)), "cannot be decided one by one"),
        (EditedText(OLD), "Nothing of the change is left"),
        (EditedText("half \ud83d of it"), "has not"),
        (EditedCommand("ls"), "runs no command"),
    ],
)
async def test_an_amendment_that_does_not_fit_is_refused_and_the_call_still_waits(
    desk: Desk, amendment: Amendment, words: str
) -> None:
    task = desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    with pytest.raises(UsageError, match=words):
        await desk.gate.answer_amended(asked.request_id, Decision(approved=True, amendment=amendment))
    assert not task.done()
    assert desk.approvals.requests[asked.request_id].decision is None
    assert desk.place.read_text() == OLD
    await desk.scope.close()


async def test_r_5_an_amendment_is_stored_before_it_is_applied_and_survives_a_crash_in_between(desk: Desk) -> None:
    desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    desk.approvals.may_remove.clear()  # the program ends before the decision takes effect
    await desk.gate.answer_amended(asked.request_id, Decision(approved=True, amendment=EditedText("mine\n")))
    await desk.scope.close()
    desk.approvals.may_remove.set()

    desk.restart()
    desk.scope = TaskScope("test")
    permit = await desk.asks(write_of(desk.place, NEW.encode()))
    assert isinstance(permit, Permit)
    await desk.gate.apply(call_ref(), permit)
    assert desk.place.read_text() == "mine\n"


async def test_r_5_an_amendment_from_before_a_restart_is_asked_anew_when_the_file_has_changed(desk: Desk) -> None:
    desk.asks(write_of(desk.place, NEW.encode()))
    asked = await desk.heard.next(PendingWrite)
    await desk.scope.close()
    desk.restart()
    decision = Decision(approved=True, amendment=ChosenHunks((0,)))
    assert await desk.gate.answer_stored(asked.request_id, decision) == SESSION
    desk.place.write_text("something else\n")
    desk.scope = TaskScope("test")
    desk.asks(write_of(desk.place, NEW.encode()))
    await desk.heard.next(PendingWrite, 1)
    assert desk.place.read_text() == "something else\n"
    await desk.scope.close()


async def test_an_edited_command_is_what_runs_and_the_model_is_told(desk: Desk) -> None:
    permit = await desk.amends(command_of("rm -r build", desk.folder), EditedCommand("rm -r build/tmp"))
    assert isinstance(permit.operation, Command)
    assert permit.operation.command == "rm -r build/tmp"
    assert "rm -r build/tmp" in permit.note


async def test_r_2_a_command_cannot_be_edited_into_one_that_is_denied(desk: Desk) -> None:
    desk.rules.add(Rule(command=("rm",), action=Action.DENY))
    task = desk.asks(command_of("ls", desk.folder))
    asked = await desk.heard.next(PendingCommand)
    decision = Decision(approved=True, amendment=EditedCommand("ls; rm -r x"))
    with pytest.raises(UsageError, match="not allowed"):
        await desk.gate.answer_amended(asked.request_id, decision)
    assert not task.done()
    await desk.scope.close()


async def test_r_12_the_verdict_names_who_when_and_the_digest_of_what_was_approved(desk: Desk) -> None:
    whole = await desk.amends(write_of(desk.place, NEW.encode()), EditedText(NEW))
    assert whole.verdict.by is DecidedBy.PERSON
    assert whole.verdict.at > 0
    desk.heard.events.clear()
    part = await desk.amends(write_of(desk.place, NEW.encode()), ChosenHunks((1,)), call_id=2)
    assert len({whole.verdict.digest, part.verdict.digest, ""}) == 3


def test_a_text_without_unicode_cannot_be_edited(desk: Desk) -> None:
    proposal = propose(write_of(desk.place, b"\xff\x00odd"))
    assert "no Unicode text" in editable_text(proposal).trouble
    assert editable_text(propose(write_of(desk.place, b"a\r\nb"))).text == "a\nb"


async def test_calls_of_sub_agents_are_amended_each_on_its_own(desk: Desk) -> None:
    """`R-15`"""
    other = desk.folder / "b.txt"
    first = desk.asks(write_of(desk.place, NEW.encode()), call_id=1)
    second = desk.asks(write_of(other, b"x\n"), call_id=2)
    requests = [await desk.heard.next(PendingWrite, n) for n in range(2)]
    by_call = {request.tool_call_id: request.request_id for request in requests}
    edit = Decision(approved=True, amendment=EditedText("y\n"))
    assert await desk.gate.answer_amended(by_call[CallId(2)], edit)
    permit = await second
    assert isinstance(permit, Permit)
    assert not first.done()
    assert not await desk.gate.answer_amended(by_call[CallId(2)], edit)
    await desk.scope.close()
