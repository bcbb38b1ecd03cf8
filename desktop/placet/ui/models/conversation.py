"""The conversation in the window: which session is shown, whether it runs, what it waits with. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.events import (
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
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import HistoryPage, Mode, Role, Session
from placet.core.domain.model_calls import ContextInfo
from placet.core.hub.api import HubApi
from placet.ui.bridge import Bridge

_CHANGES_SESSION = (SessionChanged, Done, ApprovalResolved, PendingCommand, PendingWrite, CompactionDone)


class Conversation(QObject):
    """One source's chat. Shows any session; what is done in it first makes it the source's active one.

    Looking at a past session changes nothing in the store (`S-7`). Events of the shown session arrive through
    `event_arrived` after the page they belong behind.
    """

    switched = Signal(object)  # HistoryPage: this is shown from now on
    older_loaded = Signal(object)  # HistoryPage: rows before those shown
    event_arrived = Signal(object)  # an Envelope of the shown session
    changed = Signal()  # facts of the session: title, folder, mode, model, waiting
    running_changed = Signal(bool)
    queue_changed = Signal()
    context_changed = Signal(object)  # ContextInfo
    texts_returned = Signal(list)  # messages that a stop gave back

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
        page = await self._hub.history.newest(session_id)
        if mine != self._loads:
            return
        held, self._held = self._held or [], None
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

    def sent_texts(self) -> list[str]:
        """What a person wrote in the page that was loaded last, oldest first."""
        rows = self._oldest.messages if self._oldest is not None else ()
        return [row.content for row in rows if row.role is Role.USER and not row.synthetic and row.content]

    # ---- intents -----------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        self._bridge.run(self._start_new())

    async def _start_new(self) -> None:
        self._active = await self._hub.clear(self.source)
        await self.load(self._active)

    def show_home(self) -> None:
        """Back to the active session of the source."""
        self._bridge.run(self.open_active())

    def send(self, text: str) -> None:
        """Send `text`; if that is refused at once, it comes back through `texts_returned`."""

        def refused(error: PlacetError) -> None:
            self.texts_returned.emit([text])
            self._on_refused(error)

        self._bridge.run(self._carry_out(lambda: self._hub.send_message(self.source, text)), otherwise=refused)

    def stop(self) -> None:
        """Stop the turn; what was queued comes back through `texts_returned` (`H-6`)."""
        self._bridge.run(self._hub.cancel(self.source), self._on_stopped)

    def _on_stopped(self, texts: Sequence[str]) -> None:
        self.queue_changed.emit()
        if texts:
            self.texts_returned.emit(list(texts))

    def drop_queued(self, index: int) -> None:
        """Take a queued message back into the composer."""
        self._bridge.run(self._hub.drop_queued(self.source, index), lambda text: self._on_stopped([text]))

    def resume(self) -> None:
        if (session := self.session) is not None:
            self._act(lambda: self._hub.resume(session.id))

    def rename(self, title: str) -> None:
        if (session := self.session) is not None:
            self._bridge.run(self._rename(session.id, title))

    async def _rename(self, session_id: SessionId, title: str) -> None:
        await self._hub.history.rename(session_id, title)
        await self._refresh()

    def choose_model(self, name: str) -> None:
        self._act(lambda: self._hub.select_model(self.source, name))

    def choose_mode(self, mode: Mode) -> None:
        self._act(lambda: self._hub.set_policy(self.source, mode=mode))

    def choose_folder(self, folder: str) -> None:
        self._act(lambda: self._hub.set_policy(self.source, workdir=folder))

    def _act(self, verb: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._bridge.run(self._carry_out(verb), otherwise=self._on_refused)

    async def _carry_out(self, verb: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if self._target is not None and self._target != self._active:
            await self._hub.continue_session(self.source, self._target)
            self._active = self._target
        await verb()
        self.queue_changed.emit()
        await self._refresh()

    def _on_refused(self, error: PlacetError) -> None:
        self.changed.emit()  # controls that already show the wish go back to what is
        self._bridge.failed.emit(error)

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
        if was_shown and self._target != event.session_id:
            self._bridge.run(self.load(event.session_id))

    def _deliver(self, envelope: Envelope) -> None:
        event = envelope.event
        if isinstance(event, TurnRunning):
            self._set_running(event.running)
        elif isinstance(event, Done):
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
