"""`placet rules` as a person and a script call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.placet_process import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


def test_rules_are_listed_in_the_order_in_which_they_are_asked(program: Program) -> None:
    listed = program.call("rules", "list", "--json").json
    assert listed["total"] == len(listed["items"]) == 50
    assert {"id", "group", "priority", "tool", "path", "command", "action", "note"} <= listed["items"][0].keys()
    assert listed["items"][-1]["tool"] == "*"
    page = program.call("rules", "list", "--json", "--page", "2", "--per-page", "20").json
    assert page["items"] == listed["items"][20:40]
    text = program.call("rules", "list")
    assert text.code == 0
    assert [line.split()[2] for line in text.out.splitlines()][-2:] == ["ask", "ask"]


def test_r_16_a_typed_call_is_explained_to_a_person_and_to_a_script(program: Program, tmp_path: Path) -> None:
    asked = program.call("rules", "test", "execute_cmd", "git status && touch made", "--workdir", str(tmp_path))
    assert asked.code == 0
    assert asked.out.startswith("ask: rule 49 “commands”: ask\n")
    assert "command “touch made”: ask (rule 49)" in asked.out
    assert not (tmp_path / "made").exists()
    denied = program.call(
        "rules", "test", "write_file", "a/../.env", "--workdir", str(tmp_path), "--mode", "auto", "--json"
    )
    assert denied.json["verdict"]["action"] == "deny"
    assert denied.json["deciding"]["note"] == "environment files with secrets"
    assert denied.json["facts"]["Path, resolved"] == str(tmp_path / ".env")


def test_r_4_rules_of_the_folder_are_listed_and_explained(program: Program, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".placet").mkdir(parents=True)
    (project / ".placet" / "rules.toml").write_text(
        '[[rules]]\ntool = "write_file"\naction = "deny"\nnote = "frozen"\n[[rules]]\naction = "allow"\n'
    )
    listed = program.call("rules", "list", "--json", cwd=project)
    assert [(rule["id"], rule["note"]) for rule in listed.json["items"]][-1] == (-1, "frozen")
    assert "only a person can loosen anything" in listed.err
    said = program.call("rules", "test", "write_file", "a.txt", "--workdir", str(project))
    assert said.out.startswith("deny: rule 1 of the project's folder “frozen”: deny\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rules", "explain", "7"], "no tool call 7"),
        (["rules", "list", "--group", "nowhere"], "There are: default, tic."),
        (["rules", "test", "write_file", "{", "--workdir", "."], "no JSON"),
        (["rules", "test", "execute_cmd", " ", "--workdir", "."], "empty"),
        (["rules", "test", "x", "--workdir", "/nowhere/at/all"], "not a folder"),
        (["rules", "test", "x", "--session", "none"], "no session none"),
    ],
)
def test_wrong_usage_exits_2_and_says_what_is_wrong(program: Program, arguments: list[str], said: str) -> None:
    ended = program.call(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
