"""`placet run` at a terminal, and what a person does in their own editor before they decide (`R-5`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.placet_process import Program, write_config
from support.wire_server import WireServer, call, text


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    return folder


@pytest.fixture
def program(tmp_path: Path, server: WireServer) -> Program:
    home = tmp_path / "home"
    write_config(home, server.url)
    return Program(home, {"VISUAL": ""})


def edit_script() -> list[list[object]]:
    return [
        [text("I read it. "), call("read_file", {"path": "a.txt"})],
        [text("Two becomes 2. "), call("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "2"})],
        [text("It is ", "done.")],
    ]


@pytest.mark.parametrize(("editor", "written"), [("sed -i s/2/II/", "one\nII\n"), ("false", "one\n2\n")])
def test_a_person_at_a_terminal_edits_in_their_own_editor(
    program: Program, server: WireServer, work: Path, editor: str, written: str
) -> None:
    server.script(*edit_script())
    program.extra["EDITOR"] = editor
    shown, code = program.at_terminal(
        "run", "change it", "--workdir", str(work), answers={"reason: ": "e\n"}, in_turn=["y\n"]
    )
    assert code == 0
    assert (work / "a.txt").read_text() == written
    assert ("Nothing was taken over" in shown) is (editor == "false")
    assert shown.count("Allow it?") == 2


def test_a_person_at_a_terminal_edits_a_command(program: Program, server: WireServer, work: Path) -> None:
    server.script([call("execute_cmd", {"command": "echo one > log"})], [text("ok")])
    program.extra["EDITOR"] = "sed -i s/one/two/"
    shown, code = program.at_terminal("run", "go", "--workdir", str(work), answers={"reason: ": "e\n"}, in_turn=["y\n"])
    assert code == 0
    assert "$ echo two > log" in shown
    assert (work / "log").read_text() == "two\n"


def test_what_is_unusual_about_an_edited_command_is_said_before_it_runs(
    program: Program, server: WireServer, work: Path
) -> None:
    """What is asked about is the command as it was edited, with its own facts, and a no runs neither."""
    server.script([call("execute_cmd", {"command": "echo one > log"})], [text("ok")])
    program.extra["EDITOR"] = "sed -i 's/.*/sudo touch ran; rm -r log/'"
    shown, code = program.at_terminal("run", "go", "--workdir", str(work), answers={"reason: ": "e\n"}, in_turn=["n\n"])
    first, second = shown.split("Allow it?")[:2]
    assert code == 0
    assert "sudo" not in first
    assert "$ sudo touch ran; rm -r log" in second
    facts = [line.strip() for line in second.splitlines() if line.startswith("! ")]
    assert any("sudo" in fact for fact in facts) and any("rm with -r" in fact for fact in facts), facts
    assert not (work / "log").exists() and not (work / "ran").exists()


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("no-such-editor", "cannot be started"),
        ("sh -c 'kill -KILL $$'", "was ended by SIGKILL"),
        ("true", "Nothing was changed"),
        ('sh -c \'printf "\\377" > "$0"\'', "cannot be read"),
        ("sh -c ': > \"$0\"'", "the command is empty"),
    ],
)
def test_a_command_that_an_editor_left_in_no_good_state_is_asked_about_as_it_was(
    program: Program, server: WireServer, work: Path, editor: str, words: str
) -> None:
    server.script([call("execute_cmd", {"command": "echo one > log"})], [text("ok")])
    program.extra["EDITOR"] = editor
    shown, code = program.at_terminal("run", "go", "--workdir", str(work), answers={"reason: ": "e\n"}, in_turn=["y\n"])
    assert code == 0
    assert words in shown
    assert shown.count("$ echo one > log") == 2
    assert (work / "log").read_text() == "one\n"
    assert "changed your command" not in server.requests[1].json["messages"][-1]["content"]


def test_a_write_that_was_emptied_in_the_editor_is_shown_so_before_it_is_written(
    program: Program, server: WireServer, work: Path
) -> None:
    server.script(*edit_script())
    program.extra["EDITOR"] = "sh -c ': > \"$0\"'"
    shown, code = program.at_terminal(
        "run", "change it", "--workdir", str(work), answers={"reason: ": "e\n"}, in_turn=["n\n"]
    )
    assert code == 0
    assert "-one" in shown.split("Allow it?")[1]
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
