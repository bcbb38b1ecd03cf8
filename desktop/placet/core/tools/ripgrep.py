"""Searching files with ripgrep, where it is installed: the same files and the same result, sooner."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from placet.core.tools.folders import expand_braces, folders_above, glob_filter
from placet.core.tools.processes import ChildProcess, EnoughRead
from placet.core.tools.searching import FileHits, Findings, Mode, Query, cut_around
from placet.core.tools.text_file import bare

_OPTIONS = (
    "--json", "--no-config", "--no-require-git", "--no-ignore-global", "--no-ignore-exclude", "--no-ignore-dot",
    "--no-messages", "--hidden", "--sort=path", "--crlf", "--glob=!.git/", "--glob=!.hg/", "--glob=!.svn/",
)  # fmt: skip


def ripgrep() -> str | None:
    """Return the program, or None where it is not installed."""
    return shutil.which("rg")


async def search(program: str, query: Query, is_denied: Callable[[Path], bool]) -> Findings | None:
    """Return the findings, or None where ripgrep cannot be started or does not understand the pattern."""
    reader = _JsonReader(query, is_denied)
    folder = query.root if query.root.is_dir() else query.root.parent
    try:
        child = ChildProcess(_arguments(program, query), cwd=folder, env=os.environ, on_output=reader.feed)
    except OSError:
        return None
    try:
        await child.finished()
    except asyncio.CancelledError:
        await child.end(0)
        raise
    is_understood = child.returncode in (0, 1) or reader.findings.is_full
    return reader.findings if is_understood else None


def _arguments(program: str, query: Query) -> list[str]:
    arguments = [program, *_OPTIONS]
    if not folders_above(query.root):
        arguments.append("--no-ignore-parent")  # outside a repository it would ask every folder up to the root
    if query.most_in_file:
        arguments.append(f"--max-count={query.most_in_file}")
    if query.context and query.mode is Mode.CONTENT:
        arguments.append(f"--context={query.context}")
    if query.glob and "/" not in query.glob and not query.glob.startswith("!"):
        # As a type of file: ripgrep's own globs would bring back what .gitignore names.
        arguments += [f"--type-add=wanted:{glob}" for glob in expand_braces(query.glob)] + ["--type=wanted"]
    target = "./" if query.root.is_dir() else query.root.name
    return [*arguments, f"--regexp={query.pattern}", "--", target]


class _JsonReader:
    """Builds findings from ripgrep's messages, one JSON object a line, as they come in the reader's thread."""

    def __init__(self, query: Query, is_denied: Callable[[Path], bool]) -> None:
        self._query, self._is_denied = query, is_denied
        self._rest = b""
        self._fits = glob_filter(query.glob if query.root.is_dir() else "")
        self._hits = FileHits("")
        self._denied = 0
        self.findings = Findings(query)

    def feed(self, chunk: bytes) -> None:
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        for line in whole:
            if self.findings.is_full:
                raise EnoughRead
            if line.startswith(b"{"):
                message = msgspec.json.decode(line)
                self._take(message["type"], message["data"])

    def _take(self, kind: str, data: dict[str, Any]) -> None:
        if kind == "begin":
            is_folder = self._query.root.is_dir()
            self._hits = FileHits(_text(data["path"]).removeprefix("./") if is_folder else self._query.label)
        elif kind in ("match", "context"):
            number = data["line_number"]
            if kind == "match":
                self._hits.matches.append(number)
            if self._query.mode is Mode.CONTENT:
                start = data["submatches"][0]["start"] if data["submatches"] else 0
                self._hits.lines[number] = cut_around(bare(_text(data["lines"])), start)
        elif kind == "end" and data.get("binary_offset") is None:
            self._end_file()

    def _end_file(self) -> None:
        if not self._fits(self._hits.relative):
            return
        path = self._query.root / self._hits.relative if self._query.root.is_dir() else self._query.root
        if self._hits.matches and self._is_denied(path):
            self._denied += 1
            self.findings.notice = f"[Not shown: matches in {self._denied} files that the rules deny.]"
            return
        self.findings.add(self._hits)


def _text(value: dict[str, str]) -> str:
    """Text comes as it is, bytes that are no UTF-8 as base64."""
    if "text" in value:
        return value["text"]
    return msgspec.convert(value["bytes"], bytes, strict=False).decode("cp1252", "replace")
