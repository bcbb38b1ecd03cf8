"""What an edit of the rules would change among past calls. Pure; for a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from placet.core.domain.explaining import Effect, PastCall
from placet.core.domain.review import Action, CallRef, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Command, Operation
from placet.core.review.commands import read_command
from placet.core.review.matching import Misfit, Place, fits_command, misfit
from placet.core.review.rules import Policy, decide


def reference(past: PastCall) -> CallRef:
    """A stored call as the gate would be asked about it."""
    call = past.call
    return CallRef(
        session_id=past.session_id,
        call_id=call.id,
        name=call.name,
        arguments=call.arguments,
        agent=past.agent,
        source=past.source,
        root_agent=past.root_agent,
    )


def effects(
    before: Sequence[Rule],
    after: Sequence[Rule],
    subject: frozenset[int],
    calls: Iterable[tuple[PastCall, Operation]],
    policy: Policy,
    is_over: Callable[[], bool],
) -> tuple[list[Effect], int]:
    """Return the effects on these calls, and how many of them were judged before `is_over`.

    `subject` are the rules that the edit is about: a call that one of them fits, and that nevertheless stays as it is,
    is an effect too, with the reason.
    """
    found, judged = [], 0
    edited = [rule for rule in after if rule.id in subject]
    concerned = [rule for rule in (*before, *after) if rule.id in subject]
    for past, operation in calls:
        if is_over():
            break
        call = reference(past)
        place = Place(policy.ground, operation.path)
        judged += 1
        if not any(_may_matter(rule, call, operation, place) for rule in concerned):
            continue  # rules that do not fit a call have no say in it, wherever they stand
        now = decide(before, call, operation, past.context, policy)
        then = decide(after, call, operation, past.context, policy)
        stays = ""
        if now.action is then.action:
            stays = _stays(edited, call, operation, then, policy)
            if not stays:
                continue
        found.append(_effect(past, operation, now, then, stays))
    return found, judged


def _may_matter(rule: Rule, call: CallRef, operation: Operation, place: Place) -> bool:
    """Rather too often: a denial of a path may be regarded for commands, an agent's rule for those that work for it."""
    if isinstance(operation, Command) and rule.action is Action.DENY:
        return True
    return misfit(rule, call, operation, place) in (None, Misfit.AGENT)


def _effect(past: PastCall, operation: Operation, now: Verdict, then: Verdict, stays: str) -> Effect:
    return Effect(
        call_id=past.call.id,
        session_id=past.session_id,
        tool=past.call.name,
        label=operation.label,
        created_at=past.call.created_at,
        before=now,
        after=then,
        stays_because=stays,
    )


def _stays(edited: Sequence[Rule], call: CallRef, operation: Operation, then: Verdict, policy: Policy) -> str:
    """Why a rule that fits and wants something else is not what decides; empty where no such rule is."""
    wanting = [rule for rule in edited if rule.action is not then.action]
    if not any(_fits(rule, call, operation, policy) for rule in wanting):
        return ""
    if then.by is DecidedBy.RULE and then.rule_id is not None:
        return f"rule {then.rule_id} is earlier"
    return then.because


def _fits(rule: Rule, call: CallRef, operation: Operation, policy: Policy) -> bool:
    if misfit(rule, call, operation, Place(policy.ground, operation.path)) is not None:
        return False
    if not rule.command or not isinstance(operation, Command):
        return True
    line = read_command(operation.command)
    return any(fits_command(rule, words, line) for words in line.commands)
