"""Undoing a change from the chat, applying it again, and telling at each call which of both holds (`R-9`)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import UnknownItem
from placet.core.domain.events import Envelope, FileChanged
from placet.core.domain.ids import ChangeId
from placet.core.domain.review import Change, ChangeState, RevertOutcome, RevertStatus
from placet.ui.bridge import Bridge
from placet.ui.models.changes import outcome_sentence
from placet.ui.models.shown_session import ShownSession
from placet.ui.models.transcript import TranscriptModel

_NEWEST = 200


class ChatUndo(QObject):
    """`done` and `missed` carry the sentence that says what became of a wish."""

    done = Signal(str)
    missed = Signal(str)

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
        self._bridge.run(self._bridge.hub.changes.revert([ChangeId(change_id)]), self._tell)

    def apply_again(self, change_id: int) -> None:
        """Undo what undid the change."""
        self._bridge.run(self._apply_again(change_id), self._tell)

    async def _apply_again(self, change_id: int) -> Sequence[RevertOutcome]:
        undo = next(
            (c for c in await self._changes() if c.reverts == change_id and c.state is ChangeState.APPLIED), None
        )
        if undo is None:
            raise UnknownItem(
                self.tr("What undid this change was not found."), hint=self.tr("Look for it on the Changes page.")
            )
        return await self._bridge.hub.changes.revert([undo.id])

    async def _changes(self) -> Sequence[Change]:
        session = self._conversation.session
        if session is None:
            return ()
        found, _ = await self._bridge.hub.changes.changes(session.id, per_page=_NEWEST)
        return found

    def _tell(self, outcomes: Sequence[RevertOutcome]) -> None:
        for outcome in outcomes:
            told = self.done if outcome.status is RevertStatus.REVERTED else self.missed
            told.emit(outcome_sentence(outcome))

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, FileChanged) and envelope.event.change == "reverted":
            self._refresh()

    def _refresh(self) -> None:
        """A stored call keeps what it did; whether that still holds is in the journal."""
        if self._transcript.has_changes():
            self._bridge.run(self._changes(), self._mark)

    def _mark(self, changes: Sequence[Change]) -> None:
        self._transcript.mark_undone(
            {change.call_id: change.state is ChangeState.REVERTED for change in changes if change.call_id is not None}
        )
