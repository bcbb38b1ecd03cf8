"""The gate in front of every tool call, and what lets a write through it.

A call is decided by rules, mode and folders; what they leave open, a person decides on the exact effect. A permit
is good for one call, once, with the very object that was shown (`R-11`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from placet.core.domain.errors import StalePreview, StoreError, ToolFailure, UsageError
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.ports import ApprovalStore, ChangeJournal, RuleStore
from placet.core.domain.review import (
    Action,
    Amendment,
    CallRef,
    Change,
    ChangeState,
    DecidedBy,
    Decision,
    PendingRequest,
    Permit,
    PlannedWrites,
    Proposal,
    Refusal,
    Verdict,
    rejection_text,
)
from placet.core.domain.tools import Category, Command, FileWrite, Operation, Question, ToolResult, with_note
from placet.core.review.amending import Effect, amend
from placet.core.review.bypasses import Bypasses
from placet.core.review.preview import propose
from placet.core.review.requests import announcement_of, binding_of, question_event, question_request, request_for
from placet.core.review.rules import Policy, decide, denies
from placet.core.review.waiting import CallEmitter, Waiting, WaitingCalls
from placet.core.review.writer import JournalledWriter, PlannedChange

log = logging.getLogger(__name__)

_READ = "read_file"

Preparer = Callable[[str, dict[str, Any], RunContext], Operation]
"""Parses a call anew, as the toolbox does; for a command that a person edited."""


class ReviewGate:
    """Implements the port `Reviewer`. One for the program, on the loop's thread."""

    def __init__(
        self,
        rules: RuleStore,
        approvals: ApprovalStore,
        journal: ChangeJournal,
        emit: CallEmitter,
        policy: Policy,
        prepare: Preparer,
        bypasses: Bypasses,
    ) -> None:
        self._rules, self._journal, self._policy, self._prepare = rules, journal, policy, prepare
        self.bypasses = bypasses
        self._waiting = WaitingCalls(approvals, emit)
        self._writer = JournalledWriter(journal)
        # A permit that a stopped turn left unused goes with it, and with it both contents of the file.
        self._permits: WeakValueDictionary[CallId, Permit] = WeakValueDictionary()
        self._stale: set[CallId] = set()

    # ---- deciding --------------------------------------------------------------------------------------------

    async def clear(
        self, call: CallRef, operation: Operation, context: RunContext, planned: PlannedWrites | None = None
    ) -> Permit | Refusal:
        """Decide, waiting for a person if need be; see `Reviewer`. Every write that passes has its proposal."""
        planned = planned or PlannedWrites()
        async with planned.planning:
            verdict = await self.explain(call, operation, context)
            refusal = _refusal(verdict, context)
            proposal = None
            if refusal is None:
                proposal = await self._plan(call, operation, context, planned.contents)
                verdict = _regarding_names(verdict, proposal, context)
                refusal = _refusal(verdict, context)
        effect = Effect(operation=operation, proposal=proposal)
        if refusal is None and verdict.action is Action.REQUIRE:
            return await self._ask(call, effect, verdict, context)
        is_asked_again = isinstance(operation, Question) and refusal is None  # by `ask`, which then takes its answer
        decision = None if is_asked_again else await self._waiting.drop_older(call)
        if refusal is None and decision is not None:
            return _rejected(effect, verdict, decision)
        verdict = _dated(effect, refusal.verdict if refusal is not None else verdict)
        if refusal is not None:
            return msgspec.structs.replace(refusal, verdict=verdict)
        return self._permit(call, Permit(operation=operation, verdict=verdict, proposal=proposal))

    async def still_allows(self, call: CallRef, permit: Permit, context: RunContext) -> bool:
        """Whether a permit that had to wait is good under what holds now; see `Reviewer`."""
        action = (await self.explain(call, permit.operation, context)).action
        return action is Action.ALLOW or (action is Action.REQUIRE and permit.request_id is not None)

    async def explain(self, call: CallRef, operation: Operation, context: RunContext) -> Verdict:
        """What the rules, the mode and the folders say about a call, and why (`R-16`). Asks nobody."""
        try:
            rules = await self._rules.rules()
        except StoreError:
            log.exception("The approval rules cannot be read: every call is asked")
            return Verdict(action=Action.REQUIRE, by=DecidedBy.DEFAULT, because="the rules cannot be read: ask")
        bypasses = self.bypasses.active(call.session_id)
        if isinstance(operation, Command):  # reading a command line may take its time
            return await asyncio.to_thread(decide, rules, call, operation, context, self._policy, bypasses)
        return decide(rules, call, operation, context, self._policy, bypasses)

    async def denied_paths(self, context: RunContext) -> Callable[[Path], bool]:
        """A predicate for recursive reads: what they must leave out (`R-3`). Raises: StoreError."""
        return denies(await self._rules.rules(), context, self._policy.ground)

    async def _plan(
        self, call: CallRef, operation: Operation, context: RunContext, planned: dict[Path, bytes]
    ) -> Proposal | None:
        """Plan a write; a request that was stored for a call which cannot be planned any more is removed."""
        try:
            proposal = await self._planned(call, operation, context, planned)
        except ToolFailure:
            await self._waiting.drop_older(call)
            raise
        if proposal is not None:
            planned[proposal.path] = proposal.new
        return proposal

    async def _planned(
        self, call: CallRef, operation: Operation, context: RunContext, planned: dict[Path, bytes]
    ) -> Proposal | None:
        """A plan that fails may quote the file only if reading it needs no question (`R-3`)."""
        if isinstance(operation, Command) and not operation.command.strip():
            raise ToolFailure("The command is empty. Nothing was run.", hint="Give the command to run.")
        if not isinstance(operation, FileWrite):
            return None
        reading = Operation(
            tool=_READ, category=Category.FS_READ, label=operation.label, detail=operation.detail, path=operation.path
        )
        verdict = await self.explain(msgspec.structs.replace(call, name=_READ), reading, context)
        return await asyncio.to_thread(
            propose, operation, planned.get(operation.path), tells=verdict.action is Action.ALLOW
        )

    async def _ask(self, call: CallRef, effect: Effect, verdict: Verdict, context: RunContext) -> Permit | Refusal:
        stale = call.call_id in self._stale
        operation, proposal = effect.operation, effect.proposal
        request = await asyncio.to_thread(request_for, call, operation, verdict, proposal, stale=stale)
        announcement = await asyncio.to_thread(announcement_of, request, call, operation, proposal)
        decision, wanted = await self._waiting.ask(call, request, announcement, effect, context)
        if not decision.approved:
            return _rejected(effect, verdict, decision)
        if decision.amendment is not None and wanted is None:  # made before a restart, on exactly this
            try:
                wanted = await self.amended(call, effect, decision.amendment, context)
            except UsageError:
                return await self._ask(call, effect, verdict, context)
        effect = wanted or effect
        how = "approved with changes" if effect.note else "approved"
        allowed = Verdict(
            action=Action.ALLOW,
            by=decision.by,
            because=f"{how} by {_who(decision)} ({verdict.because})",
            rule_id=verdict.rule_id,
        )
        permit = Permit(
            operation=effect.operation,
            verdict=_dated(effect, allowed),
            proposal=effect.proposal,
            request_id=request.id,
            note=effect.note,
        )
        return self._permit(call, permit)

    async def amended(self, call: CallRef, effect: Effect, amendment: Amendment, context: RunContext) -> Effect:
        """What a person makes of a call; never what a rule denies (`R-2`). Raises: UsageError."""
        changed = await asyncio.to_thread(
            amend, effect, amendment, lambda command: self._with_command(call, command, context)
        )
        if changed.operation is not effect.operation:
            verdict = await self.explain(call, changed.operation, context)
            if verdict.action is Action.DENY:
                raise UsageError(
                    f"The changed command is not allowed ({verdict.because}).",
                    hint="Change the rule first, or edit it.",
                )
        return changed

    def _with_command(self, call: CallRef, command: str, context: RunContext) -> Operation:
        arguments = {**msgspec.json.decode(call.arguments), "command": command}
        return self._prepare(call.name, arguments, context)

    def _permit(self, call: CallRef, permit: Permit) -> Permit:
        if permit.proposal is not None:
            self._permits[call.call_id] = permit
        return permit

    async def ask(self, call: CallRef, question: Question, context: RunContext) -> str:
        """Put a question to a person; see `Reviewer`."""
        if context.auto_deny:
            raise ToolFailure("Nobody can be asked in this session. Decide yourself, and say what you decided.")
        request = question_request(call, question)
        announcement = question_event(request, question)
        decision = (await self._waiting.ask(call, request, announcement, None, context)).decision
        if decision.approved:
            return decision.note
        raise ToolFailure(f"The person did not answer. {decision.note}".strip())

    # ---- answers of a person ---------------------------------------------------------------------------------

    def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that is waited for in this process; False where none is (any more)."""
        return self._waiting.answer(request_id, decision)

    async def answer_amended(self, request_id: RequestId, decision: Decision) -> bool:
        """Like `answer`, for an approval with an amendment. Raises: UsageError where it does not fit; it still waits."""
        wait = self._waiting.open(request_id)
        if wait is None or wait.effect is None or decision.amendment is None:
            return False
        wanted = await self.amended(wait.call, wait.effect, decision.amendment, wait.context)
        if self._waiting.open(request_id) is None:  # decided elsewhere meanwhile
            return False
        await self._waiting.keep(request_id, decision)
        return self._waiting.answer(request_id, decision, wanted)

    async def answer_stored(self, request_id: RequestId, decision: Decision) -> SessionId | None:
        """Decide a request left from before a restart; resume the returned session to have it done.

        An approval holds only if exactly the same would happen; otherwise the call is asked anew.
        """
        return await self._waiting.answer_stored(request_id, decision)

    async def answer_covered(self, session_id: SessionId, context: RunContext) -> None:
        """Let those calls pass that wait and would not be asked about any more, because of a new bypass."""
        for wait in self._waiting.all_open(session_id):
            if wait.effect is None:
                continue
            verdict = await self.explain(wait.call, wait.effect.operation, context)
            if verdict.action is Action.ALLOW:
                self.answer(wait.request.id, Decision(approved=True, by=verdict.by, who=verdict.because))

    def open(self, request_id: RequestId) -> Waiting | None:
        """A waiting call with what it would do; None where nothing undecided waits under this id in this process."""
        return self._waiting.open(request_id)

    def waiting(self) -> tuple[PendingRequest, ...]:
        return self._waiting.requests()

    async def forget(self, call: CallRef) -> None:
        """The call ended without a decision: nothing is asked about it any more."""
        await self._waiting.drop_older(call)

    async def withdraw(self, session_id: SessionId) -> None:
        """A person stopped the session: its requests end as cancelled and are never asked again."""
        await self._waiting.withdraw(session_id)

    # ---- writing ---------------------------------------------------------------------------------------------

    async def apply(self, call: CallRef, permit: Permit) -> ToolResult:
        """Write exactly what was permitted; see `Reviewer`. Nothing is written if the file has changed (`R-5`)."""
        proposal = permit.proposal
        if proposal is None or self._permits.pop(call.call_id, None) is not permit:
            raise ToolFailure("This write was not permitted for this call, or is done already. Nothing was written.")
        planned = PlannedChange(
            session_id=call.session_id,
            call_id=call.call_id,
            tool=call.name,
            path=proposal.path,
            before=proposal.old,
            after=proposal.new,
            added=proposal.added,
            removed=proposal.removed,
            note=permit.note,
            other_names=proposal.other_names,
        )
        try:
            change = await self._writer.write(planned)
        except StalePreview:
            self._stale.add(call.call_id)
            raise
        self._stale.discard(call.call_id)
        return with_note(_result(change, proposal.result), permit.note)

    async def landed(self, call_id: CallId) -> ToolResult | None:
        """After a crash: what the call's write did, None where it never reached the disk (`T-5`)."""
        change = await self._journal.of_call(call_id)
        if change is None:
            return None
        if change.state is ChangeState.INTENDED:
            change = await self._writer.settle(change)
        if change.state in (ChangeState.APPLIED, ChangeState.REVERTED):
            told = f"Wrote {change.path} (+{change.added} −{change.removed}) before an interruption."
            return with_note(_result(change, told), change.note)
        if change.conflict:
            return ToolResult(
                text=f"{change.conflict} It was not written again: read {change.path} before going on.",
                facts={"path": change.path, "conflict": change.conflict},
            )
        return None

    async def recover(self, cut: Sequence[Change] | None = None) -> None:
        """Settle every write that a crash interrupted; `cut` has them if they were looked up before anything ran."""
        for change in cut if cut is not None else await self._journal.intended():
            await self._writer.settle(change)


def _refusal(verdict: Verdict, context: RunContext) -> Refusal | None:
    """What is refused without asking anybody; None for everything else."""
    if verdict.action is Action.DENY:
        text = f"This tool call is not allowed ({verdict.because}). Do not try to reach the same in another way."
        return Refusal(verdict=verdict, note=verdict.because, text=text)
    if verdict.action is Action.REQUIRE and context.auto_deny:
        note = "nobody can be asked in this session"
        refused = Verdict(action=Action.DENY, by=DecidedBy.POLICY, because=f"{verdict.because}; {note}")
        return Refusal(verdict=refused, note=note, text=rejection_text(note))
    return None


def _dated(effect: Effect, verdict: Verdict) -> Verdict:
    """A verdict as the audit trail keeps it: on what exactly, and when (`R-12`)."""
    digest = binding_of(effect.operation, effect.proposal)
    return msgspec.structs.replace(verdict, digest=digest, at=time.time())


def _regarding_names(verdict: Verdict, proposal: Proposal | None, context: RunContext) -> Verdict:
    """Rules, modes and folders let pass by place; a file with other names may lie in another place as well."""
    by_place = verdict.by in (DecidedBy.RULE, DecidedBy.MODE, DecidedBy.FAST_PATH) and context.mode is not Mode.AUTO
    if proposal is None or not proposal.other_names or verdict.action is not Action.ALLOW or not by_place:
        return verdict
    because = "the file has other names (hard links), which may lie elsewhere: ask"
    return Verdict(action=Action.REQUIRE, by=DecidedBy.DEFAULT, because=because)


def _rejected(effect: Effect, verdict: Verdict, decision: Decision) -> Refusal:
    because = f"rejected by {_who(decision)} ({verdict.because})"
    refused = Verdict(action=Action.DENY, by=decision.by, because=because)
    return Refusal(verdict=_dated(effect, refused), note=decision.note, text=rejection_text(decision.note))


def _who(decision: Decision) -> str:
    return decision.who or ("a person" if decision.by is DecidedBy.PERSON else decision.by.value)


def _result(change: Change, text: str) -> ToolResult:
    """What the model is told, and the facts from which the change is announced."""
    facts = {
        "change_id": change.id,
        "path": change.path,
        "change": "created" if change.before_digest == "absent" else "modified",
        "added": change.added,
        "removed": change.removed,
    }
    if change.conflict:
        facts["conflict"] = change.conflict
        text = f"{text}\nNote: {change.conflict}"
    return ToolResult(text=text, facts=facts)
