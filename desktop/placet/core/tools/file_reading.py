"""Reading whole regular files, and nothing else: no pipe, device or socket is ever opened for reading."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from placet.core.domain.errors import ToolFailure

MAX_BYTES = 64_000_000

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
    """Return the bytes of a file. Blocking. Raises: ToolFailure for a folder, a device, a file over `limit`."""
    try:
        # Not blocking: a pipe without a writer would otherwise hold the open for ever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        if path.is_dir():
            raise _is_folder(label) from error
        raise ToolFailure(f"'{label}' cannot be read: {error.strerror}.") from error
    status = os.fstat(descriptor)
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
        return file.read()


def _is_folder(label: str) -> ToolFailure:
    return ToolFailure(f"'{label}' is a folder; use list_files to see what is in it.")


def kind_of(data: bytes) -> str:
    """Return what binary data is by its first bytes, in words."""
    return next((kind for signature, kind in _SIGNATURES if data.startswith(signature)), "of an unknown type")
