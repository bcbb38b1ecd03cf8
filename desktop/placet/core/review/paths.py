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
FOLDER_RULES = ".placet/rules.toml"  # in a project's folder: rules that came with it
_FOR_MODEL = ("memory", "data", "work")  # folders below Placet's own that a model may be let write to


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
        try:
            return os.path.realpath(below) if _is_link(below) else below
        except OSError:  # a link that we may not read leads us nowhere
            return below

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
    except (OSError, ValueError):  # a name that no file can have
        return False


class Ground(msgspec.Struct, frozen=True):
    """Where paths are anchored: Placet's own folder (relative patterns begin there) and the person's home (`~`)."""

    placet_home: Path
    user_home: Path
    ignores_case: bool = IGNORES_CASE

    def resolve(self, path: str | Path, look: Look | None = None) -> Path:
        """Return `path` absolute, with `~`, `..` and links resolved."""
        return Path(self._resolved(os.fspath(path), look or Look()))

    def key(self, path: str | Path, look: Look | None = None, *, exact: bool = False) -> str:
        """Return the text by which two names of one file are equal, links, Unicode form and case regarded.

        An `exact` key tells apart whatever the file system tells apart: for what is permitted, not for what is denied.
        """
        return self._folded(self._resolved(os.fspath(path), look or Look()), exact)

    def is_within(self, key: str, folder: str | Path, look: Look | None = None, *, exact: bool = False) -> bool:
        """Whether the path with this key is `folder` or below it, with a boundary at the slash."""
        return _is_below(key, self.key(folder, look, exact=exact))

    def is_too_broad(self, folder: str | Path, look: Look | None = None) -> bool:
        """Whether a folder is the root, the home folder or one above it: never let through as a whole."""
        return self.is_within(self.key(self.user_home, look), folder, look)

    def leads_elsewhere(self, folder: str, look: Look | None = None) -> bool:
        """Whether a folder that was stored resolved has become a link since, or lies below one."""
        return self._resolved(folder, look or Look()) != folder

    def is_own(self, key: str, look: Look | None = None) -> bool:
        """Whether a path is Git's bookkeeping, or Placet's own and not made for the model's files."""
        if ".git" in key.split("/") or self.holds_rules(key):
            return True
        home = self.placet_home
        return self.is_within(key, home, look) and not any(
            self.is_within(key, home / name, look) for name in _FOR_MODEL
        )

    def holds_rules(self, key: str) -> bool:
        """Whether a path is that of the rules that come with a folder."""
        return key.endswith(f"/{FOLDER_RULES}")

    def matches(self, pattern: str, path: str | Path, *, denial: bool = False) -> bool:
        """Whether a rule's path pattern fits a path; see `pattern`."""
        look = Look()
        return self.pattern(pattern, look, denial=denial)(self.key(path, look, exact=not denial))

    def pattern(self, pattern: str, look: Look, *, denial: bool = False) -> Callable[[str], bool]:
        """Return a test for keys, exact ones unless it is for a denial. Links in the pattern are followed once, now.

        `<dir>/*` is the folder and its subtree. Without a slash the pattern is a glob on the last component, and for
        a denial on each. Else it names one file; its last component may be a glob within that folder.
        """
        folder, slash, last = pattern.rpartition("/")
        if not slash and pattern != "~":
            fits = self._glob(pattern, denial)
            if denial:
                return lambda key: any(fits(name) for name in key.split("/") if name)
            return lambda key: fits(key.rpartition("/")[2])
        if last not in ("", "*", "**") and _GLOB.isdisjoint(last):
            place = self.key(pattern, look, exact=not denial)
            return lambda key: key == place
        parent = self.key(folder or "/", look, exact=not denial)
        if last in ("", "*", "**"):
            return lambda key: _is_below(key, parent)
        fits, above = self._glob(last, denial), parent.rstrip("/") + "/"
        return lambda key: key.startswith(above) and "/" not in key[len(above) :] and fits(key[len(above) :])

    def _glob(self, pattern: str, denial: bool) -> Callable[[str], bool]:
        match = _compiled(self._folded(pattern, exact=not denial)).match
        return lambda name: match(name) is not None

    def _resolved(self, path: str, look: Look) -> str:
        if path == "~" or path.startswith("~/"):
            path = f"{self.user_home}{path[1:]}"
        return look.follow(path if os.path.isabs(path) else f"{self.placet_home}/{path}")  # noqa: PTH117 - text, quickly

    def _folded(self, text: str, exact: bool) -> str:
        if os.sep != "/":
            text = text.replace(os.sep, "/")
        if text.isascii():
            return text.lower() if self.ignores_case else text
        if exact and not self.ignores_case:
            return text
        text = unicodedata.normalize("NFC", text)
        return unicodedata.normalize("NFC", text.casefold()) if self.ignores_case else text


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(glob))


def _is_below(key: str, folder: str) -> bool:
    return key == folder or key.startswith(folder if folder.endswith("/") else folder + "/")
