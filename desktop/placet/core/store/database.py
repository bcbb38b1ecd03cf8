"""The database file: one thread that writes, one that looks, and the rule which work goes where."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from placet.core.store.backups import back_up, is_backup_due
from placet.core.store.connection import Connection
from placet.core.store.failures import DRIVER_ERRORS, store_error, unusable_place
from placet.core.store.migrations import migrate
from placet.core.store.worker import Chore, Worker

T = TypeVar("T")
Work = Callable[[Connection], T]

BUSY_TIMEOUT_S = 5.0


class Database:
    """One SQLite file in WAL mode. Opening blocks for a few milliseconds; everything else is awaited.

    Raises: StoreError, in words, from every method.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S, chore: Chore | None = None) -> None:
        self.path = path

        def connect() -> Connection:
            connection = Connection(path, busy_timeout_s=busy_timeout_s)
            try:
                migrate(connection, path.parent / "backups")
            except BaseException:
                connection.close()
                raise
            return connection

        def connect_to_look() -> Connection:
            return Connection(path, busy_timeout_s=busy_timeout_s, read_only=True)

        try:
            _make_private(path)
        except OSError as error:
            raise unusable_place(error, path) from error
        self._writer = Worker("store", path, connect, chore)
        self._looker = Worker("store-look", path, connect_to_look)
        try:
            self._writer.call(lambda connection: None)
        except BaseException:
            self._close()
            raise

    @property
    def foreign_version(self) -> int:
        """Changes whenever another process committed, as of the last thing that was written or read in order."""
        return self._writer.foreign_version

    def hand_over(self, work: Work[object]) -> None:
        """Do `work` like `run`, in order with it, and wait for nothing. Never raises; a failure is logged."""
        self._writer.hand_over(lambda connection: _in_transaction(connection, work, durable=False))

    async def run(self, work: Work[T], *, durable: bool = False) -> T:
        """Do `work` in one transaction on the writer's thread; it is committed when this returns.

        `durable` waits for the disk itself. Cancelling the wait loses nothing: the transaction is still done.
        """
        return await self._writer.run(lambda connection: _in_transaction(connection, work, durable=durable))

    async def read(self, work: Work[T]) -> T:
        """Read on the writer's thread: in order with what was written before. Short queries only."""
        return await self._writer.run(work)

    async def look(self, work: Work[T]) -> T:
        """Read on the other thread, beside the writer. Cancelling the wait interrupts the query."""
        return await self._looker.run(work, droppable=True)

    async def problem(self) -> str:
        """Read the whole file for damage; returns what is wrong in words, empty for a sound one. Takes its time."""
        row = await self.look(lambda connection: connection.one("PRAGMA quick_check(1)"))
        found = str(row[0]) if row is not None else "no answer"
        return "" if found == "ok" else f"The database is damaged ({found}). Backups are in the folder backups."

    async def back_up_if_due(self) -> Path | None:
        """Copy the file to `backups` unless that was done within a day (`S-6`); beside everything else, in a thread."""
        folder = self.path.parent / "backups"

        def work() -> Path | None:
            if not is_backup_due(folder, time.time()):
                return None
            connection = Connection(self.path, busy_timeout_s=BUSY_TIMEOUT_S)
            try:
                return back_up(connection, folder, "daily")
            finally:
                connection.close()

        try:
            return await asyncio.to_thread(work)
        except DRIVER_ERRORS as error:
            raise store_error(error, self.path) from error
        except OSError as error:
            raise unusable_place(error, folder) from error

    async def aclose(self) -> None:
        """Finish what was handed over and close both connections."""
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def _close(self) -> None:
        self._looker.close()
        self._writer.close()


def _in_transaction(connection: Connection, work: Work[T], *, durable: bool) -> T:
    with connection.transaction(durable=durable):
        return work(connection)


def _make_private(path: Path) -> None:
    """Create folder and file for their owner only; SQLite gives its side files the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
