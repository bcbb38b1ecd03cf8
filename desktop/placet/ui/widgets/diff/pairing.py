"""Which lines of a hunk stand beside each other when both sides are shown. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from placet.core.domain.diff import DiffLine

NIL = -1  # nothing stands on this side
_RUN = re.compile(r"( +)|(-+)\+*|\++")  # signs of unchanged lines, or of one block
_SAME = -1


class Pairs:
    """Rows of one hunk. Unchanged lines stand beside themselves; of a block the first removed line stands beside the
    first added one. A run of either costs three numbers, however long it is.
    """

    def __init__(self, lines: Sequence[DiffLine]) -> None:
        self._lines: list[int] = []  # the first line of each run
        self._rows: list[int] = []  # its first row
        self._removed: list[int] = []  # how many of its lines are removed, or that none changed
        row = 0
        for run in _RUN.finditer("".join([line.sign for line in lines])):
            start, end = run.span()
            self._lines.append(start)
            self._rows.append(row)
            if run[1]:
                self._removed.append(_SAME)
                row += end - start
            else:
                removed = run.end(2) - start if run[2] else 0
                self._removed.append(removed)
                row += max(removed, end - start - removed)
        self._lines.append(len(lines))
        self._rows.append(row)

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
