"""The texts in the queues, kept in the store as well: an exit or a crash gives them back (`H-6`)."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence

from placet.core.domain.errors import StoreError
from placet.core.hub.inbox import Unit
from placet.core.store.drafts import DraftRows
from placet.core.turn.incoming import Incoming, returned

log = logging.getLogger(__name__)


class Drafts:
    """Keeps those of attached front ends, which can take them back. Keeping waits for nothing and never raises."""

    def __init__(self, rows: DraftRows) -> None:
        self._rows = rows
        self._attached: set[str] = set()

    def attach(self, source: str) -> None:
        self._attached.add(source)

    def named(self, source: str, message: Incoming) -> Unit:
        """A unit for the message, with the name of its draft if it gets one."""
        return Unit(message=message, draft=os.urandom(8).hex() if source in self._attached else "")

    def keep(self, source: str, unit: Unit, *, first: bool = False) -> None:
        if unit.draft and unit.message is not None:
            self._rows.add(unit.draft, source, unit.message.shown, unit.message.attachments, first=first)

    def forget(self, units: Iterable[Unit]) -> None:
        if drafts := [unit.draft for unit in units if unit.draft]:
            self._rows.remove(drafts)

    async def take(self, source: str) -> Sequence[str]:
        """What an earlier run of the program left, in its order; it is gone from the store then. Raises: StoreError."""
        return [returned(text, paths) for text, paths in await self._rows.take(source)]

    async def release(self) -> None:
        """The program ends: what still waits is for the next one."""
        if self._attached:
            try:
                await self._rows.release()
            except StoreError as error:
                log.warning("queued texts stay with this process, until it is gone: %s", error)
