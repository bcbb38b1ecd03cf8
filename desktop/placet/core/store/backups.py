"""Copies of the database in `backups` beside it; the newest seven are kept (`S-6`)."""

from __future__ import annotations

import time
from pathlib import Path

from placet.core.store.connection import Connection

KEPT = 7
_PATTERN = "placet-*.db"


def back_up(connection: Connection, folder: Path, label: str) -> Path:
    """Write a consistent copy named by time and `label`, then drop the oldest beyond seven."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"placet-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000_000:09d}-{label}.db"
    connection.copy_to(path)
    path.chmod(0o600)
    for old in sorted(folder.glob(_PATTERN))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path
