"""What a front end may ask about whole sessions: keeping and moving them, and what stands for their old part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from placet.core.domain.archive import ExportFormat, Imported
from placet.core.domain.compaction import Compaction
from placet.core.domain.ids import MessageId, SessionId
from placet.core.domain.messages import Session


class ArchiveApi(Protocol):
    """Sessions as a person keeps them."""

    async def export(self, session_id: SessionId, form: ExportFormat) -> bytes:
        """The whole session with its audit trail (`R-12`), credentials replaced (`S-9`). Raises: UnknownItem."""

    async def import_file(self, path: Path) -> Imported:
        """Bring an exported session back, in one transaction; the same again adds nothing.

        Raises: UsageError for a file that is none, is damaged or of a newer program; nothing was changed then.
        """

    async def fork(self, session_id: SessionId, at: MessageId | None = None) -> Session:
        """A new session with the history up to a message of the person or the end of a turn; None: all of it.

        Scratchpad and plan go along, files stay as they are. Raises: UnknownItem, UsageError, SessionBusy.
        """

    async def pin(self, session_id: SessionId, pinned: bool) -> None: ...

    async def put_away(self, session_id: SessionId, archived: bool) -> None: ...

    async def delete(self, session_id: SessionId) -> None:
        """Hide it at once, and remove it for good after ten seconds. Raises: UnknownItem, SessionBusy."""

    async def bring_back(self, session_id: SessionId) -> None:
        """Take `delete` back. Raises: UnknownItem when it is too late."""

    async def delete_now(self, session_id: SessionId) -> None:
        """Remove it for good. Raises: UnknownItem, SessionBusy."""


class SummariesApi(Protocol):
    """What stands for the old part of a conversation in what the model gets. The rows themselves always stay."""

    async def compact(self, source: str, focus: str = "") -> None:
        """Shorten the active session's history when the running turn has ended; returns at once."""

    async def of_session(self, session_id: SessionId) -> Sequence[Compaction]:
        """All that were made, newest first; the first one holds."""

    async def write(self, session_id: SessionId, content: str, *, based_on: int) -> Compaction:
        """Put a person's words in the place of a summary.

        Raises: UnknownItem, UsageError for an empty or a huge one, SessionBusy during a turn, StaleOperation.
        """

    async def take_back(self, session_id: SessionId, to: int) -> Compaction:
        """Have an earlier one hold again; the rows that later ones covered are sent again.

        Raises: UnknownItem, SessionBusy, StaleOperation.
        """
