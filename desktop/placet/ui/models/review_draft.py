"""What a person did so far with something that waits: hunks skipped and looked at, the text they wrote instead. Pure.

Kept by call: it outlives a proposal's being made anew, because the file changed meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.core.domain.ids import RequestId
from placet.core.domain.review import Amendment, ChosenHunks, EditedCommand, EditedText

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


class Draft:
    """Of one call. `text` is what stands in the editor, also while it is closed; `own` is what would be approved."""

    def __init__(self) -> None:
        self.request_id: RequestId | None = None  # the request that `diff` belongs to
        self.diff: FileDiff | None = None
        self.current = 0  # the hunk one was at
        self.skipped: set[int] = set()
        self.seen: set[int] = set()
        self.changed: set[int] = set()  # not in the proposal that was looked at before
        self.in_sight: set[int] = set()
        self.text: str | None = None
        self.proposed = ""  # the whole text that the model wants
        self.began_with = ""  # what the editor was opened on
        self.is_editing = False
        self.own: OwnText | None = None

    # ---- the proposal --------------------------------------------------------------------------------------------

    def take(self, request_id: RequestId, diff: FileDiff) -> None:
        """A diff arrived. In one made anew, decisions and marks go with the hunks that are the same; others are new."""
        old, self.diff = self.diff, diff
        if old is not None and request_id != self.request_id:
            self._carry_over(old, diff)
        self.request_id = request_id

    def _carry_over(self, old: FileDiff, new: FileDiff) -> None:
        self.look_away()
        before, now = hunk_keys(old), hunk_keys(new)
        known = {key: index for index, key in enumerate(before)}
        places = {known[key]: index for index, key in enumerate(now) if key in known}
        self.skipped = _moved(self.skipped, places)
        self.seen = _moved(self.seen, places)
        self.changed = _moved(self.changed, places) | {n for n, key in enumerate(now) if key not in known}
        self.current = places.get(self.current, min(self.current, max(0, len(now) - 1)))
        self.own = None  # written on the old one; `text` stays, and an open editor stays open

    # ---- hunks ---------------------------------------------------------------------------------------------------

    @property
    def can_choose(self) -> bool:
        return self.diff is not None and self.diff.can_choose and self.own is None

    @property
    def chosen(self) -> tuple[int, ...]:
        count = len(self.diff.hunks) if self.diff is not None else 0
        return tuple(hunk for hunk in range(count) if hunk not in self.skipped)

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
        if self.own is not None:
            return EditedCommand(self.own.text) if self.own.diff is None else EditedText(self.own.text)
        if not self.can_choose or not self.skipped:
            return None
        return ChosenHunks(self.chosen, of=self.of)


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
