"""Why a text was not found: the nearest place, and in which characters it differs. Pure."""

from __future__ import annotations

import difflib
import time
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TypeVar

from placet.core.tools.text_file import bare, line_number, split_lines, to_lf

T = TypeVar("T")

_LOOKALIKES = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2033": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
    "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u00ad": "",
})  # fmt: skip
_MOST_SEARCHED = 1_000_000  # characters of the file
_MOST_COMPARED = 160  # characters of a line; the time for a comparison may grow with their cube
_MOST_POINTS = 8
_LIKENESS = 0.6
_SEARCH_S = 0.08
_MOST_SHOWN = 1_500
_ADVICE = "Nothing was changed; send the text exactly as it is in the file."


def explain_miss(text: str, wanted: str) -> str:
    """Return sentences for the model. `wanted` is not in `text`. Takes some tenths of a second at most."""
    if len(text) > _MOST_SEARCHED:
        return "The file is too large to look for something similar. Nothing was changed; read the place again."
    if near := _lookalike(text, wanted):
        number, found = near
        return f"The nearest text is at line {number} and differs in: {_points(found, wanted)}. {_ADVICE}"
    lines = [bare(line) for line in split_lines(text)]
    wanted_lines = [bare(line) for line in split_lines(wanted)]
    if (at := _same_but_blanks(lines, wanted_lines)) is not None:
        shown = _shown(lines[at : at + len(wanted_lines)])
        return f"At line {at + 1} there is the same text with other blanks or indentation:\n{shown}\n{_ADVICE}"
    if (at := _similar(lines, wanted_lines)) is not None:
        shown = _shown(lines[at : at + len(wanted_lines)])
        return f"The most similar text is at line {at + 1}:\n{shown}\n{_ADVICE}"
    return "Nothing similar is in it. Nothing was changed; read the file again."


def _fold(text: str) -> str:
    """Return the text with look-alikes made one. Lines stay lines."""
    return unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)


def _lookalike(text: str, wanted: str) -> tuple[int, str] | None:
    """Return the line, and what is there, of the first place that only looks like `wanted`."""
    if wanted.isascii() and text.isascii():
        return None
    text, target = to_lf(text), _fold(to_lf(wanted))
    folded = _fold(text)
    at = folded.find(target) if target.strip() else -1
    if at < 0:
        return None
    number = line_number(folded, at)
    place = "".join(split_lines(text)[number - 1 : number + target.count("\n")])
    # Character by character in these lines only: which of theirs the match is made of.
    parts = [_fold(char) for char in place]
    origin = [index for index, part in enumerate(parts) for _ in part]
    inside = "".join(parts).find(target)
    if inside < 0:
        return None
    start, end = origin[inside], origin[inside + len(target) - 1] + 1
    while end < len(place) and unicodedata.combining(place[end]):
        end += 1
    return number, place[start:end]


def _points(found: str, wanted: str) -> str:
    """Name the differing code points, the file's against the sent ones, each pair once."""
    pairs: dict[str, None] = {}
    for here, sent in zip(found.split("\n"), to_lf(wanted).split("\n"), strict=False):
        if here != sent and len(pairs) < _MOST_POINTS:
            pairs.update(dict.fromkeys(_pairs(here, sent)))
    return "; ".join(list(pairs)[:_MOST_POINTS])


def _pairs(here: str, sent: str) -> Iterator[str]:
    """Yield the differences of a line; of a very long one those in a stretch from the first difference on."""
    same = next((at for at, (one, other) in enumerate(zip(here, sent, strict=False)) if one != other), 0)
    here, sent = here[same : same + _MOST_COMPARED], sent[same : same + _MOST_COMPARED]
    for tag, start, end, other, other_end in difflib.SequenceMatcher(None, here, sent, autojunk=False).get_opcodes():
        if tag != "equal":
            yield f"{_named(here[start:end])} in the file against {_named(sent[other:other_end])} in old_string"


def _named(chars: str) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in chars[:8]) or "nothing"


def _same_but_blanks(lines: list[str], wanted: list[str]) -> int | None:
    """Return the first line from which on only blanks differ, also where `wanted` is a part of one line."""
    squeezed = ["".join(line.split()) for line in lines]
    target = ["".join(line.split()) for line in wanted]
    if not any(target):
        return None
    if len(target) == 1:
        return next((at for at, line in enumerate(squeezed) if target[0] in line), None)
    text = "\n".join(["", *squeezed, ""])
    at = text.find("\n".join(["", *target, ""]))
    return None if at < 0 else text.count("\n", 0, at)


def _similar(lines: list[str], wanted: list[str]) -> int | None:
    """Return where the most telling line of `wanted` has its best likeness, shifted to the first line.

    Lines that share the most characters are compared first, for as long as there is time.
    """
    if not wanted:
        return None
    telling = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    target = wanted[telling].strip()[:_MOST_COMPARED]
    if len(target) < 4:
        return None
    matcher = difflib.SequenceMatcher(None, b=target, autojunk=False)
    best, place = _LIKENESS, None
    likely: list[tuple[float, int]] = []
    for at, line in _while_time(enumerate(lines)):
        matcher.set_seq1(line.strip()[:_MOST_COMPARED])
        if matcher.real_quick_ratio() > best and (quick := matcher.quick_ratio()) > best:
            likely.append((-quick, at))
    for quick, at in _while_time(sorted(likely)):
        if -quick <= best:
            break
        matcher.set_seq1(lines[at].strip()[:_MOST_COMPARED])
        if (ratio := matcher.ratio()) > best:
            best, place = ratio, at
    return None if place is None else max(0, place - telling)


def _while_time(items: Iterable[T]) -> Iterator[T]:
    until = time.monotonic() + _SEARCH_S
    for item in items:
        yield item
        if time.monotonic() > until:
            return


def _shown(lines: list[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "\n[…]"
