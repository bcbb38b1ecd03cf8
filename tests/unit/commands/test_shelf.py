"""Commands as files: what they give, whose wins, and that a broken one stops nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.commands.command_file import UserCommand
from placet.core.commands.shelf import CommandShelf
from placet.core.settings.resources import resources_folder


@pytest.fixture
def shelf(tmp_path: Path) -> CommandShelf:
    return CommandShelf(tmp_path / "shipped", tmp_path / "own")


def _write(root: Path, name: str, content: str | bytes) -> Path:
    file = root / name / "COMMAND.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def test_folders_that_do_not_exist_hold_nothing(shelf: CommandShelf) -> None:
    assert shelf.read() == ({}, [])


def test_settings_between_plus_signs_describe_the_text_below_them(shelf: CommandShelf, tmp_path: Path) -> None:
    content = '+++\r\ndescription = "Say it\\n plainly"\r\narguments = "[text]"\r\ntools = ["read_file"]\r\n+++\r\n\r\nSay {{args}}.\r\n'
    _write(tmp_path / "own", "plain", "\ufeff" + content)
    commands, problems = shelf.read()
    assert problems == []
    assert commands["plain"] == UserCommand(
        name="plain", text="Say {{args}}.", description="Say it plainly", arguments_hint="[text]", tools=("read_file",),
        is_own=True,
    )  # fmt: skip


def test_a_file_without_settings_is_a_command_with_its_first_line_as_description(
    shelf: CommandShelf, tmp_path: Path
) -> None:
    _write(tmp_path / "own", "go", "\nGo on.\nQuickly.\n")
    command = shelf.read()[0]["go"]
    assert (command.text, command.description, command.arguments_hint, command.tools) == (
        "Go on.\nQuickly.",
        "Go on.",
        "",
        None,
    )


def test_no_tools_at_all_is_not_the_same_as_all_tools(shelf: CommandShelf, tmp_path: Path) -> None:
    _write(tmp_path / "own", "think", "+++\ntools = []\n+++\nThink.")
    assert shelf.read()[0]["think"].tools == ()


def test_an_own_command_replaces_the_shipped_one_of_its_name(shelf: CommandShelf, tmp_path: Path) -> None:
    _write(tmp_path / "shipped", "review", "theirs")
    _write(tmp_path / "shipped", "other", "theirs")
    _write(tmp_path / "own", "review", "mine")
    commands, _ = shelf.read()
    assert [(name, each.text, each.is_own) for name, each in commands.items()] == [
        ("other", "theirs", False),
        ("review", "mine", True),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "it has no text to send"),
        ("+++\ndescription = 'x'\n+++\n \n", "it has no text to send"),
        ("+++\ndescription = 'x'\nsay", "no line +++ ends them"),
        ("+++\ndescription = x\n+++\nsay", "no TOML"),
        ("+++\ntools = 'read_file'\n+++\nsay", "tools is no list of names"),
        ("+++\ntools = [1]\n+++\nsay", "tools is no list of names"),
        (b"say \xff", "byte 5 of COMMAND.md is not UTF-8"),
        (b"x" * 300_000, "larger than 256 KB"),
    ],
)
def test_a_broken_file_is_one_sentence_and_takes_no_other_with_it(
    shelf: CommandShelf, tmp_path: Path, content: str | bytes, words: str
) -> None:
    _write(tmp_path / "shipped", "broken", "the shipped one")
    _write(tmp_path / "own", "broken", content)
    _write(tmp_path / "own", "sound", "say")
    commands, problems = shelf.read()
    assert commands["broken"].text == "the shipped one"
    assert commands["sound"].text == "say"
    assert len(problems) == 1
    assert problems[0].startswith("commands/broken: ") and words in problems[0]


def test_a_setting_that_means_nothing_is_told_with_the_nearest_name(shelf: CommandShelf, tmp_path: Path) -> None:
    _write(tmp_path / "own", "go", "+++\ndescripton = 'x'\narguments = 3\n+++\nsay")
    commands, problems = shelf.read()
    assert commands["go"].description == "say"
    assert problems == [
        "commands/go: unknown setting “descripton”; the nearest known name is “description”.",
        "commands/go: arguments is no text; it is left out.",
    ]


@pytest.mark.parametrize("name", ["Go", "1st", "-x", "a_b", "a b", "é"])
def test_a_name_that_cannot_be_typed_is_told(shelf: CommandShelf, tmp_path: Path, name: str) -> None:
    _write(tmp_path / "own", name, "say")
    commands, problems = shelf.read()
    assert commands == {}
    assert len(problems) == 1 and name in problems[0]


def test_a_folder_without_the_file_is_told_and_hidden_ones_are_not_looked_at(
    shelf: CommandShelf, tmp_path: Path
) -> None:
    (tmp_path / "own" / "empty").mkdir(parents=True)
    (tmp_path / "own" / ".git").mkdir()
    (tmp_path / "own" / "notes.txt").write_text("x")
    assert shelf.read() == ({}, ["commands/empty: there is no file COMMAND.md in it; it is ignored."])


def test_what_changes_on_disk_is_there_with_the_next_reading(shelf: CommandShelf, tmp_path: Path) -> None:
    file = _write(tmp_path / "own", "go", "one")
    assert shelf.read()[0]["go"].text == "one"
    file.write_text("two, longer")
    assert shelf.read()[0]["go"].text == "two, longer"
    file.unlink()
    assert shelf.read()[0] == {}


def test_a_file_that_has_not_changed_is_read_once(shelf: CommandShelf, tmp_path: Path) -> None:
    _write(tmp_path / "own", "go", "one")
    assert shelf.read()[0]["go"] is shelf.read()[0]["go"]


def test_arguments_take_the_place_kept_for_them_or_the_end() -> None:
    placed = UserCommand(name="x", text="Say {{args}}, then {{args}} again.")
    assert placed.expand("hi") == "Say hi, then hi again."
    assert placed.expand("") == "Say , then  again."
    assert UserCommand(name="x", text="Go.").expand("fast") == "Go.\n\nfast"
    assert UserCommand(name="x", text="Go.").expand("") == "Go."


@given(st.text(), st.text())
def test_arguments_are_taken_literally(before: str, arguments: str) -> None:
    command = UserCommand(name="x", text=f"{before.replace('{', '')}{{{{args}}}}")
    assert command.expand(arguments) == f"{before.replace('{', '')}{arguments}"


def test_the_shipped_commands_are_sound() -> None:
    commands, problems = CommandShelf(resources_folder() / "commands", Path("/nowhere")).read()
    assert problems == []
    assert list(commands) == ["commit-message", "explain", "review"]
    for command in commands.values():
        assert command.description and command.arguments_hint and command.tools
        assert not any(name.startswith(("write", "edit", "insert", "replace")) for name in command.tools or ())
