"""Find in the conversation: counted in the visible text, marked where it is painted."""

from __future__ import annotations

import re

import msgspec

from placet.ui.models.transcript_rows import AnyRow, LedgerRow, NestedRow, PlanRow, ProseRow, QuestionRow
from placet.ui.widgets.text.flow import Mark
from placet.ui.widgets.transcript.column import Column
from placet.ui.widgets.transcript.row_view import RowView

_MARKUP = str.maketrans({"*": None, "_": None, "`": None, "~": None, "\\": None, "[": None, "\n": " "})
_TARGET = re.compile(r"\]\([^)]*\)")


class Hit(msgspec.Struct, frozen=True):
    """The match number `number` of a row."""

    row: int
    number: int


class Finder:
    """Matches of one needle; case does not matter."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self.needle = ""
        self.hits: list[Hit] = []
        self.at = -1

    @property
    def current(self) -> Hit | None:
        return self.hits[self.at] if 0 <= self.at < len(self.hits) else None

    def search(self, needle: str) -> int:
        """Find every match and stand on the last one; returns how many there are."""
        self.needle = needle.casefold()
        self.hits = []
        rough = self.needle.translate(_MARKUP)
        for index, row in enumerate(self._column.rows) if self.needle else ():
            count = self._count(row, rough)
            self.hits.extend(Hit(index, number) for number in range(count))
        self.at = len(self.hits) - 1
        return len(self.hits)

    def _count(self, row: AnyRow, rough: str) -> int:
        """Reading Markdown is dear: words are counted in the source without its marks, all else in what is seen."""
        if isinstance(row, NestedRow):
            return self._count(row.inner, rough)
        source = row.source.casefold()
        if isinstance(row, ProseRow) and rough == self.needle:
            return _TARGET.sub("", source).translate(_MARKUP).count(rough)
        if (
            not isinstance(row, (LedgerRow, QuestionRow, PlanRow))
            and self.needle not in source
            and (not rough or rough not in source.translate(_MARKUP))
        ):
            return 0
        return row.plain().casefold().count(self.needle)

    def step(self, by: int) -> Hit | None:
        """Go to the next or the previous match, round the ends."""
        if self.hits:
            self.at = (self.at + by) % len(self.hits)
        return self.current

    def marks(self, row: int, view: RowView) -> list[Mark]:
        if not self.needle:
            return []
        made, number = [], 0
        plain, at = view.plain.casefold(), -len(self.needle)
        while (at := plain.find(self.needle, at + len(self.needle))) >= 0:
            role = "match-now" if self.current == Hit(row, number) else "match"
            made.append(Mark(at, at + len(self.needle), role, 2, 2))
            number += 1
        return made
