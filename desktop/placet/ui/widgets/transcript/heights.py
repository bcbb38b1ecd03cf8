"""Row heights with sums per block: any prefix sum or search costs about n/128 additions. Pure."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = 128


class Heights:
    """Heights of rows in order, each measured or still an estimate."""

    def __init__(self) -> None:
        self._rows: list[float] = []
        self._measured: list[bool] = []
        self._sums: list[float] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: int) -> float:
        return self._rows[row]

    @property
    def total(self) -> float:
        return sum(self._sums)

    def is_measured(self, row: int) -> bool:
        return self._measured[row]

    def splice(self, first: int, removed: int, estimates: Sequence[float]) -> None:
        """Replace rows by others that are only estimated."""
        self._rows[first : first + removed] = estimates
        self._measured[first : first + removed] = [False] * len(estimates)
        block = first // BLOCK
        del self._sums[block:]
        for start in range(block * BLOCK, len(self._rows), BLOCK):
            self._sums.append(sum(self._rows[start : start + BLOCK]))

    def set(self, row: int, height: float) -> None:
        """Take a measured height."""
        self._sums[row // BLOCK] += height - self._rows[row]
        self._rows[row] = height
        self._measured[row] = True

    def forget(self) -> None:
        """Nothing is measured any more: the width has changed."""
        self._measured = [False] * len(self._rows)

    def top(self, row: int) -> float:
        block = row // BLOCK
        return sum(self._sums[:block]) + sum(self._rows[block * BLOCK : row])

    def find(self, y: float) -> tuple[int, float]:
        """The row at `y` and how far into it `y` is."""
        block = 0
        while block < len(self._sums) - 1 and y >= self._sums[block]:
            y -= self._sums[block]
            block += 1
        row = block * BLOCK
        while row < len(self._rows) - 1 and y >= self._rows[row]:
            y -= self._rows[row]
            row += 1
        return row, y
