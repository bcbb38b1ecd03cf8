"""The store: everything that outlives the program, behind one object."""

from __future__ import annotations

import time
from pathlib import Path

from placet.core.store.approvals import ApprovalRows
from placet.core.store.background import BackgroundRows
from placet.core.store.catalogue import CatalogueRows
from placet.core.store.changed_files import ChangedFileRows
from placet.core.store.changes import ChangeRows
from placet.core.store.compactions import CompactionRows
from placet.core.store.connection import Connection
from placet.core.store.database import BUSY_TIMEOUT_S, Database
from placet.core.store.decisions import DecisionRows
from placet.core.store.drafts import DraftRows
from placet.core.store.failures import unusable_place
from placet.core.store.notifications import NotificationRows
from placet.core.store.past_calls import PastCallRows
from placet.core.store.remainders import RemainderRows
from placet.core.store.rules import RuleRows
from placet.core.store.search import SearchRows
from placet.core.store.search_index import index_some
from placet.core.store.session_dumps import SessionDumps
from placet.core.store.session_removal import SessionRemoval
from placet.core.store.sessions import SessionRows
from placet.core.store.settings import SettingRows
from placet.core.store.sources import SourceRows
from placet.core.store.turns import TurnRows
from placet.core.store.usage import UsageRows

FILE_NAME = "placet.db"


class Store:
    """The repositories over one database. Used from one event loop; closed once, by whoever opened it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.turns = TurnRows(database)
        self.sessions = SessionRows(database)
        self.sources = SourceRows(database)
        self.changes = ChangeRows(database)
        self.changed_files = ChangedFileRows(database)
        self.approvals = ApprovalRows(database)
        self.rules = RuleRows(database)
        self.past_calls = PastCallRows(database)
        self.catalogue = CatalogueRows(database)
        self.settings = SettingRows(database)
        self.search = SearchRows(database)
        self.notifications = NotificationRows(database)
        self.drafts = DraftRows(database)
        self.usage = UsageRows(database)
        self.decisions = DecisionRows(database)
        self.remainders = RemainderRows(database)
        self.compactions = CompactionRows(database)
        self.background = BackgroundRows(database)
        self.dumps = SessionDumps(database)
        self.removal = SessionRemoval(database)

    async def aclose(self) -> None:
        """Finish what was begun and close the file; a second call does nothing."""
        await self.database.aclose()


def open_store(home: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Store:
    """Open `placet.db` in `home`, made if there is none. Blocks for a few milliseconds; needs no running loop.

    Raises: StoreError for a file that is no database, is damaged, or belongs to a newer or another program.
    """
    return Store(Database(home / FILE_NAME, busy_timeout_s=busy_timeout_s, chore=_tidy))


def set_aside(home: Path) -> Path:
    """Give a database that cannot be used another name, so that the next opening begins a new one (`S-3`).

    Nothing is deleted; returns where it is now. Only while no process has it open. Raises: StoreError.
    """
    path = home / FILE_NAME
    aside = path.with_name(f"{FILE_NAME}.aside-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000_000:09d}")
    try:
        for suffix in ("-wal", "-shm", ""):
            part = Path(f"{path}{suffix}")
            if part.exists():
                part.rename(f"{aside}{suffix}")
    except OSError as error:
        raise unusable_place(error, path) from error
    return aside


def _tidy(connection: Connection) -> bool:
    """What is kept out of the transactions that a turn waits for."""
    if index_some(connection):
        return True
    connection.checkpoint()
    return False
