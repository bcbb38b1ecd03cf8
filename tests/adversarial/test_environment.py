"""Placet's own secrets, from the commands that it runs and the files that it reads (`R-2`)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from placet.core.domain.messages import Mode
from placet.core.domain.model_calls import Dialect, Provider
from placet.core.providers.keys import USUAL_VARIABLES, KeyRing, secret_variables
from support.arena import Arena

KEY = "sk-this-is-the-key-of-the-person"

READERS = {
    "the environment": "env; printenv; set",
    "the variable": 'echo "$PLACET_TEST_KEY"',
    "the variable by name": 'printenv PLACET_TEST_KEY; awk "BEGIN { print ENVIRON[\\"PLACET_TEST_KEY\\"] }"',
    "its own process": "tr '\\0' '\\n' </proc/self/environ",
    "a child of its own": "sh -c 'env' ; python3 -c 'import os; print(dict(os.environ))'",
    "the variable in small letters": "env | grep -i placet_test_key",
    "a session of its own": "setsid env",
}


@pytest.mark.parametrize("command", READERS.values(), ids=READERS)
async def test_a_command_gets_no_key_of_placet(arena: Arena, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("PLACET_TEST_KEY", KEY)
    arena.mode(Mode.AUTO)
    attempt = await arena.attempt("execute_cmd", command=command)
    assert attempt.ending == "done"
    assert KEY not in attempt.told


async def test_a_name_in_another_case_is_removed_too(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("placet_Test_key", KEY)
    arena.mode(Mode.AUTO)
    assert KEY not in (await arena.attempt("execute_cmd", command="env")).told


@pytest.mark.parametrize("name", sorted(USUAL_VARIABLES))
def test_every_usual_key_and_every_declared_one_is_a_secret(name: str) -> None:
    declared = Provider(name="p", type=Dialect.OPENAI, api_key_env="MY_OWN")
    assert {name, "MY_OWN"} <= secret_variables([declared])


# The program becomes somebody whom the modes of files concern, as every user is, and only then runs commands.
AS_A_USER = """
import asyncio, os, subprocess, sys
from pathlib import Path
from placet.core.domain.messages import Mode
from placet.core.review.commands import read_command
from support.arena import Arena
import ctypes
import encodings.idna, placet.core.tools.own_process

async def main():
    arena = Arena(Path(sys.argv[1]))
    os.environ.pop("SHELL", None)
    arena.mode(Mode.AUTO)
    read_command("ls")  # everything is loaded before: a user may not read this project
    os.chdir("/")
    os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a process is that was this user from its start
    print("before:", subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], capture_output=True).stdout)
    for command in sys.argv[2:]:
        print("told:", (await arena.attempt("execute_cmd", command=command)).told)
    await arena.aclose()

asyncio.run(main())
"""


@pytest.mark.skipif(os.geteuid() != 0 or not sys.platform.startswith("linux"), reason="needs root, to become a user")
def test_a_command_cannot_look_into_the_process_that_runs_it() -> None:
    """Neither by its environment in `/proc`, nor by its memory, nor by the files that it has open."""
    commands = [
        "cat /proc/$PPID/environ",
        "tr '\\0' '\\n' < /proc/$PPID/environ",
        "cat /proc/[0-9]*/environ",
        "grep -a KEY /proc/$PPID/mem; ls -l /proc/$PPID/fd",
    ]
    environment = {**os.environ, "PLACET_TEST_KEY": KEY, "PYTHONPATH": os.pathsep.join(sys.path)}
    with tempfile.TemporaryDirectory() as open_to_all:
        Path(open_to_all).chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-B", "-c", AS_A_USER, open_to_all, *commands],
            capture_output=True,
            text=True,
            check=False,
            umask=0,
            env=environment,
        )
    assert done.returncode == 0, done.stderr
    before, _, told = done.stdout.partition("told:")
    assert KEY in before, "the attempt itself must be able to succeed"
    assert KEY not in told
    assert told.count("ermission denied") >= 3


@pytest.mark.parametrize("name", ["keys.json", "secrets/token-file", "config.toml", "placet.db", "placet.db-wal", "backups/old.db", ".keys-1234.tmp"])  # fmt: skip
@pytest.mark.parametrize("way", ["read_file", "grep_files", "list_files", "write_file", "execute_cmd"])
async def test_the_files_of_placet_itself_are_out_of_reach(arena: Arena, name: str, way: str) -> None:
    """For tools denied, for commands asked about, also where all else passes."""
    arena.mode(Mode.AUTO)
    path = arena.placet / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(KEY)
    before = arena.fingerprint()
    arguments = {
        "read_file": {"path": str(path)},
        "grep_files": {"path": str(arena.placet), "pattern": "sk-"},
        "list_files": {"path": str(arena.placet), "depth": 5},
        "write_file": {"path": str(path), "content": "x"},
        "execute_cmd": {"command": f"cat '{path}'"},
    }[way]
    attempt = await arena.attempt(way, **arguments)
    assert attempt.ending == {"execute_cmd": "asked", "grep_files": "done", "list_files": "done"}.get(way, "denied")
    assert KEY not in attempt.told
    assert path.name not in attempt.told or way in ("read_file", "write_file")
    assert arena.fingerprint() == before


async def test_a_key_is_in_no_file_that_others_may_read(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path, environ={})
    await ring.store("provider", KEY)
    assert (tmp_path / "keys.json").stat().st_mode & 0o077 == 0
    assert KEY not in repr(ring)


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/mem", "/proc/self/maps", "/proc/self/fd", "/proc/thread-self/environ", "/dev/mem", "/dev/stdin", "/proc/kcore"])  # fmt: skip
@pytest.mark.parametrize("tool", ["read_file", "grep_files"])
async def test_a_tool_reads_no_key_out_of_its_own_process(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, tool: str, path: str
) -> None:
    monkeypatch.setenv("PLACET_TEST_KEY", KEY)
    arena.mode(Mode.AUTO)
    arguments = {"pattern": "sk-"} if tool == "grep_files" else {}
    attempt = await arena.attempt(tool, path=path, **arguments)
    assert KEY not in attempt.told
