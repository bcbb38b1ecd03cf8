"""A gate in a folder with one file, and a person who amends what is proposed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from placet.core.domain.events import PendingCommand, PendingWrite
from placet.core.domain.messages import RunContext
from placet.core.domain.review import Amendment, Decision, PendingRequest, Permit, Refusal
from placet.core.domain.stopping import TaskScope
from placet.core.domain.tools import Command, Operation
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from support.review_fakes import Heard, MemoryApprovals, MemoryJournal, MemoryRules, call_ref, prepared

OLD = "".join(f"line {n}\n" for n in range(40))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 20\n", "").replace("line 35\n", "line 35\nand more\n")


class Desk:
    """A gate in a folder with one file, and a person who answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.place = self.folder / "a.txt"
        self.place.write_text(OLD)
        self.rules, self.approvals, self.journal, self.heard = (
            MemoryRules(),
            MemoryApprovals(),
            MemoryJournal(),
            Heard(),
        )
        self.context = RunContext(workdir=str(self.folder))
        self.scope = TaskScope("test")
        self.asked: PendingRequest | None = None  # what was amended last
        self.restart()

    def restart(self) -> None:
        ground = Ground(self.folder / "placet", self.folder / "home", ignores_case=False)
        policy = Policy(ground)
        self.gate = ReviewGate(self.rules, self.approvals, self.journal, self.heard, policy, prepared, Bypasses())

    def asks(self, operation: Operation, call_id: int = 1) -> asyncio.Task[Permit | Refusal]:
        return self.scope.start(self.gate.clear(call_ref(operation.tool, call_id=call_id), operation, self.context))

    async def amends(self, operation: Operation, amendment: Amendment, call_id: int = 1) -> Permit:
        """Ask, answer with an amendment, and return the permit."""
        kind = PendingCommand if isinstance(operation, Command) else PendingWrite
        task = self.asks(operation, call_id)
        asked = await self.heard.next(kind)
        self.asked = self.approvals.requests[asked.request_id]
        assert await self.gate.answer_amended(asked.request_id, Decision(approved=True, amendment=amendment))
        permit = await task
        assert isinstance(permit, Permit)
        return permit
