"""`R-9` where a file moved on: what both sides changed apart is all in the result, in any encoding, byte for byte."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.core.domain.undo import Keep, RegionKind
from placet.core.review.three_way import merge

FORMS = st.sampled_from(
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("latin-1", b""),
    ]
)
ENDINGS = st.sampled_from(["\n", "\r\n"])
BASE = st.lists(st.text("abé ", max_size=4), min_size=9, max_size=20).map(
    lambda lines: [f"{number} {line}" for number, line in enumerate(lines)]
)
NEW = st.lists(st.text("xyzü", min_size=1, max_size=4), max_size=3)
ANY = st.one_of(st.none(), st.binary(max_size=40), st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d"])).map(
    lambda lines: "".join(lines).encode()
))  # fmt: skip


def as_bytes(lines: Sequence[str], ending: str, form: tuple[str, bytes], *, last: bool = True) -> bytes:
    codec, mark = form
    text = ending.join(lines) + (ending if last and lines else "")
    return mark + text.encode(codec)


def replaced(lines: list[str], at: int, new: list[str]) -> list[str]:
    return lines[:at] + new + lines[at + 1 :]


@settings(max_examples=300, deadline=None)
@given(BASE, NEW, NEW, FORMS, ENDINGS, st.data())
def test_r_9_changes_in_different_places_are_both_in_the_result(
    base: list[str], ours: list[str], others: list[str], form: tuple[str, bytes], ending: str, data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(base) - 4))
    second = data.draw(st.integers(first + 3, len(base) - 1))
    ours_first = data.draw(st.booleans())
    mine, theirs_at = (first, second) if ours_first else (second, first)
    undone, theirs = replaced(base, mine, ours), replaced(base, theirs_at, others)
    low, high = (ours, others) if ours_first else (others, ours)
    both = base[:first] + low + base[first + 1 : second] + high + base[second + 1 :]

    found = merge(*(as_bytes(side, ending, form) for side in (base, undone, theirs)))

    assert (found.conflicts, found.is_whole) == (0, False)
    assert found.content == as_bytes(both, ending, form)


@settings(max_examples=200, deadline=None)
@given(BASE, NEW, FORMS, st.data())
def test_line_endings_and_mark_that_others_changed_stay_while_ours_is_undone(
    base: list[str], ours: list[str], form: tuple[str, bytes], data: st.DataObject
) -> None:
    undone = replaced(base, data.draw(st.integers(0, len(base) - 1)), ours)

    found = merge(as_bytes(base, "\n", form), as_bytes(undone, "\n", form), as_bytes(base, "\r\n", form))

    if form[0] == "latin-1" and any(ord(char) > 127 for line in base + undone for char in line):
        return  # bytes of no known encoding are compared as they are
    assert (found.conflicts, found.content) == (0, as_bytes(undone, "\r\n", form))


@settings(max_examples=500, deadline=None)
@given(ANY, ANY, ANY)
def test_r_9_no_side_is_lost_and_what_nobody_else_touched_is_exactly_undone(
    base: bytes | None, undone: bytes | None, theirs: bytes | None
) -> None:
    assert merge(base, undone, base).content == undone
    assert merge(base, base, theirs).content == theirs

    found = merge(base, undone, theirs)
    if found.conflicts:
        choices = found.conflicts
        assert merge(base, undone, theirs, [Keep.THEIRS] * choices).content == found.content
        assert all(r.choice is None for r in found.regions if r.kind is RegionKind.CONFLICT)
    if found.is_whole:
        assert merge(base, undone, theirs, [Keep.UNDONE]).content == undone
        assert found.content == theirs


@settings(max_examples=200, deadline=None)
@given(BASE, NEW.filter(bool), NEW.filter(bool), st.data())
def test_a_conflict_is_decided_by_the_person_and_writes_no_marks(
    base: list[str], ours: list[str], others: list[str], data: st.DataObject
) -> None:
    if ours == others:
        return
    at = data.draw(st.integers(0, len(base) - 1))
    form = ("utf-8", b"")
    sides = [as_bytes(side, "\n", form) for side in (base, replaced(base, at, ours), replaced(base, at, others))]
    for keep, lines in ((Keep.THEIRS, others), (Keep.UNDONE, ours)):
        found = merge(*sides, [keep])
        assert found.conflicts == 1
        assert found.content == as_bytes(base[:at] + lines + base[at + 1 :], "\n", form)
    both = merge(*sides, [Keep.BOTH]).content or b""
    assert both == as_bytes(base[:at] + others + ours + base[at + 1 :], "\n", form)


@pytest.mark.parametrize(
    ("base", "undone", "theirs"),
    [(b"a\0b", b"c\0d", b"e\0f"), (b"a", None, b"b"), (b"a", b"b", None), (None, b"a", b"b")],
)
def test_what_cannot_be_compared_by_lines_is_one_choice_between_whole_files(
    base: bytes | None, undone: bytes | None, theirs: bytes | None
) -> None:
    found = merge(base, undone, theirs)
    assert (found.conflicts, found.is_whole, found.content) == (1, True, theirs)
    assert found.note


def test_both_sides_of_a_last_line_without_an_ending_stay_two_lines() -> None:
    assert merge(b"a\nx", b"a\ny", b"a\nz", [Keep.BOTH]).content == b"a\nz\ny"
