"""Rules in memory for tests of the window: real edits, order, explanations and folders; effects are set by the test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain.errors import PlacetError, UnknownItem, UsageError
from placet.core.domain.explaining import (
    DryRun,
    ExplainedCall,
    Explanation,
    FolderQuestion,
    FolderView,
    RuleEdit,
    RuleGroup,
    ToolName,
    TypedCall,
)
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.review import Rule
from placet.core.domain.tools import Category
from placet.core.review.explaining import explain_call
from placet.core.review.folder_view import view_folder
from placet.core.review.paths import Ground
from placet.core.review.rulebook import edited, renamed
from placet.core.review.rules import Policy, in_order
from support.review_fakes import call_ref, other_of, write_of

if TYPE_CHECKING:
    from support.window_hub import WindowHub

POLICY = Policy(Ground(Path("/srv/placet"), Path.home()))


class FakeRules:
    """Implements `RulesApi`. `saved` has every edit that was saved, `asked` what dry runs were asked about."""

    def __init__(self, hub: WindowHub) -> None:
        self._hub = hub
        self.rules: list[Rule] = []
        self.saved: list[RuleEdit] = []
        self.asked: list[RuleEdit] = []
        self.effects = DryRun(effects=(), looked_at=0)
        self.explained: dict[CallId, ExplainedCall] = {}
        self.failure: PlacetError | None = None

    def add(self, *rules: Rule) -> None:
        for rule in rules:
            self.rules.append(msgspec.structs.replace(rule, id=len(self.rules) + 1))

    def _under(self, edit: RuleEdit | None) -> Sequence[Rule]:
        if self.failure is not None:
            raise self.failure
        return self.rules if edit is None else edited(self.rules, edit)

    async def order(self, group: str = "default", edit: RuleEdit | None = None) -> Sequence[Rule]:
        return in_order(self._under(edit), group)

    async def groups(self) -> Sequence[RuleGroup]:
        used = [row.context.group for row in self._hub.rows.values()]
        names = ["default", *sorted({*(rule.group for rule in self.rules), *used} - {"default"})]
        return [
            RuleGroup(name=name, rules=sum(r.group == name for r in self.rules), sessions=used.count(name))
            for name in names
        ]

    def tools(self) -> Sequence[ToolName]:
        return [
            ToolName(name="write_file", category=Category.FS_WRITE),
            ToolName(name="execute_cmd", category=Category.COMMAND),
        ]

    async def change(self, edit: RuleEdit) -> None:
        self.rules = list(self._under(edit))
        self.saved.append(edit)

    async def damaged(self) -> Sequence[int]:
        return [] if self.failure is None else [2]

    async def remove_damaged(self) -> None:
        self.failure = None

    async def rename_group(self, group: str, name: str) -> None:
        self.rules = renamed(self.rules, group, name)

    async def remove_group(self, group: str, *, also_from_sessions: bool = False) -> None:
        if group == "default":
            raise UsageError("The group default cannot be removed.")
        self.rules = [rule for rule in self.rules if rule.group != group]

    async def use_group(self, session_id: SessionId, group: str) -> None:
        context = msgspec.structs.replace(self._hub.row(session_id).context, group=group)
        self._hub.change(session_id, context=context)

    async def explain(self, call_id: CallId) -> ExplainedCall:
        if call_id not in self.explained:
            raise UnknownItem("There is no such call.")
        return self.explained[call_id]

    async def judge(self, call: TypedCall, edit: RuleEdit | None = None) -> Explanation:
        operation = write_of(Path(call.text).resolve(), b"") if call.tool == "write_file" else other_of(call.tool)
        return explain_call(self._under(edit), call_ref(call.tool), operation, call.context, POLICY)

    async def dry_run(self, edit: RuleEdit) -> DryRun:
        self._under(edit)
        self.asked.append(edit)
        return self.effects

    async def folder(self, question: FolderQuestion, edit: RuleEdit | None = None) -> FolderView:
        return view_folder(question, self._under(edit), POLICY)
