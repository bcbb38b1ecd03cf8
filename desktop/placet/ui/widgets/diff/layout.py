"""A `FileDiff` as rows: folds, heads and lines, one row a line or wrapped to a width. Pure.

Lines of a normal length cost one number each, so fifty thousand of them are laid out in a few milliseconds; what a
row looks like is worked out when it comes into sight.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.rows import Heights, Strip
from placet.ui.widgets.diff.visible import (
    LONG_LINE,
    TAB,
    VisibleLine,
    cells_at_most,
    changed_span,
    is_plain,
    make_visible,
    wrapped,
    wrapped_plain,
)

FOLD, HEAD = 24, 32


class RowKind(Enum):
    FOLD = "fold"
    HEAD = "head"
    LINE = "line"


class DiffRow(NamedTuple):
    """What stands in a row. A fold belongs to the hunk below it; `line` counts inside the hunk."""

    kind: RowKind
    hunk: int
    line: int = -1


class DiffLayout:
    """Rows of one diff at one width; `width` is in character cells. Made anew for another width or wrapping."""

    def __init__(self, diff: FileDiff, width: int, wrap: bool) -> None:
        self.diff, self._width, self._wrap = diff, max(width, 16), wrap
        self._heads: list[int] = []  # row of each hunk's head
        self._first_lines = list(accumulate((len(hunk.lines) for hunk in diff.hunks), initial=0))
        self._strips: list[list[int] | None] = []  # by hunk: first strip of each line, None where a line is a row
        self.cells = 0
        self.heights = Heights(self._lay_out())
        self.visible = lru_cache(maxsize=2048)(self._visible)
        self._wrapped = lru_cache(maxsize=512)(self._wrap_line)

    @property
    def line_count(self) -> int:
        return self._first_lines[-1]

    @property
    def depends_on_width(self) -> bool:
        return self._wrap or any(strips is not None for strips in self._strips)

    def _lay_out(self) -> list[int]:
        heights: list[int] = []
        one_to_one = self._is_one_to_one()
        for hunk in self.diff.hunks:
            if hunk.unchanged_before:
                heights.append(FOLD)
            self._heads.append(len(heights))
            heights.append(HEAD)
            counts = None if one_to_one else self._counts(hunk)
            self._strips.append(None if counts is None else list(accumulate(counts, initial=0)))
            heights.extend([ROW] * (len(hunk.lines) if counts is None else sum(counts)))
        if self.diff.unchanged_after and self.diff.hunks:
            heights.append(FOLD)
        return heights

    def _is_one_to_one(self) -> bool:
        """Whether each line of the whole diff fits its row: nearly always, and quick to see for all at once."""
        widest = max(_cells_of([line.text for hunk in self.diff.hunks for line in hunk.lines]), default=0)
        if widest > (self._width if self._wrap else LONG_LINE):
            return False
        self.cells = widest
        return True

    def _counts(self, hunk: Hunk) -> list[int] | None:
        """Rows of each line, None if each has one. Looks at single characters only where it must."""
        texts = [line.text for line in hunk.lines]
        limit = self._width if self._wrap else LONG_LINE
        cells = _cells_of(texts)
        self.cells = max(self.cells, max((cell for cell in cells if cell <= limit), default=0))
        if max(cells, default=0) <= limit:
            return None
        pairs = _pairs(hunk.lines) if any(len(text) > LONG_LINE for text in texts) else {}
        return [1 if cell <= limit else self._strip_count(hunk.lines, index, pairs) for index, cell in enumerate(cells)]

    def _strip_count(self, lines: Sequence[DiffLine], index: int, pairs: dict[int, int]) -> int:
        text = lines[index].text
        if len(text) <= LONG_LINE and text.isascii() and text.isprintable():
            return len(wrapped_plain(text, self._width))
        return max(1, len(wrapped(make_visible(lines[index].text, _keep(lines, index, pairs)), self._width)))

    # ---- finding -------------------------------------------------------------------------------------------------

    def row(self, row: int) -> DiffRow:
        hunk = bisect_right(self._heads, row) - 1
        if hunk < 0 or row > self._last_row(hunk):
            return DiffRow(RowKind.FOLD, hunk + 1)
        if row == self._heads[hunk]:
            return DiffRow(RowKind.HEAD, hunk)
        strip, strips = row - self._heads[hunk] - 1, self._strips[hunk]
        return DiffRow(RowKind.LINE, hunk, strip if strips is None else bisect_right(strips, strip) - 1)

    def _last_row(self, hunk: int) -> int:
        strips = self._strips[hunk]
        return self._heads[hunk] + (len(self.diff.hunks[hunk].lines) if strips is None else strips[-1])

    def strip(self, row: int) -> Strip | None:
        return self.strip_of(row, self.row(row))

    def strip_of(self, row: int, place: DiffRow) -> Strip | None:
        """The strip of a row of which one already knows what stands in it."""
        if place.kind is not RowKind.LINE:
            return None
        line = self._first_lines[place.hunk] + place.line
        strips = self._strips[place.hunk]
        count = 1 if strips is None else strips[place.line + 1] - strips[place.line]
        if count == 1:
            return Strip(line, 0, len(self.visible(line).shown))
        assert strips is not None
        start, end = self._wrapped(line)[row - self._heads[place.hunk] - 1 - strips[place.line]]
        return Strip(line, start, end)

    def row_of(self, line: int) -> int:
        hunk, index = self.hunk_of(line)
        strips = self._strips[hunk]
        return self._heads[hunk] + 1 + (index if strips is None else strips[index])

    def hunk_of(self, line: int) -> tuple[int, int]:
        """The hunk of a line and the line's index in it."""
        hunk = bisect_right(self._first_lines, line) - 1
        while hunk >= len(self.diff.hunks) or not self.diff.hunks[hunk].lines:
            hunk -= 1
        return hunk, line - self._first_lines[hunk]

    def hunk_at(self, y: float) -> int:
        """The hunk at `y`; a fold belongs to the hunk above it."""
        return max(0, bisect_right(self._heads, self.heights.row_at(y)) - 1)

    def hunk_span(self, hunk: int) -> tuple[int, int]:
        """Top of a hunk's head and bottom of its last row."""
        return self.heights.top(self._heads[hunk]), self.heights.top(self._last_row(hunk) + 1)

    def lines_of(self, hunk: int) -> range:
        return range(self._first_lines[hunk], self._first_lines[hunk + 1])

    # ---- text ----------------------------------------------------------------------------------------------------

    def line(self, line: int) -> DiffLine:
        hunk, index = self.hunk_of(line)
        return self.diff.hunks[hunk].lines[index]

    def _visible(self, line: int) -> VisibleLine:
        hunk, index = self.hunk_of(line)
        lines = self.diff.hunks[hunk].lines
        if len(lines[index].text) <= LONG_LINE:
            return make_visible(lines[index].text)
        return make_visible(lines[index].text, _keep(lines, index, _pairs(lines)))

    def _wrap_line(self, line: int) -> list[tuple[int, int]]:
        return wrapped(self.visible(line), self._width)

    def sides(self, line: int, window: int) -> tuple[int, Iterator[Sequence[int]]]:
        """The start of the window of lines around `line`, and its lines as the old and as the new text has them."""
        lines = self.lines_of(self.hunk_of(line)[0])
        start = line - (line - lines.start) % window
        inside = range(start, min(start + window, lines.stop))
        drops = [Sign.ADDED, Sign.REMOVED]  # the old side first: context is coloured as the new text has it
        if all(self.line(index).sign is not Sign.REMOVED for index in inside):
            drops.pop(0)
        return start, ([index for index in inside if self.line(index).sign is not drop] for drop in drops)


def _cells_of(texts: Sequence[str]) -> list[int]:
    """A bound of each line's cells; one look at all of them together where they are plain but for tabs."""
    lengths = list(map(len, texts))
    if max(lengths, default=0) <= LONG_LINE:
        joined = "".join(texts)
        if is_plain(joined):
            return lengths
        if is_plain(joined.replace("\t", "")):
            return [length + (TAB - 1) * text.count("\t") for length, text in zip(lengths, texts, strict=True)]
    return [cells_at_most(text) if len(text) <= LONG_LINE else len(text) for text in texts]


def _keep(lines: Sequence[DiffLine], index: int, pairs: dict[int, int]) -> Sequence[tuple[int, int]] | None:
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


def _pairs(lines: Sequence[DiffLine]) -> dict[int, int]:
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
