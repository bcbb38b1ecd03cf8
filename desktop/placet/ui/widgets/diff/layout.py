"""A `FileDiff` as rows: folds, heads and lines, one row a line or wrapped to a width, or both sides beside each other.

Pure. Lines of a normal length cost one number each, so fifty thousand of them are laid out in a few milliseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from placet.core.domain.diff import DiffLine, FileDiff
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.lines import DiffLines, keep_of, pairs_of
from placet.ui.widgets.diff.pairing import Pairs
from placet.ui.widgets.diff.rows import Heights, Strip
from placet.ui.widgets.diff.visible import (
    LONG_LINE,
    TAB,
    cells_at_most,
    make_visible,
    not_plain,
    twice_at_most,
    wrapped,
    wrapped_plain,
)

FOLD, HEAD = 24, 32


class RowKind(Enum):
    FOLD = "fold"
    HEAD = "head"
    LINE = "line"


class DiffRow(NamedTuple):
    """What stands in a row. A fold belongs to the hunk below it.

    `line` counts inside the hunk; side by side it counts the pairs that stand in one row.
    """

    kind: RowKind
    hunk: int
    line: int = -1


class DiffLayout(DiffLines):
    """Rows of one diff at one width; `width` is in character cells of a column. Made anew for another width."""

    def __init__(self, diff: FileDiff, width: int, wrap: bool, *, split: bool = False) -> None:
        super().__init__(diff)
        self._width, self._wrap, self.is_split = max(width, 16), wrap, split
        self._heads: list[int] = []  # row of each hunk's head
        self._pairs: list[Pairs] = [Pairs(hunk.lines) for hunk in diff.hunks] if split else []
        self._strips: list[list[int] | None] = []  # by hunk: first strip of each line or pair, None where each is a row
        self.cells = 0
        self.heights = Heights(self._lay_out())
        self._wrapped = lru_cache(maxsize=512)(self._wrap_line)

    @property
    def depends_on_width(self) -> bool:
        return self._wrap or any(strips is not None for strips in self._strips)

    def _lay_out(self) -> list[int]:
        heights: list[int] = []
        texts = [line.text for hunk in self.diff.hunks for line in hunk.lines]
        cells = _Cells(texts)
        limit = self._width if self._wrap else LONG_LINE
        one_to_one = cells.widest <= limit  # nearly always, and quick to see for all lines at once
        self.cells = cells.widest if one_to_one else 0
        for index, hunk in enumerate(self.diff.hunks):
            if hunk.unchanged_before:
                heights.append(FOLD)
            self._heads.append(len(heights))
            heights.append(HEAD)
            counts = None if one_to_one else self._counts(index, texts, cells)
            if counts is not None and self.is_split:
                counts = self._pairs[index].highest(counts)
            self._strips.append(None if counts is None else list(accumulate(counts, initial=0)))
            heights.extend([ROW] * (self._length(index) if counts is None else sum(counts)))
        if self.diff.unchanged_after and self.diff.hunks:
            heights.append(FOLD)
        return heights

    def _length(self, hunk: int) -> int:
        """How many rows a hunk has while each line or pair takes one."""
        return len(self._pairs[hunk]) if self.is_split else len(self.diff.hunks[hunk].lines)

    def _counts(self, hunk: int, texts: Sequence[str], all_cells: _Cells) -> list[int] | None:
        """Rows of each line of a hunk, None if each has one. Looks at single characters only where it must."""
        lines = self.lines_of(hunk)
        mine, cells = texts[lines.start : lines.stop], all_cells.of_lines[lines.start : lines.stop]
        limit, widest = self._width if self._wrap else LONG_LINE, max(cells, default=0)
        if widest <= limit:
            self.cells = max(self.cells, widest)
            return None
        self.cells = max(self.cells, max((cell for cell in cells if cell <= limit), default=0))
        if all_cells.is_plain and self._wrap and widest <= LONG_LINE:
            two = twice_at_most(self._width)
            return [
                1 if cell <= limit else 2 if cell <= two else len(wrapped_plain(text, limit))
                for cell, text in zip(cells, mine, strict=True)
            ]
        signed = self.diff.hunks[hunk].lines
        pairs = pairs_of(signed) if any(len(text) > LONG_LINE for text in mine) else {}
        return [1 if cell <= limit else self._strip_count(signed, index, pairs) for index, cell in enumerate(cells)]

    def _strip_count(self, lines: Sequence[DiffLine], index: int, pairs: dict[int, int]) -> int:
        text = lines[index].text
        if len(text) <= LONG_LINE and text.isascii() and text.isprintable():
            return len(wrapped_plain(text, self._width))
        return max(1, len(wrapped(make_visible(lines[index].text, keep_of(lines, index, pairs)), self._width)))

    def _wrap_line(self, line: int) -> list[tuple[int, int]]:
        return wrapped(self.visible(line), self._width)

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
        return self._heads[hunk] + (self._length(hunk) if strips is None else strips[-1])

    def line_in(self, place: DiffRow, side: int) -> int:
        """The line of a row on one side, counted inside its hunk; -1 where there is none."""
        return self._pairs[place.hunk].line_at(place.line, side) if self.is_split else place.line

    def strip(self, row: int, side: int = 0) -> Strip | None:
        return self.strip_of(row, self.row(row), side)

    def strip_of(self, row: int, place: DiffRow, side: int = 0) -> Strip | None:
        """The strip of a row of which one already knows what stands in it."""
        if place.kind is not RowKind.LINE or (inside := self.line_in(place, side)) < 0:
            return None
        line = self._first_lines[place.hunk] + inside
        strips = self._strips[place.hunk]
        if strips is None or strips[place.line + 1] - strips[place.line] == 1:
            return Strip(line, 0, len(self.visible(line).shown))
        parts, part = self._wrapped(line), row - self._heads[place.hunk] - 1 - strips[place.line]
        return Strip(line, *parts[part]) if part < len(parts) else None

    def rows_of(self, line: int) -> range:
        hunk, index = self.hunk_of(line)
        strips, first = self._strips[hunk], self._heads[hunk] + 1
        entry = self._pairs[hunk].row_of(index) if self.is_split else index
        if strips is None:
            return range(first + entry, first + entry + 1)
        return range(first + strips[entry], first + strips[entry + 1])

    def hunk_at(self, y: float) -> int:
        """The hunk at `y`; a fold belongs to the hunk above it."""
        return max(0, bisect_right(self._heads, self.heights.row_at(y)) - 1)

    def hunk_span(self, hunk: int) -> tuple[int, int]:
        """Top of a hunk's head and bottom of its last row."""
        return self.heights.top(self._heads[hunk]), self.heights.top(self._last_row(hunk) + 1)


class _Cells:
    """A bound of the cells of each line; one look at all of them together where they are plain but for tabs."""

    def __init__(self, texts: Sequence[str]) -> None:
        lengths = list(map(len, texts))
        others: bytes | None = None
        if max(lengths, default=0) <= LONG_LINE:
            joined = "\n".join(texts)
            others = not_plain(joined)
        self.is_plain = others is not None and not others.strip(b"\n")
        if self.is_plain:
            self.of_lines = lengths
        elif others is not None and not others.strip(b"\t\n"):
            self.of_lines = list(map(len, joined.replace("\t", " " * TAB).split("\n")))
        else:
            self.of_lines = [cells_at_most(text) if len(text) <= LONG_LINE else len(text) for text in texts]
        self.widest = max(self.of_lines, default=0)
