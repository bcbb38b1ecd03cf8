"""Which lines of a hunk stand beside each other when both sides are shown. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from placet.core.domain.diff import DiffLine

NIL = -1
_RUN = re.compile(r"( +)|(-+)\+*|\++")  # signs of unchanged lines, or of one block


class Pairs(NamedTuple):
    """Of one hunk: indices of its lines on the left and on the right of each row, NIL where there is none."""

    left: list[int]
    right: list[int]
    entries: list[int]  # the row of each line

    def highest(self, counts: Sequence[int]) -> list[int]:
        """Rows that each pair needs, where `counts` are those of the lines."""
        return [
            max(counts[left] if left >= 0 else 1, counts[right] if right >= 0 else 1)
            for left, right in zip(self.left, self.right, strict=True)
        ]


def paired(lines: Sequence[DiffLine]) -> Pairs:
    """Unchanged lines stand beside themselves; of a block the first removed line stands beside the first added one."""
    pairs = Pairs([], [], [])
    left, right, entries = pairs
    for run in _RUN.finditer("".join([line.sign for line in lines])):
        start, end, row = run.start(), run.end(), len(left)
        if run[1]:
            left += range(start, end)
            right += range(start, end)
            entries += range(row, row + end - start)
            continue
        middle = run.end(2) if run[2] else start
        removed, added = middle - start, end - middle
        left += range(start, middle)
        left += [NIL] * (added - removed)
        right += range(middle, end)
        right += [NIL] * (removed - added)
        entries += range(row, row + removed)
        entries += range(row, row + added)
    return pairs
