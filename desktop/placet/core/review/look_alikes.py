"""Changed lines that look unchanged, and words made of letters that look like others. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from placet.core.domain.hidden import HIDDEN
from placet.core.review.decoding import Content

_LONGEST = 20_000  # characters of a line that is looked at
_MOST_NAMED = 5
_UNSEEN = re.compile(f"[{HIDDEN}]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z]")
_LIKE_LATIN = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff21-\uff3a\uff41-\uff5a]")


def look_alikes(a: Content, b: Content) -> list[str]:
    """Return in words what a reader of both sides would not notice."""
    old, new = set(a.lines), set(b.lines)
    removed, added = _ordinary(old - new), _ordinary(new - old)
    said = []
    if removed and added:
        blank = _common({_without_blanks(line) for line in removed}, {_without_blanks(line) for line in added})
        if blank:
            said.append(f"{_lines(blank)} only in blanks")
        alike = _common({_as_seen(line) for line in removed}, {_as_seen(line) for line in added}) - blank
        if alike > 0:
            said.append(f"{_lines(alike)} only in what looks the same: other forms of a letter, or hidden characters")
    if mixed := _mixed_words(added):
        names = ", ".join(mixed[:_MOST_NAMED]) + (" …" if len(mixed) > _MOST_NAMED else "")
        said.append(f"The new lines contain words whose letters are of two alphabets: {names}")
    return said


def _ordinary(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip() and len(line) <= _LONGEST]


def _lines(count: int) -> str:
    return f"{count:,} line changes" if count == 1 else f"{count:,} lines change"


def _common(one: set[str], other: set[str]) -> int:
    return len((one & other) - {""})


def _without_blanks(line: str) -> str:
    return "".join(line.split())


def _as_seen(line: str) -> str:
    """What is left of a line for the eye; lines that differ in blanks alone are alike for it too."""
    text = _without_blanks(line)
    return text if text.isascii() and text.isprintable() else unicodedata.normalize("NFKC", _UNSEEN.sub("", text))


def _mixed_words(lines: Iterable[str]) -> list[str]:
    """Each with the first letter that is not what it seems."""
    found: dict[str, None] = {}
    for line in lines:
        if line.isascii():
            continue
        for word in _WORD.findall(line):
            if (letter := _LIKE_LATIN.search(word)) and _LATIN.search(word):
                found[f"{word[:40]} (U+{ord(letter[0]):04X})"] = None
    return sorted(found)
