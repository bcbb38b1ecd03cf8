"""Edits of the rules: what is refused in words, and where a rule lands in the order."""

from __future__ import annotations

from typing import Any

import pytest

from placet.core.domain.errors import UnknownItem, UsageError
from placet.core.domain.explaining import AddRule, ChangeRule, MoveRule, RemoveRules
from placet.core.domain.review import Action, Rule
from placet.core.review.rulebook import edited, renamed
from placet.core.review.rules import in_order

ALL = Rule(id=3, tool="*", priority=999_999, action=Action.REQUIRE, note="everything else")
RULES = [
    Rule(id=1, tool="@fs_any", path="secrets/*", priority=5, action=Action.DENY),
    Rule(id=2, tool="execute_cmd", priority=10),
    ALL,
    Rule(id=4, tool="a", priority=10, action=Action.ALLOW),
    Rule(id=5, tool="b", priority=10, action=Action.ALLOW),
]


def order(rules: list[Rule]) -> list[int]:
    return [rule.id for rule in in_order(rules, "default")]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"tool": "  "}, "names no tool"),
        ({"tool": "@fs_everything"}, "no class of tools"),
        ({"tool": "mcp__*__get"}, "no tool pattern"),
        ({"tool": "read file"}, "no tool pattern"),
        ({"tool": "@fs_any", "path": "~/src/*/secret.txt"}, "before the last slash"),
        ({"tool": "@fs_any", "path": "~bob/x"}, "somebody else"),
        ({"tool": "@fs_any", "path": "a\x00b"}, "cannot be seen"),
        ({"tool": "@fs_any", "path": "a\u202eb"}, "cannot be seen"),
        ({"tool": "@fs_any", "path": "a" * 5000}, "too long"),
        ({"tool": "execute_cmd", "path": "~/src/*"}, "has no path"),
        ({"tool": "*", "path": "~/src/*", "command": ("git",)}, "has no path"),
        ({"tool": "@fs_any", "command": ("git",)}, "for commands"),
        ({"tool": "read_file", "command": ("git",)}, "for commands"),
        ({"tool": "execute_cmd", "command": ("git", " ")}, "is empty"),
        ({"tool": "a", "priority": -1}, "from 0 on"),
        ({"tool": "a", "group": " "}, "no name"),
        ({"tool": "a", "group": "g" * 41}, "40 characters"),
        ({"tool": "a", "note": "a\ud800"}, "cannot be seen"),
    ],
)
def test_a_rule_that_could_not_work_as_written_is_refused_with_the_reason(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        edited(RULES, AddRule(rule=Rule(**values)))
    with pytest.raises(UsageError, match=said):
        edited(RULES, ChangeRule(rule=Rule(**values, id=2)))


@pytest.mark.parametrize(
    "rule",
    [
        Rule(tool="@fs_write", path="~/thesis/final/*"),
        Rule(tool="@fs_any", path="*.pem"),
        Rule(tool="@fs_any", path="~"),
        Rule(tool="@fs_any", path="~/src/[draft]/*"),
        Rule(tool="exec*", command=("git", "push")),
        Rule(tool="*", command=("rm",), action=Action.DENY),
        Rule(tool="mcp__github__*", agent="reviewer", source="cli"),
    ],
)
def test_a_rule_that_works_is_added_as_it_is(rule: Rule) -> None:
    added = edited(RULES, AddRule(rule=rule))[-1]
    assert (added.id, added.tool, added.path, added.command) == (6, rule.tool, rule.path, rule.command)


def test_blanks_around_what_was_typed_are_no_part_of_it() -> None:
    added = edited(RULES, AddRule(rule=Rule(tool=" a ", path="", note=" my \n rule ", group=" g ")))[-1]
    assert (added.tool, added.note, added.group) == ("a", "my rule", "g")


def test_a_second_rule_for_everything_with_another_action_is_refused_and_the_first_is_named() -> None:
    with pytest.raises(UsageError, match="rule 3 “everything else”: ask"):
        edited(RULES, AddRule(rule=Rule(tool="*", action=Action.ALLOW)))
    with pytest.raises(UsageError, match="rule 3"):
        edited(RULES, ChangeRule(rule=Rule(id=4, tool="*", action=Action.DENY)))
    edited(RULES, AddRule(rule=Rule(tool="*", action=Action.ALLOW, group="trusted")))
    edited(RULES, AddRule(rule=Rule(tool="*", action=Action.ALLOW, agent="writer")))
    edited(RULES, ChangeRule(rule=Rule(id=3, tool="*", action=Action.ALLOW)))


def test_a_rule_that_is_gone_is_said_to_be_gone() -> None:
    for edit in (ChangeRule(rule=Rule(id=9, tool="a")), RemoveRules(rule_ids=(1, 9)), MoveRule(rule_id=9)):
        with pytest.raises(UnknownItem, match="no rule 9"):
            edited(RULES, edit)


def test_a_moved_rule_lands_where_it_was_put_and_others_keep_their_order() -> None:
    assert order(RULES) == [1, 2, 4, 5, 3]
    assert order(edited(RULES, MoveRule(rule_id=5, before=2))) == [1, 5, 2, 4, 3]
    assert order(edited(RULES, MoveRule(rule_id=2, before=5))) == [1, 4, 2, 5, 3]
    assert order(edited(RULES, MoveRule(rule_id=3, before=4))) == [1, 2, 3, 4, 5]
    assert order(edited(RULES, MoveRule(rule_id=2))) == [1, 4, 5, 3, 2]
    assert edited(RULES, MoveRule(rule_id=2, before=2)) == RULES


def test_a_new_rule_can_be_put_in_front_of_another_one() -> None:
    assert order(edited(RULES, AddRule(rule=Rule(tool="c"), before=4))) == [1, 2, 6, 4, 5, 3]


def test_a_rule_cannot_be_moved_out_of_its_part_of_the_order() -> None:
    with pytest.raises(UsageError, match="another part"):
        edited(RULES, MoveRule(rule_id=5, before=1))


def test_a_group_is_renamed_with_its_rules_and_never_into_another() -> None:
    rules = [*RULES, Rule(id=6, tool="x", group="careful")]
    assert [rule.group for rule in renamed(rules, "careful", "strict")][-1] == "strict"
    with pytest.raises(UsageError, match="already"):
        renamed(rules, "careful", "default")
    with pytest.raises(UsageError, match="cannot be renamed"):
        renamed(rules, "default", "strict")
