"""Reading a command line: only what is certainly plain is understood."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from placet.core.domain.messages import RunContext
from placet.core.domain.review import Action, Rule
from placet.core.domain.stopping import TaskScope
from placet.core.review.bypasses import Bypasses
from placet.core.review.commands import read_command
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy, decide
from support.review_fakes import Heard, MemoryApprovals, MemoryJournal, MemoryRules, call_ref, command_of, prepared

ALLOWED = [
    Rule(id=n, tool="execute_cmd", command=words, action=Action.ALLOW)
    for n, words in enumerate([("ls",), ("cat",), ("echo",), ("find",), ("git", "status")], 1)
]


def action_of(command: str, rules: list[Rule]) -> Action:
    policy = Policy(Ground(Path("/p"), Path("/home/me"), ignores_case=False))
    return decide(rules, call_ref("execute_cmd"), command_of(command, Path("/w")), RunContext(), policy).action


@pytest.mark.parametrize(
    "command",
    [
        "ls\nrm -rf x", "ls && rm x", "ls & rm x", "ls | sh", "echo $(rm x)", "echo `rm x`", "cat <(rm x)",
        "echo hi > ~/.bashrc", "find . -exec rm {} +", "find . -delete", "ls #\nrm x", "cat <<E\n$(rm x)\nE",
        "git status;rm x", "echo \"$(rm x)\"", "ls || rm x", "cat <<<x", "FOO=1 ls", "PATH=/tmp; ls", "ls 2> err",
        "ls $X", "echo ${x@P}", "eval ls", "sudo ls", "env ls", "xargs ls", "(rm x)", "ls; { rm x; }", "if ls; then rm x; fi",
        "ls() { rm x; }; ls", "ls\rrm x", "ls\x00rm", "echo 'open", "find . -e''xec rm {} ;", "find . -fprint /etc/x",
        "find * -name x", "ls\u00a0x", "/bin/sh -c ls", "python3 -c 1", "echo $((x=1))", "[[ -f x ]] && ls", "",
        "ls &> all", "cat < /etc/passwd", "echo =(rm x)", "git -c core.pager=x status", "coproc ls", "lsx", "find . 2>&1 -delete",
        "ls >/dev/null rm", "{rm,x}", "ls \n\\rm -rf x", "\\ ls", "ls \\\nrm", "l\\\ns", "ls {a,b}", "!'ls'",
    ],
)  # fmt: skip
def test_anything_but_a_plain_allowed_command_asks(command: str) -> None:
    assert action_of(command, ALLOWED) is Action.REQUIRE


@pytest.mark.parametrize(
    "command",
    [
        "git status --porcelain", "ls", "ls -la /tmp", "ls && cat a b", "ls | cat", "echo 'a;b' \"c|d\"", "ls *.py",
        "find . -name '*.py'", "ls 2>/dev/null", "ls 2>&1 | cat", "ls; # a remark",
    ],
)  # fmt: skip
def test_plain_allowed_commands_run_without_asking(command: str) -> None:
    assert action_of(command, ALLOWED) is Action.ALLOW


def test_every_command_of_a_line_needs_its_own_permission() -> None:
    assert action_of("ls && make", ALLOWED) is Action.REQUIRE


@pytest.mark.parametrize("command", ["ls && rm x", "echo $(rm x)", "if true; then rm x; fi", "echo '", "r\\m x"])
def test_a_denied_command_is_found_in_any_place(command: str) -> None:
    """A deny rule is not escaped by a line that is hard to read; what cannot be read at all is asked."""
    rules = [Rule(id=1, command=("rm",), action=Action.DENY), *ALLOWED]
    expected = Action.REQUIRE if command == "echo '" else Action.DENY
    assert action_of(command, rules) is expected


def test_a_rule_that_allows_does_not_hide_one_that_denies_where_a_line_is_in_doubt() -> None:
    rules = [
        Rule(id=1, group="g", priority=1, command=("git", "status"), action=Action.ALLOW),
        Rule(id=2, group="g", priority=2, command=("git",), action=Action.DENY),
    ]
    policy = Policy(Ground(Path("/p"), Path("/home/me"), ignores_case=False))
    operation = command_of("git status $(x)", Path("/w"))
    verdict = decide(rules, call_ref("execute_cmd"), operation, RunContext(group="g"), policy)
    assert verdict.action is Action.DENY


def test_words_are_compared_without_their_quotes() -> None:
    assert read_command("'git' \"status\" -s").commands == (("git", "status", "-s"),)


def test_a_deeply_nested_line_is_read_without_failing() -> None:
    line = read_command("echo " + "$(" * 3000 + "x" + ")" * 3000)
    assert line.doubt


@pytest.mark.parametrize("unit", ["((a", ">", "<>", "a()", "a=(", "|"])
def test_a_line_that_the_grammar_cannot_read_in_time_is_not_understood(unit: str) -> None:
    began = time.thread_time()
    assert read_command(unit * (20_000 // len(unit))).doubt
    assert time.thread_time() - began < 5.0


@pytest.mark.parametrize("filler", ["\n((" + "a((" * 6_000, "\n# " + "x" * 30_000], ids=["slow", "long"])
def test_a_denied_command_is_found_in_a_line_that_cannot_be_read(filler: str) -> None:
    """`R-2`"""
    rules = [Rule(id=1, command=("rm",), action=Action.DENY), Rule(id=2, tool="*", action=Action.ALLOW)]
    for command in ("ls; rm -rf x", "echo $(r'm' x)"):
        assert action_of(command + filler, rules) is Action.DENY


async def test_a_command_is_read_beside_the_loop() -> None:
    gate = ReviewGate(
        MemoryRules(Rule(tool="*", action=Action.DENY)), MemoryApprovals(), MemoryJournal(), Heard(),
        Policy(Ground(Path("/p"), Path("/home/me"), ignores_case=False)),
        prepared, Bypasses(),
    )  # fmt: skip
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    scope = TaskScope("test")
    scope.start(count())
    operation = command_of("((a" * 6_000, Path("/w"))
    verdict = await gate.explain(call_ref("execute_cmd"), operation, RunContext())
    await scope.close()
    assert verdict.action is Action.DENY
    assert turns > 10


def test_a_line_of_excessive_length_is_not_understood() -> None:
    assert read_command("ls " + "a" * 200_000).doubt
