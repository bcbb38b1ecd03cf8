"""The lines of a diff counted through all its hunks, and how each is shown. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.ui.widgets.diff.visible import LONG_LINE, VisibleLine, changed_span, make_visible


class DiffLines:
    """Texts of one diff by line. What a line looks like is worked out when it comes into sight."""

    def __init__(self, diff: FileDiff) -> None:
        self.diff = diff
        self._first_lines = list(accumulate((len(hunk.lines) for hunk in diff.hunks), initial=0))
        self.visible = lru_cache(maxsize=2048)(self._visible)

    @property
    def line_count(self) -> int:
        return self._first_lines[-1]

    def hunk_of(self, line: int) -> tuple[int, int]:
        """The hunk of a line and the line's index in it."""
        hunk = bisect_right(self._first_lines, line) - 1
        while hunk >= len(self.diff.hunks) or not self.diff.hunks[hunk].lines:
            hunk -= 1
        return hunk, line - self._first_lines[hunk]

    def lines_of(self, hunk: int) -> range:
        return range(self._first_lines[hunk], self._first_lines[hunk + 1])

    def line(self, line: int) -> DiffLine:
        hunk, index = self.hunk_of(line)
        return self.diff.hunks[hunk].lines[index]

    def _visible(self, line: int) -> VisibleLine:
        hunk, index = self.hunk_of(line)
        lines = self.diff.hunks[hunk].lines
        if len(lines[index].text) <= LONG_LINE:
            return make_visible(lines[index].text)
        return make_visible(lines[index].text, keep_of(lines, index, pairs_of(lines)))

    def sides(self, line: int, window: int) -> tuple[int, Iterator[Sequence[int]]]:
        """The start of the window of lines around `line`, and its lines as the old and as the new text has them."""
        lines = self.lines_of(self.hunk_of(line)[0])
        start = line - (line - lines.start) % window
        inside = range(start, min(start + window, lines.stop))
        drops = [Sign.ADDED, Sign.REMOVED]  # the old side first: context is coloured as the new text has it
        if all(self.line(index).sign is not Sign.REMOVED for index in inside):
            drops.pop(0)
        return start, ([index for index in inside if self.line(index).sign is not drop] for drop in drops)


def keep_of(lines: Sequence[DiffLine], index: int, pairs: dict[int, int]) -> Sequence[tuple[int, int]] | None:
    """What of a long line must be seen. A line without a counterpart is all change and is kept whole."""
    line = lines[index]
    if line.sign is Sign.SAME:
        return ()
    if index not in pairs:
        return None
    if line.marks:
        return line.marks
    old, new = (index, pairs[index]) if line.sign is Sign.REMOVED else (pairs[index], index)
    spans = changed_span(lines[old].text, lines[new].text)
    return (spans[0] if line.sign is Sign.REMOVED else spans[1],)


def pairs_of(lines: Sequence[DiffLine]) -> dict[int, int]:
    """Each removed line with the added line that stands for it, and the other way round."""
    found: dict[int, int] = {}
    removed: list[int] = []
    added = 0
    for index, line in enumerate(lines):
        if line.sign is Sign.REMOVED:
            if added:
                removed, added = [], 0
            removed.append(index)
        elif line.sign is Sign.ADDED and added < len(removed):
            found[index], found[removed[added]] = removed[added], index
            added += 1
        elif line.sign is Sign.SAME:
            removed, added = [], 0
    return found
