"""What a person did with a proposal, and what of it holds for the next one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placet.core.domain.ids import RequestId
from placet.core.domain.review import ChosenHunks
from placet.core.review.diffing import diff_contents
from placet.ui.models.review_draft import Draft, OwnText, own_lines
from support.review_samples import file_diff, hunk

ONE, TWO = RequestId("one"), RequestId("two")
SAME_TWICE = file_diff(hunk(10, ("a", "b")), hunk(30, ("a", "b")), hunk(50, ("c", "d")), can_choose=True)

lines = st.lists(st.sampled_from(["a", "b", "c", "", "x\r", "\u202e"]), max_size=24).map(
    lambda found: "".join(f"{line}\n" for line in found)
)


def draft_of(diff, request: RequestId = ONE) -> Draft:
    made = Draft()
    made.take(request, diff)
    return made


def test_of_two_hunks_alike_only_the_one_meant_is_skipped_in_a_proposal_made_anew() -> None:
    draft = draft_of(SAME_TWICE)
    draft.marks.decide(1, accepted=False)
    draft.take(TWO, file_diff(hunk(12, ("a", "b")), hunk(33, ("a", "b")), hunk(54, ("c", "e")), can_choose=True))
    assert (draft.marks.skipped, draft.marks.changed) == ({1}, {2})
    assert draft.amendment == ChosenHunks((0, 2))


def test_a_hunk_that_changed_is_as_the_others_once_it_was_looked_at() -> None:
    draft = draft_of(SAME_TWICE)
    draft.take(TWO, file_diff(hunk(10, ("a", "z")), can_choose=True))
    assert draft.marks.changed == {0}
    draft.marks.look_at(0)
    assert (draft.marks.changed, draft.marks.seen) == (set(), {0})


def test_an_own_text_is_not_in_force_for_a_proposal_made_anew() -> None:
    draft = draft_of(SAME_TWICE)
    draft.text = "mine"
    draft.show_own(OwnText(text="mine", diff=SAME_TWICE))
    draft.take(TWO, SAME_TWICE)
    assert (draft.own, draft.text) == (None, "mine")


@given(lines, lines, lines)
def test_the_own_lines_are_those_that_differ_from_the_proposal(old: str, new: str, own: str) -> None:
    proposal, mine = (diff_contents("a.txt", old.encode(), side.encode()) for side in (new, own))
    assert own_lines(proposal, proposal) == frozenset()
    if own != new:
        known = {(line.old, line.new) for hunk in mine.hunks for line in hunk.lines}
        assert own_lines(proposal, mine) <= known
