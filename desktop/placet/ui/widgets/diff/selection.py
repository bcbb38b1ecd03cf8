"""A selection through many lines: two places, each a line and an offset of its raw text. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


class Place(NamedTuple):
    line: int
    offset: int


class Selection:
    """From `anchor`, where it began, to `caret`, where the mouse is."""

    def __init__(self) -> None:
        self.anchor = self.caret = Place(0, 0)

    @property
    def is_empty(self) -> bool:
        return self.anchor == self.caret

    def clear(self) -> None:
        self.anchor = self.caret

    def begin(self, place: Place) -> None:
        self.anchor = self.caret = place

    def select_word(self, place: Place, raw: str) -> None:
        for found in _WORD.finditer(raw):
            if found.end() > place.offset:
                self.anchor, self.caret = Place(place.line, found.start()), Place(place.line, found.end())
                return

    def in_line(self, line: int, length: int) -> tuple[int, int] | None:
        """The selected stretch of a line of `length` characters; one past its end where the line break is in it."""
        first, last = sorted((self.anchor, self.caret))
        if first == last or not first.line <= line <= last.line:
            return None
        return first.offset if line == first.line else 0, last.offset if line == last.line else length + 1

    def text(self, raw: Callable[[int], str], takes: Callable[[int], bool] = lambda _: True) -> str:
        """The selected characters of the lines it `takes` as they really are, hidden ones included."""
        first, last = sorted((self.anchor, self.caret))
        if first.line == last.line:
            return raw(first.line)[first.offset : last.offset]
        middle = (raw(line) for line in range(first.line + 1, last.line) if takes(line))
        return "\n".join((raw(first.line)[first.offset :], *middle, raw(last.line)[: last.offset]))
