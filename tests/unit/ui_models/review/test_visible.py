"""Hidden characters are written out, and no shortening hides a change."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from placet.ui.widgets.diff.visible import (
    LONG_LINE,
    Kind,
    cells_at_most,
    changed_span,
    columns,
    hidden_count,
    make_visible,
    shown,
    whole_character,
    wrapped,
)

CONTROLS = [chr(n) for n in (*range(9), *range(11, 32), *range(127, 160))]
DIRECTION = ["\u061c", "\u200e", "\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]
ZERO_WIDTH = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"]
FAMILY = "👨\u200d👩\u200d👧\u200d👦"


@pytest.mark.parametrize("char", CONTROLS + DIRECTION + ZERO_WIDTH)
def test_every_hidden_character_is_written_out(char: str) -> None:
    line = make_visible(f"a{char}b")
    assert line.shown == line.plain == f"a<U+{ord(char):04X}>b"
    assert hidden_count(f"a{char}b") == 1


def test_direction_controls_stand_in_logical_order() -> None:
    source = "if access != 'user\u202e \u2066// admin only\u2069 \u2066':"
    assert make_visible(source).shown == "if access != 'user<U+202E> <U+2066>// admin only<U+2069> <U+2066>':"


@pytest.mark.parametrize("text", ["name = 'שלום'  # Hebrew", "naïve", FAMILY, "🏳️\u200d🌈", "日本語"])
def test_ordinary_text_of_any_script_is_shown_as_it_is(text: str) -> None:
    assert make_visible(text).shown == text
    assert hidden_count(text) == 0


def test_names_are_written_out_too() -> None:
    assert shown("report\u202egpj.exe") == "report<U+202E>gpj.exe"
    assert shown("a\r\nb") == "a<U+000D>⏎b"


def test_tabs_become_spaces_to_the_next_stop_and_stay_tabs_in_plain_text() -> None:
    line = make_visible("a\tb\tc")
    assert line.shown == "a   b   c"
    assert line.plain == "a\tb\tc"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=80))
def test_offsets_go_to_the_shown_text_and_back(raw: str) -> None:
    line = make_visible(raw)
    for offset in range(len(raw) + 1):
        assert line.to_raw(line.to_shown(offset)) == offset
    assert not [c for c in line.plain if unicodedata.category(c) == "Cc" and c != "\t"]


@example("\ufe00")
@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=80))
def test_the_quick_bound_of_cells_is_never_too_small(raw: str) -> None:
    assert cells_at_most(raw) >= columns(make_visible(raw).shown)


def test_a_long_line_is_cut_around_its_change_and_tells_the_true_length() -> None:
    old, new = "x," * 500_000, "x," * 500_000 + "y"
    spans = changed_span(old, new)
    assert spans == ((1_000_000, 1_000_000), (1_000_000, 1_000_001))
    line = make_visible(new, [spans[1]])
    assert line.shown.endswith("x,y")
    assert "of 1,000,001 characters" in line.shown
    assert len(line.shown) < 400
    assert line.raw == new


def test_nothing_of_a_change_is_cut_however_long() -> None:
    raw = "a" * 3000 + "b" * 5000 + "c" * 3000
    assert "b" * 5000 in make_visible(raw, [(3000, 8000)]).shown


def test_two_far_changes_are_both_seen_with_a_cut_between() -> None:
    raw = "a" * 2000 + "X" + "a" * 2000 + "Y" + "a" * 2000
    line = make_visible(raw, [(2000, 2001), (4001, 4002)])
    assert "X" in line.shown
    assert "Y" in line.shown
    assert len(list(line.marked(Kind.CUT))) == 3


def test_a_line_of_normal_length_is_never_cut() -> None:
    assert make_visible("a" * LONG_LINE, []).shown == "a" * LONG_LINE


def test_cuts_and_wraps_fall_between_whole_emoji() -> None:
    raw = FAMILY * 715
    line = make_visible(raw, [(0, 0)])
    kept = line.shown.split(" … ")
    assert kept[0].replace(FAMILY, "") == ""
    assert kept[-1].replace(FAMILY, "") == ""
    strips = wrapped(make_visible(raw), 60)
    assert all(raw[start:end].replace(FAMILY, "") == "" for start, end in strips)


def test_flags_and_accents_are_whole_characters() -> None:
    assert whole_character("🇩🇪🇫🇷", 3) == 2
    assert whole_character("🇩🇪🇫🇷", 2) == 2
    assert whole_character("e\u0301x", 1) == 0


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=200), st.integers(16, 60))
def test_wrapped_strips_cover_the_line_in_order(raw: str, width: int) -> None:
    line = make_visible(raw)
    strips = wrapped(line, width)
    assert "".join(line.shown[a:b] for a, b in strips) == line.shown
    for start, end in line.marked(Kind.TOKEN):
        assert any(a <= start and end <= b for a, b in strips)
