"""A project's own rules are data of whoever wrote the project: they can tighten, and never loosen anything (`R-4`)."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import Action, BypassGrant, BypassScope, DecidedBy, Rule
from placet.core.review.folder_rules import MOST_BYTES, FolderRulesReader
from support.arena import Arena
from support.review_fakes import call_ref

ALLOW_ALL = '[[rules]]\ntool = "*"\naction = "allow"\n'
NEW = "one\nzwei\nthree\n"


def say(arena: Arena, text: str | bytes) -> Path:
    path = arena.work / ".placet" / "rules.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


async def write(arena: Arena, name: str = "a.txt") -> str:
    return (await arena.attempt("write_file", path=name, content=NEW)).ending


# ---- it cannot loosen --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        ALLOW_ALL,
        '[[rules]]\ntool = "write_file"\naction = "allow"\npriority = -1\n',
        '[[rules]]\ntool = "@fs_write"\naction = "Allow"\n',
        '[[rules]]\ntool = "write_file"\naction = "allow"\ngroup = "default"\nid = 1\n',
        '[bypass]\nscope = "all"\n',
        'mode = "auto"\n',
        "[harmless]\ntools = ['write_file']\n",
        '[[rules]]\ntool = "write_file"\naction = "ask"\nagent = "somebody"\n',
    ],
)
async def test_r_4_nothing_in_the_file_lets_a_write_pass(arena: Arena, text: str) -> None:
    say(arena, text)
    assert await write(arena) == "asked"
    assert (arena.work / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("text", [ALLOW_ALL, '[[rules]]\ntool = "*"\naction = "ask"\n'])
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.EDITS, Mode.AUTO])
async def test_r_4_a_denial_of_the_person_stays_one(arena: Arena, text: str, mode: Mode) -> None:
    say(arena, text)
    arena.mode(mode)
    assert (await arena.attempt("read_file", path=".env")).ending == "denied"
    assert (await arena.attempt("write_file", path="../placet/config.toml", content="x")).ending == "denied"


async def test_r_4_a_rule_of_the_project_that_asks_does_not_come_before_a_denial_of_the_group(arena: Arena) -> None:
    arena.rules.add(Rule(group="careful", tool="execute_cmd", action=Action.DENY, priority=5))
    arena.mode(Mode.ASK, group="careful")
    say(arena, '[[rules]]\ntool = "execute_cmd"\naction = "ask"\n')
    assert (await arena.attempt("execute_cmd", command="true")).ending == "denied"


async def test_r_4_the_file_of_another_folder_says_nothing_here(arena: Arena) -> None:
    (arena.outside / ".placet").mkdir()
    (arena.outside / ".placet" / "rules.toml").write_text('[[rules]]\naction = "deny"\n')
    (arena.work / "sub" / ".placet").mkdir(parents=True)
    (arena.work / "sub" / ".placet" / "rules.toml").write_text(ALLOW_ALL)
    assert await write(arena) == "asked"
    assert (await arena.attempt("read_file", path="a.txt")).ending == "done"


async def test_r_4_a_link_at_its_place_is_not_followed(arena: Arena) -> None:
    kind = arena.outside / "kind.toml"
    kind.write_text("")
    path = say(arena, "")
    path.unlink()
    path.symlink_to(kind)
    assert (await arena.attempt("read_file", path="a.txt")).ending == "asked", "what it would say is not known"


PRIVATE = '[[rules]]\ntool = "@fs_any"\npath = "private/*"\naction = "deny"\n'


@pytest.mark.parametrize("mode", list(Mode))
async def test_r_4_writing_the_file_is_asked_about_in_every_mode(arena: Arena, mode: Mode) -> None:
    arena.mode(mode, writable=(str(arena.work),))
    assert (await arena.attempt("write_file", path=".placet/rules.toml", content=ALLOW_ALL)).ending == "asked"
    path = say(arena, PRIVATE)
    for name in (".placet/rules.toml", "sub/../.placet/./rules.toml", str(path)):
        assert (await arena.attempt("write_file", path=name, content="")).ending == "asked"
    assert path.read_text() == PRIVATE


async def test_r_4_no_rule_and_no_bypass_lets_a_model_write_the_file(arena: Arena) -> None:
    path = say(arena, PRIVATE)
    arena.rules.add(Rule(tool="@fs_write", path=f"{arena.work}/*", action=Action.ALLOW, priority=1))
    assert await write(arena) == "done"
    assert (await arena.attempt("write_file", path=".placet/rules.toml", content="")).ending == "asked"
    for scope in (BypassScope.TOOL, BypassScope.CATEGORY, BypassScope.ALL):
        arena.gate.bypasses.add(arena.stored[-1], BypassGrant(scope=scope))
        assert (await arena.attempt("write_file", path=".placet/rules.toml", content="")).ending == "asked"
    assert path.read_text() == PRIVATE


async def test_r_4_the_file_under_another_name_is_asked_about_as_well(arena: Arena) -> None:
    path = say(arena, PRIVATE)
    (arena.work / "conf").symlink_to(".placet")
    (arena.work / "kind.toml").symlink_to(".placet/rules.toml")
    os.link(path, arena.work / "also.toml")
    for mode in (Mode.ASK, Mode.EDITS):
        arena.mode(mode)
        for name in ("conf/rules.toml", "kind.toml", "also.toml"):
            assert (await arena.attempt("write_file", path=name, content="")).ending == "asked"
    assert path.read_text() == PRIVATE


async def test_r_4_a_folder_that_is_a_link_holds_no_rules_that_could_be_written_through_it(arena: Arena) -> None:
    (arena.work / "conf").mkdir()
    (arena.work / "conf" / "rules.toml").write_text(PRIVATE)
    (arena.work / ".placet").symlink_to("conf")
    read = await arena.attempt("read_file", path="a.txt")
    assert read.ending == "asked" and "cannot be understood" in read.question


@pytest.mark.parametrize(
    "command",
    [
        "rm .placet/rules.toml",
        "rm -r .placet",
        "mv .placet away",
        "cd .placet && rm rules.toml",
        "cd .placet && : > rules.toml",
        "rm .pla*/rules.toml",
        "rm .placet/*",
        "echo > '.pla'cet/rules.toml",
        "cp -f a.txt $PWD/.placet/rules.toml; sed -i d .placet/rules.toml",
    ],
)
async def test_r_4_a_command_that_names_the_file_is_asked_about_in_every_mode(arena: Arena, command: str) -> None:
    path = say(arena, PRIVATE)
    arena.mode(Mode.AUTO)
    arena.rules.add(Rule(tool="execute_cmd", action=Action.ALLOW, priority=1))
    told = await arena.attempt("execute_cmd", command=command)
    assert told.ending == "asked" and "rules of the project" in told.question
    assert path.read_text() == PRIVATE
    assert (await arena.attempt("execute_cmd", command="cat a.txt")).ending == "done"


async def test_a_command_in_a_project_without_rules_is_not_asked_for_their_sake(arena: Arena) -> None:
    arena.mode(Mode.AUTO)
    assert (await arena.attempt("execute_cmd", command="ls -d .placet || true")).ending == "done"


# ---- it tightens -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.EDITS, Mode.AUTO])
async def test_r_2_what_the_project_denies_is_denied_in_every_mode(arena: Arena, mode: Mode) -> None:
    say(arena, '[[rules]]\ntool = "@fs_any"\npath = "private/*"\naction = "deny"\nnote = "salaries"\n')
    (arena.work / "private").mkdir()
    (arena.work / "private" / "x.txt").write_text("SALARY 4711")
    arena.mode(mode)
    read = await arena.attempt("read_file", path="private/x.txt")
    assert read.ending == "denied" and "rule 1 of the project's folder “salaries”: deny" in read.told
    assert (await arena.attempt("write_file", path="./sub/../private/y.txt", content="x")).ending == "denied"
    found = await arena.attempt("grep_files", pattern="SALARY")
    assert "4711" not in found.told, "recursive reads leave it out (`R-3`)"
    assert (await arena.attempt("execute_cmd", command="cat private/x.txt")).ending in ("asked", "denied")


async def test_a_rule_that_asks_takes_back_what_a_rule_or_a_folder_lets_pass(arena: Arena) -> None:
    arena.rules.add(Rule(tool="execute_cmd", command=("make",), action=Action.ALLOW, priority=1))
    assert (await arena.attempt("execute_cmd", command="make --version")).ending != "asked"
    assert (await arena.attempt("read_file", path="a.txt")).ending == "done"
    say(
        arena,
        '[[rules]]\ntool = "execute_cmd"\ncommand = ["make"]\naction = "ask"\n'
        '[[rules]]\ntool = "@fs_read"\npath = "*.txt"\naction = "require"\n',
    )
    assert (await arena.attempt("execute_cmd", command="make --version")).ending == "asked"
    read = await arena.attempt("read_file", path="a.txt")
    assert read.ending == "asked" and "rule 2 of the project's folder: ask" in read.question


async def test_what_a_person_lets_pass_in_this_session_stays_so(arena: Arena) -> None:
    say(arena, '[[rules]]\ntool = "@fs_write"\naction = "ask"\n')
    arena.mode(Mode.EDITS)
    assert await write(arena) == "done"


async def test_a_file_that_changes_holds_from_the_next_check_on(arena: Arena) -> None:
    assert (await arena.attempt("read_file", path="a.txt")).ending == "done"
    path = say(arena, '[[rules]]\ntool = "read_file"\naction = "deny"\n')
    assert (await arena.attempt("read_file", path="a.txt")).ending == "denied"
    path.unlink()
    assert (await arena.attempt("read_file", path="a.txt")).ending == "done"


async def test_r_14_a_sub_agent_is_bound_by_it_too(arena: Arena) -> None:
    say(arena, '[[rules]]\ntool = "read_file"\naction = "deny"\n')
    operation = arena.prepare("read_file", path="a.txt")
    call = msgspec.structs.replace(call_ref("read_file", agent="code-explorer"), root_agent="assistant")
    verdict = await arena.gate.explain(call, operation, arena.context)
    assert (verdict.action, verdict.by, verdict.rule_id) == (Action.DENY, DecidedBy.RULE, -1)


# ---- what is no file of rules ------------------------------------------------------------------------------------

BROKEN: dict[str, bytes] = {
    "no TOML": b"[[rules",
    "no UTF-8": b'[[rules]]\nnote = "\xff\xfe"\naction = "deny"\n',
    "too large": b"#" * (MOST_BYTES + 1),
    "deeply nested": b"a = " + b"[" * 5_000 + b"]" * 5_000,
    "rules are a number": b"rules = 7\n",
    "a rule is a text": b'rules = ["deny"]\n',
    "an unknown key": b'[[rules]]\nactoin = "deny"\n',
    "a wrong type": b'[[rules]]\naction = "deny"\npath = 7\n',
    "no such class": b'[[rules]]\naction = "deny"\ntool = "@everything"\n',
    "hidden characters": '[[rules]]\naction = "deny"\npath = "a\u202eb"\n'.encode(),
    "too many": b'[[rules]]\naction = "deny"\npath = "x"\n' * 501,
}


@pytest.mark.parametrize("name", BROKEN)
async def test_r_4_a_file_that_cannot_be_understood_asks_about_everything(arena: Arena, name: str) -> None:
    say(arena, BROKEN[name])
    read = await arena.attempt("read_file", path="a.txt")
    assert read.ending == "asked"
    assert ".placet/rules.toml cannot be understood" in read.question
    problems = arena.gate.verdicts.folder_rules(arena.context).problems
    assert problems and all(problem.startswith(".placet/rules.toml: ") for problem in problems)


@pytest.mark.timeout(20)
async def test_a_pipe_or_a_folder_at_its_place_holds_nothing_up(arena: Arena) -> None:
    path = say(arena, "")
    path.unlink()
    os.mkfifo(path)
    assert (await arena.attempt("read_file", path="a.txt")).ending == "asked"
    path.unlink()
    path.mkdir()
    assert (await arena.attempt("read_file", path="a.txt")).ending == "asked"


async def test_a_fault_beside_good_rules_loses_none_of_them(arena: Arena) -> None:
    say(arena, '[[rules]]\ntool = "write_file"\naction = "deny"\n[[rules]]\ntool = 7\naction = "ask"\n')
    assert await write(arena) == "denied"
    assert (await arena.attempt("read_file", path="a.txt")).ending == "asked"


def test_what_would_loosen_is_said_and_nothing_else_is_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / ".placet").mkdir()
    (tmp_path / ".placet" / "rules.toml").write_text(ALLOW_ALL)
    found = FolderRulesReader().of(str(tmp_path))
    assert (found.denials, found.asks) == ((), ())
    assert found.problems == (
        ".placet/rules.toml: rule 1 would allow something: only a person can loosen anything; it has no effect",
    )


def test_a_chat_without_a_folder_has_no_such_rules() -> None:
    assert FolderRulesReader().of("") == FolderRulesReader().of("/nowhere/at/all")
    assert RunContext().workdir == ""


async def test_a_bypass_of_the_person_lets_no_denial_of_the_project_pass(arena: Arena) -> None:
    say(arena, '[[rules]]\ntool = "write_file"\npath = "b.txt"\naction = "deny"\n')
    assert (await arena.attempt("write_file", path="a.txt", content="x")).ending == "asked"
    arena.gate.bypasses.add(arena.stored[-1], BypassGrant(scope=BypassScope.TOOL))
    assert await write(arena) == "done"
    assert await write(arena, "b.txt") == "denied"
