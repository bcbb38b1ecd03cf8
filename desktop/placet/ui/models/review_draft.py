"""What a person did so far with something that waits: hunks skipped and looked at, the text they wrote instead. Pure.

Kept by call: it outlives a proposal's being made anew, because the file changed meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.core.domain.ids import RequestId
from placet.core.domain.review import Amendment, ChosenHunks, EditedCommand, EditedText, ReviewNotes

HunkKey = tuple[object, ...]
LineKey = tuple[int | None, int | None]


class OwnText(msgspec.Struct, frozen=True, kw_only=True):
    """A person's own new side or command, shown and in force. `diff` is None and `facts` say something of a command.

    `yours` are the lines of the diff in which it differs from the proposal, by their numbers on both sides.
    """

    text: str
    diff: FileDiff | None = None
    yours: frozenset[LineKey] = frozenset()
    facts: tuple[str, ...] = ()

    @property
    def first_hunk(self) -> int:
        """The first hunk in which something is the person's."""
        hunks = self.diff.hunks if self.diff is not None else ()
        lines = ((n, (line.old, line.new)) for n, hunk in enumerate(hunks) for line in hunk.lines)
        return next((n for n, key in lines if key in self.yours), 0)


class HunkMarks:
    """What a person did with the hunks of one difference."""

    def __init__(self, current: int = 0, seen: Iterable[int] = (), skipped: Iterable[int] = ()) -> None:
        self.current = current  # the hunk one was at
        self.seen, self.skipped = set(seen), set(skipped)
        self.changed: set[int] = set()  # not in the proposal that was looked at before
        self.in_sight: set[int] = set()

    def decide(self, hunk: int, *, accepted: bool) -> None:
        (self.skipped.discard if accepted else self.skipped.add)(hunk)
        self.look_at(hunk)

    def look_at(self, hunk: int) -> None:
        """This hunk has been looked at: one walked on from it, or decided it."""
        self.seen.add(hunk)
        self.changed.discard(hunk)

    def look_away(self) -> None:
        """One goes to something else: what was in sight has been looked at."""
        for hunk in self.in_sight:
            self.look_at(hunk)
        self.in_sight = set()


class Draft:
    """Of one call. `text` is what stands in the editor, also while it is closed; `own` is what would be approved.

    `notes` are what an earlier run of the program, or the one before of a call that is asked anew, left of it.
    """

    def __init__(self, notes: ReviewNotes | None = None) -> None:
        self._notes = notes or ReviewNotes()
        self.request_id: RequestId | None = None  # the request that `diff` belongs to
        self.diff: FileDiff | None = None
        self.text, self.reason = self._notes.text, self._notes.reason
        self.proposed = ""  # the whole text that the model wants
        self.is_editing = False
        self.own: OwnText | None = None
        self.version = 0  # another one whenever another text is in force
        self._began_with = ""  # what the editor was opened on
        self._before: str | None = None  # `text` as it was then
        self._marks, self._own_marks = HunkMarks(), HunkMarks()

    @property
    def marks(self) -> HunkMarks:
        """Those of the difference that is shown."""
        return self._marks if self.own is None else self._own_marks

    @property
    def shown(self) -> FileDiff | None:
        """The proposal's difference, or that of a person's own text; None of a command."""
        return self.diff if self.own is None else self.own.diff

    def notes(self) -> ReviewNotes:
        """All that is to outlive the program. Hunks chosen in an own text do not: it is not in force then."""
        is_untouched = self.is_editing and self.text == self._began_with
        text = self._before if is_untouched else self.text
        if self.diff is None:
            return msgspec.structs.replace(self._notes, text=text, reason=self.reason)
        marks = self._marks
        seen, skipped = sorted(marks.seen | marks.in_sight), sorted(marks.skipped)
        return ReviewNotes(
            of=self.of if seen or skipped or marks.current else "",
            seen=tuple(seen),
            skipped=tuple(skipped),
            current=marks.current,
            text=text,
            reason=self.reason,
        )

    # ---- the proposal --------------------------------------------------------------------------------------------

    def take(self, request_id: RequestId, diff: FileDiff) -> None:
        """A diff arrived. In one made anew, decisions and marks go with the hunks that are the same; others are new."""
        old, self.diff = self.diff, diff
        if old is None:
            self._marks = _noted_marks(self._notes, diff)
        elif request_id != self.request_id:
            self._carry_over(old, diff)
        self.request_id = request_id

    def _carry_over(self, old: FileDiff, new: FileDiff) -> None:
        marks = self._marks
        marks.look_away()
        before, now = hunk_keys(old), hunk_keys(new)
        known = {key: index for index, key in enumerate(before)}
        places = {known[key]: index for index, key in enumerate(now) if key in known}
        current = places.get(marks.current, min(marks.current, max(0, len(now) - 1)))
        self._marks = HunkMarks(current, _moved(marks.seen, places), _moved(marks.skipped, places))
        self._marks.changed = _moved(marks.changed, places) | {n for n, key in enumerate(now) if key not in known}
        self._put_in_force(None)  # written on the old one; `text` stays, and an open editor stays open

    # ---- hunks ---------------------------------------------------------------------------------------------------

    @property
    def can_choose(self) -> bool:
        return self.shown is not None and self.shown.can_choose

    @property
    def chosen(self) -> tuple[int, ...]:
        count = len(self.shown.hunks) if self.shown is not None else 0
        return tuple(hunk for hunk in range(count) if hunk not in self.marks.skipped)

    @property
    def is_part(self) -> bool:
        """Whether some hunks of what is shown are left out."""
        return self.can_choose and len(self.marks.skipped) > 0

    # ---- a person's own text -------------------------------------------------------------------------------------

    @property
    def must_begin_anew(self) -> bool:
        """Whether the editor opens on what is shown without the hunks that are left out, not on what was typed."""
        typed = self.own.text if self.own is not None else None
        return self.is_part and bool(self.chosen) and self.text == typed

    def open_editor(self, text: str) -> None:
        """On `text`, or on what was typed before."""
        self._before = self.text
        if self.text is None or self.must_begin_anew:
            self.text = text
        self._began_with = self.text
        self.is_editing = True

    def leave_editor(self, text: str) -> None:
        """Nothing of it comes in force. What stood in it is there again, unless it was left as it was opened."""
        self.text = self._before if text == self._began_with else text
        self.is_editing = False

    def show_own(self, own: OwnText) -> None:
        """Put this text in force, with all its hunks."""
        self.is_editing = False
        self._put_in_force(own)

    def drop_own(self) -> None:
        """Back to the proposal; what was written is gone."""
        self.text, self.is_editing = None, False
        self._put_in_force(None)

    def _put_in_force(self, own: OwnText | None) -> None:
        self.own = own
        self.version += 1
        self._own_marks = HunkMarks(own.first_hunk if own is not None else 0)

    # ---- approving -----------------------------------------------------------------------------------------------

    @property
    def of(self) -> str:
        """Which difference of the request was shown."""
        return self.diff.of if self.diff is not None else ""

    @property
    def leaves_nothing(self) -> bool:
        return self.can_choose and not self.chosen

    @property
    def amendment(self) -> Amendment | None:
        """How what is shown differs from the proposal; None where it does not."""
        own = self.own
        if own is None:
            return ChosenHunks(self.chosen, of=self.of) if self.is_part else None
        if own.diff is None:
            return EditedCommand(own.text)
        return EditedText(own.text, self.chosen, of=own.diff.of) if self.is_part else EditedText(own.text)


def _noted_marks(notes: ReviewNotes, diff: FileDiff) -> HunkMarks:
    """Marks hold for the very difference they were made in; of another one, all is news to who looked at that."""
    count = len(diff.hunks)
    if diff.of and notes.of == diff.of:
        inside = range(count)
        seen, skipped = (filter(inside.__contains__, noted) for noted in (notes.seen, notes.skipped))
        return HunkMarks(min(notes.current, max(0, count - 1)), seen, skipped)
    made = HunkMarks()
    if notes.seen:
        made.changed = set(range(count))
    return made


def hunk_keys(diff: FileDiff) -> list[HunkKey]:
    """What makes a hunk the same one in another diff: its changed lines, and which of several alike it is."""
    keys: list[HunkKey] = []
    counts: Counter[HunkKey] = Counter()
    for hunk in diff.hunks:
        changes = tuple((line.sign, line.text) for line in hunk.lines if line.sign is not Sign.SAME)
        counts[changes] += 1
        keys.append((*changes, counts[changes]))
    return keys


def _moved(hunks: Iterable[int], places: dict[int, int]) -> set[int]:
    return {places[hunk] for hunk in hunks if hunk in places}


def own_lines(proposal: FileDiff, own: FileDiff) -> frozenset[LineKey]:
    """The lines of `own` that are not so in `proposal`; both change the same old side.

    Removed and kept lines are compared by their number, added ones by what they say after which old line.
    """
    removed = {line.old for hunk in proposal.hunks for line in hunk.lines if line.sign is Sign.REMOVED}
    added = Counter((after, line.text) for after, line in _added(proposal))
    yours: set[LineKey] = set()
    for after, line in _added(own):
        if added[after, line.text]:
            added[after, line.text] -= 1
        else:
            yours.add((line.old, line.new))
    for line in (line for hunk in own.hunks for line in hunk.lines):
        if line.sign is not Sign.ADDED and (line.old in removed) is not (line.sign is Sign.REMOVED):
            yours.add((line.old, line.new))
    return frozenset(yours)


def _added(diff: FileDiff) -> Iterator[tuple[int, DiffLine]]:
    """Each added line with the number of the old line above it."""
    last = 0
    for hunk in diff.hunks:
        last += hunk.unchanged_before
        for line in hunk.lines:
            if line.old is not None:
                last = line.old
            else:
                yield last, line
