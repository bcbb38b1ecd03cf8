"""The conversation in the window: the session shown, and what a person can do in it. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Envelope, Error
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Mode
from placet.core.domain.review import RequestKind
from placet.ui.bridge import Bridge
from placet.ui.models.review import ReviewModel
from placet.ui.models.shown_session import ShownSession


class Conversation(ShownSession):
    """Whatever is done in a session that is only looked at first makes it the source's active one.

    Verbs return at once; what they come to arrives as events, what is refused as a notice.
    """

    texts_returned = Signal(list)  # messages that were not sent, for the composer

    def __init__(self, bridge: Bridge, source: str = "desktop", parent: QObject | None = None) -> None:
        super().__init__(bridge, source, parent)
        self.questions = ReviewModel(bridge.hub, bridge.scope, self, only=RequestKind.QUESTION)
        self.switched.connect(lambda page: self.questions.show_session(page.session.id))
        self.event_arrived.connect(self.questions.handle)
        bridge.reload_needed.connect(self.questions.refresh)

    def _on_event(self, envelope: Envelope) -> None:
        super()._on_event(envelope)
        if isinstance(envelope.event, Error) and envelope.source == self.source:
            self._on_failed(envelope.event, has_place=envelope.session_id is not None)

    def _on_failed(self, error: Error, *, has_place: bool) -> None:
        """What could not be stored goes back to who wrote it; what failed before it had a session is told here."""
        self.queue_changed.emit()
        if error.draft:
            self.texts_returned.emit([error.draft])
        if not has_place:
            self._bridge.failed.emit(PlacetError(error.message, hint=error.hint, detail=error.detail))

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
