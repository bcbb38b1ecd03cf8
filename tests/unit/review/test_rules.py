"""Deciding: order, first match, and that nothing loosens a denial."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.messages import Mode, RunContext
from placet.core.domain.review import Action, DecidedBy, Rule, Verdict
from placet.core.domain.tools import Operation
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy, decide, denies
from placet.core.review.seeds import read_seeds
from placet.core.settings.resources import read_resource
from support.review_fakes import MemoryRules, call_ref, command_of, other_of, read_of, write_of

WORK = Path("/srv/project")
GROUND = Ground(Path("/srv/placet"), Path("/home/me"), ignores_case=False)
SEEDS = read_seeds(read_resource("review.toml"))
POLICY = Policy(GROUND, SEEDS.harmless)


def seeded() -> list[Rule]:
    rules = MemoryRules()
    rules.add(*SEEDS.rules)
    return rules._rules


def decided(operation: Operation, rules: list[Rule] | None = None, mode: Mode = Mode.ASK, **context: object) -> Verdict:
    run = RunContext(workdir=str(WORK), mode=mode, **context)  # type: ignore[arg-type]
    return decide(seeded() if rules is None else rules, call_ref(operation.tool), operation, run, POLICY)


def test_without_any_rule_everything_is_asked() -> None:
    verdict = decided(other_of("anything"), [])
    assert (verdict.action, verdict.by) == (Action.REQUIRE, DecidedBy.DEFAULT)


def test_the_first_fitting_rule_by_priority_then_id_decides() -> None:
    rules = [
        Rule(id=3, priority=5, tool="t", action=Action.ALLOW),
        Rule(id=2, priority=5, tool="t*", action=Action.REQUIRE, note="two"),
        Rule(id=1, priority=9, tool="t", action=Action.ALLOW),
    ]
    verdict = decided(other_of("t"), rules)
    assert (verdict.rule_id, verdict.because) == (2, "rule 2 “two”: ask")


def test_the_groups_rules_come_before_the_default_ones_but_not_before_its_denials() -> None:
    rules = [
        Rule(id=1, priority=1, tool="a", action=Action.REQUIRE),
        Rule(id=2, priority=99, tool="*", action=Action.ALLOW, group="trusted"),
        Rule(id=3, priority=500, tool="b", action=Action.DENY),
        Rule(id=4, priority=0, tool="*", action=Action.DENY, group="other"),
    ]
    assert decided(other_of("a"), rules, group="trusted").rule_id == 2
    assert decided(other_of("b"), rules, group="trusted").rule_id == 3
    assert decided(other_of("a"), rules).rule_id == 1


def test_agent_and_source_narrow_a_rule() -> None:
    rules = [Rule(id=1, agent="other", action=Action.ALLOW), Rule(id=2, source="cli", action=Action.ALLOW)]
    assert decided(other_of("a"), rules).action is Action.REQUIRE


def test_a_rule_with_a_path_never_fits_a_call_without_one() -> None:
    assert decided(other_of("a"), [Rule(id=1, path="/*", action=Action.ALLOW)]).action is Action.REQUIRE


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    "path",
    [
        "/srv/project/.env", "/srv/project/.env.local", "/home/me/.ssh/config", "/home/me/.aws/credentials",
        "/srv/project/key.pem", "/srv/project/id_rsa", "/srv/project/id_ed25519.pub", "/srv/placet/placet.db",
        "/srv/placet/placet.db-wal", "/srv/placet/config.toml", "/srv/placet/secrets/x", "/srv/placet/keys.json",
        "/srv/placet/.keys-1f.tmp",
        "/home/me/.mozilla/firefox/p/logins.json", "/srv/placet/memory/.env",
    ],
)  # fmt: skip
def test_deny_wins_over_every_mode_and_grant(mode: Mode, path: str) -> None:
    """`R-2`"""
    for operation in (read_of(Path(path)), write_of(Path(path), b"")):
        verdict = decided(operation, mode=mode, readable=("/srv", "/home/me/x"), writable=("/srv",))
        assert verdict.action is Action.DENY
        assert verdict.because.endswith(": deny")


@pytest.mark.parametrize("name", [".env.example", "environment.py", "config.toml", "placet.db.md"])
def test_look_alikes_of_secrets_are_not_denied(name: str) -> None:
    assert decided(read_of(WORK / name)).action is Action.ALLOW


def test_the_seeds_let_memory_data_and_harmless_tools_pass() -> None:
    assert decided(write_of(Path("/srv/placet/memory/a.md"), b"")).action is Action.ALLOW
    assert decided(write_of(Path("/srv/placet/data/a.md"), b"")).action is Action.ALLOW
    assert decided(write_of(Path("/srv/placet/memory-secrets/a"), b"")).action is Action.REQUIRE
    assert decided(other_of("write_todos")).action is Action.ALLOW
    assert decided(command_of("ls", WORK)).because.endswith("“commands”: ask")
    assert decided(other_of("unknown_tool")).because.endswith("“everything else”: ask")


def test_ask_for_everything_asks_for_what_rules_and_folders_allow() -> None:
    for operation in (read_of(WORK / "a"), write_of(Path("/srv/placet/memory/a.md"), b"")):
        assert decided(operation, mode=Mode.ASK_ALL).action is Action.REQUIRE


def test_harmless_tools_are_never_asked_about() -> None:
    for tool in SEEDS.harmless:
        assert decided(other_of(tool), mode=Mode.ASK_ALL).action is Action.ALLOW


def test_accepting_edits_concerns_writes_in_the_folder_only() -> None:
    assert decided(write_of(WORK / "a", b""), mode=Mode.EDITS).action is Action.ALLOW
    assert decided(write_of(Path("/srv/project2/a"), b""), mode=Mode.EDITS).action is Action.REQUIRE
    assert decided(command_of("ls", WORK), mode=Mode.EDITS).action is Action.REQUIRE


def test_auto_lets_everything_pass_that_is_not_denied() -> None:
    assert decided(command_of("rm -rf $X", WORK), mode=Mode.AUTO).action is Action.ALLOW
    denied = [Rule(id=1, command=("rm",), action=Action.DENY)]
    assert decided(command_of("rm -rf $X", WORK), denied, mode=Mode.AUTO).action is Action.DENY


def test_the_fast_path_reads_in_the_folder_and_writes_where_it_may() -> None:
    grants = {"readable": ("/opt/r",), "writable": ("/opt/w",)}
    assert decided(read_of(WORK / "docs" / "a"), **grants).by is DecidedBy.FAST_PATH
    assert decided(read_of(Path("/opt/r/a")), **grants).action is Action.ALLOW
    assert decided(read_of(Path("/opt/w/a")), **grants).action is Action.ALLOW
    assert decided(write_of(Path("/opt/w/a"), b""), **grants).action is Action.ALLOW
    assert decided(write_of(Path("/opt/r/a"), b""), **grants).action is Action.REQUIRE
    assert decided(write_of(WORK / "a", b""), **grants).action is Action.REQUIRE
    assert decided(read_of(Path("/opt/read/a")), **grants).action is Action.REQUIRE


@pytest.mark.parametrize("folder", ["/", "/home/me", "/home"])
def test_home_and_root_never_get_the_fast_path(folder: str) -> None:
    run = RunContext(workdir=folder, readable=(folder,), writable=(folder,))
    for operation in (read_of(Path("/home/me/letter")), write_of(Path("/home/me/letter"), b"")):
        assert decide(seeded(), call_ref(), operation, run, POLICY).action is Action.REQUIRE


def test_a_link_out_of_the_folder_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (work / "docs").symlink_to(outside)
    ground = Ground(tmp_path / "placet", tmp_path / "home", ignores_case=False)
    verdict = decide([], call_ref(), read_of(work / "docs" / "a"), RunContext(workdir=str(work)), Policy(ground))
    assert verdict.action is Action.REQUIRE


def test_recursive_reads_learn_what_to_leave_out() -> None:
    """`R-3`"""
    is_denied = denies(seeded(), RunContext(workdir="/home/me"), GROUND)
    assert is_denied(Path("/home/me/.ssh"))
    assert is_denied(Path("/home/me/project/.env"))
    assert not is_denied(Path("/home/me/project"))
    assert not is_denied(Path("/srv/placet/memory/a"))


@pytest.mark.parametrize(
    "rule",
    [
        {"tool": "grep_*"}, {"tool": "read_*"}, {"tool": "write_*", "passes": True}, {"tool": "g*"},
        {"tool": "@fs_read", "agent": "helper"}, {"tool": "*", "source": "mail"}, {"tool": "read_file", "agent": "x"},
        {"tool": "write_file", "passes": True}, {"tool": "@fs_write", "passes": True},
    ],
)  # fmt: skip
def test_recursive_reads_keep_every_denial_of_reading(rule: dict[str, object]) -> None:
    """`R-3`: the call is not known there, so a denial counts whoever and whichever reading tool it is for."""
    passes = rule.pop("passes", False)
    is_denied = denies([Rule(path="/srv/x/*", action=Action.DENY, **rule)], RunContext(), GROUND)  # type: ignore[arg-type]
    assert is_denied(Path("/srv/x/a")) is not passes


@pytest.mark.parametrize("narrow", [{"tool": "read_file"}, {"tool": "*", "agent": "a"}, {"tool": "*", "source": "s"}])
def test_a_permission_for_some_calls_lifts_no_denial_for_recursive_reads(narrow: dict[str, str]) -> None:
    """`R-2`"""
    allow = Rule(id=1, group="g", path="/srv/x/*", action=Action.ALLOW, **narrow)  # type: ignore[arg-type]
    deny = Rule(id=2, group="g", priority=9, path="/srv/x/*", tool="@fs_read", action=Action.DENY)
    assert denies([allow, deny], RunContext(group="g"), GROUND)(Path("/srv/x/a"))


def test_a_denied_name_denies_what_is_below_a_folder_of_that_name() -> None:
    """`R-1`"""
    for path in ("/srv/project/.env/prod", "/srv/project/a/.env/b/c"):
        assert decided(read_of(Path(path)), mode=Mode.AUTO).action is Action.DENY
    allowed = [Rule(id=1, tool="*", path="*.md", action=Action.ALLOW)]
    assert decided(read_of(Path("/else/x.md/secret")), allowed).action is Action.REQUIRE


@pytest.mark.parametrize(
    "path",
    [
        "/srv/project/.git/hooks/pre-commit", "/srv/project/a/.git/config", "/srv/project/.git",
        "/srv/project/placet/agents/a.md", "/srv/project/placet/commands/b", "/srv/project/placet/new.toml",
    ],
)  # fmt: skip
def test_files_of_git_and_of_placet_itself_are_asked_about_in_every_careful_mode(path: str) -> None:
    policy = Policy(Ground(WORK / "placet", Path("/home/me"), ignores_case=False))
    for mode in (Mode.EDITS, Mode.ASK):
        context = RunContext(workdir=str(WORK), writable=(str(WORK),), mode=mode)
        verdict = decide([], call_ref(), write_of(Path(path), b""), context, policy)
        assert (verdict.action, "always asked" in verdict.because) == (Action.REQUIRE, True)


@pytest.mark.parametrize(
    "path", ["placet/memory/a", "placet/data/a", "placet/work/a", ".gitignore", "a.git/x", ".github/x"]
)
def test_other_files_in_the_folder_are_not(path: str) -> None:
    policy = Policy(Ground(WORK / "placet", Path("/home/me"), ignores_case=False))
    context = RunContext(workdir=str(WORK), mode=Mode.EDITS)
    assert decide([], call_ref(), write_of(WORK / path, b""), context, policy).action is Action.ALLOW


@pytest.mark.parametrize("above", [False, True], ids=["itself", "a folder above"])
def test_a_folder_that_became_a_link_grants_nothing(tmp_path: Path, above: bool) -> None:
    """`R-1`: the folder was stored resolved; what a link leads to now is another place."""
    root = tmp_path.resolve()
    work, elsewhere = root / "up" / "work", root / "other" / "work"
    work.mkdir(parents=True)
    elsewhere.mkdir(parents=True)
    policy = Policy(Ground(root / "placet", root / "me", ignores_case=False))
    swapped = work.parent if above else work

    def action(operation: Operation, **context: object) -> Action:
        run = RunContext(**context)  # type: ignore[arg-type]
        return decide([], call_ref(operation.tool), operation, run, policy).action

    def all_actions(place: Path) -> set[Action]:
        return {
            action(write_of(place, b""), workdir=str(work), mode=Mode.EDITS),
            action(write_of(place, b""), writable=(str(work),)),
            action(read_of(place), workdir=str(work)),
            action(read_of(place), readable=(str(work),)),
        }

    assert all_actions(work / "a") == {Action.ALLOW}
    swapped.rename(root / "old")
    swapped.symlink_to(elsewhere.parent if above else elsewhere)
    assert all_actions(elsewhere / "a") == {Action.REQUIRE}
    assert all_actions(work / "a") == {Action.REQUIRE}


def test_two_unicode_forms_of_a_name_share_denials_but_no_permissions() -> None:
    """`R-1`: where the file system tells them apart they are two folders."""
    composed, decomposed = Path("/srv/caf\u00e9"), Path("/srv/cafe\u0301")
    context = RunContext(workdir=str(composed), writable=(str(composed),), mode=Mode.EDITS)
    for operation in (read_of(decomposed / "s"), write_of(decomposed / "s", b"")):
        assert decide([], call_ref(), operation, context, POLICY).action is Action.REQUIRE
        for pattern in (f"{composed}/*", f"{composed}/s", "/srv/*/s"):
            allow = Rule(id=1, tool="*", path=pattern, action=Action.ALLOW)
            assert decide([allow], call_ref(), operation, RunContext(), POLICY).action is Action.REQUIRE
    deny = Rule(id=1, tool="*", path=f"{composed}/*", action=Action.DENY)
    assert decide([deny], call_ref(), read_of(decomposed / "s"), context, POLICY).action is Action.DENY
    assert denies([deny], context, GROUND)(decomposed / "s")


def test_the_seeds_end_in_one_catch_all() -> None:
    last = max(SEEDS.rules, key=lambda rule: rule.priority)
    assert (last.tool, last.action, last.priority) == ("*", Action.REQUIRE, 999_999)
    assert sum(rule.tool == "*" and not rule.path for rule in SEEDS.rules) == 1
