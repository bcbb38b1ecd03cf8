"""Folders that a person named: new and changed files in them become events."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.domain.background import Watch
from placet.core.domain.errors import StoreError
from placet.core.domain.stopping import TaskScope
from placet.core.domain.text import clean_text
from placet.core.store.background import BackgroundRows

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

log = logging.getLogger(__name__)

QUIET_S = 2.0  # a file that is still being written is told when it rests
LONGEST_S = 30.0
MOST_NOTED = 2_000  # paths that rest; more at once are counted only
MOST_SCANNED = 100_000  # files that are looked at when the program starts
_IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__", "target", "venv"})
_IGNORED_ENDINGS = ("~", ".tmp", ".temp", ".swp", ".part", ".crdownload", ".lock", ".pyc")
NEW, CHANGED = "file_new", "file_changed"


class FolderWatcher:
    """Follows folders in threads of the system's own; on the loop, what rests becomes events. The owner awaits `stop`."""

    def __init__(self, rows: BackgroundRows, noted: Callable[[], None]) -> None:
        self._rows, self._noted = rows, noted
        self._observers: dict[str, BaseObserver] = {}
        self._problems: dict[str, str] = {}
        self._changes: dict[tuple[str, str], str] = {}  # by folder and path, how it changed
        self._since: float | None = None
        self._due: asyncio.TimerHandle | None = None
        self._lost = 0
        self._scope = TaskScope("folder watch")

    async def start(self) -> None:
        """Follow the stored folders; what changed in them while nobody looked is noted now."""
        for watch, seen_to in await self._rows.watches():
            for path in await asyncio.to_thread(_changed_since, watch.folder, seen_to):
                self._note(watch.folder, path, CHANGED)
            await self._follow(watch.folder)

    async def add(self, folder: str) -> None:
        """Follow one more folder from now on."""
        await self._rows.watch(folder)
        await self._follow(folder)

    async def remove(self, folder: str) -> None:
        await self._rows.unwatch(folder)
        self._problems.pop(folder, None)
        observer = self._observers.pop(folder, None)
        if observer is not None:
            await asyncio.to_thread(_end, observer)

    async def watches(self) -> Sequence[Watch]:
        return [
            msgspec.structs.replace(watch, problem=self._problems.get(watch.folder, ""))
            for watch, _ in await self._rows.watches()
        ]

    async def stop(self) -> None:
        """Note what has not rested yet, and follow nothing more."""
        for observer in list(self._observers.values()):
            await asyncio.to_thread(_end, observer)
        self._observers.clear()
        if self._due is not None:
            self._due.cancel()
            self._due = None
        await self._scope.finish()
        await self._store()

    # ---- following -----------------------------------------------------------------------------------------------

    async def _follow(self, folder: str) -> None:
        self._problems.pop(folder, None)
        try:
            self._observers[folder] = await asyncio.to_thread(_begin, folder, self._from_thread(folder))
        except OSError as error:
            log.warning("folder %s cannot be watched: %s", folder, error)
            self._problems[folder] = _why(folder, error)

    def _from_thread(self, folder: str) -> Callable[[str, str], None]:
        loop = asyncio.get_running_loop()

        def told(path: str, how: str) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._note, folder, path, how)

        return told

    def _note(self, folder: str, path: str, how: str) -> None:
        if is_ignored(folder, path):
            return
        key = folder, path
        if key not in self._changes and len(self._changes) >= MOST_NOTED:
            self._lost += 1
            return
        self._changes[key] = NEW if NEW in (how, self._changes.get(key)) else CHANGED
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if self._due is not None:
            self._due.cancel()
        rest = min(QUIET_S, max(self._since + LONGEST_S - now, 0))
        self._due = asyncio.get_running_loop().call_later(rest, self._store_soon)

    def _store_soon(self) -> None:
        self._due = None
        self._scope.start(self._store())

    async def _store(self) -> None:
        changes, self._changes, self._since = self._changes, {}, None
        lost, self._lost = self._lost, 0
        if not changes:
            return
        began = time.time()
        try:
            for (folder, path), how in changes.items():
                if not await asyncio.to_thread(os.path.isfile, path):
                    continue
                payload = msgspec.json.encode({"path": clean_text(path)}).decode()
                await self._rows.add_event(f"folder {folder}", how, payload)
            await self._rows.count_lost(lost)
            for folder in {folder for folder, _ in changes}:
                await self._rows.seen_to(folder, began)
        except StoreError as error:
            log.warning("events of watched folders could not be stored: %s", error)
            return
        self._noted()


def is_ignored(folder: str, path: str) -> bool:
    """Hidden files and folders, what tools make for themselves, and files that are only being written."""
    parts = Path(path).relative_to(folder).parts if Path(path).is_relative_to(folder) else (path,)
    return (
        any(part.startswith(".") for part in parts)
        or any(part in _IGNORED_FOLDERS for part in parts[:-1])
        or parts[-1:] == ()
        or parts[-1].endswith(_IGNORED_ENDINGS)
    )


def _changed_since(folder: str, moment: float) -> list[str]:
    """Files whose content is newer than a time, in a walk of bounded length."""
    found: list[str] = []
    left = MOST_SCANNED
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not is_ignored(folder, f"{place}/{name}/x")]
        for name in files:
            left -= 1
            path = Path(place, name)
            if left < 0 or len(found) > MOST_NOTED:
                return found
            if not is_ignored(folder, str(path)) and _written_at(path) > moment:
                found.append(str(path))
    return found


def _written_at(path: Path) -> float:
    try:
        return path.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0.0


def _begin(folder: str, told: Callable[[str, str], None]) -> BaseObserver:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers import Observer

    class Handler(FileSystemEventHandler):
        def on_created(self, event: FileSystemEvent) -> None:
            if not event.is_directory:
                told(os.fsdecode(event.src_path), NEW)

        def on_modified(self, event: FileSystemEvent) -> None:
            if not event.is_directory:
                told(os.fsdecode(event.src_path), CHANGED)

        def on_moved(self, event: FileSystemEvent) -> None:
            if not event.is_directory:
                told(os.fsdecode(event.dest_path), CHANGED)

    if not Path(folder).is_dir():
        raise FileNotFoundError(2, "no such folder", folder)
    observer = Observer()
    observer.schedule(Handler(), folder, recursive=True)
    observer.start()
    return observer


def _end(observer: BaseObserver) -> None:
    observer.stop()
    observer.join()


def _why(folder: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "The folder does not exist. It is watched again when Placet starts and it is there."
    if isinstance(error, PermissionError):
        return "The folder may not be read."
    return f"The system cannot watch it: {error.strerror or error}."
