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


def test_the_seeds_end_in_one_catch_all() -> None:
    last = max(SEEDS.rules, key=lambda rule: rule.priority)
    assert (last.tool, last.action, last.priority) == ("*", Action.REQUIRE, 999_999)
    assert sum(rule.tool == "*" and not rule.path for rule in SEEDS.rules) == 1
