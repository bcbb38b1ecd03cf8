"""An opened folder: names in it are used relative to its descriptor, so that no link can lead elsewhere (`R-18`).

Where the system has no such calls (Windows) the same methods work on joined paths.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path
from types import TracebackType

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_BLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_WALK = getattr(os, "O_PATH", os.O_RDONLY)
_RENAME_EXCHANGE = 2
_FOLLOW_OR_NOT = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}


class Folder:
    """Opens `path`, whose links are resolved already, part by part without following a link.

    Use as a context manager. With `make_missing`, folders that are not there are created; `made` gets their paths.
    Raises: OSError (ENOTDIR or ELOOP where a part has become a link).
    """

    def __init__(
        self,
        path: Path,
        *,
        make_missing: bool = False,
        made: list[Path] | None = None,
        use_descriptors: bool = _HAS_DESCRIPTORS,
    ) -> None:
        self.path = path
        made = made if made is not None else []
        self._fd = _open_folder(path, make_missing, made) if use_descriptors else None
        if self._fd is None and make_missing:
            made += [above for above in reversed((path, *path.parents)) if not above.exists()]
            path.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def _name(self, name: str) -> str:
        return name if self._fd is not None else str(self.path / name)

    def status(self, name: str) -> os.stat_result | None:
        """The status of the name itself, not of what a link leads to; None where there is nothing."""
        try:
            return os.stat(self._name(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor; never through a link."""
        if self._fd is None and os.path.islink(self._name(name)):  # noqa: PTH114 - a name, not a Path
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        return os.open(self._name(name), flags | _NO_FOLLOW | _NO_BLOCK | _BINARY, mode, dir_fd=self._fd)

    def is_writable(self, name: str) -> bool:
        """Whether this process may write to an existing file. A file marked read-only is not."""
        if self._fd is None:
            return os.access(self._name(name), os.W_OK)
        return os.access(name, os.W_OK, dir_fd=self._fd, effective_ids=os.access in os.supports_effective_ids)

    def rename(self, old: str, new: str) -> None:
        """Replaces `new`, atomically."""
        os.replace(self._name(old), self._name(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def place_new(self, old: str, new: str) -> None:
        """Rename where nothing is. Raises: FileExistsError."""
        try:
            self._link(old, new)
        except (FileExistsError, FileNotFoundError):
            raise
        except OSError:  # a file system without hard links
            if self.status(new) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new) from None
            self.rename(old, new)
            return
        self.remove(old)

    def _link(self, old: str, new: str) -> None:
        """A second name for the very thing, also where that is a symbolic link."""
        os.link(self._name(old), self._name(new), src_dir_fd=self._fd, dst_dir_fd=self._fd, **_FOLLOW_OR_NOT)

    def exchange(self, one: str, other: str) -> bool:
        """Swap two names in one step; False where system or file system cannot."""
        if self._fd is None or _renameat2 is None:
            return False
        if _renameat2(self._fd, os.fsencode(one), self._fd, os.fsencode(other), _RENAME_EXCHANGE) == 0:
            return True
        code = ctypes.get_errno()
        if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            return False
        raise OSError(code, os.strerror(code), other)

    def keep(self, name: str, under: str) -> bool:
        """Give a file a second name, so that what a rename replaces can still be read; False where that fails."""
        try:
            self._link(name, under)
        except FileNotFoundError:
            raise
        except OSError:
            return False
        return True

    def has_writer(self, name: str) -> bool:
        """Whether some program has the file open for writing; False where the system does not tell."""
        if self._fd is None or _lease is None:
            return False
        try:
            fd = self.open(name, os.O_RDONLY)
        except OSError:
            return False
        try:
            return _lease(fd)
        finally:
            os.close(fd)

    def remove(self, name: str) -> None:
        os.unlink(self._name(name), dir_fd=self._fd)

    def names(self) -> list[str]:
        return os.listdir(self.path)  # noqa: PTH208 - names, not paths

    def sync(self) -> None:
        """Make the names durable, where a folder can be synced."""
        if self._fd is None:
            return
        try:
            os.fsync(self._fd)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
                raise


def _open_folder(path: Path, make_missing: bool, made: list[Path]) -> int:
    parts = path.parts
    fd = os.open(parts[0], _WALK | os.O_DIRECTORY)
    try:
        for at, part in enumerate(parts[1:], 1):
            if make_missing and _make(part, fd):
                made.append(Path(*parts[: at + 1]))
            is_last = at == len(parts) - 1
            below = _open_part(part, fd, is_last)
            os.close(fd)
            fd = below
    except OSError:
        os.close(fd)
        raise
    return fd


def _open_part(part: str, above: int, is_last: bool) -> int:
    """The last part is opened for reading, which syncing needs; one that may only be entered is opened as a path."""
    flags = os.O_DIRECTORY | _NO_FOLLOW
    if is_last:
        try:
            return os.open(part, os.O_RDONLY | flags, dir_fd=above)
        except PermissionError:
            pass
    return os.open(part, _WALK | flags, dir_fd=above)


def _make(part: str, above: int) -> bool:
    """Make a folder unless something is there; whether it was made. What is there is judged on opening."""
    try:
        os.stat(part, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        os.mkdir(part, dir_fd=above)
        return True
    return False


def _find_renameat2() -> ctypes._NamedFuncPointer | None:
    if not sys.platform.startswith("linux"):
        return None
    function: ctypes._NamedFuncPointer | None = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        function.restype = ctypes.c_int
    return function


_renameat2 = _find_renameat2()

if sys.platform.startswith("linux"):
    import fcntl
    import signal

    def _lease(fd: int) -> bool:
        """A lease on reading is refused while somebody writes; it is given back at once."""
        try:
            # Should somebody open the file meanwhile, the signal that tells of it must be one that is ignored.
            fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False
else:
    _lease = None
