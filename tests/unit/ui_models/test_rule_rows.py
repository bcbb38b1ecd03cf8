"""Folding rules into rows: neighbours that say the same, and nothing else."""

from __future__ import annotations

import msgspec

from placet.core.domain.review import Action, Rule
from placet.ui.models.rule_rows import key_of, rows_of

ENV = [
    Rule(id=number, tool="@fs_any", path=path, action=Action.DENY, note="secrets")
    for number, path in enumerate((".env", ".env.local", "*.pem"), 1)
]
TOOLS = [Rule(id=number, tool=tool, action=Action.ALLOW, note="harmless") for number, tool in ((5, "a"), (9, "b"))]


def numbers(rules: list[Rule], **options: object) -> list[str]:
    return [row.number for row in rows_of(rules, **options)]  # type: ignore[arg-type]


def test_neighbours_that_differ_only_in_path_or_in_tool_are_one_row() -> None:
    secrets, harmless = rows_of([*ENV, *TOOLS])
    assert (secrets.number, secrets.targets, secrets.tools) == ("1–3", (".env", ".env.local", "*.pem"), ("@fs_any",))
    assert (harmless.number, harmless.tools, harmless.targets) == ("5 …", ("a", "b"), ())


def test_an_opened_row_is_followed_by_each_of_its_rules() -> None:
    rows = rows_of(ENV, opened=[key_of(ENV[0])])
    assert [(row.number, row.is_open, row.is_member) for row in rows] == [
        ("1–3", True, False), ("1", False, True), ("2", False, True), ("3", False, True),
    ]  # fmt: skip


def test_a_rule_that_is_being_edited_stands_apart() -> None:
    assert numbers(ENV, apart=[2]) == ["1", "2", "3"]


def test_rules_that_differ_in_anything_a_person_must_see_are_not_folded() -> None:
    one = ENV[0]
    for values in (
        {"action": Action.ALLOW}, {"priority": 1}, {"note": "other"}, {"agent": "x"}, {"group": "g"}, {"tool": "*"},
        {"path": "", "command": ("git",)},
    ):  # fmt: skip
        other = msgspec.structs.replace(one, id=2, **values)  # type: ignore[arg-type]
        assert numbers([one, other]) == ["1", "2"], values
    unnamed = [msgspec.structs.replace(rule, note="") for rule in ENV]
    assert numbers(unnamed) == ["1", "2", "3"]


def test_rules_with_another_one_between_them_are_not_folded() -> None:
    assert numbers([ENV[0], TOOLS[0], ENV[1]]) == ["1", "5", "2"]


def test_for_whom_a_rule_is_stands_with_its_note() -> None:
    (row,) = rows_of([Rule(id=1, tool="a", note="reading", agent="writer", source="cli")])
    assert row.note == "reading, agent writer, source cli"
