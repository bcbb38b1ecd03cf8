"""What a person does not want to be asked about for a while."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.errors import UsageError
from placet.core.domain.events import ApprovalResolved, PendingCommand, PendingWrite
from placet.core.domain.ids import RequestId, SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import (
    Action,
    BypassGrant,
    BypassScope,
    DecidedBy,
    PendingRequest,
    Permit,
    RequestKind,
    Rule,
    Verdict,
)
from placet.core.domain.stopping import TaskScope
from placet.core.domain.tools import Execution, Operation
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy, decide
from support.review_fakes import (
    SESSION,
    Heard,
    MemoryApprovals,
    MemoryJournal,
    MemoryRules,
    call_ref,
    command_of,
    other_of,
    prepared,
    read_of,
    write_of,
)

WORK = Path("/home/me/work")
POLICY = Policy(Ground(Path("/home/me/.placet"), Path("/home/me"), ignores_case=False))


def tool_of(name: str, server: str) -> Execution:
    return msgspec.structs.replace(other_of(name), server=server)


EVERYTHING = [
    write_of(WORK / "a", b""),
    read_of(Path("/etc/hosts")),
    command_of("ls -l", WORK),
    command_of("ls  -l", WORK),
    command_of("ls -l", WORK / "sub"),
    tool_of("mcp__files__get", "files"),
    tool_of("mcp__files2__get", "files2"),
    tool_of("mcp__files__put", "files"),
]


class Clock:
    """Seconds since 1970, told by the test."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def request_of(operation: Operation, session_id: SessionId = SESSION) -> PendingRequest:
    return PendingRequest(
        id=RequestId("r"),
        session_id=session_id,
        call_id=call_ref().call_id,
        kind=RequestKind.OTHER,
        tool=operation.tool,
        label=operation.label,
        detail=operation.detail,
        because="",
        category=operation.category.value,
        server=operation.server,
        workdir=str(WORK),
    )


def granted(like: Operation, scope: BypassScope, *, bypasses: Bypasses | None = None) -> Bypasses:
    bypasses = bypasses or Bypasses()
    bypasses.add(request_of(like), BypassGrant(scope=scope))
    return bypasses


def verdict(operation: Operation, bypasses: Bypasses, *rules: Rule, mode: Mode = Mode.ASK) -> Verdict:
    call = call_ref(operation.tool)
    context = RunContext(workdir=str(WORK), mode=mode)
    return decide(rules, call, operation, context, POLICY, bypasses.active(SESSION))


@pytest.mark.parametrize(
    ("like", "scope", "passes"),
    [
        (2, BypassScope.COMMAND, {2}),
        (2, BypassScope.TOOL, {2, 3, 4}),
        (2, BypassScope.CATEGORY, {2, 3, 4}),
        (0, BypassScope.CATEGORY, {0}),
        (5, BypassScope.TOOL, {5}),
        (5, BypassScope.SERVER, {5, 7}),
        (5, BypassScope.CATEGORY, {5, 6, 7}),
        (0, BypassScope.SERVER, set()),
        (1, BypassScope.ALL, set(range(8))),
    ],
)
def test_a_bypass_lets_exactly_its_kind_pass(like: int, scope: BypassScope, passes: set[int]) -> None:
    bypasses = granted(EVERYTHING[like], scope)
    verdicts = [verdict(operation, bypasses) for operation in EVERYTHING]
    assert {n for n, each in enumerate(verdicts) if each.action is Action.ALLOW} == passes
    assert {each.by for each in verdicts if each.action is Action.ALLOW} <= {DecidedBy.BYPASS}


def test_r_2_no_bypass_lets_a_denied_call_pass() -> None:
    denies = Rule(id=1, tool="*", action=Action.DENY)
    bypasses = granted(EVERYTHING[0], BypassScope.ALL)
    assert {verdict(operation, bypasses, denies).action for operation in EVERYTHING} == {Action.DENY}


def test_a_command_that_a_person_saw_may_name_what_file_tools_may_not_read() -> None:
    denies = Rule(id=1, tool="@fs_any", path="*.pem", action=Action.DENY)
    signs = command_of("sign a.pem", WORK)
    assert verdict(signs, granted(signs, BypassScope.TOOL), denies).action is Action.REQUIRE
    exactly = granted(signs, BypassScope.COMMAND, bypasses=granted(signs, BypassScope.TOOL))
    assert verdict(signs, exactly, denies).action is Action.ALLOW


def test_asking_for_everything_is_stronger_than_a_bypass() -> None:
    bypasses = granted(EVERYTHING[0], BypassScope.ALL)
    assert {verdict(each, bypasses, mode=Mode.ASK_ALL).action for each in EVERYTHING} == {Action.REQUIRE}


def test_files_of_git_and_of_placet_are_asked_about_unless_everything_passes() -> None:
    hook = write_of(WORK / ".git" / "hooks" / "pre-commit", b"")
    assert verdict(hook, granted(hook, BypassScope.CATEGORY)).action is Action.REQUIRE
    assert verdict(hook, granted(hook, BypassScope.TOOL)).action is Action.REQUIRE
    assert verdict(hook, granted(hook, BypassScope.ALL)).action is Action.ALLOW


def test_a_bypass_ends_with_its_time_with_its_session_and_when_a_person_ends_it() -> None:
    clock = Clock()
    bypasses = Bypasses(clock)
    request = request_of(EVERYTHING[0])
    short = bypasses.add(request, BypassGrant(scope=BypassScope.ALL, minutes=15))
    bypasses.add(request, BypassGrant(scope=BypassScope.TOOL))
    bypasses.add(request_of(EVERYTHING[0], SessionId("other")), BypassGrant(scope=BypassScope.ALL))
    assert short.until == clock.now + 900
    assert len(bypasses.active(SESSION)) == 2
    clock.now += 900
    (left,) = bypasses.active(SESSION)
    assert bypasses.remove(left.id) == left
    assert bypasses.remove(left.id) is None
    assert not bypasses.active(SESSION)
    bypasses.end(SessionId("other"))
    assert not bypasses.active(SessionId("other"))


def test_a_bypass_says_what_it_lets_pass_and_for_how_long() -> None:
    said = verdict(EVERYTHING[0], granted(EVERYTHING[0], BypassScope.CATEGORY)).because
    assert said == "you let writing files pass in this session"
    assert verdict(EVERYTHING[5], granted(EVERYTHING[5], BypassScope.SERVER)).because == (
        "you let the tools of files pass in this session"
    )


def test_a_bypass_for_a_server_says_nothing_of_one_whose_name_begins_alike() -> None:
    bypasses = granted(tool_of("mcp__git__hub__get", "git"), BypassScope.SERVER)
    assert verdict(tool_of("mcp__git__hub__get", "git__hub"), bypasses).action is Action.REQUIRE


def test_a_grant_that_would_let_nothing_pass_is_refused() -> None:
    with pytest.raises(UsageError, match="no MCP server"):
        Bypasses.check(request_of(EVERYTHING[0]), BypassGrant(scope=BypassScope.SERVER))


async def test_what_waits_already_passes_too_and_nothing_else_does(tmp_path: Path) -> None:
    heard, approvals, bypasses = Heard(), MemoryApprovals(), Bypasses()
    policy = Policy(Ground(tmp_path / "placet", tmp_path / "home", ignores_case=False))
    gate = ReviewGate(MemoryRules(), approvals, MemoryJournal(), heard, policy, prepared, bypasses)
    folder = tmp_path.resolve()
    context = RunContext(workdir=str(folder))
    scope = TaskScope("test")

    def asks(operation: Operation, call_id: int) -> asyncio.Task[object]:
        return scope.start(gate.clear(call_ref(operation.tool, call_id=call_id), operation, context))

    writes = [asks(write_of(folder / f"{n}.txt", b"x"), n) for n in range(3)]
    command = asks(command_of("ls", folder), 9)
    await heard.next(PendingCommand)
    await heard.next(PendingWrite, 2)
    (like,) = [request for request in gate.waiting() if request.call_id == 0]
    bypasses.add(like, BypassGrant(scope=BypassScope.CATEGORY))
    await gate.answer_covered(SESSION, context)
    permits = await asyncio.gather(*writes)
    assert all(isinstance(permit, Permit) for permit in permits)
    assert {permit.verdict.by for permit in permits if isinstance(permit, Permit)} == {DecidedBy.BYPASS}
    assert {event.by for event in heard.of(ApprovalResolved)} == {"bypass"}
    assert not command.done()
    await scope.close()
