"""Why a text was not found: the nearest place, and in which characters it differs. Pure."""

from __future__ import annotations

import difflib
import re
import unicodedata

from placet.core.tools.text_file import bare, line_number, split_lines, to_lf

_LOOKALIKES = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u2032": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2033": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
    "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u00ad": "",
})  # fmt: skip
_MOST_LINES = 20_000
_MOST_FOLDED = 2_000_000  # characters; folding them takes a tenth of a second
_MOST_SHOWN = 1_500
_ADVICE = "Nothing was changed; send the text exactly as it is in the file."


def explain_miss(text: str, wanted: str) -> str:
    """Return sentences for the model. `wanted` is not in `text`."""
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
    if (wanted.isascii() and text.isascii()) or len(text) > _MOST_FOLDED:
        return None
    target = _fold(to_lf(wanted))
    pattern = re.compile("\r?\n".join(map(re.escape, target.split("\n"))))
    folded = _fold(text)
    found = pattern.search(folded) if target.strip() else None
    if not found:
        return None
    number = line_number(folded, found.start())
    place = "".join(split_lines(text)[number - 1 : number + target.count("\n")])
    # Character by character in these lines only: which of theirs the match is made of.
    parts = [_fold(char) for char in place]
    origin = [index for index, part in enumerate(parts) for _ in part]
    if not (inside := pattern.search("".join(parts))):
        return None
    start, end = origin[inside.start()], origin[inside.end() - 1] + 1
    while end < len(place) and unicodedata.combining(place[end]):
        end += 1
    return number, to_lf(place[start:end])


def _points(found: str, wanted: str) -> str:
    """Name the differing code points, the file's against the sent ones, each pair once."""
    wanted = to_lf(wanted)
    pairs = []
    for tag, start, end, other, other_end in difflib.SequenceMatcher(None, found, wanted, autojunk=False).get_opcodes():
        if tag != "equal":
            pair = f"{_named(found[start:end])} in the file against {_named(wanted[other:other_end])} in old_string"
            pairs.append(pair)
    return "; ".join(list(dict.fromkeys(pairs))[:8])


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
    return next((at for at in range(len(squeezed)) if squeezed[at : at + len(target)] == target), None)


def _similar(lines: list[str], wanted: list[str]) -> int | None:
    """Return where the most telling line of `wanted` has its best likeness, shifted to the first line."""
    if not wanted or len(lines) > _MOST_LINES:
        return None
    telling = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    target = wanted[telling].strip()[:500]
    if len(target) < 4:
        return None
    matcher = difflib.SequenceMatcher(None, b=target, autojunk=False)
    best, place = 0.6, None
    for at, line in enumerate(lines):
        matcher.set_seq1(line.strip()[:500])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, place = ratio, at
    return None if place is None else max(0, place - telling)


def _shown(lines: list[str]) -> str:
    text = "\n".join(lines)
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "\n[…]"
