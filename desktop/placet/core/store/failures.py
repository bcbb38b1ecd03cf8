"""SQLite's errors in words: what happened, what it means, what to do (`S-3`)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from peewee import PeeweeException

from placet.core.domain.errors import StoreError

DRIVER_ERRORS = (sqlite3.Error, PeeweeException)

_ELSEWHERE = "start Placet with another folder (PLACET_HOME)"
_BACKUPS = f"Restore the newest copy from the folder `backups` beside it, or {_ELSEWHERE}."

# Primary result code → what happened, what to do.
_WORDS: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: (
        "The database is locked by another program.",
        "Nothing was stored. Close the other program or wait until it is done, then try again.",
    ),
    sqlite3.SQLITE_LOCKED: (
        "The database is locked by another part of the program.",
        "Nothing was stored. Try again.",
    ),
    sqlite3.SQLITE_FULL: (
        "The disk is full.",
        f"Nothing was stored. Free some space and try again, or {_ELSEWHERE}.",
    ),
    sqlite3.SQLITE_READONLY: (
        "The database cannot be written to.",
        f"Nothing was stored. Allow writing to its file and folder, or {_ELSEWHERE}.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The database cannot be opened.",
        f"Check that its folder exists and may be written to, or {_ELSEWHERE}.",
    ),
    sqlite3.SQLITE_PERM: ("The database may not be opened.", f"Check who owns its file, or {_ELSEWHERE}."),
    sqlite3.SQLITE_IOERR: ("The disk failed while the database was used.", f"Check the disk, or {_ELSEWHERE}."),
    sqlite3.SQLITE_CORRUPT: ("The database is damaged.", f"Nothing was deleted. {_BACKUPS}"),
    sqlite3.SQLITE_NOTADB: (
        "The database file is not a database.",
        f"It was left as it is. Move it away to begin with an empty one. {_BACKUPS}",
    ),
    sqlite3.SQLITE_INTERRUPT: ("The search was stopped.", ""),
}


def store_error(error: BaseException, path: Path) -> StoreError:
    """Put a driver's error into words. Peewee raises its own while it handles sqlite3's, which knows the code."""
    cause = error
    while not isinstance(cause, sqlite3.Error) and cause.__context__ is not None:
        cause = cause.__context__
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
    message, hint = _WORDS.get(code, ("The database cannot be used.", f"Try again, or {_ELSEWHERE}."))
    return StoreError(message, hint=hint, detail=f"{path}: {cause}")


def unusable_place(error: OSError, path: Path) -> StoreError:
    """Put an operating system's error about the folder or the file into words."""
    return StoreError(
        f"The folder {path.parent} cannot be used for the database: {error.strerror or error}.",
        hint=f"Allow writing to it, free some space, or {_ELSEWHERE}.",
        detail=f"{path}: {error}",
    )
