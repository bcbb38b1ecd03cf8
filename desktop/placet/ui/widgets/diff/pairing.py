"""Which lines of a hunk stand beside each other when both sides are shown. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

from placet.core.domain.diff import DiffLine, Sign

NIL = -1


class Pairs(NamedTuple):
    """Of one hunk: indices of its lines on the left and on the right of each row, NIL where there is none."""

    left: Sequence[int]
    right: Sequence[int]
    entries: Sequence[int]  # the row of each line

    def highest(self, counts: Sequence[int]) -> list[int]:
        """Rows that each pair needs, where `counts` are those of the lines."""
        return [
            max(counts[left] if left >= 0 else 1, counts[right] if right >= 0 else 1)
            for left, right in zip(self.left, self.right, strict=True)
        ]


def paired(lines: Sequence[DiffLine]) -> Pairs:
    """Unchanged lines stand beside themselves; of a block the first removed line stands beside the first added one."""
    left: list[int] = []
    right: list[int] = []
    entries: list[int] = []
    removed: list[int] = []
    added: list[int] = []
    at = 0

    def put_block() -> None:
        start = len(left)
        entries.extend(range(start, start + len(removed)))
        entries.extend(range(start, start + len(added)))
        for a, b in zip_longest(removed, added, fillvalue=NIL):
            left.append(a)
            right.append(b)
        removed.clear()
        added.clear()

    for sign, run in groupby(lines, key=lambda line: line.sign):
        end = at + sum(1 for _ in run)
        if sign is Sign.REMOVED:
            if added:
                put_block()
            removed.extend(range(at, end))
        elif sign is Sign.ADDED:
            added.extend(range(at, end))
        else:
            put_block()
            entries.extend(range(len(left), len(left) + end - at))
            left.extend(range(at, end))
            right.extend(range(at, end))
        at = end
    put_block()
    return Pairs(left, right, entries)
