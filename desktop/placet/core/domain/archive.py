"""A whole session outside of the database: what is exported, imported and forked."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.compaction import Compaction
from placet.core.domain.ids import CallId, FrameId, SessionId
from placet.core.domain.messages import Frame, Message, Session
from placet.core.domain.review import Change, Verdict

FORMAT, VERSION = "placet-session", 1


class ExportFormat(StrEnum):
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"


class Decided(msgspec.Struct, frozen=True):
    """One entry of the audit trail (`R-12`)."""

    call_id: CallId
    verdict: Verdict


class SessionDump(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is stored of one session, but the contents of the files it changed.

    Frames are in the order they were opened, the root first; messages in the order of their rows over all frames. Ids
    are those of the database that it came from; they only hold it together.
    """

    format: str = FORMAT
    version: int = VERSION
    session: Session
    frames: tuple[Frame, ...] = ()
    messages: tuple[Message, ...] = ()
    decisions: tuple[Decided, ...] = ()
    summaries: tuple[Compaction, ...] = ()
    notes: dict[str, str] = {}
    changes: tuple[Change, ...] = ()

    def root(self) -> Frame | None:
        return next((frame for frame in self.frames if frame.depth == 0), None)

    def of_frame(self, frame_id: FrameId) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.frame_id == frame_id)

    def started_by(self, call_id: CallId) -> Frame | None:
        return next((frame for frame in self.frames if frame.parent_call == call_id), None)


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import came to. `is_new` False: the same session was imported before, and nothing was added."""

    session_id: SessionId
    title: str
    messages: int
    is_new: bool
