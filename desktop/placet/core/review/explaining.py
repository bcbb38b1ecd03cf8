"""Why a call is asked, allowed or denied (`R-16`). Pure; says what `decide` says, and where it comes from.

What the rules, the mode and the folders say one by one is asked of `decide` itself, with less around the call each
time: so an explanation cannot drift from the decision.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from placet.core.domain.explaining import CommandFit, Explanation, Fact, RuleFit, Said
from placet.core.domain.messages import CallStatus, Mode, RunContext, ToolCall
from placet.core.domain.review import Action, CallRef, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Category, Command, Operation
from placet.core.review.commands import CommandLine, read_command, starts_with
from placet.core.review.matching import Misfit, Place, fits_command, misfit
from placet.core.review.rules import Policy, decide, in_order

_NAMES = {Mode.ASK: "Ask", Mode.ASK_ALL: "Ask for everything", Mode.EDITS: "Auto-accept edits", Mode.AUTO: "Auto"}
_IS = {
    Category.FS_READ: "reads files",
    Category.FS_WRITE: "writes files",
    Category.COMMAND: "runs a command",
    Category.OTHER: "neither reads nor writes files",
}
_BY_A_PERSON = ("approved by ", "approved with changes by ", "rejected by ")
_KINDS = {
    Misfit.AGENT: "other agents",
    Misfit.SOURCE: "other sources",
    Misfit.TOOL: "other tools",
    Misfit.NO_COMMAND: "commands",
    Misfit.PATH: "other paths",
}


def explain_call(
    rules: Sequence[Rule],
    call: CallRef,
    operation: Operation,
    context: RunContext,
    policy: Policy,
    verdict: Verdict | None = None,
    asks: Sequence[Rule] = (),
) -> Explanation:
    """Explain a decision. `verdict` is what was really decided, where more than rules, mode and folders had a say.

    `asks` are the rules of the project's folder that ask; its denials are among `rules`.
    """
    verdict = verdict or decide(rules, call, operation, context, policy)
    by_rules = decide(rules, call, operation, RunContext(group=context.group), policy)
    line = read_command(operation.command) if isinstance(operation, Command) else None
    place = Place(policy.ground, operation.path)
    ordered = [*in_order(rules, context.group), *asks]
    named = _named(call, operation, context)
    seems = Place.named(policy.ground, named) if named is not None else None
    fits = tuple(_fit(rule, at, call, operation, (place, seems), line) for at, rule in enumerate(ordered, 1))
    asked_by_folder = verdict.rule_id in {rule.id for rule in asks}
    deciding = verdict.rule_id if asked_by_folder else by_rules.rule_id
    return Explanation(
        verdict=verdict,
        by_rules=by_rules,
        deciding=next((fit for fit in fits if fit.rule.id == deciding), None),
        fits=fits,
        facts=_facts(call, operation, named, line),
        commands=_commands(ordered, call, operation, place, line) if line is not None else (),
        said=_said(rules, call, operation, context, policy, verdict, by_rules),
    )


def recorded_action(call: ToolCall) -> Action | None:
    """What was decided about a stored call, read from its words; None where nothing was, or where they do not tell."""
    words = call.decision
    if call.status is CallStatus.PENDING or words.startswith(_BY_A_PERSON):
        return Action.REQUIRE
    if not words:
        return None
    if call.status is CallStatus.REJECTED:
        return Action.REQUIRE if words.endswith("nobody can be asked in this session") else Action.DENY
    return Action.ALLOW


# ---- rules -------------------------------------------------------------------------------------------------------


def _fit(
    rule: Rule,
    at: int,
    call: CallRef,
    operation: Operation,
    places: tuple[Place, Place | None],
    line: CommandLine | None,
) -> RuleFit:
    """`places` are where the call leads, and where it seems to lead while links and `..` are not followed."""
    place, seems = places
    wrong = misfit(rule, call, operation, place)
    if wrong is Misfit.AGENT and rule.agent == call.root_agent:  # what the root may not, none below it may (`R-14`)
        call = msgspec.structs.replace(call, agent=call.root_agent)
        wrong = misfit(rule, call, operation, place)
    if wrong is Misfit.PATH and seems is not None and seems.fits(rule):
        why = f"does not fit {rule.path}: after links and “..” are followed it is elsewhere"
        return RuleFit(rule=rule, place=at, fits=False, why=why, kind=_KINDS[wrong], is_near=True)
    if wrong is not None:
        return RuleFit(rule=rule, place=at, fits=False, why=_why_not(rule, wrong, operation, place), kind=_KINDS[wrong])
    if line is not None and rule.command:
        return _words_fit(rule, at, line)
    return RuleFit(rule=rule, place=at, fits=True, why=_why(rule, operation))


def _words_fit(rule: Rule, at: int, line: CommandLine) -> RuleFit:
    wanted = " ".join(rule.command)
    begins = [words for words in line.commands if starts_with(words, rule.command)]
    fitting = [words for words in line.commands if fits_command(rule, words, line)]
    if fitting:
        why = f"“{_shown(fitting[0])}” begins with “{wanted}”"
    elif begins:
        why = f"“{_shown(begins[0])}” begins with “{wanted}”, but the line is not fully understood: {line.doubt}"
    else:
        why = f"no command of the line begins with “{wanted}”"
    is_near = bool(begins) and not fitting
    return RuleFit(
        rule=rule, place=at, fits=bool(fitting), why=why, kind="" if fitting else "other commands", is_near=is_near
    )


def _why(rule: Rule, operation: Operation) -> str:
    matched = []
    if rule.tool.startswith("@"):
        matched.append(f"{operation.tool} {_IS[operation.category]}")
    elif rule.tool.endswith("*"):
        matched.append("every tool" if rule.tool == "*" else f"{operation.tool} begins with {rule.tool[:-1]}")
    elif rule.tool:
        matched.append(f"the tool is {rule.tool}")
    if rule.path:
        matched.append(f"{operation.path} fits {rule.path}")
    if rule.agent:
        matched.append(f"the agent is {rule.agent}")
    if rule.source:
        matched.append(f"the source is {rule.source}")
    return ", ".join(matched) or "every call"


def _why_not(rule: Rule, wrong: Misfit, operation: Operation, place: Place) -> str:
    match wrong:
        case Misfit.AGENT:
            return f"for the agent {rule.agent} alone"
        case Misfit.SOURCE:
            return f"for the source {rule.source} alone"
        case Misfit.TOOL:
            return (
                f"another tool: {operation.tool} {_IS[operation.category]}" if rule.tool[:1] == "@" else "another tool"
            )
        case Misfit.NO_COMMAND:
            return f"for commands alone, and {operation.tool} is none"
        case Misfit.PATH if not place.is_named:
            return "the call names no path"
        case Misfit.PATH:
            return f"{operation.path} does not fit {rule.path}"


def _commands(
    ordered: Sequence[Rule], call: CallRef, operation: Operation, place: Place, line: CommandLine
) -> tuple[CommandFit, ...]:
    fitting = [rule for rule in ordered if misfit(rule, call, operation, place) is None]
    found = []
    for words in line.commands:
        first = next((rule for rule in fitting if fits_command(rule, words, line)), None)
        action, rule_id = (first.action, first.id) if first is not None else (Action.REQUIRE, None)
        found.append(CommandFit(words=words, action=action, rule_id=rule_id))
    return tuple(found)


# ---- facts -------------------------------------------------------------------------------------------------------


def _named(call: CallRef, operation: Operation, context: RunContext) -> str | None:
    """The path as the call names it, absolute, with links and `..` in place; None where it names none."""
    if operation.path is None:
        return None
    try:
        path = json.loads(call.arguments).get("path")
    except (ValueError, AttributeError):
        return None
    if not isinstance(path, str) or "\0" in path:
        return None
    try:
        return str(Path(context.workdir or ".") / Path(path).expanduser())
    except RuntimeError:  # nobody's home
        return None


def _facts(call: CallRef, operation: Operation, named: str | None, line: CommandLine | None) -> tuple[Fact, ...]:
    facts = [Fact(name="Tool", value=f"{operation.tool}, {_IS[operation.category]}")]
    if operation.path is not None:
        if named not in (None, str(operation.path)):
            facts.append(Fact(name="Path, as named", value=str(named)))
        facts.append(Fact(name="Path, resolved", value=str(operation.path)))
    if isinstance(operation, Command):
        facts.append(Fact(name="Runs in", value=str(operation.workdir)))
    if line is not None and line.doubt:
        facts.append(Fact(name="Not fully understood", value=line.doubt))
    if call.agent or call.source:
        facts.append(Fact(name="Asked by", value=", ".join(part for part in (call.agent, call.source) if part)))
    return tuple(facts)


def _shown(words: Sequence[str]) -> str:
    return " ".join(words)


# ---- who said what ---------------------------------------------------------------------------------------------------


def _said(
    rules: Sequence[Rule],
    call: CallRef,
    operation: Operation,
    context: RunContext,
    policy: Policy,
    verdict: Verdict,
    by_rules: Verdict,
) -> tuple[Said, ...]:
    """The rules, then what may let a call pass or ask about it after all. Nothing changes a denial (`R-2`)."""

    def under(**less: object) -> Verdict:
        return decide(rules, call, operation, msgspec.structs.replace(context, **less), policy)

    is_final = by_rules.action is Action.DENY
    mode = f"the mode is “{_NAMES[context.mode]}”"
    if is_final:
        of_mode = of_bypass = of_folders = "cannot change a denial"
    else:
        by_mode = under(readable=(), writable=())
        of_mode = by_mode.because if by_mode.by is DecidedBy.MODE else f"{mode}: the rules decide"
        if context.mode is Mode.EDITS and by_mode.by is not DecidedBy.MODE:
            of_mode = f"{mode}, which is about files written in the chat's folder alone"
        if context.mode is Mode.ASK_ALL and by_mode.action is Action.ALLOW:
            of_mode = f"{mode}, but for harmless tools"
        by_folders = under(mode=Mode.ASK)
        of_folders = by_folders.because if by_folders.by is DecidedBy.FAST_PATH else _no_folder(operation, context)
        of_bypass = verdict.because if verdict.by is DecidedBy.BYPASS else "none that fits"
    return (
        Said(who="Rules", what=by_rules.because, decides=verdict.by in (DecidedBy.RULE, DecidedBy.DEFAULT)),
        Said(who="Mode", what=of_mode, decides=verdict.by is DecidedBy.MODE),
        Said(who="Bypass", what=of_bypass, decides=verdict.by is DecidedBy.BYPASS),
        Said(who="Folders", what=of_folders, decides=verdict.by is DecidedBy.FAST_PATH),
    )


def _no_folder(operation: Operation, context: RunContext) -> str:
    if operation.category is Category.FS_READ:
        return f"outside {context.workdir}, the folder of the chat" if context.workdir else "the chat has no folder"
    if operation.category is Category.FS_WRITE:
        return "writing is let pass in no folder" if not context.writable else "outside the folders written to freely"
    return "count for reading and writing files alone"
