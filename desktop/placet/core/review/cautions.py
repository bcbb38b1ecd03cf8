"""Commands that are asked about although a rule or a mode would let them pass: a denial may be meant (`R-2`).

A path that is denied to the file tools can be named to a program as well, and a command that is denied can be written
in ways that no reading of the line finds. Neither is certain, so a person looks. Words are taken for names of files
generously, and a line that does not say what it runs counts as one that may run anything.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from placet.core.domain.review import Rule
from placet.core.domain.tools import Command
from placet.core.review.commands import CommandLine, program_of, read_command

_QUOTES = re.compile(r"[\\\"']")
_BETWEEN = re.compile(r"[\s;&|(){}<>`$=,:!]+")
_HOME = re.compile(r"\$(?:HOME\b|\{HOME\})")
_PATTERN = frozenset("*?[")
_MOST_WORDS = 10_000
_MOST_LOOKED_AT = 100_000  # names, for all patterns of a line
_MOST_FOLDERS = 8


def caution(
    operation: Command, denials: Sequence[Rule], is_denied: Callable[[Path], bool], is_rules: Callable[[Path], bool]
) -> str:
    """Return why a person has to look at a command, empty where nothing speaks for it.

    `denials` are the rules that deny commands; `is_rules` knows where rules of the project are kept. Looks at the
    disk: for a worker thread.
    """

    def trouble(path: Path) -> str:
        if is_denied(path):
            return "which the rules deny to file tools"
        return "where the rules of the project are kept" if is_rules(path) else ""

    line = read_command(operation.command)
    plain = _QUOTES.sub("", _HOME.sub("~", operation.command))
    words = [word for word in _BETWEEN.split(plain) if word]
    return _denied_command(line, words, denials) or _troubling_path(operation.workdir, line, words, trouble)


def _denied_command(line: CommandLine, words: Sequence[str], denials: Sequence[Rule]) -> str:
    if not line.doubt:
        return ""
    programs = [program_of(word) for word in words]
    for rule in denials:
        wanted = tuple(word.casefold() for word in rule.command)
        if _has_run(programs, wanted):
            return f"it may run “{' '.join(rule.command)}”, which rule {rule.id} denies ({line.doubt})"
    if denials and line.is_opaque:
        rule = denials[0]
        return f"it does not say what it runs, and rule {rule.id} denies “{' '.join(rule.command)}” ({line.doubt})"
    return ""


def _has_run(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return bool(wanted) and any(
        tuple(words[at : at + len(wanted)]) == wanted for at, word in enumerate(words) if word == wanted[0]
    )


def _troubling_path(workdir: Path, line: CommandLine, words: Sequence[str], trouble: Callable[[Path], str]) -> str:
    if why := trouble(workdir):
        return f"it runs in a folder {why}"
    names = list(dict.fromkeys(itertools.chain(itertools.chain.from_iterable(line.commands), words)))
    if len(names) > _MOST_WORDS:
        return f"it has {len(names):,} words, too many to look for denied files among them"
    folders, patterns = _folders(workdir, line), _Patterns()
    try:
        for name in names:
            places = (place for form in _forms(name) for place in _places(form, folders, patterns))
            if why := next(filter(None, map(trouble, places)), ""):
                return f"it names {name}, {why}"
    except _TooMany:
        return "its patterns fit too many files to look for denied ones among them"
    return ""


def _folders(workdir: Path, line: CommandLine) -> list[str]:
    """Where relative names may begin: the working folder, and each folder that the line changes to."""
    found = [str(workdir)]
    for command in line.commands:
        for before, word in itertools.pairwise(command):
            if before in ("cd", "pushd", "-C") and len(found) < _MOST_FOLDERS:
                found.append(os.path.normpath(os.path.join(found[-1], os.path.expanduser(word))))  # noqa: PTH111, PTH118 - text
    return found


def _forms(word: str) -> Iterator[str]:
    """The word, and what follows a short option (`-ffile`) or the sign for "from a file" (`@file`)."""
    yield word
    if word.startswith("@"):
        yield word[1:]
    elif word.startswith("-") and len(word) > 2:
        yield word[2:]


def _places(word: str, folders: Sequence[str], patterns: _Patterns) -> Iterator[Path]:
    if not word or len(word) > 4096:
        return
    if not _PATTERN.isdisjoint(word):
        for folder in folders:
            yield from patterns.fitting(word, folder)
    elif word.startswith(("/", "~")):
        yield Path(word)
    else:
        yield from (Path(folder, word) for folder in folders)


class _TooMany(Exception):
    """Looking on would take too long."""


class _Patterns:
    """The files that a shell would put in place of patterns. All those of one line share a bound."""

    def __init__(self) -> None:
        self._left = _MOST_LOOKED_AT

    def fitting(self, pattern: str, folder: str) -> Iterator[Path]:
        """Raises: _TooMany."""
        whole = os.path.expanduser(pattern)  # noqa: PTH111 - a pattern, not a path
        places = ["" if whole.startswith("/") else folder]
        for part in filter(None, whole.split("/")):
            if _PATTERN.isdisjoint(part):
                places = [f"{place}/{part}" for place in places]
            else:
                places = [f"{place}/{name}" for place in places for name in self._names(place or "/", part)]
        yield from map(Path, places)

    def _names(self, folder: str, part: str) -> list[str]:
        """A pattern finds a name that begins with a dot only if it does so itself."""
        try:
            names = os.listdir(folder)  # noqa: PTH208 - names, quickly
        except (OSError, ValueError):
            names = []
        self._left -= len(names) + 1
        if self._left < 0:
            raise _TooMany
        glob = part.replace("[^", "[!")
        return [name for name in fnmatch.filter(names, glob) if part.startswith(".") or not name.startswith(".")]
