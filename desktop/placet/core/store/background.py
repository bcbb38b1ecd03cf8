"""Events from arrival to their end. Each is claimed by one tick and ended with it, in one transaction (`B-1`, `S-1`)."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from placet.core.domain.background import BackgroundEvent, Tick, TickStatus, Watch
from placet.core.domain.errors import UnknownItem
from placet.core.domain.ids import SessionId
from placet.core.domain.notifications import Notification
from placet.core.domain.text import clean_text
from placet.core.store.connection import Connection, Row
from placet.core.store.database import Database
from placet.core.store.notifications import insert_notification
from placet.core.store.owners import is_alive, own_start

MOST_WAITING = 1_000
_LOST = "background_events_lost"
_WAITING = "processed IS NULL AND tick_id IS NULL"
_TICK = """
    SELECT t.id, t.started, t.ended, t.status, t.error, t.session_id, t.events, t.told,
        EXISTS (SELECT 1 FROM events e WHERE e.tick_id = t.id AND e.processed IS NULL)
    FROM ticks t
"""


class BackgroundRows:
    """Events, ticks and watched folders."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ---- events --------------------------------------------------------------------------------------------------

    async def add_event(self, source: str, method: str, payload: str) -> bool:
        """Let an event wait. False where as many wait as may: it is only counted then.

        One that waits already, word for word, is not told twice.
        """
        values = (clean_text(source), clean_text(method), clean_text(payload))
        now = time.time()

        def work(connection: Connection) -> bool:
            known = f"SELECT 1 FROM events WHERE {_WAITING} AND source = ? AND method = ? AND payload = ?"
            if connection.one(known, values) is not None:
                return True
            if _count_waiting(connection) >= MOST_WAITING:
                _count_lost(connection, 1)
                return False
            sql = "INSERT INTO events (source, method, payload, created) VALUES (?, ?, ?, ?)"
            connection.execute(sql, (*values, now))
            return True

        return await self._database.run(work)

    async def waiting(self) -> tuple[int, int]:
        """How many events wait, and how many were lost because too many did, since a person was told."""

        def work(connection: Connection) -> tuple[int, int]:
            row = connection.one("SELECT value FROM settings WHERE key = ?", (_LOST,))
            return _count_waiting(connection), int(row[0]) if row is not None else 0

        return await self._database.read(work)

    async def count_lost(self, count: int) -> None:
        """So many more came while too many waited."""
        if count:
            await self._database.run(lambda connection: _count_lost(connection, count))

    async def forget_lost(self) -> None:
        await self._database.run(lambda c: c.execute("DELETE FROM settings WHERE key = ?", (_LOST,)))

    # ---- ticks ---------------------------------------------------------------------------------------------------

    async def claim(self, most: int) -> tuple[Tick, Sequence[BackgroundEvent]] | None:
        """Begin a tick with the oldest events that wait; None where none do, or another tick runs."""
        now, pid, started = time.time(), os.getpid(), own_start()

        def work(connection: Connection) -> tuple[Tick, Sequence[BackgroundEvent]] | None:
            if any(is_alive(pid, start) for pid, start in _running(connection).values()):
                return None
            rows = connection.all(
                f"SELECT id, source, method, payload, created FROM events WHERE {_WAITING} ORDER BY id LIMIT ?", (most,)
            )
            if not rows:
                return None
            tick_id = connection.insert(
                "INSERT INTO ticks (started, status, events, owner_pid, owner_started) VALUES (?, 'running', ?, ?, ?)",
                (now, len(rows), pid, started),
            )
            for row in rows:
                connection.execute("UPDATE events SET tick_id = ? WHERE id = ?", (tick_id, row[0]))
            return _tick(connection, tick_id), [_event_from(row) for row in rows]

        return await self._database.run(work)

    async def begin_turn(self, tick_id: int, session_id: SessionId) -> None:
        """Name the session in which the tick's events are looked through."""
        sql = "UPDATE ticks SET session_id = ? WHERE id = ?"
        await self._database.run(lambda connection: connection.execute(sql, (session_id, tick_id)))

    async def finish(self, tick_id: int, told: Sequence[Notification]) -> Tick:
        """End the tick: its events are done, and what is to be told is stored, in the same moment."""
        now = time.time()

        def work(connection: Connection) -> Tick:
            connection.execute("UPDATE events SET processed = ? WHERE tick_id = ?", (now, tick_id))
            for notification in told:
                insert_notification(connection, notification, now)
            sql = "UPDATE ticks SET status = 'done', ended = ?, told = ? WHERE id = ?"
            connection.execute(sql, (now, len(told), tick_id))
            return _tick(connection, tick_id)

        return await self._database.run(work, durable=True)

    async def fail(self, tick_id: int, error: str) -> Tick:
        """End the tick without its events: they stay bound to it until they are put back."""
        now = time.time()

        def work(connection: Connection) -> Tick:
            _fail(connection, tick_id, clean_text(error), now)
            return _tick(connection, tick_id)

        return await self._database.run(work)

    async def put_back(self, tick_id: int) -> int:
        """Let the events of a failed tick wait again; returns how many. Raises: UnknownItem."""

        def work(connection: Connection) -> int:
            if connection.one("SELECT 1 FROM ticks WHERE id = ? AND status = 'failed'", (tick_id,)) is None:
                raise UnknownItem("There is no failed look with this number.")
            sql = "UPDATE events SET tick_id = NULL WHERE tick_id = ? AND processed IS NULL"
            return connection.execute(sql, (tick_id,)).rowcount

        return await self._database.run(work)

    async def recover(self) -> Sequence[Tick]:
        """Fail the ticks whose program is gone, and put their events back once; returns them.

        Nothing of such a tick was told yet: notifications are stored with its end only.
        """
        now = time.time()

        def work(connection: Connection) -> Sequence[Tick]:
            gone = [tick for tick, (pid, start) in _running(connection).items() if not is_alive(pid, start)]
            for tick_id in gone:
                _fail(connection, tick_id, "Placet ended before this look did.", now)
                connection.execute(
                    "UPDATE events SET tick_id = NULL, was_put_back = 1 "
                    "WHERE tick_id = ? AND processed IS NULL AND NOT was_put_back",
                    (tick_id,),
                )
            return [_tick(connection, tick_id) for tick_id in gone]

        return await self._database.run(work)

    async def ticks(self, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[Tick], int]:
        """Newest first, and how many there are in all."""

        def work(connection: Connection) -> tuple[Sequence[Tick], int]:
            total = connection.all("SELECT count(*) FROM ticks")[0][0]
            sql = f"{_TICK} ORDER BY t.id DESC LIMIT ? OFFSET ?"
            rows = connection.all(sql, (per_page, (max(page, 1) - 1) * per_page))
            return [_tick_from(row) for row in rows], int(total)

        return await self._database.look(work)

    async def events_of(self, tick_id: int) -> Sequence[BackgroundEvent]:
        """What a tick looked through, oldest first."""
        sql = "SELECT id, source, method, payload, created FROM events WHERE tick_id = ? ORDER BY id"
        return await self._database.look(lambda c: [_event_from(row) for row in c.all(sql, (tick_id,))])

    # ---- folders -------------------------------------------------------------------------------------------------

    async def watches(self) -> Sequence[tuple[Watch, float]]:
        """The folders in the order of their names, each with the time up to which its changes were noted."""
        sql = "SELECT folder, created, seen_to FROM watches ORDER BY folder"
        return await self._database.read(
            lambda c: [(Watch(folder=row[0], created_at=row[1]), row[2]) for row in c.all(sql)]
        )

    async def watch(self, folder: str) -> None:
        now = time.time()
        sql = "INSERT INTO watches (folder, created, seen_to) VALUES (?, ?, ?) ON CONFLICT (folder) DO NOTHING"
        await self._database.run(lambda connection: connection.execute(sql, (clean_text(folder), now, now)))

    async def unwatch(self, folder: str) -> None:
        await self._database.run(lambda c: c.execute("DELETE FROM watches WHERE folder = ?", (folder,)))

    async def seen_to(self, folder: str, moment: float) -> None:
        """Changes of the folder up to this time were noted."""
        sql = "UPDATE watches SET seen_to = max(seen_to, ?) WHERE folder = ?"
        await self._database.run(lambda connection: connection.execute(sql, (moment, folder)))


def _count_waiting(connection: Connection) -> int:
    return int(connection.all(f"SELECT count(*) FROM events WHERE {_WAITING}")[0][0])


def _count_lost(connection: Connection, count: int) -> None:
    sql = (
        "INSERT INTO settings (key, value) VALUES (?1, CAST(?2 AS TEXT)) "
        "ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + ?2 AS TEXT)"
    )
    connection.execute(sql, (_LOST, count))


def _running(connection: Connection) -> dict[int, tuple[int | None, str]]:
    rows = connection.all("SELECT id, owner_pid, owner_started FROM ticks WHERE status = 'running'")
    return {tick_id: (pid, started) for tick_id, pid, started in rows}


def _fail(connection: Connection, tick_id: int, error: str, now: float) -> None:
    sql = "UPDATE ticks SET status = 'failed', ended = ?, error = ? WHERE id = ? AND status = 'running'"
    connection.execute(sql, (now, error, tick_id))


def _tick(connection: Connection, tick_id: int) -> Tick:
    row = connection.one(f"{_TICK} WHERE t.id = ?", (tick_id,))
    assert row is not None, "ticks are never removed"
    return _tick_from(row)


def _tick_from(row: Row) -> Tick:
    status = TickStatus(row[3]) if row[3] in set(TickStatus) else TickStatus.FAILED
    return Tick(
        id=row[0],
        started_at=row[1],
        ended_at=row[2],
        status=status,
        error=row[4],
        session_id=SessionId(row[5]),
        events=row[6],
        told=row[7],
        can_put_back=status is TickStatus.FAILED and bool(row[8]),
    )


def _event_from(row: Row) -> BackgroundEvent:
    return BackgroundEvent(id=row[0], source=row[1], method=row[2], payload=row[3], created_at=row[4])
