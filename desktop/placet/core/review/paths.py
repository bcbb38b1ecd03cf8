"""Comparing paths the way the file system would see them (`R-1`).

A `Look` is the only thing here that looks at the disk: it follows links. Everything else compares text.
"""

from __future__ import annotations

import fnmatch
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import msgspec

IGNORES_CASE = sys.platform in ("win32", "darwin")
_GLOB = frozenset("*?[")


class Look:
    """Follows links, looking at each folder once: for one decision, or one walk over a tree. Any thread."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def follow(self, path: str) -> str:
        """Return an absolute path without `..`, with the links of its longest existing ancestor followed."""
        if os.name == "nt":
            return os.path.realpath(path)
        folder, _, last = path.rpartition("/")
        parent = self._follow_folder(folder)
        if last in ("", "."):
            return parent or "/"
        if last == "..":
            return os.path.dirname(parent) or "/"  # noqa: PTH120 - text, quickly
        below = f"{parent}/{last}"
        return os.path.realpath(below) if _is_link(below) else below

    def _follow_folder(self, folder: str) -> str:
        """Like `follow`, remembered; empty for the root."""
        if not folder:
            return ""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self.follow(folder).rstrip("/")
        return known


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


class Ground(msgspec.Struct, frozen=True):
    """Where paths are anchored: Placet's own folder (relative patterns begin there) and the person's home (`~`)."""

    placet_home: Path
    user_home: Path
    ignores_case: bool = IGNORES_CASE

    def resolve(self, path: str | Path, look: Look | None = None) -> Path:
        """Return `path` absolute, with `~`, `..` and links resolved."""
        return Path(self._resolved(os.fspath(path), look or Look()))

    def key(self, path: str | Path, look: Look | None = None) -> str:
        """Return the text by which two names of one file are equal, links, Unicode form and case regarded."""
        return self._folded(self._resolved(os.fspath(path), look or Look()))

    def is_within(self, key: str, folder: str | Path, look: Look | None = None) -> bool:
        """Whether the path with this key is `folder` or below it, with a boundary at the slash."""
        return _is_below(key, self.key(folder, look))

    def is_too_broad(self, folder: str | Path, look: Look | None = None) -> bool:
        """Whether a folder is the root, the home folder or one above it: never let through as a whole."""
        return self.is_within(self.key(self.user_home, look), folder, look)

    def matches(self, pattern: str, path: str | Path) -> bool:
        """Whether a rule's path pattern fits a path; see `pattern`."""
        look = Look()
        return self.pattern(pattern, look)(self.key(path, look))

    def pattern(self, pattern: str, look: Look) -> Callable[[str], bool]:
        """Return a test for keys. Links in the pattern are followed once, now.

        `<dir>/*` is the folder and its subtree. Without a slash the pattern is a glob on the last component.
        Else it names one file; its last component may be a glob within that folder.
        """
        folder, slash, last = pattern.rpartition("/")
        if not slash and pattern != "~":
            fits = self._glob(pattern)
            return lambda key: fits(key.rpartition("/")[2])
        if last not in ("", "*", "**") and _GLOB.isdisjoint(last):
            exact = self.key(pattern, look)
            return lambda key: key == exact
        parent = self.key(folder or "/", look)
        if last in ("", "*", "**"):
            return lambda key: _is_below(key, parent)
        fits, above = self._glob(last), parent.rstrip("/") + "/"
        return lambda key: key.startswith(above) and "/" not in key[len(above) :] and fits(key[len(above) :])

    def _glob(self, pattern: str) -> Callable[[str], bool]:
        match = _compiled(self._folded(pattern)).match
        return lambda name: match(name) is not None

    def _resolved(self, path: str, look: Look) -> str:
        if path == "~" or path.startswith("~/"):
            path = f"{self.user_home}{path[1:]}"
        return look.follow(path if os.path.isabs(path) else f"{self.placet_home}/{path}")  # noqa: PTH117 - text, quickly

    def _folded(self, text: str) -> str:
        if os.sep != "/":
            text = text.replace(os.sep, "/")
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return unicodedata.normalize("NFC", text.casefold()) if self.ignores_case else text


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(glob))


def _is_below(key: str, folder: str) -> bool:
    return key == folder or key.startswith(folder if folder.endswith("/") else folder + "/")
