"""What was typed, told apart from commands: for any text there is exactly one reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.domain.commands import TypedCommand, TypedText, masked, read_typed

SLASHED = st.lists(
    st.sampled_from(["/", "//", "help", "x-1", " ", "\n", "\u00a0", "A", "é", "/usr/bin", "-", "1", "the rest"]),
    max_size=8,
).map("".join)


@pytest.mark.parametrize(
    ("typed", "name", "arguments"),
    [
        ("/help", "help", ""),
        ("  /model  small  model \n", "model", "small  model"),
        ("/review\nthe parser\n  and its tests", "review", "the parser\n  and its tests"),
        ("/commit-message x", "commit-message", "x"),
        ("/title\u00a0New", "title", "New"),
    ],
)
def test_a_first_word_of_a_slash_and_a_name_is_a_command(typed: str, name: str, arguments: str) -> None:
    assert read_typed(typed) == TypedCommand(name, arguments)


@pytest.mark.parametrize(
    "typed",
    [
        "/usr/bin is full",
        "/",
        "/ help",
        "/Help",
        "/1",
        "/-x",
        "/help,",
        "/naïve",
        "// a remark",
        "//usr/bin",
        "say /help",
        "",
        "  ",
    ],
)
def test_every_other_first_word_begins_a_text(typed: str) -> None:
    assert read_typed(typed) == TypedText(typed)


@pytest.mark.parametrize(
    ("typed", "text"), [("//help", "/help"), ("//x and y", "/x and y"), ("///x", "//x"), (" \n//x", " \n/x")]
)
def test_two_slashes_before_a_name_send_one(typed: str, text: str) -> None:
    assert read_typed(typed) == TypedText(text)


@given(st.text() | SLASHED)
def test_any_text_can_be_sent_as_it_is(text: str) -> None:
    assert read_typed(masked(text)) == TypedText(text)


@given(st.text() | SLASHED)
def test_what_is_no_command_needs_no_mask_but_slashes(text: str) -> None:
    assert masked(text) in (text, text.replace("/", "//", 1))
    if isinstance(read_typed(text), TypedCommand):
        assert masked(text) != text


@given(SLASHED)
def test_a_command_keeps_all_that_was_typed_behind_its_name(typed: str) -> None:
    read = read_typed(typed)
    if isinstance(read, TypedCommand):
        assert typed.split(maxsplit=1)[0] == f"/{read.name}"
        assert read.arguments == typed.strip()[1 + len(read.name) :].strip()
