"""`placet run` with nobody at it: what `--approve` lets pass, and what tries to pass with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.arena import fingerprint
from support.placet_process import Program, write_config
from support.wire_server import WireServer, call, text


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    (folder / ".env").write_bytes(b"TOKEN=secret\n")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "theirs.txt").write_bytes(b"one\ntwo\n")
    (folder / "link").symlink_to(outside)
    (folder / "link.txt").symlink_to(outside / "theirs.txt")
    (folder / "hard.txt").hardlink_to(outside / "theirs.txt")
    return folder


@pytest.fixture
def program(tmp_path: Path, server: WireServer) -> Program:
    home = tmp_path / "home"
    write_config(home, server.url)
    return Program(home)


NO_EDIT: dict[str, tuple[str, dict[str, Any]]] = {
    "a command": ("execute_cmd", {"command": "touch evil"}),
    "a command that edits": ("execute_cmd", {"command": "sed -i s/two/evil/ a.txt"}),
    "a file above": ("write_file", {"path": "../outside/evil", "content": "x"}),
    "a file elsewhere": ("write_file", {"path": "/tmp/placet-evil-{tmp}", "content": "x"}),
    "a linked folder": ("write_file", {"path": "link/evil", "content": "x"}),
    "a linked file": ("edit_file", {"path": "link.txt", "old_string": "two", "new_string": "evil"}),
    "a hard-linked file": ("edit_file", {"path": "hard.txt", "old_string": "two", "new_string": "evil"}),
    "a hook of Git": ("write_file", {"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"}),
    "a denied file": ("edit_file", {"path": ".env", "old_string": "TOKEN", "new_string": "evil"}),
    "a file of Placet": ("write_file", {"path": "../home/agents/x/AGENT.md", "content": "x"}),
}


def run(program: Program, server: WireServer, work: Path, policy: str, tool: str, arguments: dict[str, Any]) -> Any:
    arguments = {key: str(value).replace("{tmp}", work.parent.name) for key, value in arguments.items()}
    server.script([call(tool, arguments)], [text("I tried.")])
    return program.call("run", "go", "--workdir", str(work), "--approve", policy, "--output", "events")


def files(work: Path) -> dict[str, tuple[str, ...]]:
    """Of the person; Placet's own database changes with every run."""
    return {path: seen for path, seen in fingerprint(work.parent).items() if "/home/" not in path}


@pytest.mark.parametrize(("tool", "arguments"), NO_EDIT.values(), ids=NO_EDIT)
def test_approve_edits_lets_only_edits_of_the_folder_pass(
    program: Program, server: WireServer, work: Path, tool: str, arguments: dict[str, Any]
) -> None:
    before = files(work)
    ended = run(program, server, work, "edits", tool, arguments)
    assert "tool_rejected" in ended.types, ended.types
    assert files(work) == before
    assert not (program.home / "agents" / "x").exists()
    assert not Path(f"/tmp/placet-evil-{work.parent.name}").exists()


@pytest.mark.parametrize("policy", ["ask", "deny"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("execute_cmd", {"command": "touch evil"}),
        ("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "evil"}),
        ("read_file", {"path": "../outside/theirs.txt"}),
        ("execute_task", {"agent": "generalist", "task": "do the part"}),
    ],
)
def test_where_nobody_answers_nothing_happens(
    program: Program, server: WireServer, work: Path, policy: str, tool: str, arguments: dict[str, Any]
) -> None:
    before = files(work)
    if tool == "execute_task":
        server.script(
            [call(tool, arguments)], [call("write_file", {"path": "a.txt", "content": "evil"})], [text("I tried.")],
            [text("done")],
        )  # fmt: skip
        program.call("run", "go", "--workdir", str(work), "--approve", policy)
    else:
        run(program, server, work, policy, tool, arguments)
    assert files(work) == before
    assert not any(b"one\\ntwo" in request.body for request in server.requests)


@pytest.mark.parametrize("tool", ["read_file", "edit_file", "grep_files"])
def test_r_2_approve_all_approves_nothing_that_is_denied(
    program: Program, server: WireServer, work: Path, tool: str
) -> None:
    arguments: dict[str, Any] = {
        "read_file": {"path": ".env"},
        "edit_file": {"path": ".env", "old_string": "TOKEN", "new_string": "evil"},
        "grep_files": {"pattern": "secre."},
    }[tool]
    before = files(work)
    run(program, server, work, "all", tool, arguments)
    assert files(work) == before
    assert not any(b"TOKEN=secret" in request.body for request in server.requests)
