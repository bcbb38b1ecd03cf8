"""The one table of characters that are not seen as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.domain.diff import NoticeLevel
from placet.core.domain.hidden import VisibleStream, find_hidden, find_odd_spaces, token, visible
from placet.core.review.diffing import diff_contents, unified_text
from placet.core.review.facts import command_facts
from placet.ui.widgets.diff.visible import Kind, hidden_count, make_visible

RANGES = [
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0x13430, 0x1343F),
    (0x1D173, 0x1D17A), (0xE0000, 0xE007F), (0xE0100, 0xE01EF), (0xD800, 0xD800), (0xDFFF, 0xDFFF),
]  # fmt: skip
ODD = [0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]


@pytest.mark.parametrize(("first", "last"), RANGES)
def test_every_hidden_character_is_a_token_everywhere(first: int, last: int) -> None:
    """`C02`"""
    for code in range(first, last + 1):
        text = f"a{chr(code)}b"
        assert find_hidden(text) == [(1, chr(code))]
        assert visible(text) == make_visible(text).shown == f"a{token(chr(code))}b"
        assert hidden_count(text) == 1


@pytest.mark.parametrize("code", ODD)
def test_odd_spaces_are_tokens_of_their_own_kind_and_a_fact(code: int) -> None:
    text = f"a{chr(code)}b"
    line = make_visible(text)
    assert (line.shown, [piece.kind for piece in line.pieces][1]) == (f"a{token(chr(code))}b", Kind.SPACE)
    assert (find_hidden(text), find_odd_spaces(text), hidden_count(text)) == ([], [chr(code)], 0)
    diff = diff_contents("a.py", b"x\n", f"{text}\n".encode())
    assert [notice.level for notice in diff.notices] == [NoticeLevel.FACT]
    assert f"{token(chr(code))} × 1" in diff.notices[0].text
    assert f"+a{token(chr(code))}b" in unified_text(diff, colour=False)
    assert visible(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧",
        "🏳\ufe0f\u200d🌈",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "👩🏽\u200d💻",
        "葛\ufe00",
        "☎\ufe0e",
        "©\ufe0f",
    ],
)
def test_a_joiner_or_selector_that_makes_a_picture_hides_nothing(text: str) -> None:
    assert find_hidden(text) == []
    assert visible(text) == make_visible(text).shown == text


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("→\u200dadmin", 1), ("a\u200d😀", 1), ("😀\u200d", 1), ("a\ufe0f\u200d😀", 2), ("😀\ufe0f\ufe01\ufe02", 2),
        ("a\ufe01", 1), ("1\ufe0f", 1), ("\ufe0f", 1), ("\u200d😀", 1),
    ],
)  # fmt: skip
def test_a_joiner_or_selector_elsewhere_is_hidden(text: str, hidden: int) -> None:
    assert len(find_hidden(text)) == hidden_count(text) == hidden


def test_a_command_with_one_is_pointed_out(tmp_path: Path) -> None:
    said = command_facts("echo →\u200dadmin\u3164", tmp_path)
    assert any("2 control or hidden characters" in fact for fact in said)


_PIECES = st.lists(st.text("a1#\u200d\ufe0f\u20e3\u202e😀👩漢↔\U000e0100\n ", max_size=4), max_size=8)


@given(_PIECES)
def test_text_that_arrives_in_pieces_shows_as_the_whole_would(pieces: list[str]) -> None:
    stream = VisibleStream()
    assert "".join(map(stream.feed, pieces)) + stream.flush() == visible("".join(pieces))


def test_only_an_end_that_may_still_change_is_held_back() -> None:
    stream = VisibleStream()
    assert [stream.feed(piece) for piece in ("word", "👩", "\u200d", "💻", " end")] == [
        "word",
        "",
        "",
        "",
        "👩\u200d💻 end",
    ]
