"""Searching files with ripgrep, where it is installed: the same files and the same result, sooner."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from placet.core.tools.folders import folders_above
from placet.core.tools.globs import expand_braces, glob_filter
from placet.core.tools.processes import ChildProcess, EnoughRead
from placet.core.tools.searching import FileHits, Findings, Mode, Query, cut_around, not_searched
from placet.core.tools.text_file import bare

_OPTIONS = (
    "--no-config", "--no-require-git", "--no-ignore-global", "--no-ignore-exclude", "--no-ignore-dot",
    "--no-messages", "--hidden", "--sort=path", "--crlf", "--glob=!.git/", "--glob=!.hg/", "--glob=!.svn/",
)  # fmt: skip
_LISTING_S = 10.0  # a `.gitignore` may be a pipe, on which ripgrep waits for ever
_MAX_MEMORY = 1_000_000_000
_MOST_HIDDEN = 1_000
_SPECIAL, _ESCAPED = re.compile(r"([][*?{}!\\])"), r"\\\1"


def ripgrep() -> str | None:
    """Return the program, or None where it is not installed."""
    return shutil.which("rg")


async def search(program: str, query: Query, is_denied: Callable[[Path], bool]) -> Findings | None:
    """Return the findings, or None where ripgrep cannot be started or does not understand the pattern.

    What is denied is found by names first and never searched, so nothing in the answer depends on its content.
    """
    hidden = HiddenFiles(query.root, is_denied)
    if query.root.is_dir():
        listed = await _run([program, "--files", "--null", *_where(query)], query.root, hidden.feed, _LISTING_S)
        if listed not in (0, 1) or hidden.is_too_much:
            return None
    reader = _JsonReader(query, hidden)
    folder = query.root if query.root.is_dir() else query.root.parent
    code = await _run([program, *_arguments(query, hidden.found)], folder, reader.feed, None)
    if code not in (0, 1) and not reader.findings.is_full:
        return None
    if hidden.found:
        reader.findings.notice = not_searched(len(hidden.found))
    return reader.findings


async def _run(
    argv: list[str], folder: Path, on_output: Callable[[bytes], None], timeout_s: float | None
) -> int | None:
    """Return the exit code, None where it did not start or not end in time."""
    try:
        child = ChildProcess(argv, cwd=folder, env=os.environ, on_output=on_output)
    except OSError:
        return None
    _bound_memory(child.pid)
    try:
        if await child.finished(timeout_s):
            return child.returncode
        await child.end(0)
    except asyncio.CancelledError:
        await child.end(0)
        raise
    return None


def _bound_memory(pid: int) -> None:
    """The program reads a `.gitignore` whatever it is, also one that is a link to a device without end."""
    if sys.platform == "linux":
        import resource

        with contextlib.suppress(OSError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_DATA, (_MAX_MEMORY, _MAX_MEMORY))


def _where(query: Query) -> list[str]:
    """Return the arguments that say which files are looked at, without a target."""
    arguments = [*_OPTIONS]
    if not folders_above(query.root):
        arguments.append("--no-ignore-parent")  # outside a repository it would ask every folder up to the root
    if query.glob and "/" not in query.glob and not query.glob.startswith("!"):
        # As a type of file: ripgrep's own globs would bring back what .gitignore names.
        arguments += [f"--type-add=wanted:{glob}" for glob in expand_braces(query.glob)] + ["--type=wanted"]
    return arguments


def _arguments(query: Query, hidden: Sequence[str]) -> list[str]:
    arguments = ["--json", *_where(query), *(f"--glob=!/{_SPECIAL.sub(_ESCAPED, name)}" for name in hidden)]
    if query.most_in_file:
        arguments.append(f"--max-count={query.most_in_file}")
    if query.context and query.mode is Mode.CONTENT:
        arguments.append(f"--context={query.context}")
    target = "./" if query.root.is_dir() else query.root.name
    return [*arguments, f"--regexp={query.pattern}", "--", target]


class HiddenFiles:
    """What the rules deny below a folder, from a list of names: denied folders as a whole, and files in others."""

    def __init__(self, root: Path, is_denied: Callable[[Path], bool]) -> None:
        self._root, self._is_denied = root, is_denied
        self._rest = b""
        self._folders = {"": False}
        self.found: list[str] = []

    @property
    def is_too_much(self) -> bool:
        """More than can be handed to ripgrep, or a name that cannot be."""
        return len(self.found) > _MOST_HIDDEN or not all(name.isprintable() for name in self.found)

    def feed(self, chunk: bytes) -> None:
        """Take a piece of a list that has a NUL after each name."""
        *names, self._rest = (self._rest + chunk).split(b"\0")
        for name in names:
            relative = os.fsdecode(name).removeprefix("./").replace(os.sep, "/")
            if not self._is_in_hidden_folder(relative) and self._is_denied(self._root / relative):
                self.found.append(relative)
        if self.is_too_much:
            raise EnoughRead

    def covers(self, relative: str) -> bool:
        """Whether a file is denied, also one that was not listed."""
        return self._is_in_hidden_folder(relative) or self._is_denied(self._root / relative)

    def _is_in_hidden_folder(self, relative: str) -> bool:
        folder = relative.rpartition("/")[0]
        known = self._folders.get(folder)
        if known is None:
            known = self._is_in_hidden_folder(folder)
            if not known and (known := self._is_denied(self._root / folder)):
                self.found.append(folder)
            self._folders[folder] = known
        return known


class _JsonReader:
    """Builds findings from ripgrep's messages, one JSON object a line, as they come in the reader's thread."""

    def __init__(self, query: Query, hidden: HiddenFiles) -> None:
        self._query, self._hidden = query, hidden
        self._rest = b""
        self._fits = glob_filter(query.glob if query.root.is_dir() else "")
        self._hits = FileHits("")
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
        # A file that appeared after the listing is left out without a word.
        if not (self._query.root.is_dir() and self._hidden.covers(self._hits.relative)):
            self.findings.add(self._hits)


def _text(value: dict[str, str]) -> str:
    """Text comes as it is, bytes that are no UTF-8 as base64."""
    if "text" in value:
        return value["text"]
    return msgspec.convert(value["bytes"], bytes, strict=False).decode("cp1252", "replace")
