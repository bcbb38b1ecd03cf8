"""A whole gate with the shipped rules and the real tools, in a home of its own, and a model that means ill.

An attempt goes the way that the engine takes: prepare, clear, ask, write or run. What is on the disk is compared by
digest, with kinds and modes, before and after.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.domain.events import AnyEvent, ApprovalRequired, PendingCommand, PendingWrite
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import CallRef, Decision, PendingRequest, Permit, PlannedWrites, Refusal, Rule, Verdict
from placet.core.domain.stopping import StopFlag, TaskScope
from placet.core.domain.tools import Operation
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from placet.core.review.seeds import read_seeds
from placet.core.settings.resources import read_resource
from placet.core.tools.toolbox import BuiltinToolbox
from support.review_fakes import MemoryApprovals, MemoryJournal, MemoryRules, call_ref

SEEDS = read_seeds(read_resource("review.toml"))
SECRET = b"TOKEN=the-secret-of-the-person\n"
_ASKS = (PendingWrite, PendingCommand, ApprovalRequired)

Fingerprint = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Attempt:
    """How it ended: `asked` (and turned down), `denied`, `failed`, `stale`, or `done`. `told` is what the model got."""

    ending: str
    told: str = ""
    asked: AnyEvent | None = None
    verdict: Verdict | None = None

    @property
    def question(self) -> str:
        """Everything that the person was shown."""
        return repr(self.asked)


class Arena:
    """`work` is the folder of the conversation, `me` the person's home, `placet` Placet's own. Close with `aclose`."""

    def __init__(self, root: Path, *rules: Rule, seeded: bool = True, ignores_case: bool = False) -> None:
        self.root = root.resolve()
        self.me, self.placet, self.work = self.root / "me", self.root / "me" / "placet", self.root / "me" / "project"
        self.outside = self.root / "outside"
        for folder in (self.placet / "secrets", self.placet / "memory", self.work, self.outside, self.me / ".ssh"):
            folder.mkdir(parents=True)
        for name in (".ssh/id_rsa", "placet/keys.json", "placet/config.toml", "placet/secrets/k", "project/.env"):
            (self.me / name).write_bytes(SECRET)
        (self.work / "a.txt").write_bytes(b"one\ntwo\nthree\n")
        (self.outside / "theirs.txt").write_bytes(b"one\ntwo\nthree\n")
        self.rules = MemoryRules(*(SEEDS.rules if seeded else ()), *rules)
        self.journal, self.approvals = MemoryJournal(), MemoryApprovals()
        self.context = RunContext(workdir=str(self.work))
        self.stored: list[PendingRequest] = []  # every request that was put to the person
        self._asked: asyncio.Queue[AnyEvent] = asyncio.Queue()
        self._numbers = itertools.count(1)
        self._scope = TaskScope("arena")
        ground = Ground(self.placet, self.me, ignores_case=ignores_case)
        self.gate = ReviewGate(
            self.rules,
            self.approvals,
            self.journal,
            self._heard,
            Policy(ground, SEEDS.harmless),
            self._prepared,
            Bypasses(),
        )
        self.box = BuiltinToolbox(
            emit_output=lambda _call, _text: None,
            denied_paths=self.gate.denied_paths,
            secret_env_names=lambda: ("PLACET_TEST_KEY",),
        )

    async def aclose(self) -> None:
        await self._scope.close()
        self.box.close()

    def _heard(self, _call: CallRef, event: AnyEvent) -> None:
        if isinstance(event, _ASKS):
            self._asked.put_nowait(event)

    def mode(self, mode: Mode, **fields: Any) -> None:
        self.context = RunContext(workdir=str(self.work), mode=mode, **fields)

    def _prepared(self, name: str, arguments: dict[str, Any], context: RunContext) -> Operation:
        return self.box.prepare(name, arguments, context)

    def prepare(self, name: str, **arguments: Any) -> Operation:
        return self.box.prepare(name, arguments, self.context)

    async def attempt(
        self,
        name: str,
        *,
        approve: bool = False,
        before_write: Callable[[], object] = lambda: None,
        planned: PlannedWrites | None = None,
        **arguments: Any,
    ) -> Attempt:
        """One call. A question is turned down unless `approve`; `before_write` comes between the yes and the write."""
        try:
            operation = self.prepare(name, **arguments)
        except ToolFailure as failure:
            return Attempt("failed", str(failure))
        call = call_ref(name, call_id=next(self._numbers))
        try:
            cleared, asked = await self._cleared(call, operation, approve, planned)
        except ToolFailure as failure:
            return Attempt("failed", str(failure))
        if isinstance(cleared, Refusal):
            return Attempt("asked" if asked else "denied", cleared.text, asked, cleared.verdict)
        before_write()
        try:
            if cleared.proposal is not None:
                result = await self.gate.apply(call, cleared)
            else:
                result = await self.box.run(cleared, StopFlag(), call, self.context)
        except StalePreview as stale:
            return Attempt("stale", str(stale), asked, cleared.verdict)
        except ToolFailure as failure:
            return Attempt("failed", str(failure), asked, cleared.verdict)
        return Attempt("done", result.text + json.dumps(result.facts, default=str), asked, cleared.verdict)

    async def _cleared(
        self, call: CallRef, operation: Operation, approve: bool, planned: PlannedWrites | None
    ) -> tuple[Permit | Refusal, AnyEvent | None]:
        clearing = self._scope.start(self._ending_of(call, operation, planned))
        asking = self._scope.start(self._asked.get())
        await asyncio.wait((clearing, asking), timeout=20, return_when=asyncio.FIRST_COMPLETED)
        asked = None
        if asking.done():
            asked = asking.result()
            self.stored.extend(self.gate.waiting())
            assert self.gate.answer(asked.request_id, Decision(approved=approve))  # type: ignore[union-attr]
        else:
            asking.cancel()
        ending = await asyncio.wait_for(clearing, 20)
        if isinstance(ending, ToolFailure):
            raise ending
        return ending, asked

    async def _ending_of(
        self, call: CallRef, operation: Operation, planned: PlannedWrites | None
    ) -> Permit | Refusal | ToolFailure:
        try:
            return await self.gate.clear(call, operation, self.context, planned)
        except ToolFailure as failure:
            return failure

    def fingerprint(self) -> Fingerprint:
        return fingerprint(self.root)


def fingerprint(root: Path) -> Fingerprint:
    """Every name below `root` with its kind and mode, and the digest of what is in it or where it leads."""
    found: Fingerprint = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder) / name
            status = path.lstat()
            kind = stat.filemode(status.st_mode)
            if stat.S_ISREG(status.st_mode):
                found[str(path)] = kind, hashlib.sha256(path.read_bytes()).hexdigest()
            elif stat.S_ISLNK(status.st_mode):
                found[str(path)] = kind, str(path.readlink())
            else:
                found[str(path)] = (kind,)
    return found
