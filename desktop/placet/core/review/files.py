"""Reading a file that is to be written: only regular files, only up to a size, and errors in words."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path

from placet.core.domain.errors import ToolFailure
from placet.core.review.folder import Folder

ABSENT = "absent"
MAX_BYTES = 64 * 1024 * 1024
OTHERS_RIGHTS = stat.S_ISUID | stat.S_ISGID

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def digest_of(content: bytes | None) -> str:
    """SHA-256 in hex; `absent` for no file."""
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def read_in(folder: Folder, name: str) -> bytes | None:
    """Return the content of a regular file, None where there is none. Raises: ToolFailure, OSError."""
    status = folder.status(name)
    if status is None:
        return None
    refuse_special(folder.path / name, status)
    try:
        fd = folder.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as file:
        refuse_special(folder.path / name, os.fstat(file.fileno()))
        return file.read(MAX_BYTES + 1)


def refuse_special(path: Path, status: os.stat_result) -> None:
    """Raises: ToolFailure for whatever is no regular file, is a link, or is too large."""
    if stat.S_ISLNK(status.st_mode):
        raise ToolFailure(
            f"{path} has become a symbolic link. Nothing was written.", hint="Look at where it leads before writing."
        )
    for is_kind, name in _KINDS:
        if is_kind(status.st_mode):
            raise ToolFailure(f"{path} is {name}, not a file. Nothing was written.")
    if status.st_size > MAX_BYTES:
        raise ToolFailure(
            f"{path} has {status.st_size:,} bytes; files above {MAX_BYTES:,} bytes cannot be reviewed as a change.",
            hint="Use a command for a file of this size.",
        )


def failure_of(error: OSError, path: Path) -> ToolFailure:
    """Return what a system error means for a write, in words. The file is as it was."""
    code = error.errno or 0
    what, hint = _WORDS.get(code, (f"{error.strerror or error}", ""))
    return ToolFailure(f"Cannot write {path}: {what}. Nothing was changed.", hint=hint, detail=str(error))


_WORDS = {
    errno.EACCES: (
        "its permissions, or those of its folder, do not allow it",
        "The person has to change the permissions.",
    ),
    errno.EPERM: ("the system does not permit it", "The person has to change the permissions."),
    errno.EROFS: ("the file system is read-only", "Choose another place."),
    errno.ENOSPC: ("the disk is full", "Some space has to be freed first."),
    errno.EDQUOT: ("the disk quota is used up", "Some space has to be freed first."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name."),
    errno.ENOTDIR: ("a part of its path is not a folder (any more)", "List the folder above to see what is there."),
    errno.ELOOP: ("a part of its path has become a symbolic link", "Look at where it leads before writing."),
    errno.EISDIR: ("it is a folder", ""),
    errno.EFBIG: ("it is too large for the file system", ""),
}
