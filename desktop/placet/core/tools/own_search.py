"""Searching files without ripgrep. Blocking: runs in a worker's thread, looking at the stop all the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.domain.errors import ToolFailure
from placet.core.tools.file_reading import read_regular
from placet.core.tools.folders import FolderWalk
from placet.core.tools.globs import glob_filter
from placet.core.tools.searching import FileHits, Findings, Mode, Query, cut_around, not_searched
from placet.core.tools.text_file import bare, decode_for_reading

if TYPE_CHECKING:
    import regex

_MAX_WIDTH = 20_000
_LINE_S = 0.25  # a pattern may repeat a repetition and then take for ever on one line


def search(query: Query, check: Callable[[], None], is_denied: Callable[[Path], bool]) -> Findings:
    """Raises: ToolFailure for a pattern that is no regular expression."""
    expression = compile_pattern(query.pattern)
    findings = Findings(query)
    walk = FolderWalk(query.root, check, is_denied)
    for path, relative in _files(query, walk):
        check()
        findings.add(_in_file(path, relative, expression, query, check))
        if findings.is_full:
            break
    if walk.denied:
        findings.notice = not_searched(walk.denied)
    return findings


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Raises: ToolFailure."""
    import regex  # not at the start: it is large, and most runs search with ripgrep or not at all

    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ToolFailure(
            f"The pattern {pattern!r} is no regular expression: {error}. Put \\ before signs that are meant literally."
        ) from error


def _found(expression: regex.Pattern[str], line: str) -> regex.Match[str] | None:
    """Search one line without holding up other threads, and not for ever. Raises: ToolFailure."""
    try:
        return expression.search(line[:_MAX_WIDTH], timeout=_LINE_S, concurrent=True)
    except TimeoutError:
        raise ToolFailure(
            f"The pattern {expression.pattern!r} takes too long: it repeats a repetition. Write it plainer."
        ) from None


def _files(query: Query, walk: FolderWalk) -> Iterator[tuple[Path, str]]:
    if not query.root.is_dir():
        yield query.root, query.label
        return
    fits = glob_filter(query.glob)
    for entry in walk.entries():
        if entry.is_file and fits(entry.relative):
            yield entry.path, entry.relative


def _in_file(
    path: Path, relative: str, expression: regex.Pattern[str], query: Query, check: Callable[[], None]
) -> FileHits:
    hits = FileHits(relative)
    try:
        lines = decode_for_reading(read_regular(path, relative)).lines
    except ToolFailure:
        return hits  # binary, too large or unreadable: nothing a search could show
    positions: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        if number % 512 == 0 or len(line) > _MAX_WIDTH // 8:
            check()
        found = _found(expression, bare(line))
        if found:
            positions[number] = found.start()
            if len(positions) == query.most_in_file:
                break
    hits.matches = list(positions)
    if query.mode is Mode.CONTENT:
        for number in positions:
            for at in range(max(1, number - query.context), min(len(lines), number + query.context) + 1):
                if at not in hits.lines:
                    hits.lines[at] = cut_around(bare(lines[at - 1]), positions.get(at, 0))
    return hits
