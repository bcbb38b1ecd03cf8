"""Comparing paths the way the file system would see them (`R-1`).

`resolve` is the only function that looks at the disk; it follows links. Everything else compares text.
"""

from __future__ import annotations

import fnmatch
import os
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

IGNORES_CASE = sys.platform in ("win32", "darwin")
_GLOB = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Ground:
    """Where paths are anchored: Placet's own folder (relative patterns begin there) and the person's home (`~`)."""

    placet_home: Path
    user_home: Path
    ignores_case: bool = IGNORES_CASE

    def resolve(self, path: str | Path) -> Path:
        """Return `path` absolute, without `..`, with the links of its longest existing ancestor followed."""
        text = os.fspath(path)
        if text == "~" or text.startswith("~/"):
            text = f"{self.user_home}{text[1:]}"
        return Path(os.path.realpath(self.placet_home / text))

    def key(self, path: str | Path) -> str:
        """Return the text by which two names of one file are equal: Unicode form and, where ignored, case."""
        text = unicodedata.normalize("NFC", os.fspath(path))
        if os.sep != "/":
            text = text.replace(os.sep, "/")
        return unicodedata.normalize("NFC", text.casefold()) if self.ignores_case else text

    def is_within(self, path: Path, folder: str | Path) -> bool:
        """Whether `path` is `folder` or below it, with a boundary at the slash. `path` is resolved already."""
        return _is_below(self.key(path), self.key(self.resolve(folder)))

    def is_too_broad(self, folder: str | Path) -> bool:
        """Whether a folder is the root, the home folder or one above it: never let through as a whole."""
        return _is_below(self.key(self.resolve(self.user_home)), self.key(self.resolve(folder)))

    def matches(self, pattern: str, path: Path) -> bool:
        """Whether a rule's path pattern fits a resolved path; see `pattern`."""
        return self.pattern(pattern)(path)

    def pattern(self, pattern: str) -> Callable[[Path], bool]:
        """Return a test for resolved paths. Links in the pattern are followed once, now.

        `<dir>/*` is the folder and its subtree. Without a slash the pattern is a glob on the last component.
        Else it names one file; its last component may be a glob within that folder.
        """
        if "/" not in pattern and pattern != "~":
            glob = self.key(pattern)
            return lambda path: fnmatch.fnmatchcase(self.key(path.name), glob)
        folder, _, last = pattern.rpartition("/")
        if last not in ("", "*", "**") and _GLOB.isdisjoint(last):
            exact = self.key(self.resolve(pattern))
            return lambda path: self.key(path) == exact
        parent = self.key(self.resolve(folder or "/"))
        if last in ("", "*", "**"):
            return lambda path: _is_below(self.key(path), parent)
        name = self.key(last)
        return lambda path: self.key(path.parent) == parent and fnmatch.fnmatchcase(self.key(path.name), name)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
