"""`placet rules`: what is allowed, asked and denied, which rule decides a call, and why (`R-16`). Changes nothing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.explaining import ExplainedCall, Explanation, RuleFit, TypedCall
from placet.core.domain.hidden import visible
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import Action, Rule
from placet.core.hub.core import Core
from placet.core.hub.folders import checked_folder, current_folder
from placet.headless.session import DONE, complain, print_json, print_list, run_verb

WORDS = {Action.ALLOW: "allow", Action.REQUIRE: "ask", Action.DENY: "deny"}


def list_rules(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        await _check_group(core, options.group)
        folder = core.hub.rules.of_folder(current_folder())
        rules = [*await core.hub.rules.order(options.group), *folder.denials, *folder.asks]
        for problem in folder.problems:
            complain(problem, 0)
        start = (options.page - 1) * options.per_page
        shown = rules[start : start + options.per_page]
        if options.json:
            print_list([_rule(rule) for rule in shown], len(rules), options.page, options.per_page)
            return DONE
        for line in _table(shown):
            sys.stdout.write(line + "\n")
        if len(shown) < len(rules):
            sys.stdout.write(f"({len(shown)} of {len(rules)} rules; --page and --per-page show the others)\n")
        if not rules:
            sys.stdout.write("There are no rules: everything is asked.\n")
        return DONE

    return run_verb(work)


def test_rule(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        call = await _typed_call(core, options)
        explanation = await core.hub.rules.judge(call)
        if options.json:
            print_json(_explanation(explanation))
        else:
            sys.stdout.writelines(f"{line}\n" for line in readable(explanation))
        return DONE

    return run_verb(work)


def explain_past(options: argparse.Namespace) -> int:
    async def work(core: Core) -> int:
        explained = await core.hub.rules.explain(CallId(options.call_id))
        if options.json:
            print_json(_explained(explained))
        else:
            sys.stdout.writelines(f"{line}\n" for line in _past(explained))
        return DONE

    return run_verb(work)


async def _check_group(core: Core, group: str) -> None:
    known = [each.name for each in await core.hub.rules.groups()]
    if group not in known:
        raise UsageError(f"There is no group {group}.", hint=f"There are: {', '.join(known)}.")


async def _typed_call(core: Core, options: argparse.Namespace) -> TypedCall:
    """The session's place and policy, or those of a new one; each option replaces its part."""
    context, agent, source, session_id = RunContext(), "assistant", "cli", None
    if options.session:
        session = await core.hub.history.session(SessionId(options.session))
        context, agent, source, session_id = session.context, session.agent, session.source, session.id
    if options.workdir or not context.workdir:
        workdir = checked_folder(options.workdir) if options.workdir else current_folder()
        context = msgspec.structs.replace(context, workdir=workdir)
    if options.group:
        await _check_group(core, options.group)
        context = msgspec.structs.replace(context, group=options.group)
    if options.mode:
        context = msgspec.structs.replace(context, mode=Mode(options.mode))
    return TypedCall(
        tool=options.tool,
        text=options.arguments,
        session_id=session_id,
        context=context,
        agent=options.agent or agent,
        source=options.source or source,
    )


# ---- to read -----------------------------------------------------------------------------------------------------


def _table(rules: list[Rule] | Any) -> Iterator[str]:
    for rule in rules:
        where = rule.path or " ".join(rule.command)
        only = " ".join(
            part for part in (rule.agent and f"agent {rule.agent}", rule.source and f"source {rule.source}") if part
        )
        note = "  ".join(
            part for part in (rule.note, only, f"group {rule.group}" if rule.group != "default" else "") if part
        )
        yield f"{rule.id:>4} {rule.priority:>7}  {WORDS[rule.action]:<5}  {visible(rule.tool):<24} {visible(where):<34} {visible(note)}".rstrip()


def readable(explanation: Explanation) -> Iterator[str]:
    """The verdict first, then who said what, then what it stands on."""
    yield f"{WORDS[explanation.verdict.action]}: {visible(explanation.verdict.because)}"
    deciding = explanation.deciding
    if deciding is not None:
        yield f"  rule {deciding.rule.id} is asked as number {deciding.place} of {len(explanation.fits)}: {visible(deciding.why)}"
    for fact in explanation.facts:
        yield f"  {fact.name}: {visible(fact.value)}"
    for command in explanation.commands:
        by = f"rule {command.rule_id}" if command.rule_id is not None else "no rule fits"
        yield f"  command “{visible(' '.join(command.words))}”: {WORDS[command.action]} ({by})"
    for said in explanation.said:
        yield f"  {said.who}: {visible(said.what)}{'  <- decides' if said.decides else ''}"
    for fit in explanation.later:
        yield f"  fits too, but later: {_named(fit)}"
    for fit in explanation.near:
        yield f"  seems to fit: {_named(fit)}; it {visible(fit.why)}"
    for numbers, kind in explanation.misses:
        yield f"  for {kind}: rules {numbers}"


def _named(fit: RuleFit) -> str:
    note = f" “{visible(fit.rule.note)}”" if fit.rule.note else ""
    return f"rule {fit.rule.id}{note}, number {fit.place}: {WORDS[fit.rule.action]}"


def _past(explained: ExplainedCall) -> Iterator[str]:
    call = explained.past.call
    yield f"{visible(call.name)} {visible(call.label)}: {call.status.value}".rstrip()
    yield f"decided then: {visible(explained.recorded) or 'nothing yet'}"
    if explained.explanation is None:
        yield f"today: it cannot be judged any more. {visible(explained.trouble)}"
        return
    if explained.differs and explained.recorded_action is not None:
        yield f"today it is another outcome than the recorded one ({WORDS[explained.recorded_action]}):"
    else:
        yield "today:"
    yield from readable(explained.explanation)


# ---- for programs ------------------------------------------------------------------------------------------------


def _rule(rule: Rule) -> dict[str, Any]:
    value: dict[str, Any] = msgspec.to_builtins(rule)
    return value


def _fit(fit: RuleFit) -> dict[str, Any]:
    return {
        "rule_id": fit.rule.id,
        "place": fit.place,
        "action": fit.rule.action.value,
        "note": fit.rule.note,
        "why": fit.why,
    }


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "verdict": msgspec.to_builtins(explanation.verdict),
        "by_rules": msgspec.to_builtins(explanation.by_rules),
        "deciding": _fit(explanation.deciding) if explanation.deciding is not None else None,
        "rules_asked": len(explanation.fits),
        "facts": {fact.name: fact.value for fact in explanation.facts},
        "commands": msgspec.to_builtins(explanation.commands),
        "said": msgspec.to_builtins(explanation.said),
        "later": [_fit(fit) for fit in explanation.later],
        "near": [_fit(fit) for fit in explanation.near],
    }


def _explained(explained: ExplainedCall) -> dict[str, Any]:
    past, action = explained.past, explained.recorded_action
    return {
        "tool_call_id": past.call.id,
        "session_id": past.session_id,
        "name": past.call.name,
        "arguments": msgspec.json.decode(past.call.arguments),
        "status": past.call.status.value,
        "recorded": past.call.decision,
        "recorded_action": action.value if action is not None else None,
        "differs": explained.differs,
        "trouble": explained.trouble,
        "today": _explanation(explained.explanation) if explained.explanation is not None else None,
    }
