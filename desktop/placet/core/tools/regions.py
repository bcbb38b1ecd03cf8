"""Numbered lines of a changed file, so that a model need not read it again."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.tools.text_file import bare

_CONTEXT = 3
_MAX_LINES = 40
_MAX_REGIONS = 5
_MAX_WIDTH = 300


def numbered(number: int, line: str, width: int = _MAX_WIDTH) -> str:
    """Return the line as every tool shows it: number, tab, text, cut where it is too long to be read."""
    text = bare(line)
    if len(text) > width:
        text = f"{text[:width]} … [cut: the line has {len(text):,} characters]"
    return f"{number}\t{text}"


def show_regions(lines: Sequence[str], changed: Sequence[tuple[int, int]]) -> str:
    """Show the lines of the changed spans (from 0, end excluded, ascending) with three lines around them."""
    parts = [_region(lines, start, end) for start, end in changed[:_MAX_REGIONS]]
    if len(changed) > _MAX_REGIONS:
        parts.append(f"[{len(changed) - _MAX_REGIONS} more changed places not shown]")
    return "\n--\n".join(part for part in parts if part)


def _region(lines: Sequence[str], start: int, end: int) -> str:
    numbers = range(max(0, start - _CONTEXT), min(len(lines), end + _CONTEXT))
    if len(numbers) <= _MAX_LINES:
        return "\n".join(numbered(index + 1, lines[index]) for index in numbers)
    half = _MAX_LINES // 2
    head = [numbered(index + 1, lines[index]) for index in numbers[:half]]
    tail = [numbered(index + 1, lines[index]) for index in numbers[-half:]]
    return "\n".join([*head, f"[{len(numbers) - _MAX_LINES} lines not shown]", *tail])


def count_lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"
