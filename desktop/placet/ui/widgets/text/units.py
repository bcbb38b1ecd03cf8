"""Python counts characters, Qt counts UTF-16 units. An emoji is one of the first and two of the second."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Units:
    """Translates offsets of one text. Free for texts without characters beyond the basic plane."""

    __slots__ = ("_chars", "_starts")

    def __init__(self, text: str) -> None:
        wide = [] if text.isascii() else [at for at, char in enumerate(text) if char > "\uffff"]
        self._chars = wide
        self._starts = [at + index for index, at in enumerate(wide)]

    def to_qt(self, offset: int) -> int:
        return offset + bisect_left(self._chars, offset) if self._chars else offset

    def from_qt(self, position: int) -> int:
        return position - bisect_right(self._starts, position - 1) if self._starts else position


def qt_length(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)
