"""The steps that bring a database file to the present format, in order.

A step is never changed once it was released. `schema.py` describes what all of them together give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from placet.core.domain.errors import StoreError
from placet.core.store.archive_tables import add_archive_columns
from placet.core.store.background_tables import add_background_tables
from placet.core.store.backups import back_up
from placet.core.store.compaction_tables import add_compaction_tables
from placet.core.store.connection import Connection
from placet.core.store.first_tables import create_first_tables
from placet.core.store.notification_tables import add_notifications_and_drafts
from placet.core.store.review_tables import add_review_tables
from placet.core.store.scratchpad_tables import create_scratchpad

Step = Callable[[Connection], None]

STEPS: Sequence[Step] = (
    create_first_tables,
    create_scratchpad,
    add_notifications_and_drafts,
    add_review_tables,
    add_compaction_tables,
    add_background_tables,
    add_archive_columns,
)


def migrate(connection: Connection, backups: Path, steps: Sequence[Step] = STEPS) -> None:
    """Apply the missing steps in one transaction, after a backup copy. Costs one read when there are none.

    Raises: StoreError for a file of a newer program or of another one.
    """
    version = connection.version()
    if version == len(steps):
        return
    if version > len(steps):
        raise StoreError(
            f"This database was written by a newer Placet (format {version}; this program knows {len(steps)}).",
            hint="It was left as it is. Update Placet, or start it with another folder (PLACET_HOME).",
        )
    connection.use_wal()
    if version:
        back_up(connection, backups, f"format{version}")
    with connection.transaction(durable=True):
        version = connection.version()  # another process may have been faster
        if version == 0:
            _refuse_strangers(connection)
        for number, step in enumerate(steps[version:], version + 1):
            step(connection)
            connection.set_version(number)


def _refuse_strangers(connection: Connection) -> None:
    if connection.all("SELECT 1 FROM sqlite_master LIMIT 1"):
        raise StoreError(
            "The database file belongs to another program.",
            hint="It was left as it is. Move it away, or start Placet with another folder (PLACET_HOME).",
        )
