"""A person's own editor: whatever it does, what it leaves is taken over whole or not at all, and said in words."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from placet.core.domain.errors import UsageError
from placet.headless.editing import edited

TEXT = "one\nzwei ü\n"


@pytest.fixture(autouse=True)
def no_other_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)


def script(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Make a shell script the editor; `$0` is the file."""
    monkeypatch.setenv("EDITOR", shlex.join(["sh", "-c", body]))


async def test_what_was_saved_is_taken_over_with_lf_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, 'printf "a\\r\\nb" > "$0"')
    assert await edited(TEXT, "notes.txt") == "a\nb"


async def test_visual_comes_before_editor_and_words_are_read_as_a_shell_reads_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("VISUAL", 'sh -c \'printf "by visual" > "$0"\'')
    assert await edited(TEXT, "notes.txt") == "by visual"


async def test_what_an_editor_prints_does_not_come_into_the_answer(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script(monkeypatch, 'echo drawn; echo new > "$0"')
    assert await edited(TEXT, "notes.txt") == "new\n"
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "drawn\n")


async def test_the_editor_is_given_the_text_under_the_name_of_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script(monkeypatch, f'cp "$0" {tmp_path}; echo new > "$0"')
    await edited(TEXT, "/somewhere/über uns.md")
    assert (tmp_path / "über uns.md").read_text() == TEXT


@pytest.mark.parametrize("name", ["", "/", "ü" * 300, "語" * 100, "🙂" * 90, "-rf", "a\nb.txt"])
async def test_every_name_can_be_edited(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    script(monkeypatch, 'echo new > "$0"')
    assert await edited(TEXT, name) == "new\n"


async def test_an_emptied_file_is_an_empty_text(monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, ': > "$0"')
    assert await edited(TEXT, "notes.txt") == ""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "ended with code 3. Nothing was taken over"),
        ('echo half > "$0"; exit 1', "ended with code 1. Nothing was taken over"),
        ('echo half > "$0"; kill -KILL $$', "was ended by SIGKILL. Nothing was taken over"),
        ('printf "\\377\\376" > "$0"', "cannot be read"),
        ('rm "$0"', "cannot be read"),
        ('rm "$0"; mkdir "$0"', "cannot be read"),
        (":", "Nothing was changed"),
        ('touch "$0"', "Nothing was changed"),
    ],
)
async def test_what_cannot_be_taken_over_is_said(monkeypatch: pytest.MonkeyPatch, body: str, words: str) -> None:
    script(monkeypatch, body)
    with pytest.raises(UsageError, match=words):
        await edited(TEXT, "notes.txt")


async def test_an_editor_that_returns_at_once_is_told_from_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} -c pass")
    with pytest.raises(UsageError) as told:
        await edited(TEXT, "notes.txt")
    assert "--wait" in told.value.hint


@pytest.mark.parametrize(
    ("editor", "words"),
    [("no-such-editor-anywhere", "cannot be started"), ("/", "cannot be started"), ("'open", "EDITOR is no command")],
)
async def test_an_editor_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch, editor: str, words: str) -> None:
    monkeypatch.setenv("EDITOR", editor)
    with pytest.raises(UsageError, match=words) as told:
        await edited(TEXT, "notes.txt")
    assert "Set EDITOR" in told.value.hint


async def test_without_any_editor_it_is_said_how_to_name_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITOR", " ")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="There is no editor here"):
        await edited(TEXT, "notes.txt")
