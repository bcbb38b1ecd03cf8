"""For any bytes: chosen hunks give the text that just those hunks give, and what nobody touched keeps its bytes.

`PLACET_EXAMPLES` sets the number of examples of each property; the check runs few.
"""

from __future__ import annotations

import os

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from placet.core.domain.diff import FileDiff, Sign
from placet.core.review.choosing import with_hunks, with_text
from placet.core.review.decoding import read_content
from placet.core.review.diffing import diff_contents

EXAMPLES = int(os.environ.get("PLACET_EXAMPLES", "100"))
WORD = st.text(st.sampled_from("ab \té\u202e\u200d👨\r"), max_size=4)
ENDINGS = st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]])
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"])


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    count = draw(st.integers(0, 60))
    return [f"{number}{draw(WORD)}" for number in range(count)]


@st.composite
def edited(draw: st.DrawFn, old: list[str]) -> list[str]:
    """A text with some stretches replaced, far enough from one another to be hunks of their own."""
    new = list(old)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 2))] = [f"new{draw(WORD)}" for _ in range(draw(st.integers(0, 2)))]
    return new


@st.composite
def contents(draw: st.DrawFn) -> tuple[bytes, bytes]:
    old = draw(lines())
    new = draw(edited(old))
    codec = draw(CODECS)
    sides = []
    for side in (old, new):
        kinds = draw(ENDINGS)
        joined = "".join(line + draw(st.sampled_from(kinds)) for line in side)
        if draw(st.booleans()):
            joined = joined.removesuffix("\n").removesuffix("\r")
        sides.append(joined.encode(codec, "replace"))
    return sides[0], sides[1]


def of_hunks(diff: FileDiff, old: list[str], chosen: set[int]) -> list[str]:
    """What a reader of the difference would write down by hand."""
    made: list[str] = []
    at = 0
    for index, hunk in enumerate(diff.hunks):
        made += old[at : at + hunk.unchanged_before]
        at += hunk.unchanged_before
        for line in hunk.lines:
            if line.sign is Sign.ADDED:
                made += [line.text] if index in chosen else []
                continue
            if line.sign is Sign.SAME or index not in chosen:
                made.append(line.text)
            at += 1
    return made + old[at:]


@settings(max_examples=EXAMPLES, deadline=None)
@given(contents(), st.data())
def test_r_5_any_choice_of_hunks_gives_the_text_of_just_those_hunks(
    both: tuple[bytes, bytes], data: st.DataObject
) -> None:
    old, new = both
    diff = diff_contents("a.py", old, new)
    assume(diff.can_choose)
    chosen = data.draw(st.sets(st.sampled_from(range(len(diff.hunks)))))
    made = with_hunks(old, new, chosen)
    if len(chosen) == len(diff.hunks):
        assert made == new
        return
    a, result = read_content(old), read_content(made)
    assert result.lines == of_hunks(diff, a.lines, chosen)
    assert (result.encoding, result.has_mark) == (a.encoding, a.has_mark)
    if not chosen:
        assert made == old


@settings(max_examples=EXAMPLES, deadline=None)
@given(contents(), st.data())
def test_r_7_lines_that_no_chosen_hunk_touches_keep_their_bytes(both: tuple[bytes, bytes], data: st.DataObject) -> None:
    old, new = both
    diff = diff_contents("a.py", old, new)
    assume(diff.can_choose)
    one = data.draw(st.sampled_from(range(len(diff.hunks))))
    a, result = read_content(old), read_content(with_hunks(old, new, {one}))
    changed = [line for line in diff.hunks[one].lines if line.sign is not Sign.SAME]
    removed = sum(line.sign is Sign.REMOVED for line in changed)
    before = sum(hunk.unchanged_before for hunk in diff.hunks[: one + 1])
    before += sum(line.old is not None for hunk in diff.hunks[:one] for line in hunk.lines)
    before += next(n for n, line in enumerate(diff.hunks[one].lines) if line.sign is not Sign.SAME)
    behind = len(a.lines) - before - removed
    same = sum(line.sign is Sign.SAME for line in diff.hunks[one].lines)
    untouched_behind = behind - same  # inside the hunk other lines may lie between its changes
    assert result.endings[: max(before - 1, 0)] == a.endings[: max(before - 1, 0)]
    if untouched_behind > 0:
        assert result.endings[-untouched_behind:] == a.endings[-untouched_behind:]


@settings(max_examples=EXAMPLES, deadline=None)
@given(contents(), st.data())
def test_r_7_a_text_that_was_edited_keeps_the_bytes_of_what_stayed(
    both: tuple[bytes, bytes], data: st.DataObject
) -> None:
    content = read_content(both[1])
    assume(not content.is_guess)
    shown = "\n".join(content.lines) + ("\n" if content.lines and content.ends_with_newline else "")
    assert with_text(content, shown) == both[1]

    after = data.draw(edited(content.lines))
    final = data.draw(st.booleans()) and bool(after)
    assume(after == [] or "\r" not in {line[-1:] for line in after})
    text = "\n".join(after) + ("\n" if final else "")
    made = read_content(with_text(content, text))
    assert made.lines == (after if final or not after or after[-1] else after[:-1])
    assert (made.encoding, made.has_mark) == (content.encoding, content.has_mark) or not text
    if len(set(content.endings) - {""}) == 1 and len(made.lines) > 1:
        assert set(made.endings) - {""} == set(content.endings) - {""}
