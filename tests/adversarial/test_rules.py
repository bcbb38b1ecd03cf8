"""Rules that could be read in two ways, and calls that try to be read in the other one (`R-1` to `R-4`)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import Action, PlannedWrites, Rule, Verdict
from placet.core.domain.tools import Category, Execution, Operation
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy, decide
from support.arena import SEEDS, Arena
from support.review_fakes import call_ref, command_of, other_of, read_of, write_of

WORK = Path("/srv/project")
POLICY = Policy(Ground(Path("/srv/placet"), Path("/home/me"), ignores_case=False), SEEDS.harmless)
DENY_RM = Rule(id=1, tool="execute_cmd", command=("rm",), action=Action.DENY)
ALLOW_ALL = Rule(id=90, tool="*", action=Action.ALLOW)


def verdict(operation: Operation, *rules: Rule, mode: Mode = Mode.ASK, **context: object) -> Verdict:
    run = RunContext(workdir=str(WORK), mode=mode, **context)  # type: ignore[arg-type]
    numbered = [rule if rule.id else Rule(**{**_fields(rule), "id": n}) for n, rule in enumerate(rules, 1)]
    return decide(numbered, call_ref(operation.tool), operation, run, POLICY)


def _fields(rule: Rule) -> dict[str, object]:
    return {name: getattr(rule, name) for name in rule.__struct_fields__}


def action(operation: Operation, *rules: Rule, mode: Mode = Mode.ASK, **context: object) -> Action:
    return verdict(operation, *rules, mode=mode, **context).action


# ---- one denied path, every way to it ----------------------------------------------------------------------------


@pytest.fixture
async def closed(tmp_path: Path) -> AsyncIterator[Arena]:
    """A project with a folder that is denied."""
    arena = Arena(tmp_path)
    private = arena.work / "private"
    private.mkdir()
    (private / "salary.txt").write_bytes(b"SALARY 4711\n")
    arena.rules.add(Rule(tool="@fs_any", path=f"{private}/*", action=Action.DENY, priority=50, note="private"))
    arena.mode(Mode.AUTO)
    yield arena
    await arena.aclose()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "private/salary.txt"}),
        ("list_files", {"path": "private"}),
        ("list_files", {"path": "private", "pattern": "*.txt"}),
        ("grep_files", {"path": "private", "pattern": "SALARY"}),
        ("grep_files", {"path": "private/salary.txt", "pattern": "."}),
        ("write_file", {"path": "private/salary.txt", "content": "0"}),
        ("write_file", {"path": "private/new", "content": "0"}),
        ("edit_file", {"path": "private/salary.txt", "old_string": "4711", "new_string": "0"}),
        ("insert_at_line", {"path": "private/salary.txt", "line": 1, "content": "x"}),
        ("replace_lines", {"path": "private/salary.txt", "start": 1, "end": 1, "content": "x"}),
        ("read_file", {"path": "private"}),
    ],
)
async def test_r_2_no_tool_reaches_what_is_denied(closed: Arena, tool: str, arguments: dict[str, object]) -> None:
    before = closed.fingerprint()
    attempt = await closed.attempt(tool, **arguments)
    assert attempt.ending == "denied"
    assert "4711" not in attempt.told
    assert closed.fingerprint() == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("grep_files", {"pattern": "SALARY"}),
        ("grep_files", {"pattern": "SALARY", "output_mode": "files_with_matches"}),
        ("grep_files", {"pattern": "SALARY", "output_mode": "count"}),
        ("grep_files", {"pattern": "", "glob": "private/*"}),
        ("grep_files", {"pattern": "47.1", "glob": "**/salary.txt"}),
        ("grep_files", {"pattern": "^", "context_lines": 20}),
        ("grep_files", {"pattern": "SALARY", "path": "../"}),
        ("list_files", {"depth": 9}),
        ("list_files", {"pattern": "**/*"}),
        ("list_files", {"pattern": "private/*"}),
        ("list_files", {"path": "..", "depth": 9}),
        ("read_file", {"path": "privat"}),
        ("read_file", {"path": "private2/salary.txt"}),
    ],
)
async def test_r_3_no_search_or_hint_from_higher_up_tells_what_is_denied(
    closed: Arena, tool: str, arguments: dict[str, object]
) -> None:
    if "output_mode" in arguments:
        modes = closed.box.specs()
        grep = next(spec for spec in modes if spec.name == "grep_files")
        choices = grep.parameters["properties"]["output_mode"]["enum"]
        arguments["output_mode"] = choices[-1] if arguments["output_mode"] == "count" else choices[1]
    attempt = await closed.attempt(tool, **arguments)
    assert "4711" not in attempt.told
    assert "salary" not in attempt.told.replace("private2/salary.txt", "").replace("**/salary.txt", "")
    assert "the-secret" not in attempt.told


@pytest.mark.parametrize(
    "command",
    [
        "cat private/salary.txt", "cat ./private/../private/salary.txt", "cat 'private/salary.txt'", "cat priv*/salary.txt",
        "cat private/*", "cat p?ivate/salar[y].txt", "head -n1 private/salary.txt", "cp private/salary.txt /tmp/x",
        "grep -f private/salary.txt a.txt", "grep --file=private/salary.txt a.txt", "ls private", "cd private && cat salary.txt",
        "cat a.txt private/salary.txt", "tar cf x.tar private", "cat {me}/project/private/salary.txt", "cat ../project/private/salary.txt",
        "cat <private/salary.txt", "cat .env", "cat ~/.ssh/id_rsa", "cat {me}/.ssh/id_rsa", "cat .en*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("permission", ["rule", "mode"])
async def test_r_2_a_command_that_names_what_is_denied_is_asked_about_at_least(
    closed: Arena, monkeypatch: pytest.MonkeyPatch, command: str, permission: str
) -> None:
    """A rule that lets `cat` pass, or a mode that lets all pass, was not given for this."""
    monkeypatch.setenv("HOME", str(closed.me))
    closed.mode(Mode.AUTO if permission == "mode" else Mode.ASK)
    for number, name in enumerate(("cat", "head", "cp", "grep", "ls", "cd", "tar")):
        closed.rules.add(Rule(tool="execute_cmd", command=(name,), action=Action.ALLOW, priority=number - 20))
    before = closed.fingerprint()
    attempt = await closed.attempt("execute_cmd", command=command.replace("{me}", str(closed.me)))
    assert attempt.ending == "asked"
    assert "deny" in attempt.question or "redirects" in attempt.question
    assert closed.fingerprint() == before


@pytest.mark.parametrize("command", ["ls", "cat salary.txt", "cat *", "pwd"])
async def test_r_2_a_command_in_a_denied_folder_is_asked_about(closed: Arena, command: str) -> None:
    attempt = await closed.attempt("execute_cmd", command=command, workdir="private")
    assert attempt.ending == "asked"
    assert "deny" in attempt.question


@pytest.mark.parametrize("command", [" ".join(f"/*/*/*/{n}*" for n in range(1_000)), "ls /*/*/*/*/*/*/zz", "x " * 9_999, " ".join(f"n{n}" for n in range(3_500))])  # fmt: skip
async def test_looking_for_denied_files_never_takes_long(closed: Arena, command: str) -> None:
    """What would take too long is asked about, or looked at within a bound."""
    operation = closed.prepare("execute_cmd", command=command)

    def timed() -> float:
        began = time.thread_time()
        decide(SEEDS.rules, call_ref("execute_cmd"), operation, closed.context, POLICY)
        return time.thread_time() - began

    assert await asyncio.to_thread(timed) < 5


async def test_a_link_that_nobody_may_read_stops_no_decision(closed: Arena) -> None:
    assert (await closed.attempt("execute_cmd", command="echo /proc/1/fd/0 /proc/1/cwd")).ending in ("done", "asked")


async def test_a_command_that_names_nothing_denied_still_passes(closed: Arena) -> None:
    closed.mode(Mode.ASK)
    closed.rules.add(Rule(tool="execute_cmd", command=("cat",), action=Action.ALLOW, priority=1))
    assert (await closed.attempt("execute_cmd", command="cat a.txt *.txt")).ending == "done"


# ---- confusion of rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "operation"),
    [
        # An earlier, wider permission, and a later denial in the default group: denials of the default group are first.
        ((Rule(priority=1, action=Action.ALLOW), Rule(priority=9, tool="t", action=Action.DENY)), other_of("t")),
        # The session's group lets pass what the default group denies.
        ((Rule(group="g", priority=0, action=Action.ALLOW), Rule(priority=999, tool="t*", action=Action.DENY)), other_of("tool")),
        # A negative priority.
        ((Rule(priority=-(10**9), action=Action.ALLOW), Rule(tool="t", action=Action.DENY)), other_of("t")),
        # The same priority, the permission with the lower number.
        ((Rule(tool="t", action=Action.ALLOW), Rule(tool="t", action=Action.DENY)), other_of("t")),
        # A class that is denied, and the tool by name that is let pass.
        ((Rule(tool="read_file", action=Action.ALLOW), Rule(tool="@fs_any", path="/etc/*", action=Action.DENY)), read_of(Path("/etc/x"))),
        # A denial for one part of a command line, a permission for all of the tool.
        ((Rule(tool="execute_cmd", action=Action.ALLOW), DENY_RM), command_of("ls; rm x", WORK)),
        # A command denied whose words are denied only together.
        ((Rule(tool="execute_cmd", action=Action.ALLOW), Rule(command=("git", "push"), action=Action.DENY)), command_of("true && git push", WORK)),
        # A path and its folder.
        ((Rule(path="/srv/project/a/b", action=Action.ALLOW), Rule(path="/srv/project/a/*", action=Action.DENY)), write_of(WORK / "a" / "b", b"x")),
        # A denied name somewhere above the file.
        ((Rule(path="/srv/project/*", action=Action.ALLOW), Rule(path="secret*", action=Action.DENY)), read_of(WORK / "secrets" / "x")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", list(Mode))
def test_r_2_no_order_of_rules_and_no_mode_turns_a_denial(
    rules: tuple[Rule, ...], operation: Operation, mode: Mode
) -> None:
    """Groups, priorities, narrower permissions: a denial of the default group is first."""
    run = {"group": "g", "readable": ("/srv", "/etc"), "writable": ("/srv", "/etc")}
    assert action(operation, *rules, mode=mode, **run) is Action.DENY


@pytest.mark.parametrize(
    ("rule", "operation"),
    [
        # Names that begin alike, or differ in case, blanks or signs.
        (Rule(tool="read_*", action=Action.ALLOW), other_of("rea_file")),
        (Rule(tool="read_file", action=Action.ALLOW), other_of("read_file2")),
        (Rule(tool="read_file", action=Action.ALLOW), other_of("Read_File")),
        (Rule(tool="read_file", action=Action.ALLOW), other_of("read_file ")),
        (Rule(tool="read_file", action=Action.ALLOW), other_of("re\u0430d_file")),
        (Rule(tool="mcp_a_*", action=Action.ALLOW), other_of("mcp_ab_send")),
        (Rule(tool="[a-z]*", action=Action.ALLOW), other_of("send")),
        (Rule(tool="send?", action=Action.ALLOW), other_of("sends")),
        # A class that is misspelled, or a tool that is named like one.
        (Rule(tool="@fs_reads", action=Action.ALLOW), read_of(WORK.parent / "x")),
        (Rule(tool="@FS_READ", action=Action.ALLOW), read_of(WORK.parent / "x")),
        (Rule(tool="@fs_*", action=Action.ALLOW), read_of(WORK.parent / "x")),
        (Rule(tool="@", action=Action.ALLOW), other_of("@")),
        (Rule(tool="@fs_read", action=Action.ALLOW), other_of("@fs_read")),
        (Rule(tool="@fs_read", action=Action.ALLOW), write_of(WORK / "x", b"")),
        # A path on a call without one; a command on a call that is none.
        (Rule(path="*", action=Action.ALLOW), other_of("send")),
        (Rule(path="/*", action=Action.ALLOW), command_of("ls", WORK)),
        (Rule(command=("send",), action=Action.ALLOW), other_of("send")),
        # For another agent, source or group.
        (Rule(agent="researcher", action=Action.ALLOW), other_of("send")),
        (Rule(agent="assist", action=Action.ALLOW), other_of("send")),
        (Rule(source="tic", action=Action.ALLOW), other_of("send")),
        (Rule(group="Default", action=Action.ALLOW), other_of("send")),
        (Rule(group="", action=Action.ALLOW), other_of("send")),
        # Words of a command: part of a word, in another order, in one word.
        (Rule(command=("git", "status"), action=Action.ALLOW), command_of("git", WORK)),
        (Rule(command=("git", "status"), action=Action.ALLOW), command_of("gitstatus", WORK)),
        (Rule(command=("git", "status"), action=Action.ALLOW), command_of("git statusx", WORK)),
        (Rule(command=("git", "status"), action=Action.ALLOW), command_of("git -C / status", WORK)),
        (Rule(command=("git", "status"), action=Action.ALLOW), command_of("'git status'", WORK)),
        (Rule(command=("",), action=Action.ALLOW), command_of("ls", WORK)),
    ],
)  # fmt: skip
def test_a_permission_fits_only_what_it_names(rule: Rule, operation: Operation) -> None:
    assert action(operation, rule) is Action.REQUIRE


@pytest.mark.parametrize("path", ["/srv/placet/memory-secrets/x", "/srv/placet/memory", "/srv/placet/Memory/x", "/srv/placet/memory/../config.toml", "/srv/placet/memory/../x", "/srv/memory/x", "/srv/project/memory/x", "/srv/placet/data.bak/x", "/home/me/data/x"])  # fmt: skip
def test_r_1_the_permission_for_memory_ends_at_its_folder(path: str) -> None:
    """The folder itself is no file that could be written: only what is below counts."""
    expected = (Action.ALLOW,) if path.endswith("/memory") else (Action.REQUIRE, Action.DENY)
    assert action(write_of(Path(path), b"x"), *SEEDS.rules) in expected


@pytest.mark.parametrize("mode", [Mode.EDITS, Mode.ASK])
@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".git/hooks/pre-commit", "sub/.git/hooks/post-checkout", ".git", "vendor/.git/config",
        "../placet/rules.db", "../placet/agents/assistant.md", "../placet/commands/x.md",
    ],
)  # fmt: skip
def test_r_4_what_would_loosen_or_run_something_is_asked_about_although_edits_are_accepted(
    mode: Mode, path: str
) -> None:
    place = Path(str(WORK / path).replace("/project/..", ""))
    run = {"writable": (str(WORK), "/srv/placet", "/srv")}
    assert action(write_of(place, b"x"), mode=mode, **run) is Action.REQUIRE


@pytest.mark.parametrize("folder", ["/", "/home/me", "/home", "", "//", "/home/me/", "/home/../home/me"])
@pytest.mark.parametrize("category", [Category.FS_READ, Category.FS_WRITE])
def test_a_folder_that_is_too_broad_lets_nothing_pass(folder: str, category: Category) -> None:
    place = Path("/home/me/notes.txt")
    operation = read_of(place) if category is Category.FS_READ else write_of(place, b"x")
    run = RunContext(workdir=folder, mode=Mode.EDITS, readable=(folder,), writable=(folder,))
    assert decide([], call_ref(operation.tool), operation, run, POLICY).action is Action.REQUIRE


def test_a_tool_that_claims_to_be_harmless_is_not(closed: Arena) -> None:
    """The names that never need asking are Placet's own; another category under such a name is still a file write."""
    operation = Execution(
        tool="write_todos", category=Category.FS_WRITE, label="", detail="", path=Path("/home/me/.ssh/id_rsa"), run=None
    )  # type: ignore[arg-type]
    assert action(operation, *SEEDS.rules, mode=Mode.AUTO) is Action.DENY


# ---- a policy that is tightened while something is under way ------------------------------------------------------


async def test_a_denial_made_while_a_write_waits_holds_for_its_approval(arena: Arena) -> None:
    """What waited for others is checked again before it is written."""
    planned = PlannedWrites()
    arena.mode(Mode.EDITS)
    operation = arena.prepare("write_file", path="a.txt", content="mine\n")
    call = call_ref("write_file", call_id=77)
    permit = await arena.gate.clear(call, operation, arena.context, planned)
    arena.rules.add(Rule(tool="@fs_write", path=str(arena.work / "a.txt"), action=Action.DENY))
    assert not await arena.gate.still_allows(call, permit, arena.context)  # type: ignore[arg-type]


@pytest.mark.parametrize("tightened", [Mode.ASK, Mode.ASK_ALL])
async def test_a_mode_that_is_tightened_holds_for_a_permit_that_was_not_used(arena: Arena, tightened: Mode) -> None:
    arena.mode(Mode.EDITS)
    operation = arena.prepare("write_file", path="a.txt", content="mine\n")
    call = call_ref("write_file", call_id=77)
    permit = await arena.gate.clear(call, operation, arena.context, PlannedWrites())
    arena.mode(tightened)
    assert not await arena.gate.still_allows(call, permit, arena.context)  # type: ignore[arg-type]


@pytest.mark.parametrize("permission", ["folder", "mode", "rule"])
async def test_a_file_with_names_elsewhere_is_asked_about_although_writes_there_pass(
    arena: Arena, permission: str
) -> None:
    """A hard link in the folder may be a file outside of it; the question says so."""
    (arena.work / "innocent.txt").hardlink_to(arena.outside / "theirs.txt")
    if permission == "rule":
        arena.rules.add(Rule(tool="@fs_write", path=f"{arena.work}/*", action=Action.ALLOW, priority=1))
    elif permission == "mode":
        arena.mode(Mode.EDITS)
    else:
        arena.mode(Mode.ASK, writable=(str(arena.work),))
    before = arena.fingerprint()
    attempt = await arena.attempt("edit_file", path="innocent.txt", old_string="two", new_string="TWO")
    assert attempt.ending == "asked"
    assert "hard links" in attempt.question
    assert arena.fingerprint() == before
    assert (await arena.attempt("write_file", path="other.txt", content="x")).ending == "done"
