"""Undoing from the chat: what is wished, where it is shown, and telling at each call whether it still holds (`R-9`)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from placet.core.domain.events import Envelope, FileChanged
from placet.core.domain.ids import ChangeId, MessageId
from placet.core.domain.proposals import AGAIN
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.undo import UndoWish
from placet.ui.bridge import Bridge
from placet.ui.models.shown_session import ShownSession
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_calls import CallMark
from placet.ui.models.transcript_rows import UserRow

_NEWEST = 200
_TITLE = 48
_WRITTEN = (ChangeState.APPLIED, ChangeState.REVERTED)


class ChatUndo(QObject):
    """`wished` gives an `UndoWish`, a title for the page that shows what it would do, and the session's folder."""

    wished = Signal(object, str, str)

    def __init__(
        self, bridge: Bridge, conversation: ShownSession, transcript: TranscriptModel, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bridge, self._conversation, self._transcript = bridge, conversation, transcript
        conversation.switched.connect(lambda _: self._refresh())
        conversation.older_loaded.connect(lambda _: self._refresh())
        transcript.nested_added.connect(self._refresh)
        conversation.event_arrived.connect(self._on_event)

    def undo(self, change_id: int) -> None:
        self._wish(UndoWish(changes=(ChangeId(change_id),)), self.tr("Undo this change"))

    def apply_again(self, change_id: int) -> None:
        """Undo what undid the change."""
        self._wish(UndoWish(again=(ChangeId(change_id),)), self.tr("Apply this change again"))

    def undo_turn(self, message_id: int) -> None:
        """Undo what followed on that message, up to the next one."""
        words = self.tr("Undo the turn of “{}”").format(self._said(message_id))
        self._wish(UndoWish(message_id=MessageId(message_id)), words)

    def undo_since(self, message_id: int) -> None:
        """Undo everything that was done since that message."""
        words = self.tr("Undo everything since “{}”").format(self._said(message_id))
        self._wish(UndoWish(message_id=MessageId(message_id), whole_rest=True), words)

    def _wish(self, wish: UndoWish, title: str) -> None:
        session = self._conversation.session
        self.wished.emit(wish, title, session.context.workdir if session is not None else "")

    def _said(self, message_id: int) -> str:
        rows = (row for row in self._transcript.rows if isinstance(row, UserRow) and row.message_id == message_id)
        row = next(rows, None)
        said = " ".join(row.source.split()) if row is not None else ""
        return said if len(said) <= _TITLE else said[: _TITLE - 1].rstrip() + "…"

    async def _changes(self) -> Sequence[Change]:
        session = self._conversation.session
        if session is None:
            return ()
        found, _ = await self._bridge.hub.changes.changes(session.id, per_page=_NEWEST)
        return found

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, FileChanged) and envelope.event.change == "reverted":
            self._refresh()

    def _refresh(self) -> None:
        """A stored call keeps what it did; whether that still holds is in the journal."""
        if self._transcript.has_writes():
            self._bridge.run(self._changes(), self._mark)

    def _mark(self, changes: Sequence[Change]) -> None:
        marks: dict[int, CallMark] = {}
        for change in changes:  # newest first
            if change.call_id is not None and change.state in _WRITTEN:
                marks.setdefault(change.call_id, _mark_of(change))
        self._transcript.mark_calls(marks)


def _mark_of(change: Change) -> CallMark:
    undone = change.state is ChangeState.REVERTED
    if change.tool != AGAIN:
        return CallMark(undone=undone)
    counts = (change.added, change.removed)
    return CallMark(undone=undone, change_id=change.id, counts=counts, is_taken_up=True)
