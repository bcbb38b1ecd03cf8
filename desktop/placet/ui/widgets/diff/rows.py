"""Where rows are: the geometry that a view of painted text scrolls through. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

from placet.ui.widgets.diff.visible import VisibleLine


class Strip(NamedTuple):
    """The part of a line that one row shows: offsets of its shown text."""

    line: int
    start: int
    end: int


class Column(NamedTuple):
    """A part of the view's width that shows one side: from `left` to `right`, its text from `code_x`."""

    left: int
    code_x: int
    right: int


class Heights:
    """Tops of rows of any heights; finding a row is one bisection."""

    def __init__(self, heights: Sequence[int]) -> None:
        self._tops = list(accumulate(heights, initial=0))

    def __len__(self) -> int:
        return len(self._tops) - 1

    @property
    def total(self) -> int:
        return self._tops[-1]

    def top(self, row: int) -> int:
        return self._tops[row]

    def height(self, row: int) -> int:
        return self._tops[row + 1] - self._tops[row]

    def row_at(self, y: float) -> int:
        """The row at `y`, the nearest one outside."""
        return max(0, min(bisect_right(self._tops, y) - 1, len(self) - 1))


class RowLayout(Protocol):
    """Lines of text laid out in rows. Lines count through the whole text; other rows (heads, folds) have none."""

    @property
    def heights(self) -> Heights: ...

    @property
    def line_count(self) -> int: ...

    @property
    def cells(self) -> int:
        """The widest row in character cells."""

    @property
    def depends_on_width(self) -> bool:
        """Whether another width would give other rows."""

    def strip(self, row: int, side: int = 0) -> Strip | None:
        """What a row shows in one column."""

    def rows_of(self, line: int) -> range:
        """The rows of a line."""

    def visible(self, line: int) -> VisibleLine: ...
