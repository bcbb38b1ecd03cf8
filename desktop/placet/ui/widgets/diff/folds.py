"""Opening folds: unchanged lines between hunks become context of a hunk. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign

STEP = 20  # lines that one press opens


def can_open(diff: FileDiff) -> bool:
    """Whether the diff brings the lines that its folds hide."""
    return bool(diff.old_lines)


def opened(diff: FileDiff, fold: int, count: int) -> FileDiff:
    """Return the diff with up to `count` lines more of a fold: those above hunk `fold`, or below the last one.

    Hunks keep their number and their changes, so what was decided about them holds.
    """
    if not diff.old_lines or not diff.hunks:
        return diff
    hunks = list(diff.hunks)
    if fold < len(hunks):
        start, shift = _place(diff, fold)
        number = min(count, hunks[fold].unchanged_before)
        more = tuple(_unchanged(diff, start - number, start, shift))
        left = hunks[fold].unchanged_before - number
        hunks[fold] = msgspec.structs.replace(hunks[fold], lines=more + hunks[fold].lines, unchanged_before=left)
        return msgspec.structs.replace(diff, hunks=tuple(hunks))
    start, shift = _place(diff, fold)
    number = min(count, diff.unchanged_after)
    lines = (*hunks[-1].lines, *_unchanged(diff, start, start + number, shift))
    hunks[-1] = msgspec.structs.replace(hunks[-1], lines=lines)
    return msgspec.structs.replace(diff, hunks=tuple(hunks), unchanged_after=diff.unchanged_after - number)


def place_of(diff: FileDiff, number: int) -> tuple[int, int | None]:
    """Where line `number` of the new side is: its hunk and its place in it, or the fold that hides it and None."""
    for index, hunk in enumerate(diff.hunks):
        for at, line in enumerate(hunk.lines):
            if line.new == number:
                return index, at
            if line.new is not None and line.new > number:
                return index, None
    return len(diff.hunks), None


def _place(diff: FileDiff, fold: int) -> tuple[int, int]:
    """Old lines above the first line of hunk `fold` (or below the last hunk), and how far new numbers are ahead there."""
    at = shift = 0
    for hunk in diff.hunks[:fold]:
        at += hunk.unchanged_before + sum(line.old is not None for line in hunk.lines)
        shift += _gain(hunk)
    return at + (diff.hunks[fold].unchanged_before if fold < len(diff.hunks) else 0), shift


def _gain(hunk: Hunk) -> int:
    return sum((line.sign is Sign.ADDED) - (line.sign is Sign.REMOVED) for line in hunk.lines)


def _unchanged(diff: FileDiff, start: int, end: int, shift: int) -> Iterator[DiffLine]:
    for number in range(start, end):
        yield DiffLine(Sign.SAME, number + 1, number + 1 + shift, diff.old_lines[number])
