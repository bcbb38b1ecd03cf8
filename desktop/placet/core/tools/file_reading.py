"""Reading whole regular files, and nothing else: no pipe, device or socket is ever opened for reading."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from placet.core.domain.errors import ToolFailure
from placet.core.tools.places import has_moved, need_same_place

MAX_BYTES = 64_000_000
# Not blocking: a pipe without a writer would otherwise hold the open for ever.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}
_SIGNATURES = (
    (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"), (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or office document"), (b"\x1f\x8b", "gzip data"), (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"), (b"SQLite format 3", "an SQLite database"), (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xca\xfe\xba\xbe", "a Java class or macOS program"), (b"\xcf\xfa\xed\xfe", "a macOS program"),
)  # fmt: skip


def read_regular(path: Path, label: str, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of the file at a resolved path. Blocking.

    Raises: ToolFailure for a folder, a device, a file over `limit`, and where the path leads elsewhere by now.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        need_same_place(path, label)
        if path.is_dir():
            raise _is_folder(label) from error
        raise ToolFailure(f"'{label}' cannot be read: {error.strerror}.") from error
    status = os.fstat(descriptor)
    try:
        _need_opened(path, label, descriptor)
    except ToolFailure:
        os.close(descriptor)
        raise
    if stat.S_ISDIR(status.st_mode):  # Python makes no file of a folder
        os.close(descriptor)
        raise _is_folder(label)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")
            raise ToolFailure(f"'{label}' is {kind}, not a file; it is not read.")
        if status.st_size > limit:
            raise ToolFailure(
                f"'{label}' has {status.st_size:,} bytes, more than the {limit:,} that are read. Look at a part of it "
                "with grep_files, or with execute_cmd (head, tail, sed -n)."
            )
        try:
            return file.read(limit)  # what is appended meanwhile is for the next call
        except OSError as error:  # files of `/proc` are regular ones, and some cannot be read
            raise ToolFailure(f"'{label}' cannot be read: {error.strerror}.") from error


def _need_opened(path: Path, label: str, descriptor: int) -> None:
    """Refuse a file that a link led to while it was opened. Raises: ToolFailure."""
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/self/fd/{descriptor}") == str(path):  # noqa: PTH115 - asked for every file of a search
            return  # where the system tells it; elsewhere, or where it names it otherwise, the slower way
    need_same_place(path, label)
    try:
        is_same = os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        is_same = False
    if not is_same:
        raise has_moved(label)


def _is_folder(label: str) -> ToolFailure:
    return ToolFailure(f"'{label}' is a folder; use list_files to see what is in it.")


def kind_of(data: bytes) -> str:
    """Return what binary data is by its first bytes, in words."""
    return next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), "of an unknown type")
