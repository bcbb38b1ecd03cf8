"""The files of agents on the disk: bounded, as UTF-8, and never from outside of their folder."""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path

from placet.core.agents.faults import AgentFault

PROMPT, DECLARATION, INCLUDES = "AGENT.md", "agent.toml", "_includes"
TEXT_BYTES = 64 * 1024
DECLARATION_BYTES = 16 * 1024
MOST_FOLDERS = 200
_MOST_ENTRIES = 2000

Stamp = tuple[tuple[str, int, int, int], ...]


class Folder:
    """Files below one folder, by names with slashes. A link may lead to another place in it, not out of it."""

    def __init__(self, root: Path) -> None:
        self._root, self._real = str(root), os.path.realpath(root)

    def has(self, name: str) -> bool:
        """Whether there is something of that name, whatever it is."""
        return os.path.lexists(os.path.join(self._root, name))  # noqa: PTH118 - see `_bytes`

    def text(self, name: str, limit: int = TEXT_BYTES) -> str:
        """Return the text of a file, its lines ended by newlines only. Raises: AgentFault."""
        data = self._bytes(name, limit + 1)
        if len(data) > limit:
            raise AgentFault(name, f"it is over {limit // 1024} KB")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise AgentFault(name, f"byte {error.start + 1} is not UTF-8") from None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def beginning(self, name: str, limit: int) -> tuple[str, bool]:
        """Return up to `limit` bytes of a file as text, and whether that is all of it. Raises: AgentFault."""
        data = self._bytes(name, limit + 1)
        return data[:limit].decode("utf-8-sig", "ignore"), len(data) <= limit

    def _bytes(self, name: str, limit: int) -> bytes:
        """Without pathlib, which takes three times as long for the forty files of the shipped agents."""
        try:
            path = os.path.realpath(os.path.join(self._root, name), strict=True)  # noqa: PTH118
            if not path.startswith(os.path.join(self._real, "")):  # noqa: PTH118
                raise AgentFault(name, "it leads out of its folder")
            if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
                raise AgentFault(name, "it is no file")  # a pipe would be waited for
            with open(path, "rb") as file:  # noqa: PTH123
                return file.read(limit)
        except (FileNotFoundError, NotADirectoryError):
            raise AgentFault(name, "it is missing") from None
        except (OSError, ValueError) as error:
            raise AgentFault(name, f"it cannot be read ({getattr(error, 'strerror', None) or error})") from None


def agent_folders(root: Path) -> list[str]:
    """Return the names of the agents' folders, sorted. Hidden ones, and those that begin with "_", are none."""
    return [name for name in _entries(root, are_folders=True) if not name.startswith((".", "_"))]


def stamp(root: Path) -> Stamp:
    """Return what changes when a file of an agent below `root` does. Reads no file."""
    names = [f"{folder}/{name}" for folder in agent_folders(root)[: MOST_FOLDERS + 1] for name in (PROMPT, DECLARATION)]
    names += [f"{INCLUDES}/{name}" for name in _entries(root / INCLUDES, are_folders=False)]
    return tuple(_stamped(root, name) for name in names)


def _entries(folder: Path, *, are_folders: bool) -> list[str]:
    try:
        with os.scandir(folder) as found:
            entries = list(islice(found, _MOST_ENTRIES))
            return sorted(entry.name for entry in entries if entry.is_dir() is are_folders)
    except OSError:
        return []


def _stamped(root: Path, name: str) -> tuple[str, int, int, int]:
    try:
        found = (root / name).stat()
    except (OSError, ValueError):
        return name, 0, 0, 0
    return name, found.st_mtime_ns, found.st_size, found.st_ino
