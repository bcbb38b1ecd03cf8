"""Paths as a model names them, resolved to the places that rules are checked against."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec

from placet.core.domain.errors import ToolFailure
from placet.core.tools.arguments import nearest

_LONGEST = 4096  # more cannot be opened, and would take long to resolve
_LINE_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class Place(msgspec.Struct, frozen=True):
    """Where relative paths start: the working directory of a session, resolved."""

    workdir: Path

    @classmethod
    def at(cls, workdir: str) -> Place:
        """Without a working directory that of the process stands in."""
        return cls(Path(workdir or ".").resolve())

    def resolve(self, raw: str) -> Path:
        """Return the absolute path with `~`, `..` and the links of the longest existing ancestor resolved (`R-1`).

        Raises: ToolFailure for what can be no path.
        """
        if not raw.strip():
            raise ToolFailure("The path is empty; name a file or folder.")
        if "\0" in raw:
            raise ToolFailure("The path contains a NUL character; no file can have that name.")
        if len(raw) > _LONGEST:
            raise ToolFailure(f"The path has {len(raw):,} characters; no file can have one longer than {_LONGEST:,}.")
        try:
            resolved = (self.workdir / Path(raw).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ToolFailure(f"The path {raw!r} cannot be resolved: {error}.") from error
        if _is_unresolved(resolved):
            raise ToolFailure(f"The path {raw!r} cannot be resolved: its links lead in a circle.")
        return resolved

    def label(self, path: Path) -> str:
        """Return the path in one line, as short as it is clear: relative to the working directory inside of it."""
        is_inside = path.is_relative_to(self.workdir)
        return one_line(path.relative_to(self.workdir).as_posix() if is_inside else str(path))


def _is_unresolved(resolved: Path) -> bool:
    """Return whether links that lead in a circle are left: since Python 3.13 `resolve` lets them stand."""
    try:
        return stat.S_ISLNK(resolved.lstat().st_mode)
    except OSError as error:
        return error.errno == errno.ELOOP


def one_line(text: str) -> str:
    """Return the text with a sign for each line ending in it."""
    return _LINE_ENDS.sub("⏎", text)


def need_same_place(path: Path, label: str) -> None:
    """Refuse a path that was resolved when its call was checked and leads elsewhere by now. Raises: ToolFailure."""
    if os.path.realpath(path) != str(path):
        raise has_moved(label)


def has_moved(label: str) -> ToolFailure:
    return ToolFailure(
        f"'{label}' is not the place any more that this call was checked for: a link or another file took its place. "
        "Nothing was done. Look at what is there now and call again."
    )


def missing(path: Path, label: str, is_denied: Callable[[Path], bool]) -> ToolFailure:
    """Return the failure for a path that does not exist, with what there is near it and not denied (`R-3`)."""
    ancestor = path.parent
    while not ancestor.is_dir() and ancestor != ancestor.parent:
        ancestor = ancestor.parent
    wanted = path.relative_to(ancestor).parts[0]
    try:
        names = [entry.name for entry in ancestor.iterdir() if not is_denied(entry)]
    except OSError:
        names = []
    near = nearest(wanted, names, cutoff=0.6) or next((name for name in names if name.lower() == wanted.lower()), "")
    hint = f" Did you mean '{ancestor / near}'?" if near else f" The nearest folder that exists is '{ancestor}'."
    return ToolFailure(f"There is no file or folder '{label}'.{hint}")
