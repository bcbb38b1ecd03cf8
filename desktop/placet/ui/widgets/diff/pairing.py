"""Which lines of a hunk stand beside each other when both sides are shown. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from placet.core.domain.diff import DiffLine

NIL = -1  # nothing stands on this side
_RUN = re.compile(r"( +)|(-*)(\+*)")  # signs of unchanged lines, or of one block
_SAME = -1


class Pairs:
    """Rows of one hunk. Unchanged lines stand beside themselves; of a block the first removed line stands beside the
    first added one. A run of either costs three numbers, however long it is.
    """

    def __init__(self, lines: Sequence[DiffLine]) -> None:
        runs = _RUN.findall("".join([line.sign for line in lines]))
        runs.pop()  # an empty one behind the last
        sizes = [len(same) + len(minus) + len(plus) for same, minus, plus in runs]
        heights = [len(same) or (len(minus) if len(minus) > len(plus) else len(plus)) for same, minus, plus in runs]
        self._lines = list(accumulate(sizes, initial=0))  # the first line of each run
        self._rows = list(accumulate(heights, initial=0))  # its first row
        # how many of its lines are removed, or that none changed
        self._removed = [_SAME if same else len(minus) for same, minus, _ in runs]

    def __len__(self) -> int:
        """How many rows there are."""
        return self._rows[-1]

    def line_at(self, row: int, side: int) -> int:
        """The line of a row on the old side (0) or the new one (1); NIL where there is none."""
        run = bisect_right(self._rows, row) - 1
        first, removed, within = self._lines[run], self._removed[run], row - self._rows[run]
        if removed == _SAME:
            return first + within
        if not side:
            return first + within if within < removed else NIL
        line = first + removed + within
        return line if line < self._lines[run + 1] else NIL

    def row_of(self, line: int) -> int:
        run = bisect_right(self._lines, line) - 1
        within, removed = line - self._lines[run], self._removed[run]
        return self._rows[run] + (within if within < removed or removed == _SAME else within - removed)

    def highest(self, counts: Sequence[int]) -> list[int]:
        """How many rows of the screen each row needs, where `counts` are those that the lines need."""
        sides = ([self.line_at(row, side) for row in range(len(self))] for side in (0, 1))
        return [
            max(counts[old] if old >= 0 else 1, counts[new] if new >= 0 else 1) for old, new in zip(*sides, strict=True)
        ]
