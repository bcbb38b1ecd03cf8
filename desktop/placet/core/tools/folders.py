"""Walking a folder as the reading tools do: without what `.gitignore` names, and without what is denied (`R-3`)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain.errors import ToolFailure
from placet.core.tools.file_reading import read_regular
from placet.core.tools.globs import pattern_of, spec_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_IGNORE_BYTES = 256_000
_MAX_IGNORE_LINES = 2_000
MAX_DEPTH = 200  # what lies deeper is shown when a folder on the way is named
_NEVER = frozenset({".git", ".hg", ".svn"})


class Entry(msgspec.Struct, frozen=True):
    """Something below the folder walked; `relative` has slashes. A link counts as no folder and no file."""

    path: Path
    relative: str
    is_folder: bool
    is_file: bool


class _Ignore(msgspec.Struct, frozen=True):
    """The patterns of one `.gitignore`, and the folder they are relative to."""

    folder: str
    spec: GitIgnoreSpec


class FolderWalk:
    """One walk, in the order of names. Links are given but not followed.

    `ignored` and `denied` count the entries that were left out, for the notice to the model.
    """

    def __init__(self, root: Path, check: Callable[[], None], is_denied: Callable[[Path], bool]) -> None:
        self._root, self._check, self._is_denied = root, check, is_denied
        self.ignored = self.denied = 0
        self._is_cut = False

    def entries(self, depth: int = MAX_DEPTH) -> Iterator[Entry]:
        """Yield the entries down to `depth` levels, of which 200 are the most, each folder before what is in it."""
        yield from self._walk(self._root, "", 1, min(depth, MAX_DEPTH), _above(self._root, self._check))

    def _walk(self, folder: Path, prefix: str, level: int, depth: int, ignores: tuple[_Ignore, ...]) -> Iterator[Entry]:
        self._check()
        ignores = (*ignores, *_own(folder, self._check))
        for item in _scan(folder):
            self._check()
            is_folder = item.is_dir(follow_symlinks=False)
            if item.name in _NEVER and is_folder:
                continue
            path = folder / item.name
            if _is_ignored(item.path, ignores, is_folder=is_folder):
                self.ignored += 1
                continue
            if self._is_denied(path):
                self.denied += 1
                continue
            relative = prefix + item.name
            yield Entry(path, relative, is_folder, item.is_file(follow_symlinks=False))
            self._is_cut |= is_folder and level == MAX_DEPTH
            if is_folder and level < depth:
                yield from self._walk(path, relative + "/", level + 1, depth, ignores)

    def left_out(self) -> str:
        """Return a notice of what is not shown and why, or nothing."""
        parts = []
        if self.ignored:
            parts.append(f"{self.ignored} ignored by .gitignore")
        if self.denied:
            parts.append(f"{self.denied} that the rules deny")
        if self._is_cut:
            parts.append(f"what is below {MAX_DEPTH} levels")
        return f"[Not shown: {' and '.join(parts)}.]" if parts else ""


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda item: item.name)
    except OSError:
        return []  # unreadable or gone meanwhile: as if it were empty


def _own(folder: Path, check: Callable[[], None]) -> tuple[_Ignore, ...]:
    """Return the patterns of a folder's `.gitignore`; one that is a link, no file or huge counts as none."""
    try:
        data = read_regular(folder / ".gitignore", ".gitignore", _MAX_IGNORE_BYTES)
    except ToolFailure:
        return ()
    patterns = []
    for line in data.decode("utf-8", "replace").splitlines()[:_MAX_IGNORE_LINES]:
        check()
        with contextlib.suppress(ValueError):  # as git does, a line that makes no sense is passed over
            patterns.append(pattern_of(line))
    return (_Ignore(str(folder), spec_of(patterns)),)


def folders_above(root: Path) -> list[Path]:
    """Return the folders between `root` and its repository's top, which is the last; none where it is in none."""
    above = [root, *root.parents]
    top = next((index for index, folder in enumerate(above) if (folder / ".git").exists()), 0)
    return above[1 : top + 1]


def _above(root: Path, check: Callable[[], None]) -> tuple[_Ignore, ...]:
    """Return the patterns that hold for `root` from the folders above it, up to the repository's.

    A folder that is itself ignored was named on purpose; then none of them hold.
    """
    parents = folders_above(root)
    ignores = tuple(found for folder in reversed(parents) for found in _own(folder, check))
    return () if _is_ignored(str(root), ignores, is_folder=True) else ignores


def _is_ignored(path: str, ignores: Sequence[_Ignore], *, is_folder: bool) -> bool:
    """The innermost file that has a pattern for the path decides."""
    for ignore in reversed(ignores):
        relative = path[len(ignore.folder) :].lstrip(os.sep).replace(os.sep, "/")
        decided = ignore.spec.check_file(relative + "/" if is_folder else relative).include
        if decided is not None:
            return decided
    return False
