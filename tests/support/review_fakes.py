"""In-memory stand-ins for the ports that review stores through, and builders for calls and operations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from placet.core.domain.errors import StoreError, ToolFailure, UnknownItem
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId, ChangeId, MessageId, RequestId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.review import CallRef, Change, ChangeState, Decision, PendingRequest, Rule, Verdict
from placet.core.domain.tools import Category, Command, Execution, FileWrite, PlannedWrite, ToolIO, ToolResult
from placet.core.review.files import digest_of

E = TypeVar("E")
SESSION = SessionId("session-1")


class MemoryJournal:
    """Implements `ChangeJournal`. `of_turn` maps a user row to the changes of its turn."""

    def __init__(self) -> None:
        self.changes: dict[ChangeId, Change] = {}
        self.found: dict[ChangeId, bytes | None] = {}
        self.of_turn: dict[MessageId, list[ChangeId]] = {}
        self._contents: dict[ChangeId, tuple[bytes | None, bytes | None]] = {}

    async def intend(
        self,
        *,
        session_id: SessionId,
        call_id: CallId | None,
        tool: str,
        path: str,
        before: bytes | None,
        after: bytes | None,
        added: int,
        removed: int,
        reverts: ChangeId | None = None,
        note: str = "",
        reverts_also: Sequence[ChangeId] = (),
    ) -> ChangeId:
        change_id = ChangeId(len(self.changes) + 1)
        self._contents[change_id] = before, after
        self.changes[change_id] = Change(
            id=change_id,
            session_id=session_id,
            call_id=call_id,
            path=path,
            before_digest=digest_of(before),
            after_digest=digest_of(after),
            state=ChangeState.INTENDED,
            created_at=float(change_id),
            added=added,
            removed=removed,
            reverts=reverts,
            tool=tool,
            note=note,
        )
        for also in reverts_also:
            row = ChangeId(len(self.changes) + 1)
            self._contents[row] = after, after
            self.changes[row] = msgspec.structs.replace(
                self.changes[change_id], id=row, session_id=self.changes[also].session_id, call_id=None, added=0,
                removed=0, before_digest=digest_of(after), reverts=also,
            )  # fmt: skip
        return change_id

    async def settle(
        self, change_id: ChangeId, state: ChangeState, *, conflict: str = "", found: bytes | None = None
    ) -> None:
        change = await self.change(change_id)
        self.changes[change_id] = msgspec.structs.replace(change, state=state, conflict=conflict)
        self.found[change_id] = found
        for each in [change] if change.reverts is None or _is_also(change) else await self.together_with(change):
            self.changes[each.id] = msgspec.structs.replace(self.changes[each.id], state=state)
            self._turn_over(each.reverts if state is ChangeState.APPLIED else None)

    def _turn_over(self, turned: ChangeId | None) -> None:
        state = ChangeState.REVERTED
        while turned is not None:  # undoing an undo puts the first change in force again
            self.changes[turned] = msgspec.structs.replace(self.changes[turned], state=state)
            turned = self.changes[turned].reverts
            state = ChangeState.APPLIED if state is ChangeState.REVERTED else ChangeState.REVERTED

    async def change(self, change_id: ChangeId) -> Change:
        try:
            return self.changes[change_id]
        except KeyError:
            raise UnknownItem(f"There is no change {change_id}.") from None

    async def contents(self, change_id: ChangeId) -> tuple[bytes | None, bytes | None]:
        try:
            return self._contents[change_id]
        except KeyError:
            raise UnknownItem("The contents of this change are not kept any more.") from None

    def forget_contents(self, change_id: ChangeId) -> None:
        """What retention does."""
        del self._contents[change_id]

    async def of_call(self, call_id: CallId) -> Change | None:
        return next((change for change in reversed(self.changes.values()) if change.call_id == call_id), None)

    async def intended(self) -> Sequence[Change]:
        return [c for c in self.changes.values() if c.state is ChangeState.INTENDED and not _is_also(c)]

    async def of_file(self, path: str, session_id: SessionId | None = None) -> Sequence[Change]:
        return [c for c in reversed(self.changes.values()) if c.path == path and session_id in (None, c.session_id)]

    async def undone_by(self, change_id: ChangeId) -> Change | None:
        rows = reversed(self.changes.values())
        return next((c for c in rows if c.reverts == change_id and c.state is ChangeState.APPLIED), None)

    async def together_with(self, change: Change) -> Sequence[Change]:
        if change.reverts is None:
            return [change]
        same = (change.path, change.created_at)
        return [c for c in self.changes.values() if (c.path, c.created_at) == same and c.reverts is not None]

    async def page(
        self, session_id: SessionId | None, *, page: int = 1, per_page: int = 20
    ) -> tuple[Sequence[Change], int]:
        rows = (c for c in reversed(self.changes.values()) if not _is_also(c))
        found = [c for c in rows if session_id in (None, c.session_id)]
        return found[(page - 1) * per_page : page * per_page], len(found)

    async def since(self, session_id: SessionId, message_id: MessageId, *, whole_rest: bool) -> Sequence[Change]:
        rows = [row for row in self.of_turn if row == message_id or (whole_rest and row > message_id)]
        ids = sorted((change_id for row in rows for change_id in self.of_turn[row]), reverse=True)
        return [self.changes[change_id] for change_id in ids if self.changes[change_id].session_id == session_id]


def _is_also(change: Change) -> bool:
    return change.reverts is not None and change.before_digest == change.after_digest


class MemoryApprovals:
    """Implements `ApprovalStore`. While `may_remove` or `may_decide` is not set, nothing is removed or decided."""

    def __init__(self) -> None:
        self.requests: dict[RequestId, PendingRequest] = {}
        self.trail: list[Verdict] = []
        self.may_remove, self.may_decide, self.deciding = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.may_remove.set()
        self.may_decide.set()

    async def add(self, request: PendingRequest) -> None:
        self.requests[request.id] = request

    async def remove(self, request_id: RequestId, verdict: Verdict | None = None) -> None:
        await self.may_remove.wait()
        if self.requests.pop(request_id, None) is not None and verdict is not None:
            self.trail.append(verdict)

    async def decide(self, request_id: RequestId, decision: Decision) -> bool:
        self.deciding.set()
        await self.may_decide.wait()
        if request_id not in self.requests or self.requests[request_id].decision is not None:
            return False
        self.requests[request_id] = msgspec.structs.replace(self.requests[request_id], decision=decision)
        return True

    async def waiting(self, session_id: SessionId | None = None) -> Sequence[PendingRequest]:
        return [r for r in reversed(self.requests.values()) if session_id in (None, r.session_id)]

    async def get(self, request_id: RequestId) -> PendingRequest | None:
        return self.requests.get(request_id)


class MemoryRules:
    """Implements `RuleStore`. With `is_broken` reading fails as a damaged database does."""

    def __init__(self, *rules: Rule) -> None:
        self._rules: list[Rule] = []
        self.is_broken = False
        self.add(*rules)

    def add(self, *rules: Rule) -> None:
        for rule in rules:
            self._rules.append(msgspec.structs.replace(rule, id=len(self._rules) + 1))

    async def rules(self) -> Sequence[Rule]:
        if self.is_broken:
            raise StoreError("The database is damaged.")
        return list(self._rules)

    async def seed(self, rules: Sequence[Rule]) -> None:
        if not self._rules:
            self.add(*rules)


class Heard:
    """An emitter that keeps what it was given; tests wait for an event of a kind, with a bound."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self._waiters: list[asyncio.Future[None]] = []

    def __call__(self, call: CallRef, event: AnyEvent) -> None:
        self.events.append(event)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def next(self, kind: type[E], after: int = 0, timeout_s: float = 5.0) -> E:
        """The event of that kind after `after` others of it."""
        async with asyncio.timeout(timeout_s):
            while len(self.of(kind)) <= after:
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.append(waiter)
                await waiter
        return self.of(kind)[after]


def call_ref(
    name: str = "write_file", *, call_id: int = 1, agent: str = "assistant", source: str = "desktop"
) -> CallRef:
    return CallRef(
        session_id=SESSION, call_id=CallId(call_id), name=name, arguments='{"path": "x"}', agent=agent, source=source,
        reason="because it is better",
    )  # fmt: skip


def write_of(path: Path, content: bytes, *, tool: str = "write_file") -> FileWrite:
    """A write of the whole content, whatever was there."""
    return planned_write(path, lambda _old: content, tool=tool)


def edit_of(path: Path, find: bytes, put: bytes) -> FileWrite:
    """An edit as the edit tool does it: the text must be there exactly once."""

    def plan(old: bytes | None) -> bytes:
        if old is None:
            raise ToolFailure(f"{path} does not exist.")
        if old.count(find) != 1:
            raise ToolFailure(f"The text is {'not' if find not in old else 'more than once'} in {path}.")
        return old.replace(find, put)

    return planned_write(path, plan, tool="edit_file")


def planned_write(path: Path, plan: Callable[[bytes | None], bytes], *, tool: str = "write_file") -> FileWrite:
    return FileWrite(
        tool=tool,
        label=path.name,
        detail=str(path),
        path=path,
        plan=lambda old: PlannedWrite(new=plan(old), result=f"Wrote {path.name}."),
    )


async def _run(_io: ToolIO) -> ToolResult:
    return ToolResult(text="ran")


def command_of(command: str, workdir: Path) -> Command:
    return Command(
        tool="execute_cmd", label=command, detail=command, run=_run, command=command, workdir=workdir, timeout_s=120.0
    )


def prepared(name: str, arguments: dict[str, Any], context: RunContext) -> Command:
    """What the toolbox makes of a command that a person edited."""
    assert name == "execute_cmd"
    return command_of(arguments["command"], Path(context.workdir))


def read_of(path: Path, *, tool: str = "read_file") -> Execution:
    return Execution(tool=tool, category=Category.FS_READ, label=path.name, detail=str(path), path=path, run=_run)


def other_of(tool: str) -> Execution:
    return Execution(tool=tool, category=Category.OTHER, label=tool, detail=tool, run=_run)
