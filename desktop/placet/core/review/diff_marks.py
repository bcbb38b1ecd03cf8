"""What changed inside a line. Whole words, never half of a joined emoji, and always in bounded time (`C03`)."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 2_000  # characters of a middle that is compared by words
_MOST_LOOKED_AT = 400  # product of both sides' line counts
_MOST_PAIRS = 60_000  # product of both sides' word counts
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_LEAST_ALIKE = 0.35
_WORD = 40  # characters
_STICKS = frozenset("\u200d\ufe0e\ufe0f") | {chr(code) for code in range(0x1F3FB, 0x1F400)}

Marks = tuple[tuple[int, int], ...]
Range = tuple[int, int, int, int]  # old start, old end, new start, new end


class LineMarks:
    """Compares pairs of lines until its budget is used up; after that only what both ends share is told."""

    def __init__(self, budget: int = 2_000_000) -> None:
        self._budget = budget

    def between(self, old: str, new: str) -> tuple[Marks, Marks]:
        """Return the changed (start, end) ranges of both lines; none where the lines have too little in common.

        What both ends share is cut off first, in linear time; the middle is compared by words if it is short
        enough and is one range otherwise.
        """
        start = _word_start(old, _common_prefix(old, new))
        tail = _common_suffix(old[start:], new[start:])
        tail = len(old) - _word_end(old, len(old) - tail)
        middle_old, middle_new = old[start : len(old) - tail], new[start : len(new) - tail]
        ranges, alike = self._compare(middle_old, middle_new)
        if start + tail + alike < _LEAST_ALIKE * max(len(old), len(new), 1):
            return (), ()
        return (
            _collect(old, [(start + a, start + b) for a, b, _, _ in ranges]),
            _collect(new, [(start + a, start + b) for _, _, a, b in ranges]),
        )

    def _compare(self, old: str, new: str) -> tuple[list[Range], int]:
        """Return the differing character ranges and how many characters (blanks aside) are alike."""
        whole = [(0, len(old), 0, len(new))]
        if not old or not new or max(len(old), len(new)) > _LONGEST:
            return whole, 0
        a, b = _WORDS.findall(old), _WORDS.findall(new)
        cost = len(a) * len(b)
        if cost > min(_MOST_PAIRS, self._budget):
            return whole, 0
        self._budget -= cost
        return _compare_words(a, b)


def pairs(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Return which removed line became which added one, in order, as (index, index).

    Equal counts are taken one by one; else each line finds the one that begins and ends most like it.
    """
    if len(old) == len(new):
        return [(i, i) for i in range(len(old))]
    if len(old) * len(new) > _MOST_LOOKED_AT:
        return [(i, i) for i in range(min(len(old), len(new)))]
    found: list[tuple[int, int]] = []
    first = 0
    for i, line in enumerate(old):
        alike, j = max(((_likeness(line, new[k]), -k) for k in range(first, len(new))), default=(0.0, 0))
        if alike >= _LEAST_ALIKE:
            found.append((i, -j))
            first = -j + 1
    return found


def _likeness(a: str, b: str) -> float:
    a, b = a.strip(), b.strip()
    start = _common_prefix(a, b)
    return (start + _common_suffix(a[start:], b[start:])) / max(len(a), len(b), 1)


def _compare_words(a: list[str], b: list[str]) -> tuple[list[Range], int]:
    from cydifflib import SequenceMatcher

    at_a, at_b = _offsets(a), _offsets(b)
    ranges: list[Range] = []
    alike = 0
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            alike += sum(len(word) for word in a[i1:i2] if not word.isspace())
        else:
            ranges.append((at_a[i1], at_a[i2], at_b[j1], at_b[j2]))
    return ranges, alike


def _offsets(words: list[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _collect(line: str, ranges: list[tuple[int, int]]) -> Marks:
    """Widen to whole characters as they are seen, drop empty ranges, join what touches."""
    marks: list[tuple[int, int]] = []
    for begin, stop in ranges:
        start, end = begin, stop
        if start == end:
            continue
        while start > 0 and _sticks(line, start):
            start -= 1
        while end < len(line) and _sticks(line, end):
            end += 1
        if marks and start <= marks[-1][1]:
            marks[-1] = (marks[-1][0], max(end, marks[-1][1]))
        else:
            marks.append((start, end))
    return tuple(marks)


def _sticks(line: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it."""
    return line[at] in _STICKS or line[at - 1] == "\u200d" or unicodedata.combining(line[at]) != 0


def _word_start(line: str, at: int) -> int:
    """Go back to where the word begins that `at` lies in; a word without a near beginning may be cut."""
    return next((i for i in range(at, max(at - _WORD, -1), -1) if not _is_inside_word(line, i)), at)


def _word_end(line: str, at: int) -> int:
    return next((i for i in range(at, min(at + _WORD, len(line) + 1)) if not _is_inside_word(line, i)), at)


def _is_inside_word(line: str, at: int) -> bool:
    return 0 < at < len(line) and _is_word(line[at - 1]) and _is_word(line[at])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _common_prefix(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle :] == b[len(b) - middle :]:
            low = middle
        else:
            high = middle - 1
    return low
