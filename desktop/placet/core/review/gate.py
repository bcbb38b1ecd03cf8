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

from placet.core.domain.errors import StalePreview, ToolFailure, UsageError
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.ports import ApprovalStore, ChangeJournal, RuleStore
from placet.core.domain.review import (
    Action,
    Amendment,
    Answered,
    CallRef,
    Change,
    ChangeState,
    DecidedBy,
    Decision,
    EditedCommand,
    PendingRequest,
    Permit,
    PlannedWrites,
    Proposal,
    Refusal,
    ReviewNotes,
    Verdict,
    rejection_text,
)
from placet.core.domain.text import first_line
from placet.core.domain.tools import Category, Command, FileWrite, Operation, Question, ToolResult
from placet.core.review.amending import Effect, with_command, with_content
from placet.core.review.bypasses import Bypasses
from placet.core.review.preview import propose
from placet.core.review.requests import announcement_of, binding_of, question_event, question_request, request_for
from placet.core.review.rules import Policy
from placet.core.review.verdicts import Verdicts
from placet.core.review.waiting import CallEmitter, Waiting, WaitingCalls
from placet.core.review.writer import JournalledWriter, PlannedChange

log = logging.getLogger(__name__)

_READ = "read_file"
_ANSWER = 200  # characters of an answer in the audit trail; the call's result has all of it

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
        self._journal, self._prepare, self.bypasses = journal, prepare, bypasses
        self.verdicts = Verdicts(rules, policy, bypasses)
        self.explain, self.denied_paths = self.verdicts.explain, self.verdicts.denied_paths
        self._waiting = WaitingCalls(approvals, emit)
        self._writer = JournalledWriter(journal)
        # A permit that a stopped turn left unused goes with it, and with it both contents of the file.
        self._permits: WeakValueDictionary[CallId, Permit] = WeakValueDictionary()
        self._stale: dict[CallId, Amendment | None] = {}  # with what the person had made of the write

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
        if refusal is None:
            return await self._cleared(call, effect, verdict, context)
        await self._waiting.take_older(call, "", "no longer asked")
        return msgspec.structs.replace(refusal, verdict=_dated(effect, refusal.verdict))

    async def _cleared(self, call: CallRef, effect: Effect, verdict: Verdict, context: RunContext) -> Permit | Refusal:
        """What a person decided or wrote about the call before comes first, whatever lets it pass by now."""
        asks = verdict.action is Action.REQUIRE
        if isinstance(effect.operation, Question) and not asks:  # `ask` takes the answer to it
            return self._permit(call, Permit(operation=effect.operation, verdict=_dated(effect, verdict)))
        binding = binding_of(effect.operation, effect.proposal)
        older = await self._waiting.take_older(call, binding, "asked again" if asks else "no longer asked")
        draft = older.draft or self._stale.get(call.call_id)
        if older.decision is not None:
            return await self._decided(call, effect, verdict, context, older.decision)
        if asks or draft is not None:
            return await self._ask(call, effect, verdict, context, draft, older.notes)
        permit = Permit(operation=effect.operation, verdict=_dated(effect, verdict), proposal=effect.proposal)
        return self._permit(call, permit)

    async def still_allows(self, call: CallRef, permit: Permit, context: RunContext) -> bool:
        """Whether a permit that had to wait is good under what holds now; see `Reviewer`."""
        action = (await self.explain(call, permit.operation, context)).action
        was_decided = permit.verdict.by in (DecidedBy.PERSON, DecidedBy.POLICY)
        return action is Action.ALLOW or (action is Action.REQUIRE and was_decided)

    async def _plan(
        self, call: CallRef, operation: Operation, context: RunContext, planned: dict[Path, bytes]
    ) -> Proposal | None:
        """Plan a write; a request that was stored for a call which cannot be planned any more is removed."""
        try:
            proposal = await self._planned(call, operation, context, planned)
        except ToolFailure:
            await self._waiting.take_older(call, "", "no longer asked")
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

    async def _ask(
        self,
        call: CallRef,
        effect: Effect,
        verdict: Verdict,
        context: RunContext,
        draft: Amendment | None = None,
        notes: ReviewNotes | None = None,
    ) -> Permit | Refusal:
        stale = call.call_id in self._stale
        operation, proposal = effect.operation, effect.proposal
        request = await asyncio.to_thread(request_for, call, operation, verdict, proposal, stale=stale)
        request = msgspec.structs.replace(request, draft=draft, notes=notes)
        announcement = await asyncio.to_thread(announcement_of, request, call, operation, proposal)
        decision, wanted = await self._waiting.ask(call, request, announcement, effect, context)
        return await self._decided(call, effect, verdict, context, decision, wanted, request.id)

    async def _decided(
        self,
        call: CallRef,
        effect: Effect,
        verdict: Verdict,
        context: RunContext,
        decision: Decision,
        wanted: Effect | None = None,
        request_id: RequestId | None = None,
    ) -> Permit | Refusal:
        """A decision about exactly this effect; `wanted` is what the person made of it, if that is known yet."""
        if not decision.approved:
            self._stale.pop(call.call_id, None)
            return _rejected(effect, verdict, decision)
        if decision.amendment is not None and wanted is None:  # made before a restart
            try:
                wanted = await self.amended(call, effect, decision.amendment, context)
            except UsageError:
                return await self._ask(call, effect, verdict, context, decision.amendment)
        effect = wanted or effect
        allowed = _dated(effect, _approved(verdict, decision, is_changed=bool(effect.note)))
        permit = Permit(
            operation=effect.operation,
            verdict=allowed,
            proposal=effect.proposal,
            request_id=request_id,
            note=effect.note,
            amendment=decision.amendment,
        )
        return self._permit(call, permit)

    async def amended(self, call: CallRef, effect: Effect, amendment: Amendment, context: RunContext) -> Effect:
        """What a person makes of a call; never what a rule denies (`R-2`). Raises: UsageError."""
        if isinstance(amendment, EditedCommand):
            changed = with_command(effect, amendment.command, lambda text: self._prepared(call, text, context))
        else:
            changed = await asyncio.to_thread(with_content, effect, amendment)
        if changed.operation is not effect.operation:
            verdict = await self.explain(call, changed.operation, context)
            if verdict.action is Action.DENY:
                raise UsageError(
                    f"The changed command is not allowed ({verdict.because}).",
                    hint="Change the rule first, or edit it.",
                )
        return changed

    def _prepared(self, call: CallRef, command: str, context: RunContext) -> Operation:
        arguments = {**msgspec.json.decode(call.arguments), "command": command}
        return self._prepare(call.name, arguments, context)

    def _permit(self, call: CallRef, permit: Permit) -> Permit:
        if permit.proposal is not None:
            self._permits[call.call_id] = permit
        return permit

    async def ask(self, call: CallRef, question: Question, context: RunContext) -> Answered:
        """Put a question to a person; see `Reviewer`."""
        if context.auto_deny:
            raise ToolFailure("Nobody can be asked in this session. Decide yourself, and say what you decided.")
        request = question_request(call, question)
        announcement = question_event(request, question)
        older = await self._waiting.take_older(call, request.binding, "asked again")
        decision = older.decision or (await self._waiting.ask(call, request, announcement, None, context)).decision
        verb = "answered" if decision.approved else "left unanswered"
        said = first_line(decision.note, _ANSWER)
        verdict = Verdict(
            action=Action.ALLOW if decision.approved else Action.DENY,
            by=decision.by,
            because=f"{verb} by {decision.decider}{f': {said}' if said else ''}",
            digest=request.binding,
            at=time.time(),
        )
        return Answered(text=decision.note, verdict=verdict)

    # ---- answers of a person ---------------------------------------------------------------------------------

    def answer(self, request_id: RequestId, decision: Decision) -> bool:
        """Decide a request that is waited for in this process; False where none is (any more)."""
        return self._waiting.answer(request_id, decision)

    async def answer_amended(self, request_id: RequestId, decision: Decision) -> bool:
        """Like `answer`, for an approval with an amendment. Raises: UsageError where it does not fit; it still waits."""
        with self._waiting.claimed(request_id) as wait:
            if wait is None or wait.effect is None or decision.amendment is None:
                return False
            wanted = await self.amended(wait.call, wait.effect, decision.amendment, wait.context)
            return await self._waiting.answer_claimed(wait, decision, wanted)

    async def answer_stored(self, request_id: RequestId, decision: Decision) -> SessionId | None:
        """Decide a request left from before a restart; resume the returned session to have it done.

        An approval holds only if exactly the same would happen; otherwise the call is asked anew.
        """
        return await self._waiting.answer_stored(request_id, decision)

    async def answer_covered(self, session_id: SessionId, context: RunContext) -> None:
        """Let those calls pass that wait and that a bypass covers now; what was amended before, a person decides."""
        for wait in self._waiting.all_open(session_id):
            if wait.effect is None or wait.request.draft is not None:
                continue
            verdict = await self.explain(wait.call, wait.effect.operation, context)
            if verdict.by is DecidedBy.BYPASS:
                self.answer(wait.request.id, Decision(approved=True, by=verdict.by, who=verdict.because))

    def open(self, request_id: RequestId) -> Waiting | None:
        """A waiting call with what it would do; None where nothing undecided waits under this id in this process."""
        return self._waiting.open(request_id)

    def waiting(self) -> tuple[PendingRequest, ...]:
        return self._waiting.requests()

    async def forget(self, call: CallRef) -> None:
        """The call ended without a decision: nothing is asked about it any more."""
        await self._waiting.take_older(call, "", "no longer asked")

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
            self._stale[call.call_id] = permit.amendment
            raise
        self._stale.pop(call.call_id, None)
        return _result(change, proposal.result)

    async def landed(self, call_id: CallId) -> ToolResult | None:
        """After a crash: what the call's write did, None where it never reached the disk (`T-5`)."""
        change = await self._journal.of_call(call_id)
        if change is None:
            return None
        if change.state is ChangeState.INTENDED:
            change = await self._writer.settle(change)
        if change.state in (ChangeState.APPLIED, ChangeState.REVERTED):
            told = f"Wrote {change.path} (+{change.added} −{change.removed}) before an interruption."
            return _result(change, told)
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


def _approved(verdict: Verdict, decision: Decision, *, is_changed: bool) -> Verdict:
    if decision.by is DecidedBy.BYPASS:
        because = decision.who
    else:
        because = f"approved{' with changes' if is_changed else ''} by {decision.decider} ({verdict.because})"
    return Verdict(action=Action.ALLOW, by=decision.by, because=because, rule_id=verdict.rule_id)


def _dated(effect: Effect, verdict: Verdict) -> Verdict:
    """A verdict as the audit trail keeps it: on what exactly, and when (`R-12`)."""
    digest = binding_of(effect.operation, effect.proposal)
    return msgspec.structs.replace(verdict, digest=digest, note=effect.note, at=time.time())


def _regarding_names(verdict: Verdict, proposal: Proposal | None, context: RunContext) -> Verdict:
    """Rules, modes and folders let pass by place; a file with other names may lie in another place as well."""
    by_place = verdict.by in (DecidedBy.RULE, DecidedBy.MODE, DecidedBy.FAST_PATH) and context.mode is not Mode.AUTO
    if proposal is None or not proposal.other_names or verdict.action is not Action.ALLOW or not by_place:
        return verdict
    because = "the file has other names (hard links), which may lie elsewhere: ask"
    return Verdict(action=Action.REQUIRE, by=DecidedBy.DEFAULT, because=because)


def _rejected(effect: Effect, verdict: Verdict, decision: Decision) -> Refusal:
    because = f"rejected by {decision.decider} ({verdict.because})"
    refused = Verdict(action=Action.DENY, by=decision.by, because=because)
    counts = (effect.proposal.added, effect.proposal.removed) if effect.proposal is not None else None
    dated = _dated(effect, refused)
    return Refusal(verdict=dated, note=decision.note, text=rejection_text(decision.note), counts=counts)


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
