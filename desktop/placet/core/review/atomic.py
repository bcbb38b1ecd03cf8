"""Putting bytes where other bytes are, all or nothing, and only if what is there is what was shown (`R-5`, `R-6`).

Runs in a worker thread. A file is written beside its place under a name that carries a mark, made durable, compared
once more, and swapped in. What the swap replaced is read afterwards: another writer's change that fell into that
very moment cannot be prevented by any call of the system, but it is found and handed back.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from placet.core.domain.errors import StalePreview, ToolFailure
from placet.core.review.files import ABSENT, OTHERS_RIGHTS, digest_of, failure_of, read_in
from placet.core.review.folder import Folder

_TEMPORARY = ".placet-{mark}-"
_LEFT = r"\.placet-{mark}-[0-9a-f]{{8}}(?:-old)?"
_LOOK_S = 0.002
_LONGEST_WAIT_S = 0.25  # for another program that has the replaced file open; a service may have it open for good


def put(
    path: Path,
    expected: str,
    content: bytes | None,
    mark: str,
    *,
    other_names: int | None = None,
    folder_at: type[Folder] = Folder,
) -> bytes | None:
    """Make `content` (None: no file) the content of `path` if its digest is `expected`.

    `path` has its links resolved. Missing parent folders are made. `other_names` is how many hard links were shown
    (None: any); a file that has more by now would change in places that nobody saw. Returns another writer's content
    that was replaced in the moment of the swap, None where there was none.
    Raises: StalePreview, ToolFailure; nothing was changed then.
    """
    made: list[Path] = []
    try:
        # Where a file is to be changed its folder is there, or the preview is out of date.
        is_new = content is not None and expected == ABSENT
        with folder_at(path.parent, make_missing=is_new, made=made) as folder:
            return _Placing(folder, path, mark, other_names).run(expected, content)
    except (OSError, StalePreview, ToolFailure) as error:
        for empty in reversed(made):
            with contextlib.suppress(OSError):
                empty.rmdir()
        if isinstance(error, OSError):
            raise failure_of(error, path) from error
        raise


def current_digest(path: Path) -> str:
    """The digest of what is there now: `absent` for nothing, empty for what is no readable file."""
    try:
        with Folder(path.parent) as folder:
            return digest_of(read_in(folder, path.name))
    except FileNotFoundError:
        return ABSENT
    except (OSError, ToolFailure):
        return ""


def leftovers(path: Path, mark: str) -> list[bytes]:
    """Remove the files that a crash in `put` left beside `path`; returns the contents. Nothing else is touched."""
    found = []
    is_left = re.compile(_LEFT.format(mark=re.escape(mark))).fullmatch
    with contextlib.suppress(OSError), Folder(path.parent) as folder:
        for name in folder.names():
            if is_left(name):
                try:
                    content = read_in(folder, name)
                except ToolFailure:  # no file, so not made here
                    continue
                folder.remove(name)
                found += [content] if content is not None else []
    return found


class _Placing:
    """One write into one opened folder."""

    def __init__(self, folder: Folder, path: Path, mark: str, other_names: int | None) -> None:
        self._folder, self._path, self._name = folder, path, path.name
        self._most_names = float("inf") if other_names is None else other_names + 1
        self._temporary = _TEMPORARY.format(mark=mark) + secrets.token_hex(4)

    def run(self, expected: str, content: bytes | None) -> bytes | None:
        self._check(expected)
        status = self._folder.status(self._name)
        if content is None:
            return self._delete(expected)
        if status is None and expected != ABSENT:  # deleted a moment ago: it is not made again
            raise self._stale()
        if status is None:
            self._create(content)
            return None
        if not self._folder.is_writable(self._name):
            raise ToolFailure(
                f"Cannot write {self._path}: it is read-only. Nothing was changed.",
                hint="The person has to make it writable first.",
            )
        if status.st_nlink > self._most_names:
            raise self._stale()
        if status.st_nlink > 1 or (_would_change_owner(status) and self._folder.is_writable(".")):
            self._rewrite(status, expected, content)
            return None
        return self._replace(status, expected, content)

    def _check(self, expected: str) -> None:
        if digest_of(read_in(self._folder, self._name)) != expected:
            raise self._stale()

    def _check_own(self, ours: os.stat_result) -> None:
        """What is put in place must be what was written, and nothing that came under its name meanwhile."""
        now = self._folder.status(self._temporary)
        if now is None or _identity(now) != _identity(ours):
            raise ToolFailure(
                f"Another program changed the new content of {self._path} before it was put in place. "
                "Nothing was changed.",
                hint="Look for what else writes to this folder.",
            )

    def _stale(self) -> StalePreview:
        return StalePreview(
            f"{self._path} changed after the preview was made. Nothing was written.",
            hint="The change is planned anew on what is there now.",
        )

    def _create(self, content: bytes) -> None:
        with self._written(content, 0o666) as ours:
            self._check_own(ours)
            try:
                self._folder.place_new(self._temporary, self._name)
            except FileExistsError:
                raise self._stale() from None
        self._folder.sync()

    def _replace(self, status: os.stat_result, expected: str, content: bytes) -> bytes | None:
        with self._written(content, 0o600, like=status) as ours:
            self._check(expected)
            self._check_own(ours)
            try:
                found, last = self._swap()
            except FileNotFoundError:
                raise self._stale() from None
            if last is not None and _rights_of(last) != _rights_of(status):
                self._take_over(last, ours)
        self._folder.sync()
        return found if digest_of(found) != expected else None

    def _swap(self) -> tuple[bytes | None, os.stat_result | None]:
        """Put the temporary file in place and return what was there, with its status where that can be told."""
        folder = self._folder
        if folder.exchange(self._temporary, self._name):
            try:
                return self._replaced(self._temporary)
            except (ToolFailure, OSError):  # a link, a device: it goes back to its place
                folder.exchange(self._temporary, self._name)
                raise
        kept = f"{self._temporary}-old"
        has_kept = folder.keep(self._name, kept)
        last = None if has_kept else read_in(folder, self._name)
        folder.rename(self._temporary, self._name)
        if not has_kept:
            return last, None
        try:
            found = self._replaced(kept)
        except (ToolFailure, OSError):
            folder.rename(kept, self._name)
            raise
        folder.remove(kept)
        return found

    def _replaced(self, name: str) -> tuple[bytes | None, os.stat_result | None]:
        """What was replaced, as it is once those who had it open for writing have closed it: they write to it still."""
        until = time.monotonic() + _LONGEST_WAIT_S
        while self._folder.has_writer(name) and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return read_in(self._folder, name), self._folder.status(name)

    def _take_over(self, last: os.stat_result, ours: os.stat_result) -> None:
        """Another program changed mode or owner after they were taken over: perhaps to close the file to others."""
        fd = self._folder.open(self._name, os.O_RDONLY)
        try:
            if os.path.samestat(os.fstat(fd), ours):
                _take_rights(fd, last)
        finally:
            os.close(fd)

    def _delete(self, expected: str) -> bytes | None:
        """Move the file aside, look at it, and only then remove it; whatever another program put there goes back."""
        self._folder.rename(self._name, self._temporary)
        try:
            found = digest_of(read_in(self._folder, self._temporary))
        except (ToolFailure, OSError) as error:
            self._put_back()
            raise ToolFailure(
                f"Another program put something that is no file at {self._path} in that very moment. "
                "It was put back, and nothing was deleted."
            ) from error
        if found != expected:
            self._put_back()
            raise self._stale()
        self._folder.remove(self._temporary)
        self._folder.sync()
        return None

    def _put_back(self) -> None:
        try:
            self._folder.place_new(self._temporary, self._name)
        except FileExistsError:
            raise ToolFailure(
                f"Other programs put two things at {self._path} in that very moment. One is there, the other is kept "
                f"beside it as {self._temporary}; nothing was deleted."
            ) from None

    def _rewrite(self, status: os.stat_result, expected: str, content: bytes) -> None:
        """A file with several names, or with an owner that we cannot give a new one, keeps them.

        Its bytes are replaced where they are. The journal has the old ones.
        """
        fd = self._folder.open(self._name, os.O_RDWR)
        with os.fdopen(fd, "r+b", buffering=0) as file:
            now = os.fstat(fd)
            if (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
                raise self._stale()
            old = file.read()
            if digest_of(old) != expected:
                raise self._stale()
            try:
                if len(content) > len(old) and hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(fd, 0, len(content))
                _overwrite(fd, content)
                if now.st_mode & OTHERS_RIGHTS and hasattr(os, "fchmod"):
                    with contextlib.suppress(PermissionError):  # not ours: then the system took them away already
                        os.fchmod(fd, _mode_of(now))
            except OSError:
                _overwrite(fd, old)
                raise

    @contextlib.contextmanager
    def _written(self, content: bytes, mode: int, *, like: os.stat_result | None = None) -> Iterator[os.stat_result]:
        """The temporary file, complete and durable, and its status; whatever has that name afterwards is removed."""
        try:
            fd = self._folder.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            try:
                _overwrite(fd, content)
                if like is not None:
                    _take_after(fd, self._folder, self._name, like)
                status = os.fstat(fd)
            finally:
                os.close(fd)
            yield status
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._folder.remove(self._temporary)


def _overwrite(fd: int, content: bytes) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    os.ftruncate(fd, len(content))
    os.fsync(fd)


def _take_after(fd: int, folder: Folder, name: str, like: os.stat_result) -> None:
    """Owner, extended attributes and mode of the file that is replaced, as far as this process may give them."""
    if hasattr(os, "getxattr"):
        with contextlib.suppress(OSError):
            source = folder.open(name, os.O_RDONLY)
            try:
                for attribute in os.listxattr(source):
                    os.setxattr(fd, attribute, os.getxattr(source, attribute))
            finally:
                os.close(source)
    _take_rights(fd, like)


def _take_rights(fd: int, like: os.stat_result) -> None:
    """The owner first: giving a file away may change its mode."""
    if hasattr(os, "fchown") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, like.st_uid, like.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(fd, _mode_of(like))


def _would_change_owner(status: os.stat_result) -> bool:
    """Whether another file in its place would be of another owner or group, which only root can help."""
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        return False
    return status.st_uid != os.geteuid() or status.st_gid not in (os.getegid(), *os.getgroups())


def _identity(status: os.stat_result) -> tuple[int, ...]:
    """Tells a file from another one, and from itself after somebody wrote to it."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _rights_of(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_uid, status.st_gid, _mode_of(status)


def _mode_of(status: os.stat_result) -> int:
    """What runs with the rights of its owner or group no longer does so once its content is another."""
    return stat.S_IMODE(status.st_mode) & ~OTHERS_RIGHTS
