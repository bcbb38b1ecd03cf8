"""Explaining a decision: the rule, its place, the facts it matched, and what else had a say (`R-16`)."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.explaining import Explanation
from placet.core.domain.ids import CallId, MessageId
from placet.core.domain.messages import CallStatus, Mode, RunContext, ToolCall
from placet.core.domain.review import Action, DecidedBy, Rule
from placet.core.domain.tools import Operation
from placet.core.review.explaining import explain_call, recorded_action
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from support.review_fakes import call_ref, command_of, other_of, read_of, write_of

HOME = Path("/home/me")
GROUND = Ground(Path("/srv/placet"), HOME, ignores_case=False)
POLICY = Policy(GROUND, frozenset({"harmless"}))
WORK = HOME / "src"
RULES = [
    Rule(id=1, tool="@fs_any", path=".env", priority=5, action=Action.DENY, note="secrets"),
    Rule(id=2, tool="@fs_write", path="~/src/tests/*", priority=20, action=Action.ALLOW),
    Rule(id=3, tool="execute_cmd", command=("git", "status"), priority=30, action=Action.ALLOW),
    Rule(id=4, tool="execute_cmd", priority=40, action=Action.REQUIRE, note="commands"),
    Rule(id=5, tool="x", agent="writer", priority=50, action=Action.ALLOW),
    Rule(id=6, tool="x", source="cli", priority=50, action=Action.ALLOW),
    Rule(id=7, tool="*", priority=999, note="everything else"),
]


def explained(operation: Operation, named: str = "", **context: object) -> Explanation:
    call = call_ref(operation.tool)
    if named:
        call = msgspec.structs.replace(call, arguments=json.dumps({"path": named}))
    run = RunContext(workdir=str(WORK), **context)  # type: ignore[arg-type]
    return explain_call(RULES, call, operation, run, POLICY)


def said(explanation: Explanation) -> dict[str, str]:
    return {each.who: each.what for each in explanation.said}


def decides(explanation: Explanation) -> list[str]:
    return [each.who for each in explanation.said if each.decides]


def test_r_16_the_rule_its_place_and_what_it_matched_are_named() -> None:
    explanation = explained(write_of(WORK / "tests/a.py", b""))
    assert explanation.deciding is not None
    assert (explanation.deciding.rule.id, explanation.deciding.place) == (2, 2)
    assert "/home/me/src/tests/a.py fits ~/src/tests/*" in explanation.deciding.why
    assert [fit.rule.id for fit in explanation.later] == [7]
    assert decides(explanation) == ["Rules"]


def test_r_16_a_path_that_only_seems_to_fit_is_told_with_the_reason() -> None:
    explanation = explained(write_of(WORK / "parser.py", b""), "tests/../parser.py")
    (near,) = explanation.near
    assert near.rule.id == 2 and "after links and “..” are followed" in near.why
    facts = {fact.name: fact.value for fact in explanation.facts}
    assert facts["Path, as named"] == "/home/me/src/tests/../parser.py"
    assert facts["Path, resolved"] == "/home/me/src/parser.py"
    assert explanation.deciding is not None and explanation.deciding.rule.id == 7


def test_r_16_what_does_not_fit_is_summed_up_by_the_reason() -> None:
    assert {kind: ids for ids, kind in explained(other_of("x")).misses} == {
        "other tools": "1 to 4",
        "other agents": "5",
        "other sources": "6",
    }


def test_r_16_each_simple_command_has_its_rule() -> None:
    explanation = explained(command_of("git status && make", WORK))
    assert [(fit.words, fit.action, fit.rule_id) for fit in explanation.commands] == [
        (("git", "status"), Action.ALLOW, 3),
        (("make",), Action.REQUIRE, 4),
    ]
    assert explanation.verdict.action is Action.REQUIRE
    assert explanation.deciding is not None and explanation.deciding.rule.id == 4


def test_r_16_a_line_in_doubt_says_why_the_allowing_rule_does_not_count() -> None:
    explanation = explained(command_of("git status $(rm -rf x)", WORK))
    (near,) = explanation.near
    assert near.rule.id == 3 and "a substitution" in near.why
    assert "a substitution" in {fact.name: fact.value for fact in explanation.facts}["Not fully understood"]


@pytest.mark.parametrize("mode", list(Mode))
def test_r_2_a_denial_is_said_to_be_final_in_every_mode(mode: Mode) -> None:
    explanation = explained(read_of(WORK / ".env"), mode=mode, readable=(str(WORK),))
    assert explanation.verdict.action is Action.DENY
    assert [said(explanation)[who] for who in ("Mode", "Bypass", "Folders")] == ["cannot change a denial"] * 3


def test_the_mode_and_the_folder_say_what_they_did() -> None:
    reads = explained(read_of(WORK / "a.py"))
    assert (decides(reads), reads.verdict.by) == (["Folders"], DecidedBy.FAST_PATH)
    edits = explained(write_of(WORK / "a.py", b""), mode=Mode.EDITS)
    assert (decides(edits), edits.by_rules.action) == (["Mode"], Action.REQUIRE)
    asks = explained(write_of(WORK / "tests/a.py", b""), mode=Mode.ASK_ALL)
    assert (decides(asks), asks.verdict.action) == (["Mode"], Action.REQUIRE)
    outside = explained(read_of(Path("/etc/hosts")))
    assert "outside /home/me/src" in said(outside)["Folders"]


@pytest.mark.parametrize(
    ("status", "decision", "action"),
    [
        (CallStatus.DONE, "rule 2: allow", Action.ALLOW),
        (CallStatus.FAILED, "the mode is “Auto”", Action.ALLOW),
        (CallStatus.DONE, "approved by a person (rule 4 “commands”: ask)", Action.REQUIRE),
        (CallStatus.DONE, "approved with changes by a person (rule 4 “commands”: ask)", Action.REQUIRE),
        (CallStatus.REJECTED, "rejected by a person (rule 4 “commands”: ask)", Action.REQUIRE),
        (CallStatus.REJECTED, "rule 1 “secrets”: deny", Action.DENY),
        (CallStatus.REJECTED, "rule 4: ask; nobody can be asked in this session", Action.REQUIRE),
        (CallStatus.PENDING, "", Action.REQUIRE),
        (CallStatus.FAILED, "", None),
    ],
)
def test_the_recorded_outcome_is_read_from_the_stored_decision(
    status: CallStatus, decision: str, action: Action | None
) -> None:
    call = ToolCall(id=CallId(1), message_id=MessageId(1), provider_id="c", name="x", status=status, decision=decision)
    assert recorded_action(call) is action
