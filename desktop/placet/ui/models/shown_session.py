"""Which session the window shows, and following it. Looking only: nothing here changes the store (`S-7`)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from placet.core.domain.commands import masked
from placet.core.domain.errors import PlacetError
from placet.core.domain.events import (
    AgentQuestion,
    ApprovalRequired,
    ApprovalResolved,
    CompactionDone,
    Done,
    Envelope,
    NewSession,
    PendingCommand,
    PendingWrite,
    SessionChanged,
    TurnRunning,
    UserMessage,
)
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.messages import HistoryPage, Role, Session
from placet.core.domain.model_calls import ContextInfo
from placet.core.hub.api import HubApi
from placet.ui.bridge import Bridge

_CHANGES_SESSION = (
    AgentQuestion,
    SessionChanged,
    Done,
    ApprovalRequired,
    ApprovalResolved,
    AgentQuestion,
    PendingCommand,
    PendingWrite,
    CompactionDone,
)


class ShownSession(QObject):
    """The active session of a source, or any other one. Main thread only.

    Events of the session arrive through `event_arrived`, after the page they belong behind.
    """

    switched = Signal(object)  # HistoryPage: this is shown from now on
    older_loaded = Signal(object)  # HistoryPage: rows before those shown
    nested_loaded = Signal(int, object)  # a call id, and the HistoryPage of its sub-agent, None if it cannot be read
    event_arrived = Signal(object)  # an Envelope of the shown session
    changed = Signal()  # facts of the session: title, folder, mode, model, waiting
    running_changed = Signal(bool)
    queue_changed = Signal()
    context_changed = Signal(object)  # ContextInfo

    def __init__(self, bridge: Bridge, source: str = "desktop", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = source
        self.session: Session | None = None
        self.is_running = False
        self.last_turn: Done | None = None
        self._bridge = bridge
        self._active: SessionId | None = None
        self._loads = 0  # counts loads; the answer of an overtaken one is dropped
        self._held: list[Envelope] | None = None  # events of the session that is being loaded
        self._target: SessionId | None = None
        self._oldest: HistoryPage | None = None
        self._is_loading_older = False
        bridge.event_arrived.connect(self._on_event)
        bridge.reload_needed.connect(self.reload)

    @property
    def _hub(self) -> HubApi:
        return self._bridge.hub

    @property
    def is_loading(self) -> bool:
        return self._held is not None

    @property
    def queued(self) -> Sequence[str]:
        """Messages that wait for the next round. They belong to the active session."""
        return self._hub.queued(self.source) if self._target == self._active else ()

    # ---- which session -----------------------------------------------------------------------------------------

    async def open_active(self) -> None:
        """Show the source's active session, made if there is none. Raises: PlacetError."""
        self._active = await self._hub.register(self.source)
        await self.load(self._active)

    async def load(self, session_id: SessionId) -> None:
        """Show the newest page of `session_id`. Of several calls at once the last one wins."""
        self._loads += 1
        mine, self._target, self._held = self._loads, session_id, []
        try:
            page = await self._hub.history.newest(session_id)
        finally:
            if mine == self._loads:
                held, self._held = self._held, None
        if mine != self._loads:
            return
        self._oldest = page
        if self.session is None or self.session.id != session_id:
            self.last_turn = None
        self.session = page.session
        self.switched.emit(page)
        self.changed.emit()
        self.queue_changed.emit()
        self._set_running(self._hub.is_running(session_id))
        known = {message.id for message in page.messages}
        for envelope in held:
            if getattr(envelope.event, "message_id", None) not in known:
                self._deliver(envelope)
        self._refresh_context()

    def show(self, session_id: SessionId) -> None:
        if self.session is None or session_id != self.session.id:
            self._bridge.run(self.load(session_id))

    def reload(self) -> None:
        """Read anew what is shown, after events were missed."""
        if self._target is not None:
            self._bridge.run(self.load(self._target))

    def load_older(self) -> None:
        """Fetch the rows before those shown, if there are any and none are on their way."""
        page = self._oldest
        if page is not None and page.has_older and page.messages and not self._is_loading_older:
            self._is_loading_older = True
            self._bridge.run(self._load_older(page))

    async def _load_older(self, page: HistoryPage) -> None:
        try:
            older = await self._hub.history.older(page.session.id, page.messages[0].id)
        finally:
            self._is_loading_older = False
        if self._oldest is page:
            self._oldest = older
            self.older_loaded.emit(older)

    def load_nested(self, call_id: int) -> None:
        """Read what the sub-agent that this call started did."""
        self._bridge.run(
            self._hub.history.nested(CallId(call_id)),
            lambda page: self.nested_loaded.emit(call_id, page),
            lambda error: self._on_nested_missed(call_id, error),
        )

    def _on_nested_missed(self, call_id: int, error: PlacetError) -> None:
        self.nested_loaded.emit(call_id, None)
        self._bridge.failed.emit(error)

    def runs(self, session_id: SessionId) -> bool:
        """Whether a turn runs in that session now."""
        return self._hub.is_running(session_id)

    def sent_texts(self) -> list[str]:
        """What a person typed in the page that was loaded last, oldest first."""
        rows = self._oldest.messages if self._oldest is not None else ()
        said = (row for row in rows if row.role is Role.USER and not row.synthetic and row.content)
        return [row.typed or masked(row.content) for row in said]

    # ---- events ------------------------------------------------------------------------------------------------

    def _on_event(self, envelope: Envelope) -> None:
        if isinstance(envelope.event, NewSession) and envelope.source == self.source:
            self._on_new_session(envelope.event)
        elif envelope.session_id == self._target and self._target is not None:
            if self._held is not None:
                self._held.append(envelope)
            else:
                self._deliver(envelope)

    def _on_new_session(self, event: NewSession) -> None:
        was_shown = self._target in (None, self._active, event.previous)
        self._active = event.session_id
        self.queue_changed.emit()
        if was_shown and self._target != event.session_id:
            self._bridge.run(self.load(event.session_id))

    def _deliver(self, envelope: Envelope) -> None:
        event = envelope.event
        if isinstance(event, TurnRunning):
            self._set_running(event.running)
        elif isinstance(event, Done) and event.agent_call_id is None:
            self.last_turn = event
        self.event_arrived.emit(envelope)
        if isinstance(event, UserMessage):
            self.queue_changed.emit()
        if isinstance(event, _CHANGES_SESSION):
            self._bridge.run(self._refresh())
            self._refresh_context()

    def _set_running(self, running: bool) -> None:
        if running != self.is_running:
            self.is_running = running
            self.running_changed.emit(running)
            self.queue_changed.emit()

    async def _refresh(self) -> None:
        target = self._target
        if target is None:
            return
        session = await self._hub.history.session(target)
        if target == self._target and self.session is not None and session != self.session:
            self.session = session
            self.changed.emit()

    def _refresh_context(self) -> None:
        if self._target is not None:
            # A session without a usable model has no window to fill; the picker already says so.
            self._bridge.run(self._hub.context_info(self._target), self._on_context, lambda _: None)

    def _on_context(self, info: ContextInfo) -> None:
        self.context_changed.emit(info)
