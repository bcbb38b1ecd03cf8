"""How well a few typed letters name a thing. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_START, _WORD, _INSIDE, _SCATTERED = 100, 80, 50, 20


@dataclass(frozen=True, slots=True)
class Match:
    """`score`: higher is better. `places`: the letters that were meant, for marking."""

    score: float
    places: frozenset[int]


def match(query: str, text: str) -> Match | None:
    """Find every word of `query` in `text`: at its start, at a word's, inside, or its letters in order.

    Letters that are scattered must begin at a word's start: "nc" names "New chat", "ea" does not.
    """
    folded = text.casefold()
    if len(folded) != len(text):  # a letter that folds into two: places would be wrong
        folded = text.lower() if len(text.lower()) == len(text) else text
    score, places = 0.0, set[int]()
    for word in query.casefold().split():
        found = _find(word, folded)
        if found is None:
            return None
        score += found.score
        places |= found.places
    return Match(score - len(text) / 100, frozenset(places))


def _find(word: str, text: str) -> Match | None:
    starts = [at for at, letter in enumerate(text) if letter.isalnum() and (at == 0 or not text[at - 1].isalnum())]
    for at in starts:
        if text.startswith(word, at):
            return Match(_START if at == 0 else _WORD, frozenset(range(at, at + len(word))))
    if (at := text.find(word)) >= 0:
        return Match(_INSIDE, frozenset(range(at, at + len(word))))
    tries = (_scattered(word, text, at, set(starts)) for at in starts if text[at] == word[0])
    return max((each for each in tries if each is not None), key=lambda each: each.score, default=None)


def _scattered(word: str, text: str, at: int, starts: set[int]) -> Match | None:
    """The letters of `word` from `at` on, each at the next word's start if one fits, else right behind or later."""
    places = [at]
    for letter in word[1:]:
        last = places[-1]
        ahead = [place for place in range(last + 1, len(text)) if text[place] == letter]
        if not ahead:
            return None
        if ahead[0] == last + 1:
            places.append(ahead[0])
        else:
            places.append(next((place for place in ahead if place in starts), ahead[0]))
    at_starts = sum(place in starts for place in places)
    return Match(_SCATTERED + 20 * at_starts / len(word) - (places[-1] - places[0]) / 50, frozenset(places))
