"""Copies of the database in `backups` beside it; the newest seven are kept (`S-6`)."""

from __future__ import annotations

import time
from pathlib import Path

from placet.core.store.connection import Connection

KEPT = 7
_PATTERN = "placet-*.db"
_DAY_S = 86_400


def is_backup_due(folder: Path, now: float) -> bool:
    """Whether the newest copy is older than a day, or there is none."""
    newest = max((copy.stat().st_mtime for copy in folder.glob(_PATTERN)), default=0.0)
    return now - newest >= _DAY_S


def back_up(connection: Connection, folder: Path, label: str) -> Path:
    """Write a consistent copy named by time and `label`, then drop the oldest beyond seven."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"placet-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000_000:09d}-{label}.db"
    unfinished = path.with_suffix(".unfinished")  # a copy that was cut is never taken for a good one
    connection.copy_to(unfinished)
    unfinished.chmod(0o600)
    unfinished.rename(path)
    for old in sorted(folder.glob(_PATTERN))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path
