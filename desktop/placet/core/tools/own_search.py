"""Searching files without ripgrep. Blocking: runs in a worker's thread, looking at the stop all the time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from placet.core.domain.errors import ToolFailure
from placet.core.tools.file_reading import read_regular
from placet.core.tools.folders import FolderWalk, glob_filter
from placet.core.tools.searching import FileHits, Findings, Mode, Query, cut_around
from placet.core.tools.text_file import bare, decode_for_reading

_MAX_WIDTH = 20_000
# A repeated group of one repeated thing, such as (a+)+ or (\w+\s?)*: a match can take for ever, and Python's matcher
# cannot be stopped.
_EXPONENTIAL = re.compile(r"\((?:\?:)?(?:\\.|\[[^\]]*\]|[^\\()\[\]])[+*](?:(?:\\.|\[[^\]]*\]|[^\\()\[\]])[?*])*\)[+*{]")


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
        findings.notice = f"[Not searched: {walk.denied} files or folders that the rules deny.]"
    return findings


def compile_pattern(pattern: str) -> re.Pattern[str]:
    if _EXPONENTIAL.search(pattern):
        raise ToolFailure(f"The pattern {pattern!r} repeats a repetition, which can take for ever; write it plainer.")
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ToolFailure(
            f"The pattern {pattern!r} is no regular expression: {error}. Put \\ before signs that are meant literally."
        ) from error


def _files(query: Query, walk: FolderWalk) -> Iterator[tuple[Path, str]]:
    if not query.root.is_dir():
        yield query.root, query.label
        return
    fits = glob_filter(query.glob)
    for entry in walk.entries():
        if entry.is_file and fits(entry.relative):
            yield entry.path, entry.relative


def _in_file(
    path: Path, relative: str, expression: re.Pattern[str], query: Query, check: Callable[[], None]
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
        found = expression.search(bare(line)[:_MAX_WIDTH])
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
