"""Approval rules: which calls may run, which are refused, which a person decides. Pure.

Deny rules of the group `default` come first, then the session group's rules, then `default`'s, each by priority and
id; the first that fits decides, and no rule means: ask. Then the mode dial and the run context's folders may let a
call pass that would be asked. Nothing ever turns a denial into anything else (`R-2`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import Action, Bypass, BypassScope, CallRef, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Category, Command, Operation
from placet.core.review.bypasses import described, fits
from placet.core.review.cautions import caution
from placet.core.review.commands import read_command
from placet.core.review.matching import Place, fits_command, fits_name, is_for, misfit
from placet.core.review.paths import FOLDER_RULES, Ground, Look

DEFAULT_GROUP = "default"
_READS = ("grep_files", "list_files", "read_file")
_READ_CLASSES = ("", "*", "@fs_read", "@fs_any")
_SEVERITY = {Action.ALLOW: 0, Action.REQUIRE: 1, Action.DENY: 2}


class Policy(msgspec.Struct, frozen=True):
    """What decisions stand on besides the rules: where paths are anchored, and the tools that never need asking."""

    ground: Ground
    harmless: frozenset[str] = frozenset()


def decide(
    rules: Sequence[Rule],
    call: CallRef,
    operation: Operation,
    context: RunContext,
    policy: Policy,
    bypasses: Sequence[Bypass] = (),
) -> Verdict:
    """Return what happens to this call, with the reason in words (`R-16`). `bypasses` are those of its session.

    A sub-agent may no more than its root (`R-14`).
    """
    own = _decide(rules, call, operation, context, policy, bypasses)
    if call.root_agent in ("", call.agent) or not any(rule.agent for rule in rules):
        return own
    as_root = msgspec.structs.replace(call, agent=call.root_agent)
    root = _decide(rules, as_root, operation, context, policy, bypasses)
    return own if _SEVERITY[own.action] >= _SEVERITY[root.action] else root


def _decide(
    rules: Sequence[Rule],
    call: CallRef,
    operation: Operation,
    context: RunContext,
    policy: Policy,
    bypasses: Sequence[Bypass],
) -> Verdict:
    place = Place(policy.ground, operation.path)
    verdict = _by_rules(in_order(rules, context.group), call, operation, place)
    if verdict.action is Action.DENY:
        return verdict
    bypass = next((bypass for bypass in bypasses if fits(bypass, operation)), None)
    is_known = bypass is not None and bypass.scope is BypassScope.COMMAND  # a person has seen these very bytes
    if isinstance(operation, Command) and not is_known and (why := _caution(rules, call, operation, context, policy)):
        return _verdict(Action.REQUIRE, DecidedBy.DEFAULT, why, verdict.rule_id)
    if context.mode is Mode.ASK_ALL:
        return _ask_all(verdict, call, policy)
    if operation.category is Category.FS_WRITE and place.holds_rules():
        why = "it changes the rules of a project, which is always asked about"
        return _verdict(Action.REQUIRE, DecidedBy.DEFAULT, why, verdict.rule_id)
    if verdict.action is Action.ALLOW:
        return verdict
    lets_all_pass = context.mode is Mode.AUTO or (bypass is not None and bypass.scope is BypassScope.ALL)
    if operation.category is Category.FS_WRITE and not lets_all_pass and place.is_own():
        why = "files of Git and of Placet itself are always asked about"
        return _verdict(Action.REQUIRE, DecidedBy.DEFAULT, why, verdict.rule_id)
    if bypass is not None:
        return _verdict(Action.ALLOW, DecidedBy.BYPASS, described(bypass))
    return _by_mode(operation, context, place) or _by_folder(operation, context, place) or verdict


def in_order(rules: Iterable[Rule], group: str) -> list[Rule]:
    """Return the rules that concern a session of `group`, in the order in which they are asked."""

    def rank(rule: Rule) -> tuple[int, int, int]:
        is_first = rule.group == DEFAULT_GROUP and rule.action is Action.DENY
        return 0 if is_first else 1 if rule.group == group else 2, rule.priority, rule.id

    return sorted((rule for rule in rules if rule.group in (group, DEFAULT_GROUP)), key=rank)


def explain(rule: Rule) -> str:
    """Return a rule as one clause: `rule 7 “commands”: ask`. One with a negative id came with the project's folder."""
    does = {Action.ALLOW: "allow", Action.DENY: "deny", Action.REQUIRE: "ask"}[rule.action]
    name = f" “{rule.note}”" if rule.note else ""
    return f"rule {rule.id}{name}: {does}" if rule.id >= 0 else f"rule {-rule.id} of the project's folder{name}: {does}"


def _is_about_reads(rule: Rule) -> bool:
    if rule.tool in _READ_CLASSES:
        return rule.action is Action.DENY or not (rule.agent or rule.source)
    return rule.action is Action.DENY and any(fits_name(rule.tool, name) for name in _READS)


def _caution(rules: Sequence[Rule], call: CallRef, operation: Command, context: RunContext, policy: Policy) -> str:
    """Why a command is asked about in every mode and by every rule: what is denied may be meant by it."""
    denials = [
        rule
        for rule in in_order(rules, context.group)
        if rule.command and rule.action is Action.DENY and is_for(rule, call)
    ]
    is_denied = denies(rules, context, policy.ground, is_about=lambda rule: rule.action is Action.DENY)
    return caution(operation, denials, is_denied, _is_beside_rules(context, policy.ground))


def _is_beside_rules(context: RunContext, ground: Ground) -> Callable[[Path], bool]:
    """A test for paths: whether it is the folder that the project's rules are in, where it has some, or below it."""
    file, look = Path(context.workdir, FOLDER_RULES), Look()
    if not context.workdir or not os.path.lexists(file):
        return lambda _: False
    return lambda path: ground.is_within(ground.key(path, look), file.parent, look)


def denies(
    rules: Iterable[Rule],
    context: RunContext,
    ground: Ground,
    *,
    is_about: Callable[[Rule], bool] = _is_about_reads,
) -> Callable[[Path], bool]:
    """Return a predicate for recursive reads: whether reading a file or folder below is denied (`R-3`).

    It does not know the call: a denial counts whichever agent, source or reading tool it is for, and only a rule for
    all of them comes before it. It is asked for every name of a tree, from any thread: patterns are prepared when it
    is first asked.
    """
    look = Look()

    @cache
    def tests() -> list[tuple[Callable[[str], bool], bool]]:
        return [
            (ground.pattern(rule.path, look, denial=rule.action is Action.DENY), rule.action is Action.DENY)
            for rule in in_order(rules, context.group)
            if rule.path and not rule.command and is_about(rule)
        ]

    def is_denied(path: Path) -> bool:
        loose, exact = ground.key(path, look), ground.key(path, look, exact=True)
        return next((is_denial for fits, is_denial in tests() if fits(loose if is_denial else exact)), False)

    return is_denied


def _by_rules(ordered: Sequence[Rule], call: CallRef, operation: Operation, place: Place) -> Verdict:
    """The verdict of the rules alone. A command line is as restricted as the strictest of its simple commands."""
    fitting = [rule for rule in ordered if misfit(rule, call, operation, place) is None]
    if not isinstance(operation, Command):
        return _first(fitting)
    line = read_command(operation.command)
    verdicts = [_first([rule for rule in fitting if fits_command(rule, each, line)]) for each in line.commands]
    if line.doubt:
        verdicts.append(_first([rule for rule in fitting if not rule.command]))
    strictest = max(verdicts, key=lambda verdict: _SEVERITY[verdict.action])
    if strictest.action is Action.REQUIRE and line.doubt:
        return _verdict(Action.REQUIRE, strictest.by, f"{strictest.because} ({line.doubt})", strictest.rule_id)
    return strictest


def _first(fitting: Sequence[Rule]) -> Verdict:
    if not fitting:
        return _verdict(Action.REQUIRE, DecidedBy.DEFAULT, "no rule fits: ask")
    return _verdict(fitting[0].action, DecidedBy.RULE, explain(fitting[0]), fitting[0].id)


def _ask_all(verdict: Verdict, call: CallRef, policy: Policy) -> Verdict:
    if verdict.action is Action.REQUIRE or (call.name in policy.harmless and verdict.by is DecidedBy.RULE):
        return verdict
    return _verdict(Action.REQUIRE, DecidedBy.MODE, "the mode is “Ask for everything”", verdict.rule_id)


def _by_mode(operation: Operation, context: RunContext, place: Place) -> Verdict | None:
    if context.mode is Mode.AUTO:
        return _verdict(Action.ALLOW, DecidedBy.MODE, "the mode is “Auto”")
    if context.mode is not Mode.EDITS or operation.category is not Category.FS_WRITE:
        return None
    if not place.is_in_any((context.workdir,)):
        return None
    return _verdict(Action.ALLOW, DecidedBy.MODE, "the mode is “Auto-accept edits”, and the file is in the folder")


def _by_folder(operation: Operation, context: RunContext, place: Place) -> Verdict | None:
    if operation.category is Category.FS_READ:
        if place.is_in_any((context.workdir, *context.readable, *context.writable)):
            return _verdict(Action.ALLOW, DecidedBy.FAST_PATH, "reading in the folder that this chat works in")
    elif operation.category is Category.FS_WRITE and place.is_in_any(context.writable):
        return _verdict(Action.ALLOW, DecidedBy.FAST_PATH, "writing in a folder that this chat may write to")
    return None


def _verdict(action: Action, by: DecidedBy, because: str, rule_id: int | None = None) -> Verdict:
    return Verdict(action=action, by=by, because=because, rule_id=rule_id)
