"""What holds for a call before anybody is asked: the stored rules, the project's, bypasses, mode and folders together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.domain.errors import StoreError
from placet.core.domain.explaining import FolderRules
from placet.core.domain.messages import RunContext
from placet.core.domain.ports import RuleStore
from placet.core.domain.review import Action, CallRef, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Command, Operation
from placet.core.review.bypasses import Bypasses
from placet.core.review.folder_rules import FolderRulesReader, tightened
from placet.core.review.rules import Policy, decide, denies

log = logging.getLogger(__name__)


class Verdicts:
    """Judges by what holds now, each time anew. Asks nobody, changes nothing."""

    def __init__(self, rules: RuleStore, policy: Policy, bypasses: Bypasses) -> None:
        self._rules, self._policy, self._bypasses = rules, policy, bypasses
        self._folder_rules = FolderRulesReader()

    async def explain(self, call: CallRef, operation: Operation, context: RunContext) -> Verdict:
        """What the rules, the mode and the folders say about a call, and why (`R-16`)."""
        try:
            rules = await self._rules.rules()
        except StoreError:
            log.exception("The approval rules cannot be read: every call is asked")
            return Verdict(action=Action.REQUIRE, by=DecidedBy.DEFAULT, because="the rules cannot be read: ask")
        return await self.under(rules, call, operation, context)

    async def under(self, rules: Sequence[Rule], call: CallRef, operation: Operation, context: RunContext) -> Verdict:
        """What these rules would say in the place of the stored ones; the project's folder has its say too."""
        folder = self.folder_rules(context)
        judged = [*rules, *folder.denials]
        bypasses = self._bypasses.active(call.session_id)

        def judge() -> Verdict:
            verdict = decide(judged, call, operation, context, self._policy, bypasses)
            return tightened(verdict, folder, call, operation, self._policy)

        return await asyncio.to_thread(judge) if isinstance(operation, Command) else judge()  # a line may take its time

    def folder_rules(self, context: RunContext) -> FolderRules:
        """What the folder that a session works in says; it can only tighten (`R-4`)."""
        return self._folder_rules.of(context.workdir)

    async def denied_paths(self, context: RunContext) -> Callable[[Path], bool]:
        """A predicate for recursive reads: what they must leave out (`R-3`). Raises: StoreError."""
        rules = [*await self._rules.rules(), *self.folder_rules(context).denials]
        return denies(rules, context, self._policy.ground)
