"""For any rules and calls: an explanation says what was decided, and its first fit is the rule that decided."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.errors import UsageError
from placet.core.domain.explaining import AddRule, ChangeRule, MoveRule, PastCall, RemoveRules, RuleEdit
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import Mode, RunContext, ToolCall
from placet.core.domain.review import Action, DecidedBy, Rule
from placet.core.domain.tools import Command, Operation
from placet.core.review.dry_run import effects, reference
from placet.core.review.explaining import explain_call
from placet.core.review.paths import Ground
from placet.core.review.rulebook import edited, is_catch_all, subject
from placet.core.review.rules import Policy, decide, in_order
from support.review_fakes import call_ref, command_of, other_of, read_of, write_of

POLICY = Policy(Ground(Path("/srv/placet"), Path("/home/me"), ignores_case=False), frozenset({"harmless"}))
PATHS = [Path(name) for name in ("/w/a", "/w/b/c.pem", "/w/b/.git/x", "/srv/placet/memory/m", "/home/me/.ssh/k", "/w")]
LINES = ["git status", "git push && rm x", "rm $(ls)", "echo a | sh", "ls; git status", "(", ""]
_SEVERITY = {Action.ALLOW: 0, Action.REQUIRE: 1, Action.DENY: 2}

RULE = st.builds(
    Rule,
    group=st.sampled_from(["default", "default", "careful", "other"]),
    priority=st.integers(0, 3),
    agent=st.sampled_from(["", "", "assistant", "writer"]),
    source=st.sampled_from(["", "", "desktop", "cli"]),
    tool=st.sampled_from(
        ["*", "@fs_any", "@fs_read", "@fs_write", "execute_cmd", "exec*", "read_file", "x", "harmless"]
    ),
    path=st.sampled_from(["", "", "/w/*", "*.pem", "memory/*", "~/.ssh/*", "/w/a", "b"]),
    command=st.sampled_from([(), (), ("git",), ("git", "push"), ("rm",)]),
    action=st.sampled_from(Action),
)
RULES = st.lists(RULE, max_size=8).map(
    lambda rules: [msgspec.structs.replace(rule, id=number) for number, rule in enumerate(rules, 1)]
)
OPERATION: st.SearchStrategy[Operation] = st.one_of(
    st.sampled_from(PATHS).map(lambda path: write_of(path, b"")),
    st.sampled_from(PATHS).map(read_of),
    st.sampled_from(LINES).map(lambda line: command_of(line, Path("/w"))),
    st.sampled_from(["x", "harmless", "mcp__a__b"]).map(other_of),
)
CONTEXT = st.builds(
    RunContext,
    workdir=st.sampled_from(["", "/w", "/"]),
    group=st.sampled_from(["default", "careful", "unknown"]),
    mode=st.sampled_from(Mode),
    writable=st.sampled_from([(), ("/w/b",)]),
)


@settings(max_examples=200, deadline=None)
@given(RULES, OPERATION, CONTEXT)
def test_r_16_the_explanation_is_the_decision(rules: list[Rule], operation: Operation, context: RunContext) -> None:
    call = call_ref(operation.tool)
    explanation = explain_call(rules, call, operation, context, POLICY)

    assert explanation.verdict == decide(rules, call, operation, context, POLICY)
    assert [fit.rule for fit in explanation.fits] == in_order(rules, context.group)
    assert [fit.place for fit in explanation.fits] == list(range(1, len(explanation.fits) + 1))
    if explanation.verdict.action is Action.DENY:
        assert explanation.by_rules.action is Action.DENY
    decisive = [each for each in explanation.said if each.decides]
    assert len(decisive) == 1
    first = next((fit for fit in explanation.fits if fit.fits), None)
    if not isinstance(operation, Command):
        assert explanation.deciding == first
        expected = first.rule.action if first is not None else Action.REQUIRE
        is_own = explanation.by_rules.by is DecidedBy.DEFAULT
        assert explanation.by_rules.action is (Action.REQUIRE if is_own else expected)
    elif explanation.deciding is not None and explanation.by_rules.by is DecidedBy.RULE:
        assert explanation.deciding.fits
        assert explanation.by_rules.action is explanation.deciding.rule.action
        strictest = max((_SEVERITY[each.action] for each in explanation.commands), default=0)
        assert _SEVERITY[explanation.by_rules.action] >= strictest


def edits(rules: list[Rule]) -> st.SearchStrategy[RuleEdit]:
    """Any edit that names only rules that there are."""
    if not rules:
        return st.builds(AddRule, rule=RULE)
    some = st.sampled_from([rule.id for rule in rules])
    place = st.one_of(st.none(), some)
    return st.one_of(
        st.builds(AddRule, rule=RULE, before=place),
        st.builds(RemoveRules, rule_ids=st.lists(some, max_size=2).map(tuple)),
        st.builds(MoveRule, rule_id=some, before=place),
        st.builds(lambda rule, of: ChangeRule(rule=msgspec.structs.replace(rule, id=of)), RULE, some),
    )


@settings(max_examples=100, deadline=None)
@given(RULES, st.data())
def test_an_edit_changes_only_what_it_is_about(rules: list[Rule], data: st.DataObject) -> None:
    edit = data.draw(edits(rules))
    try:
        after = edited(rules, edit)
    except UsageError:
        return
    match edit:
        case AddRule(before=before):
            assert len(after) == len(rules) + 1
            new = after[-1]
            others = [rule.id for rule in in_order(after, new.group) if rule.id != new.id]
            assert others == [rule.id for rule in in_order(rules, new.group)]
            if before is not None:
                order = [rule.id for rule in in_order(after, new.group)]
                assert order.index(new.id) == order.index(before) - 1
        case RemoveRules(rule_ids=removed):
            assert after == [rule for rule in rules if rule.id not in removed]
        case MoveRule(rule_id=moved, before=before):
            for group in ("default", "careful", "other"):
                order = [rule.id for rule in in_order(after, group)]
                assert [i for i in order if i != moved] == [r.id for r in in_order(rules, group) if r.id != moved]
                if before not in (None, moved) and moved in order and before in order:
                    assert order.index(moved) == order.index(before) - 1
        case ChangeRule(rule=rule):
            assert [each for each in after if each.id != rule.id] == [each for each in rules if each.id != rule.id]
    if isinstance(edit, AddRule):
        alike = [rule.action for rule in after if is_catch_all(rule) and rule.group == after[-1].group]
        assert not is_catch_all(after[-1]) or len(set(alike)) == 1


@settings(max_examples=150, deadline=None)
@given(RULES, OPERATION, CONTEXT, st.data())
def test_r_16_a_dry_run_finds_exactly_the_calls_whose_outcome_an_edit_changes(
    rules: list[Rule], operation: Operation, context: RunContext, data: st.DataObject
) -> None:
    edit = data.draw(edits(rules))
    try:
        after = edited(rules, edit)
    except UsageError:
        return
    call = ToolCall(id=CallId(1), message_id=MessageId(1), provider_id="c", name=operation.tool)
    past = PastCall(call=call, session_id=SessionId("s"), agent="assistant", source="desktop", context=context)
    found, judged = effects(rules, after, subject(rules, edit), [(past, operation)], POLICY, lambda: False)

    before_action = decide(rules, reference(past), operation, context, POLICY).action
    after_action = decide(after, reference(past), operation, context, POLICY).action
    assert judged == 1
    assert [each.changes for each in found if each.changes] == [True] * (before_action is not after_action)
    assert all(each.stays_because for each in found if not each.changes)
