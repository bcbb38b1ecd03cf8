"""A text as an editor may hold it: hidden characters by name, like `<U+202E>`, and back. Pure.

Qt's documents turn some characters into others, and nobody can edit what cannot be seen. Deleting the name takes the
character out.
"""

from __future__ import annotations

import re

from placet.core.domain.hidden import find_hidden

LONGEST_LINE = 10_000  # a longer one takes seconds to lay out, each time it is touched
LONGEST_TEXT = 5_000_000
_BRACKETS = ("<>", "⟨⟩", "⟦⟧", "«»")
_NAME = "U+"


class Spelling:
    """How hidden characters are named in one text: in brackets with which the text itself names none."""

    def __init__(self, text: str = "") -> None:
        named = [self._pattern(pair) for pair in _BRACKETS]
        free = [n for n, pattern in enumerate(named) if _NAME not in text or not pattern.search(text)]
        self.is_free = bool(free)
        first = free[0] if free else 0
        pair = _BRACKETS[first]
        self._opening, self._closing = pair[0], pair[1]
        self.names = named[first]

    @staticmethod
    def _pattern(pair: str) -> re.Pattern[str]:
        return re.compile(rf"{pair[0]}U\+([0-9A-F]{{4,6}}){pair[1]}")

    def name(self, character: str) -> str:
        return f"{self._opening}{_NAME}{ord(character):04X}{self._closing}"

    def written_out(self, text: str) -> str:
        """Return the text with hidden characters written out; newlines and tabs stay."""
        parts, at = list[str](), 0
        for offset, character in find_hidden(text):
            parts += (text[at:offset], self.name(character))
            at = offset + 1
        return "".join((*parts, text[at:]))

    def read_back(self, text: str) -> str:
        """Return the text that `written_out` writes so."""
        return self.names.sub(self._character, text) if _NAME in text else text

    def _character(self, found: re.Match[str]) -> str:
        code = int(found[1], 16)
        character = chr(code) if code <= 0x10FFFF else ""
        return character if character and find_hidden(character) and self.name(character) == found[0] else found[0]


def trouble_with(text: str) -> str:
    """Say why a text cannot be edited here; empty if it can."""
    if len(text) > LONGEST_TEXT:
        return f"The text has {len(text):,} characters; more than {LONGEST_TEXT:,} cannot be edited here."
    longest = max(map(len, text.split("\n")))
    if longest > LONGEST_LINE:
        return f"A line has {longest:,} characters; lines of more than {LONGEST_LINE:,} cannot be edited here."
    if not Spelling(text).is_free:
        return "The text spells out names of hidden characters, so the two cannot be told apart in an editor."
    return ""
