"""What a person typed into the search, taken literally: its words, the index query, the matches in a text."""

from __future__ import annotations

import re

import msgspec

from placet.core.domain.text import clean_text
from placet.core.store.search_index import words_apart

_SNIPPET_CHARS = 200
_LEAD_CHARS = 60


class Snippet(msgspec.Struct, frozen=True):
    text: str
    marks: tuple[tuple[int, int], ...]


class Needle:
    """Words that must all be there, as typed. No character of them is an operator.

    The last word is still being typed: it also finds words that it begins.
    """

    def __init__(self, typed: str) -> None:
        self.words = clean_text(typed).split()
        self._folded = [word.casefold() for word in self.words]
        # Signs are no part of the index: a word that has some is compared with the text itself.
        self._with_signs = [word for word in self._folded if not word.isalnum()]
        longest_first = sorted(set(self.words), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE) if self.words else None

    @property
    def is_blank(self) -> bool:
        return not self.words

    @property
    def needs_text(self) -> bool:
        """Whether a candidate of the index has to be compared with its text."""
        return bool(self._with_signs)

    @property
    def match_query(self) -> str:
        """The query for the index; empty where some word has no letter or digit at all."""
        if not all(any(char.isalnum() for char in word) for word in self.words):
            return ""
        phrases = ['"' + words_apart(word).replace('"', '""') + '"' for word in self.words]
        last = self.words[-1]
        # One letter begins too many words; a sign at the end says that the word is complete.
        if len(last) > 1 and last[-1].isalnum():
            phrases[-1] += "*"
        return " AND ".join(phrases)

    def is_in(self, text: str) -> bool:
        """Whether every word is somewhere in the text, inside of words too."""
        folded = text.casefold()
        return all(word in folded for word in self._folded)

    def signs_are_in(self, text: str) -> bool:
        """Whether the words that have signs are in the text as typed."""
        folded = text.casefold()
        return all(word in folded for word in self._with_signs)

    def snippet(self, text: str) -> Snippet:
        """The stretch around the first match on one line, with the matches in it."""
        first = self._pattern.search(text) if self._pattern else None
        start = max(first.start() - _LEAD_CHARS, 0) if first else 0
        cut = re.sub(r"\s", " ", text[start : start + _SNIPPET_CHARS])
        marks = tuple(match.span() for match in self._pattern.finditer(cut)) if self._pattern else ()
        return Snippet(cut, marks)
