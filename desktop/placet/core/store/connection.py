"""One SQLite connection through Peewee. Only the thread that made it uses it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peewee import SqliteDatabase

from placet.core.domain.text import folded

Row = tuple[Any, ...]

_WAL_ATTEMPTS = 50
_STEPS_BETWEEN_QUESTIONS = 50_000  # about a millisecond
_CACHE, _CACHE_OF_COPY = -8192, -512  # KB, which SQLite wants negative
_LOG_PAGES = 8000  # 32 MB: the log is emptied when the program is idle, before that only if it grows so large


def _forgiving(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


class Connection:
    """SQL and Peewee queries on one connection; outside `transaction` each statement commits by itself."""

    def __init__(self, path: Path, *, busy_timeout_s: float, read_only: bool = False) -> None:
        pragmas: dict[str, int | str] = {
            "synchronous": "normal",
            "foreign_keys": 1,
            "temp_store": "memory",
            "cache_size": _CACHE,
            "query_only": int(read_only),
            "wal_autocheckpoint": _LOG_PAGES,
        }
        self._peewee = SqliteDatabase(str(path), pragmas=pragmas, timeout=busy_timeout_s)
        self._peewee.connect()
        connection: Callable[[], sqlite3.Connection] = self._peewee.connection
        self._raw = connection()
        self._raw.create_function("folded", 1, folded, deterministic=True)

    def execute(self, sql: str, params: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._raw.execute(sql, params)

    def all(self, sql: str, params: Sequence[Any] = ()) -> list[Row]:
        """All rows. Text that is no UTF-8 comes with replacement characters: no odd row hides the others."""
        try:
            return self._raw.execute(sql, params).fetchall()
        except sqlite3.OperationalError as error:
            if "decode to UTF-8" not in str(error):
                raise
        self._raw.text_factory = _forgiving
        try:
            return self._raw.execute(sql, params).fetchall()
        finally:
            self._raw.text_factory = str

    def one(self, sql: str, params: Sequence[Any] = ()) -> Row | None:
        """The first row of a query that gives at most one."""
        rows = self.all(sql, params)
        return rows[0] if rows else None

    def insert(self, sql: str, params: Sequence[Any] = ()) -> int:
        """Insert one row; returns its rowid."""
        rowid = self._raw.execute(sql, params).lastrowid
        assert rowid is not None
        return rowid

    def rows(self, query: Any) -> list[Row]:
        """Run a Peewee query and return its rows as tuples (none for one that only writes)."""
        sql, params = query.bind(self._peewee).sql()
        return self.all(sql, params)

    def count(self, query: Any) -> int:
        """How many rows a Peewee select would give."""
        sql, params = query.bind(self._peewee).sql()
        return int(self.all(f"SELECT count(*) FROM ({sql})", params)[0][0])

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """Everything inside or nothing. `durable` commits to the disk itself, not only past a crash of the program."""
        if durable:
            self._raw.execute("PRAGMA synchronous=FULL")
        try:
            self._raw.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._raw.execute("COMMIT")
            finally:
                if self._raw.in_transaction:
                    self._raw.execute("ROLLBACK")
        finally:
            if durable:
                self._raw.execute("PRAGMA synchronous=NORMAL")

    def foreign_version(self) -> int:
        """A number that changes when another connection, of any process, committed."""
        row = self.one("PRAGMA data_version")
        assert row is not None
        return int(row[0])

    def version(self) -> int:
        """The number of the last migration that this file has; 0 for a new one."""
        return int(self.all("PRAGMA user_version")[0][0])

    def set_version(self, number: int) -> None:
        self._raw.execute(f"PRAGMA user_version={number:d}")

    def use_wal(self) -> None:
        """Switch the file to write-ahead logging, once for good.

        SQLite does not wait for a lock here, so two processes that meet on a new file have to try again.
        """
        for attempt in range(_WAL_ATTEMPTS):
            try:
                self._raw.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or attempt == _WAL_ATTEMPTS - 1:
                    raise
                time.sleep(0.02)

    def checkpoint(self) -> None:
        """Move what was committed from the log into the file, as far as nobody reads it."""
        self._raw.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the whole database to a new file.

        Each page is read and written once: with the usual cache the copy would leave 13 MB behind in the process.
        """
        self._raw.execute(f"PRAGMA cache_size = {_CACHE_OF_COPY}")
        try:
            self._raw.execute("VACUUM INTO ?", (str(path),))
        finally:
            self._raw.execute(f"PRAGMA cache_size = {_CACHE}")

    def interrupt(self) -> None:
        """End the running query with an error. The one method that other threads may call."""
        self._raw.interrupt()

    def end_queries_when(self, is_dropped: Callable[[], bool]) -> None:
        """Ask this now and then while a query runs, and end the query with an error once it is true."""
        self._raw.set_progress_handler(is_dropped, _STEPS_BETWEEN_QUESTIONS)

    def close(self) -> None:
        self._peewee.close()
