"""Replacing whole lines, and giving new text the endings of the text it replaces. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.tools.text_file import TextFile, bare, ending, split_lines


def splice(file: TextFile, start: int, end: int, new: Sequence[str]) -> str:
    """Return the text with lines `start`..`end` (from 0, `end` excluded) replaced by the bare lines `new`.

    Each new line ends as the one in whose place it comes, further ones as their neighbour. A file whose last
    line had no ending keeps that.
    """
    lines = file.lines
    before, replaced, after = lines[:start], lines[start:end], lines[end:]
    is_last_open = not after and bool(lines) and not ending(lines[-1])
    joint = ""
    if new and before and not ending(before[-1]):
        # A CR that is the line's own must not become a part of its ending.
        joint = "\r\n" if before[-1].endswith("\r") else _neighbour(lines, start, file.newline)
    made = []
    for index, line in enumerate(new):
        own = ending(replaced[index]) if index < len(replaced) else ""
        made.append(line + (own or _neighbour(lines, min(start + index, end), file.newline)))
    if is_last_open and made and bare(made[-1]):  # a blank line is one by its ending only
        made[-1] = bare(made[-1])
    return "".join([*before, joint, *made, *after])


def _neighbour(lines: Sequence[str], index: int, otherwise: str) -> str:
    """Return the ending in force before line `index`, or after it at the start of the file."""
    near = [*reversed(lines[max(0, index - 2) : index]), *lines[index : index + 1]]
    return next((found for line in near if (found := ending(line))), otherwise)


def adapt_endings(new: str, old: str, otherwise: str) -> str:
    """Return `new` with the endings of the lines of `old` that it stands for, and `otherwise` for more lines.

    Only the endings change. Lines that both have at the start and at the end are taken for the same ones; those
    between are paired in order.
    """
    new_lines, old_lines = split_lines(new), split_lines(old)
    tail = _common_tail(new_lines, old_lines)
    made, last = [], otherwise
    for index, line in enumerate(new_lines):
        from_end = len(new_lines) - index
        twin = len(old_lines) - from_end if from_end <= tail else index
        if index < len(old_lines) or from_end <= tail:
            last = ending(old_lines[twin]) or last
        made.append(bare(line) + last if ending(line) else line)
    return "".join(made)


def _common_tail(new: Sequence[str], old: Sequence[str]) -> int:
    count, most = 0, min(len(new), len(old))
    while count < most and bare(new[-1 - count]) == bare(old[-1 - count]):
        count += 1
    return count


def adapt_by_alignment(new: str, file: TextFile) -> str:
    """Return `new` in which every line that the file has too ends as it does there; others end as most do."""
    # Imported late: only whole rewrites of files with mixed endings need it.
    from patiencediff import PatienceSequenceMatcher

    new_lines = split_lines(new)
    bare_old, bare_new = [bare(line) for line in file.lines], [bare(line) for line in new_lines]
    endings = {}
    for in_old, in_new, length in PatienceSequenceMatcher(None, bare_old, bare_new).get_matching_blocks():
        endings.update({in_new + step: ending(file.lines[in_old + step]) for step in range(length)})
    return "".join(
        bare(line) + (endings.get(index) or file.newline) if ending(line) else line
        for index, line in enumerate(new_lines)
    )
