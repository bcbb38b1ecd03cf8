"""A search in files as values, and the one way its result is written, whoever searched."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

MAX_MATCHES = 200
MAX_FILES = 500
_MAX_BYTES = 100_000
_WIDTH = 400


class Mode(StrEnum):
    CONTENT = "content"
    FILES = "files_with_matches"
    COUNT = "count"


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for below `root`, which may also be one file. `offset` results were seen before."""

    pattern: str
    root: Path
    label: str
    glob: str = ""
    mode: Mode = Mode.CONTENT
    context: int = 0
    offset: int = 0

    @property
    def most(self) -> int:
        """How many results are shown: lines with a match, or files."""
        return MAX_MATCHES if self.mode is Mode.CONTENT else MAX_FILES

    @property
    def most_in_file(self) -> int | None:
        """After how many matches a file need not be searched further; one more tells that there are more."""
        return {Mode.CONTENT: self.offset + self.most + 1, Mode.FILES: 1, Mode.COUNT: None}[self.mode]


class FileHits(msgspec.Struct):
    """The lines of one file with a match, and these and their context as text. Numbers count from 1."""

    relative: str
    matches: list[int] = msgspec.field(default_factory=list)
    lines: dict[int, str] = msgspec.field(default_factory=dict)


class Findings:
    """Gathers hits in the order of files, as many as the query shows."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._files: list[FileHits] = []
        self._count = 0
        self.notice = ""

    @property
    def is_full(self) -> bool:
        """More than can be shown is known: searching on would be for nothing."""
        return self._count > self._query.offset + self._query.most

    def add(self, hits: FileHits) -> None:
        if hits.matches and not self.is_full:
            self._files.append(hits)
            self._count += len(hits.matches) if self._query.mode is Mode.CONTENT else 1

    def text(self) -> tuple[str, int]:
        """Return the result for the model, and how many results it shows."""
        query = self._query
        wanted = self._content() if query.mode is Mode.CONTENT else self._names()
        shown: list[str] = []
        size = count = 0
        for piece in wanted:
            size += len(piece.encode("utf-8", "replace")) + 1
            if count == query.most or (shown and size > _MAX_BYTES):
                break
            shown.append(piece)
            count += 1
        if query.offset + count < self._count:
            shown.append(f"[More results. Continue with offset={query.offset + count}.]")
        elif not shown:
            beyond = f" after the first {query.offset}" if query.offset else ""
            shown.append(f"[Nothing in '{query.label}' matches {query.pattern!r}{beyond}.]")
        if self.notice:
            shown.append(self.notice)
        return "\n".join(shown), count

    def _names(self) -> Iterator[str]:
        for hits in self._files[self._query.offset :]:
            yield hits.relative if self._query.mode is Mode.FILES else f"{hits.relative}: {len(hits.matches)}"

    def _content(self) -> Iterator[str]:
        """Yield one piece a match: its line with the context that was not shown before."""
        passed = 0
        has_before = False
        for hits in self._files:
            last = -1
            chosen = hits.matches[max(0, self._query.offset - passed) :]
            passed += len(hits.matches)
            for position, number in enumerate(chosen):
                following = chosen[position + 1] if position + 1 < len(chosen) else None
                lines = self._around(hits, number, last, following)
                gap = bool(self._query.context) and has_before and lines[0] != last + 1
                yield "\n".join(["--"] * gap + [_line(hits, at) for at in lines])
                last, has_before = lines[-1], True

    def _around(self, hits: FileHits, number: int, last: int, following: int | None) -> list[int]:
        """Return the numbers to show with this match; what belongs to the next match as a match is left to it."""
        context = self._query.context
        end = number + context if following is None else min(number + context, following - 1)
        return [at for at in range(max(last + 1, number - context), end + 1) if at in hits.lines]


def _line(hits: FileHits, number: int) -> str:
    sign = ":" if number in hits.matches else "-"
    return f"{hits.relative}{sign}{number}{sign}{hits.lines[number]}"


def not_searched(denied: int) -> str:
    return f"[Not searched: {denied} files or folders that the rules deny.]"


def cut_around(line: str, position: int) -> str:
    """Return a line short enough to be read, with what is at `position` in it."""
    if len(line) <= _WIDTH:
        return line
    start = max(0, min(position - _WIDTH // 4, len(line) - _WIDTH))
    before, after = "… " * (start > 0), " …" * (start + _WIDTH < len(line))
    return f"{before}{line[start : start + _WIDTH]}{after} [cut: {len(line):,} characters]"
