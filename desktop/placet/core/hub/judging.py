"""Judging calls without running them: past ones, typed ones, and under rules that are not saved yet (`R-16`)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from placet.core.domain.errors import ToolFailure, UsageError
from placet.core.domain.explaining import (
    DryRun,
    Effect,
    ExplainedCall,
    Explanation,
    FolderQuestion,
    FolderRules,
    FolderView,
    PastCall,
    RuleEdit,
    ToolName,
    TypedCall,
)
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.ports import Toolbox
from placet.core.domain.review import CallRef, Rule
from placet.core.domain.text import first_line
from placet.core.domain.tools import Category, Operation, ToolSpec
from placet.core.review.dry_run import effects, reference
from placet.core.review.explaining import explain_call, recorded_action
from placet.core.review.folder_view import view_folder
from placet.core.review.rulebook import edited, subject
from placet.core.review.rules import Policy
from placet.core.review.verdicts import Verdicts
from placet.core.store.store import Store

MOST_CALLS, MOST_SECONDS = 500, 2.0
_AT_ONCE = 50  # calls that are prepared on the loop before it is given back
_STAND_INS: dict[str, Any] = {"integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}


class Judge:
    """Makes operations of stored or typed calls as the engine does, and asks the rules about them. Runs nothing."""

    def __init__(self, store: Store, tools: Toolbox, verdicts: Verdicts, policy: Policy) -> None:
        self._store, self._tools, self._verdicts, self._policy = store, tools, verdicts, policy

    def tools(self) -> Sequence[ToolName]:
        """The tools that there are now."""
        return [ToolName(name=spec.name, category=spec.category) for spec in self._tools.specs()]

    async def explain(self, call_id: CallId) -> ExplainedCall:
        """Raises: UnknownItem, StoreError."""
        past = await self._store.past_calls.get(call_id)
        recorded, action = past.call.decision, recorded_action(past.call)
        try:
            operation = self._operation(past)
        except ToolFailure as failure:
            return ExplainedCall(past=past, recorded=recorded, recorded_action=action, trouble=str(failure))
        explanation = await self._explained(await self.rules(), reference(past), operation, past.context)
        return ExplainedCall(past=past, recorded=recorded, recorded_action=action, explanation=explanation)

    async def judge(self, typed: TypedCall, edit: RuleEdit | None = None) -> Explanation:
        """Raises: UsageError for what is no such call, StoreError."""
        rules = await self.rules(edit)
        arguments = _arguments(typed.text, self._spec(typed.tool))
        operation = self._typed_operation(typed, arguments)
        call = CallRef(
            session_id=typed.session_id or SessionId(""),
            call_id=CallId(0),
            name=typed.tool,
            arguments=json.dumps(arguments),
            agent=typed.agent,
            source=typed.source,
        )
        return await self._explained(rules, call, operation, typed.context)

    async def _explained(
        self, rules: Sequence[Rule], call: CallRef, operation: Operation, context: RunContext
    ) -> Explanation:
        verdict = await self._verdicts.under(rules, call, operation, context)
        folder = self._verdicts.folder_rules(context)
        judged = [*rules, *folder.denials]
        return await asyncio.to_thread(
            explain_call, judged, call, operation, context, self._policy, verdict, folder.asks
        )

    def folder_rules(self, workdir: str) -> FolderRules:
        """What a project's folder says beside the stored rules."""
        return self._verdicts.folder_rules(RunContext(workdir=workdir))

    async def dry_run(self, edit: RuleEdit, *, most: int = MOST_CALLS, seconds: float = MOST_SECONDS) -> DryRun:
        """Judge the newest calls with and without the edit. Raises: UsageError, UnknownItem, StoreError."""
        before = await self._store.rules.rules()
        after, about = edited(before, edit), subject(before, edit)
        end = time.monotonic() + seconds
        calls = await self._store.past_calls.newest(most)
        found: list[Effect] = []
        judged = unjudged = done = 0
        while done < len(calls) and time.monotonic() < end:
            some = calls[done : done + _AT_ONCE]
            prepared = [(past, operation) for past in some if (operation := self._operation_of(past)) is not None]
            more, count = await asyncio.to_thread(
                effects, before, after, about, prepared, self._policy, lambda: time.monotonic() >= end
            )
            found += more
            judged += count
            unjudged += len(some) - len(prepared)
            if count < len(prepared):
                break
            done += len(some)
        return DryRun(effects=tuple(found), looked_at=judged, is_complete=done == len(calls), unjudged=unjudged)

    async def folder(self, question: FolderQuestion, edit: RuleEdit | None = None) -> FolderView:
        """Raises: UsageError, UnknownItem, StoreError."""
        rules = [*await self.rules(edit), *self.folder_rules(question.workdir).denials]
        return await asyncio.to_thread(view_folder, question, rules, self._policy)

    async def rules(self, edit: RuleEdit | None = None) -> Sequence[Rule]:
        """The stored rules, or what an edit would make of them. Raises: UsageError, UnknownItem, StoreError."""
        rules = await self._store.rules.rules()
        return rules if edit is None else edited(rules, edit)

    # ---- calls as operations -------------------------------------------------------------------------------------

    def _operation_of(self, past: PastCall) -> Operation | None:
        try:
            return self._operation(past)
        except ToolFailure:
            return None

    def _operation(self, past: PastCall) -> Operation:
        """Raises: ToolFailure for arguments that the tool does not take (any more)."""
        arguments = json.loads(past.call.arguments)
        if not isinstance(arguments, dict):
            raise ToolFailure("Its arguments are no object, so it was never a call that could run.")
        return self._prepared(past.call.name, arguments, past.context)

    def _prepared(self, name: str, arguments: dict[str, Any], context: RunContext) -> Operation:
        """A tool that is not there (now), as one of a server that is not connected, is judged by its name."""
        if self._spec(name) is None:
            detail = json.dumps(arguments, ensure_ascii=False)
            return Operation(tool=name, category=Category.OTHER, label=first_line(detail), detail=detail)
        return self._tools.prepare(name, arguments, context)

    def _spec(self, name: str) -> ToolSpec | None:
        return next((spec for spec in self._tools.specs() if spec.name == name), None)

    def _typed_operation(self, typed: TypedCall, arguments: dict[str, Any]) -> Operation:
        try:
            return self._prepared(typed.tool, arguments, typed.context)
        except ToolFailure as failure:
            raise UsageError(failure.message, hint=failure.hint) from failure


def _arguments(text: str, spec: ToolSpec | None) -> dict[str, Any]:
    """JSON as it is; else a command line or a path, with anything for what a rule does not look at."""
    text = text.strip()
    if text.startswith("{") and (spec is None or spec.category is not Category.COMMAND or _is_json(text)):
        try:
            given = json.loads(text)
        except ValueError as error:
            raise UsageError(
                f"The arguments are no JSON: {error}.", hint='Write {"path": "…"}, or only the path.'
            ) from error
        if isinstance(given, dict):
            return given
    if spec is None:
        return {"text": text} if text else {}
    properties = spec.parameters.get("properties", {})
    arguments = {
        name: _STAND_INS.get(properties.get(name, {}).get("type", ""), name)
        for name in spec.parameters.get("required", ())
    }
    named = "command" if spec.category is Category.COMMAND else "path"
    if named in properties and (text or named in arguments):
        arguments[named] = text
    return arguments


def _is_json(text: str) -> bool:
    """A command line may begin with a brace too."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
