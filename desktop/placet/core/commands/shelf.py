"""All commands that are files. Read when they are first asked for, and again where a file has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from placet.core.domain.commands import COMMAND_NAME

if TYPE_CHECKING:
    from placet.core.commands.command_file import UserCommand

_Stamp = tuple[int, int, int]


class _Read(NamedTuple):
    """What a folder gave while its file had this stamp."""

    stamp: _Stamp | None
    command: UserCommand | None
    problems: tuple[str, ...]


class CommandShelf:
    """The shipped commands and a person's own, which replace shipped ones of the same name. Touches no disk when made."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped, self._own = shipped, own
        self._known: dict[Path, _Read] = {}

    def read(self) -> tuple[Mapping[str, UserCommand], list[str]]:
        """Return the commands by name, and one sentence for each thing that is wrong. Never raises for a file."""
        commands: dict[str, UserCommand] = {}
        problems: list[str] = []
        seen: dict[Path, _Read] = {}
        for root in (self._shipped, self._own):
            for folder in _folders(root, problems):
                found = seen[folder] = self._of(folder)
                problems += found.problems
                if found.command is not None:
                    commands[found.command.name] = found.command
        self._known = seen
        return dict(sorted(commands.items())), problems

    def _of(self, folder: Path) -> _Read:
        from placet.core.commands.command_file import FILE, Unusable, read_command

        stamp = _stamp(folder / FILE)
        known = self._known.get(folder)
        if known is not None and stamp is not None and known.stamp == stamp:
            return known
        place = f"commands/{folder.name}"
        if not re.fullmatch(COMMAND_NAME, folder.name):
            words = "the name must begin with a letter a–z, then letters a–z, digits and hyphens; it is ignored"
            return _Read(stamp, None, (f"{place}: {words}.",))
        try:
            command, left_out = read_command(folder, is_own=folder.parent == self._own)
        except Unusable as error:
            return _Read(stamp, None, (f"{place}: {error}; it is ignored.",))
        return _Read(stamp, command, tuple(f"{place}: {words}." for words in left_out))


def _folders(root: Path, problems: list[str]) -> Iterator[Path]:
    """The folders in `root` by name; hidden ones and plain files are none."""
    try:
        yield from sorted(path for path in root.iterdir() if not path.name.startswith(".") and path.is_dir())
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(f"The folder {root} cannot be read ({error.strerror}); its commands are ignored.")


def _stamp(path: Path) -> _Stamp | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
