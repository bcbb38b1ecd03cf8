"""The gate: who decides, on what, and that exactly that happens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from pathlib import Path

import pytest

from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.domain.events import ApprovalRequired, ApprovalResolved, PendingCommand, PendingWrite
from placet.core.domain.ids import CallId, ChangeId, RequestId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import (
    Action,
    CallRef,
    ChangeState,
    DecidedBy,
    Decision,
    Permit,
    Refusal,
    RequestKind,
    Rule,
)
from placet.core.domain.stopping import StopFlag, TaskScope, TurnStopped
from placet.core.domain.tools import Operation
from placet.core.review.bypasses import Bypasses
from placet.core.review.files import digest_of
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from placet.core.review.writer import mark_of
from support.review_fakes import (
    SESSION,
    Heard,
    MemoryApprovals,
    MemoryJournal,
    MemoryRules,
    call_ref,
    command_of,
    edit_of,
    other_of,
    planned_write,
    prepared,
    write_of,
)

YES = Decision(approved=True)


class Desk:
    """A gate with everything it stores through, and a person who can be made to answer."""

    def __init__(self, folder: Path) -> None:
        self.home = folder.resolve()
        self.folder = self.home / "work"
        self.folder.mkdir()
        self.rules, self.approvals, self.journal, self.heard = (
            MemoryRules(),
            MemoryApprovals(),
            MemoryJournal(),
            Heard(),
        )
        self.bypasses = Bypasses()
        self.context = RunContext(workdir=str(self.folder))
        self.gate = self.fresh_gate()

    def fresh_gate(self) -> ReviewGate:
        """The program after a restart: what is stored is there, what was in memory is not."""
        ground = Ground(self.home / "placet", self.home, ignores_case=False)
        return ReviewGate(self.rules, self.approvals, self.journal, self.heard, Policy(ground), prepared, self.bypasses)

    async def clear(self, operation: Operation, call: CallRef | None = None) -> Permit | Refusal:
        return await self.gate.clear(call or call_ref(operation.tool), operation, self.context)

    async def decided(self, decision: Decision, work: Awaitable[Permit | Refusal], nth: int = 0) -> Permit | Refusal:
        """Start waiting, answer as soon as it is asked."""
        async with asyncio.timeout(5):
            scope = TaskScope("test")
            task = scope.start(_as_coroutine(work))
            pending = await self.heard.next(PendingWrite, nth)
            assert self.gate.answer(pending.request_id, decision)
            return await task


async def _as_coroutine(work: Awaitable[Permit | Refusal]) -> Permit | Refusal:
    return await work


async def ending(work: Awaitable[Permit | Refusal]) -> Permit | Refusal | TurnStopped:
    try:
        return await work
    except TurnStopped as stopped:
        return stopped


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def approved(answer: Permit | Refusal) -> Permit:
    assert isinstance(answer, Permit)
    return answer


async def test_an_approved_write_is_written_as_shown_and_journalled(desk: Desk) -> None:
    """`R-5`, `R-8`"""
    place = desk.folder / "a.txt"
    place.write_bytes(b"a\nb\n")
    permit = approved(await desk.decided(YES, desk.clear(edit_of(place, b"b", b"B"))))

    assert place.read_bytes() == b"a\nb\n"
    result = await desk.gate.apply(call_ref("edit_file"), permit)

    assert place.read_bytes() == b"a\nB\n"
    assert result.text == "Wrote a.txt."
    assert result.facts == {"change_id": 1, "path": str(place), "change": "modified", "added": 1, "removed": 1}
    change = desk.journal.changes[result.facts["change_id"]]
    assert (change.state, change.before_digest) == (ChangeState.APPLIED, digest_of(b"a\nb\n"))
    assert permit.verdict.by is DecidedBy.PERSON
    assert "approved by a person" in permit.verdict.because


async def test_the_request_says_what_would_happen_and_why_it_is_asked(desk: Desk) -> None:
    desk.rules.add(Rule(note="files", action=Action.REQUIRE))
    place = desk.folder / "new.txt"
    scope = TaskScope("test")
    scope.start(_as_coroutine(desk.clear(write_of(place, b"x\ny\n"))))
    event = await desk.heard.next(PendingWrite)

    assert (event.path, event.old_content, event.new_content) == (str(place), "", "x\ny\n")
    assert (event.added, event.removed, event.is_new_file) == (2, 0, True)
    assert (event.because, event.reason) == ("rule 1 “files”: ask", "because it is better")
    (request,) = desk.gate.waiting()
    assert (request.kind, request.path, request.id) == (RequestKind.WRITE, str(place), event.request_id)
    assert desk.approvals.requests[event.request_id] == request
    wait = desk.gate.open(event.request_id)
    assert wait is not None
    assert wait.effect is not None
    assert wait.effect.proposal is not None
    assert wait.effect.proposal.new == b"x\ny\n"
    await scope.close()


async def test_a_rejection_changes_nothing_and_is_told_with_its_reason(desk: Desk) -> None:
    """`R-13`"""
    place = desk.folder / "a.txt"
    place.write_bytes(b"a")
    answer = await desk.decided(Decision(approved=False, note="not that file"), desk.clear(write_of(place, b"b")))
    assert isinstance(answer, Refusal)
    assert answer.text == "User rejected this tool call. Reason: not that file"
    assert place.read_bytes() == b"a"
    (told,) = desk.heard.of(ApprovalResolved)
    assert (told.decision, told.note) == ("rejected", "not that file")
    assert desk.approvals.requests == {}
    assert desk.journal.changes == {}


async def test_a_rejection_without_reason_has_no_reason_part(desk: Desk) -> None:
    answer = await desk.decided(Decision(approved=False), desk.clear(write_of(desk.folder / "a", b"b")))
    assert isinstance(answer, Refusal)
    assert answer.text == "User rejected this tool call."


async def test_a_command_is_asked_with_its_facts(desk: Desk) -> None:
    scope = TaskScope("test")
    task = scope.start(_as_coroutine(desk.clear(command_of("sudo rm -rf x\nls", desk.folder))))
    event = await desk.heard.next(PendingCommand)
    assert (event.command, event.workdir, event.timeout_s) == ("sudo rm -rf x\nls", str(desk.folder), 120.0)
    assert {"2 lines", "Uses sudo: runs with other rights"} <= set(event.facts)
    desk.gate.answer(event.request_id, YES)
    permit = approved(await task)
    assert permit.proposal is None


async def test_other_calls_are_asked_with_their_arguments(desk: Desk) -> None:
    scope = TaskScope("test")
    scope.start(_as_coroutine(desk.clear(other_of("send_mail"))))
    event = await desk.heard.next(ApprovalRequired)
    assert event.arguments == {"path": "x"}
    await scope.close()


async def test_an_empty_command_is_refused_without_a_question(desk: Desk) -> None:
    """`E04`"""
    with pytest.raises(ToolFailure, match="empty"):
        await desk.clear(command_of(" \n", desk.folder))
    assert desk.heard.events == []


@pytest.mark.parametrize(("find", "put"), [(b"pin is 4712", b"x"), (b"pin", b"pin")], ids=["misses", "changes nothing"])
async def test_an_edit_tells_nothing_of_a_file_that_may_not_be_read_unasked(
    desk: Desk, find: bytes, put: bytes
) -> None:
    """`R-3`"""
    place = desk.home / "private.txt"
    place.write_bytes(b"my pin is 4711\n")
    with pytest.raises(ToolFailure) as failed:
        await desk.clear(edit_of(place, find, put))
    assert str(failed.value) == "The edit does not fit the file; read it first with read_file."
    assert (failed.value.detail, failed.value.__cause__) == ("", None)

    desk.rules.add(Rule(tool="read_file", path=str(place), action=Action.ALLOW))
    with pytest.raises(ToolFailure, match=r"private\.txt"):
        await desk.clear(edit_of(place, find, put))


async def test_an_allowed_edit_tells_nothing_of_a_file_that_is_denied_for_reading(desk: Desk) -> None:
    """`R-3`"""
    place = desk.folder / "log"
    place.write_bytes(b"x")
    desk.rules.add(
        Rule(tool="edit_file", action=Action.ALLOW), Rule(tool="read_file", path=str(place), action=Action.DENY)
    )
    with pytest.raises(ToolFailure, match="does not fit"):
        await desk.clear(edit_of(place, b"y", b"z"))


async def test_a_write_that_cannot_be_planned_fails_at_once(desk: Desk) -> None:
    with pytest.raises(ToolFailure, match="does not exist"):
        await desk.clear(edit_of(desk.folder / "none", b"a", b"b"))
    assert desk.heard.events == []


async def test_a_denied_call_is_refused_with_the_rule(desk: Desk) -> None:
    desk.rules.add(Rule(tool="@fs_any", path="*.pem", action=Action.DENY, note="keys"))
    answer = await desk.clear(write_of(desk.folder / "k.pem", b"x"))
    assert isinstance(answer, Refusal)
    assert "rule 1 “keys”: deny" in answer.text
    assert desk.heard.events == []


async def test_a_session_that_nobody_can_answer_is_refused_at_once(desk: Desk) -> None:
    desk.context = RunContext(workdir=str(desk.folder), auto_deny=True)
    answer = await desk.clear(command_of("ls", desk.folder))
    assert isinstance(answer, Refusal)
    assert answer.verdict.by is DecidedBy.POLICY
    assert answer.text.startswith("User rejected this tool call. Reason: nobody can be asked")
    assert desk.heard.events == []


async def test_a_write_that_is_allowed_has_its_proposal_too(desk: Desk) -> None:
    desk.context = RunContext(workdir=str(desk.folder), mode=Mode.EDITS)
    permit = approved(await desk.clear(write_of(desk.folder / "a", b"x")))
    assert permit.proposal is not None
    await desk.gate.apply(call_ref(), permit)
    assert (desk.folder / "a").read_bytes() == b"x"
    assert desk.heard.events == []


async def test_without_readable_rules_everything_is_asked_in_every_mode(desk: Desk, expected_logs: list[str]) -> None:
    expected_logs.append("rules cannot be read")
    desk.rules.is_broken = True
    desk.context = RunContext(workdir=str(desk.folder), mode=Mode.AUTO)
    verdict = await desk.gate.explain(call_ref("t"), other_of("t"), desk.context)
    assert verdict.action is Action.REQUIRE


async def test_a_file_saved_meanwhile_is_not_overwritten_and_asked_anew(desk: Desk) -> None:
    """`B10`"""
    place = desk.folder / "a.txt"
    place.write_bytes(b"a\nb\nc\n")
    edit = edit_of(place, b"b", b"B")
    permit = approved(await desk.decided(YES, desk.clear(edit)))
    place.write_bytes(b"a\nb\nc\nMINE\n")

    with pytest.raises(StalePreview):
        await desk.gate.apply(call_ref("edit_file"), permit)
    assert place.read_bytes() == b"a\nb\nc\nMINE\n"
    assert {change.state for change in desk.journal.changes.values()} == {ChangeState.ABANDONED}

    again = approved(await desk.decided(YES, desk.clear(edit), nth=1))
    assert desk.heard.of(PendingWrite)[1].old_content == "a\nb\nc\nMINE\n"
    await desk.gate.apply(call_ref("edit_file"), again)
    assert place.read_bytes() == b"a\nB\nc\nMINE\n"


async def test_a_request_made_anew_says_so(desk: Desk) -> None:
    place = desk.folder / "a.txt"
    place.write_bytes(b"1")
    permit = approved(await desk.decided(YES, desk.clear(write_of(place, b"3"))))
    place.write_bytes(b"2")
    with pytest.raises(StalePreview):
        await desk.gate.apply(call_ref(), permit)
    scope = TaskScope("test")
    scope.start(_as_coroutine(desk.clear(write_of(place, b"3"))))
    await desk.heard.next(PendingWrite, 1)
    assert [request.stale for request in desk.gate.waiting()] == [True]
    await scope.close()


async def test_a_file_deleted_before_the_approval_is_not_made_again(desk: Desk) -> None:
    """`B10`"""
    place = desk.folder / "a.txt"
    place.write_bytes(b"a b")
    permit = approved(await desk.decided(YES, desk.clear(edit_of(place, b"b", b"B"))))
    place.unlink()
    with pytest.raises(StalePreview):
        await desk.gate.apply(call_ref("edit_file"), permit)
    with pytest.raises(ToolFailure, match="does not exist"):
        await desk.clear(edit_of(place, b"b", b"B"))
    assert not place.exists()


async def test_a_link_put_in_place_before_the_approval_is_refused(desk: Desk) -> None:
    """`B10`, `R-18`"""
    place, target = desk.folder / "a.txt", desk.folder / "target"
    place.write_bytes(b"a b")
    permit = approved(await desk.decided(YES, desk.clear(edit_of(place, b"b", b"B"))))
    place.rename(target)
    place.symlink_to(target)
    with pytest.raises(ToolFailure, match="symbolic link"):
        await desk.gate.apply(call_ref("edit_file"), permit)
    assert target.read_bytes() == b"a b"


async def test_of_two_waiting_writes_the_second_approved_makes_the_first_stale(desk: Desk) -> None:
    """`B10`: approving out of order never loses the other's change."""
    place = desk.folder / "a.txt"
    place.write_bytes(b"one two")
    first, second = call_ref("edit_file", call_id=1), call_ref("edit_file", call_id=2)
    scope = TaskScope("test")
    tasks = []
    for number, (call, words) in enumerate([(first, (b"one", b"ONE")), (second, (b"two", b"TWO"))]):
        tasks.append(scope.start(_as_coroutine(desk.clear(edit_of(place, *words), call))))
        await desk.heard.next(PendingWrite, number)
    requests = [event.request_id for event in desk.heard.of(PendingWrite)]

    desk.gate.answer(requests[1], YES)
    await desk.gate.apply(second, approved(await tasks[1]))
    desk.gate.answer(requests[0], YES)
    with pytest.raises(StalePreview):
        await desk.gate.apply(first, approved(await tasks[0]))

    again = approved(await desk.decided(YES, desk.clear(edit_of(place, b"one", b"ONE"), first), nth=2))
    await desk.gate.apply(first, again)
    assert place.read_bytes() == b"ONE TWO"


async def test_each_waiting_call_is_decided_on_its_own(desk: Desk) -> None:
    """`R-15`"""
    scope = TaskScope("test")
    tasks = []
    for number in range(20):
        call = call_ref(call_id=number + 1)
        tasks.append(scope.start(_as_coroutine(desk.clear(write_of(desk.folder / f"{number}", b"x"), call))))
        await desk.heard.next(PendingWrite, number)
    assert len(desk.gate.waiting()) == 20
    for number, event in enumerate(desk.heard.of(PendingWrite)):
        desk.gate.answer(event.request_id, Decision(approved=number % 2 == 0))
    answers = await asyncio.gather(*tasks)
    assert [isinstance(answer, Permit) for answer in answers] == [number % 2 == 0 for number in range(20)]


async def test_a_permit_is_good_once_and_for_one_call(desk: Desk) -> None:
    """`R-11`"""
    place = desk.folder / "a"
    permit = approved(await desk.decided(YES, desk.clear(write_of(place, b"x"))))
    with pytest.raises(ToolFailure, match="not permitted"):
        await desk.gate.apply(call_ref(call_id=2), permit)
    await desk.gate.apply(call_ref(), permit)
    place.unlink()
    with pytest.raises(ToolFailure, match="not permitted"):
        await desk.gate.apply(call_ref(), permit)
    assert not place.exists()


async def test_an_answer_counts_once(desk: Desk) -> None:
    await desk.decided(YES, desk.clear(write_of(desk.folder / "a", b"x")))
    (event,) = desk.heard.of(PendingWrite)
    assert not desk.gate.answer(event.request_id, Decision(approved=False))
    assert not desk.gate.answer(RequestId("unknown"), YES)
    assert desk.gate.open(event.request_id) is None


async def test_a_wait_ended_by_the_program_stays_stored_and_is_asked_again_under_a_new_id(desk: Desk) -> None:
    """`R-17`"""
    scope = TaskScope("test")
    scope.start(_as_coroutine(desk.clear(write_of(desk.folder / "a", b"x"))))
    before = await desk.heard.next(PendingWrite)
    await scope.close()
    assert list(desk.approvals.requests) == [before.request_id]
    assert desk.gate.waiting() == ()

    desk.gate = desk.fresh_gate()
    await desk.decided(YES, desk.clear(write_of(desk.folder / "a", b"x")), nth=1)
    assert desk.approvals.requests == {}
    assert [(told.request_id, told.decision) for told in desk.heard.of(ApprovalResolved)] == [
        (before.request_id, "cancelled"),
        (desk.heard.of(PendingWrite)[1].request_id, "approved"),
    ]


async def test_a_decision_on_a_stored_request_counts_if_the_same_would_happen(desk: Desk) -> None:
    """After a restart a person answers first; the session is resumed for it and asks nothing twice."""
    place = desk.folder / "a"
    place.write_bytes(b"1")
    for change, is_asked_again in ((None, False), (b"2", True)):
        scope = TaskScope("test")
        already = len(desk.heard.of(PendingWrite))
        scope.start(_as_coroutine(desk.clear(write_of(place, b"x"))))
        stored = await desk.heard.next(PendingWrite, already)
        await scope.close()
        desk.gate = desk.fresh_gate()
        assert await desk.gate.answer_stored(stored.request_id, YES) == SESSION
        if change is not None:
            place.write_bytes(change)
        scope = TaskScope("test")
        task = scope.start(_as_coroutine(desk.clear(write_of(place, b"x"))))
        if is_asked_again:
            await desk.heard.next(PendingWrite, already + 1)
            await scope.close()
        else:
            assert isinstance(await task, Permit)
            assert len(desk.heard.of(PendingWrite)) == already + 1
            told = desk.heard.of(ApprovalResolved)[-1]
            assert (told.request_id, told.decision) == (stored.request_id, "approved")
            desk.approvals.requests.clear()  # as the call begins
    assert await desk.gate.answer_stored(RequestId("unknown"), YES) is None


async def stored_request(desk: Desk, place: Path) -> RequestId:
    """A request that waits in the store, and the program after a restart."""
    scope = TaskScope("test")
    scope.start(_as_coroutine(desk.clear(edit_of(place, b"1", b"x"))))
    pending = await desk.heard.next(PendingWrite)
    await scope.close()
    desk.gate = desk.fresh_gate()
    assert set(desk.approvals.requests) == {pending.request_id}
    return pending.request_id


@pytest.mark.parametrize("how", ["allowed", "denied", "fails"])
async def test_a_call_that_needs_no_question_any_more_leaves_no_request(desk: Desk, how: str) -> None:
    """`T-5`"""
    place = desk.folder / "a"
    place.write_bytes(b"1")
    request_id = await stored_request(desk, place)
    if how == "allowed":
        desk.context = RunContext(workdir=str(desk.folder), mode=Mode.EDITS)
        assert isinstance(await desk.clear(edit_of(place, b"1", b"x")), Permit)
    elif how == "denied":
        desk.rules.add(Rule(tool="*", action=Action.DENY))
        assert isinstance(await desk.clear(edit_of(place, b"1", b"x")), Refusal)
    else:
        place.write_bytes(b"2")
        with pytest.raises(ToolFailure, match="not in"):
            await desk.clear(edit_of(place, b"1", b"x"))
    assert desk.approvals.requests == {}
    (told,) = desk.heard.of(ApprovalResolved)
    assert (told.request_id, told.decision, told.note) == (request_id, "cancelled", "no longer asked")


async def test_a_rejection_from_before_counts_although_the_call_needs_no_question_any_more(desk: Desk) -> None:
    """`R-13`"""
    place = desk.folder / "a"
    place.write_bytes(b"1")
    request_id = await stored_request(desk, place)
    await desk.gate.answer_stored(request_id, Decision(approved=False, note="no"))
    desk.context = RunContext(workdir=str(desk.folder), mode=Mode.EDITS)
    answer = await desk.clear(edit_of(place, b"1", b"x"))
    assert isinstance(answer, Refusal)
    assert answer.note == "no"
    assert set(desk.approvals.requests) == {request_id}, "kept until the call has ended"


async def test_a_stop_withdraws_what_waits_live_or_stored(desk: Desk) -> None:
    stop = StopFlag()
    scope = TaskScope("test")
    raced = scope.start(ending(stop.race(desk.clear(write_of(desk.folder / "a", b"x")))))
    direct = scope.start(ending(desk.clear(write_of(desk.folder / "b", b"x"), call_ref(call_id=2))))
    await desk.heard.next(PendingWrite, 1)

    stop.set()
    assert isinstance(await raced, TurnStopped)
    await asyncio.gather(desk.gate.withdraw(SESSION), desk.gate.withdraw(SESSION))
    assert isinstance(await direct, TurnStopped)
    assert [verdict.because for verdict in desk.approvals.trail] == ["stopped by a person while it waited"] * 2

    assert desk.approvals.requests == {}
    assert desk.gate.waiting() == ()
    assert [told.decision for told in desk.heard.of(ApprovalResolved)] == ["cancelled", "cancelled"]


async def test_a_write_that_has_begun_is_finished_when_its_caller_is_cancelled(desk: Desk) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Slow(MemoryJournal):
        async def intend(self, **fields: object) -> object:  # type: ignore[override]
            begun.set()
            await go_on.wait()
            return await super().intend(**fields)  # type: ignore[arg-type]

    desk.journal = Slow()
    desk.gate = desk.fresh_gate()
    permit = approved(await desk.decided(YES, desk.clear(write_of(desk.folder / "a", b"x"))))
    scope = TaskScope("test")
    task = scope.start(desk.gate.apply(call_ref(), permit))
    await begun.wait()
    task.cancel()
    go_on.set()
    await asyncio.wait((task,))
    assert task.cancelled()
    assert (desk.folder / "a").read_bytes() == b"x"
    assert [change.state for change in desk.journal.changes.values()] == [ChangeState.APPLIED]


async def intended(desk: Desk, before: bytes | None, after: bytes | None) -> CallId:
    await desk.journal.intend(
        session_id=SESSION, call_id=CallId(9), tool="write_file", path=str(desk.folder / "a"), before=before,
        after=after, added=1, removed=1,
    )  # fmt: skip
    return CallId(9)


@pytest.mark.parametrize(
    ("on_disk", "state", "has_landed"),
    [(b"after", ChangeState.APPLIED, True), (b"before", ChangeState.ABANDONED, False)],
)
async def test_after_a_crash_the_journal_and_the_file_tell_the_side(
    desk: Desk, on_disk: bytes, state: ChangeState, has_landed: bool
) -> None:
    """`T-5`"""
    (desk.folder / "a").write_bytes(on_disk)
    call_id = await intended(desk, b"before", b"after")
    result = await desk.gate.landed(call_id)
    assert (result is not None) is has_landed
    assert desk.journal.changes[1].state is state  # type: ignore[index]
    again = await desk.gate.landed(call_id)
    assert (again is not None) is has_landed


async def test_a_write_whose_outcome_nobody_can_know_is_not_repeated(desk: Desk) -> None:
    (desk.folder / "a").write_bytes(b"somebody's")
    result = await desk.gate.landed(await intended(desk, b"before", b"after"))
    assert result is not None
    assert "neither" in result.text
    assert "change_id" not in result.facts


async def test_a_crash_between_swap_and_clean_up_keeps_the_others_content(desk: Desk) -> None:
    (desk.folder / "a").write_bytes(b"after")
    left = desk.folder / f".placet-{mark_of(ChangeId(1), digest_of(b'after'))}-0123beef"
    left.write_bytes(b"theirs")
    call_id = await intended(desk, b"before", b"after")
    await desk.gate.recover()
    assert desk.journal.found == {1: b"theirs"}
    result = await desk.gate.landed(call_id)
    assert result is not None
    assert "Another program" in result.text
    assert not left.exists()


async def test_a_call_without_a_journalled_write_has_not_landed(desk: Desk) -> None:
    assert await desk.gate.landed(CallId(5)) is None


async def test_a_writer_that_never_rests_loses_nothing(desk: Desk) -> None:
    """Each of its versions is the old side of a write, kept as a conflict, or still on the disk."""
    place = desk.folder / "a"
    place.write_bytes(b"0")
    stop, seen = threading.Event(), [b"0"]

    def save() -> None:
        for number in range(1, 100_000):
            if stop.is_set():
                return
            content = f"theirs {number}".encode()
            temporary = place.with_name("editor")
            temporary.write_bytes(content)
            seen.append(content)
            temporary.replace(place)

    desk.context = RunContext(workdir=str(desk.folder), mode=Mode.AUTO)
    writer = threading.Thread(target=save)
    writer.start()
    applied = 0
    try:
        for number in range(150):
            operation = planned_write(place, lambda old, n=number: b"ours %d after " % n + (old or b"")[:40])
            permit = approved(await desk.clear(operation))
            try:
                result = await desk.gate.apply(call_ref(), permit)
            except StalePreview:
                continue
            applied += 1
            change = desk.journal.changes[result.facts["change_id"]]
            found = desk.journal.found[change.id]
            assert (found is None) == (change.conflict == "")
            before, after = await desk.journal.contents(change.id)
            assert after is not None
            assert before is not None
            assert after.startswith(b"ours %d after " % number + before[:10])
            assert found is None or found in seen
    finally:
        stop.set()
        writer.join()
    states = [change.state for change in desk.journal.changes.values()]
    assert states.count(ChangeState.APPLIED) == applied
    assert ChangeState.INTENDED not in states
    assert not [name for name in desk.folder.iterdir() if name.name.startswith(".placet-")]
