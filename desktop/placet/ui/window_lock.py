"""One window a data folder (`S-4`): a lock of the operating system, which ends with the process that holds it.

Light to import: a start takes the lock before anything shows.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from placet.core.domain.errors import UsageError

_FILE = "window.lock"
_MOST_BYTES = 200  # of a name

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 20  # behind the name: what is locked there cannot be read by others

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WindowLock:
    """Held until `release` or the end of the process. In it stands under which name the window can be called."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write_name(self, name: str) -> None:
        """Tell later starts where to call."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, name.encode("ascii").ljust(_MOST_BYTES))

    def release(self) -> None:
        """Let another window have the folder. Idempotent."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def take_lock(home: Path) -> WindowLock | None:
    """Take the lock; None where another process has it. Raises: UsageError."""
    try:
        descriptor = os.open(home / _FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise UsageError(
            f"The data folder {home} cannot be written to: {error.strerror}.",
            hint="Make it yours again, or set PLACET_HOME to a folder that you may write to.",
        ) from None
    try:
        _take(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    return WindowLock(descriptor)


def name_in(home: Path) -> str:
    """Return the name the last window wrote down; empty if there is none."""
    try:
        with (home / _FILE).open("rb") as file:
            written = file.read(_MOST_BYTES)
    except OSError:
        return ""
    name = written.decode("ascii", "replace").strip()
    return name if name.replace("-", "").isalnum() else ""
