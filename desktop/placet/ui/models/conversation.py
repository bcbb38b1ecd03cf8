"""The conversation in the window: the session shown, and what a person can do in it. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from placet.core.domain.commands import CommandOutcome, Completion, TypedCommand, TypedText, masked, read_typed
from placet.core.domain.errors import PlacetError
from placet.core.domain.events import Envelope, Error
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
    command_answered = Signal(object)  # a CommandOutcome with words, about the session shown
    command_refused = Signal(object)  # a PlacetError; what was typed comes back

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

    async def open_active(self) -> None:
        """Show the active session; what was queued when the program ended last comes through `texts_returned`."""
        await super().open_active()
        self._on_stopped(await self._hub.take_drafts(self.source))

    def send(self, text: str) -> None:
        """Send `text` as a message, whatever it begins with."""
        self.submit(masked(text))

    def submit(self, typed: str) -> None:
        """Send what was typed, or carry out the command that it is. Refused at once, it comes back."""
        self._send(typed, self._submit(typed))

    def interrupt_and_send(self, typed: str) -> None:
        """Stop the turn and send what was typed before all that is queued. A command is carried out as always."""
        read = read_typed(typed)
        if isinstance(read, TypedText):
            self._send(typed, self._carry_out(lambda: self._hub.interrupt_and_send(self.source, read.text)))
        else:
            self.submit(typed)

    def _send(self, typed: str, work: Coroutine[Any, Any, None]) -> None:
        def refused(error: PlacetError) -> None:
            self.texts_returned.emit([typed])
            if isinstance(read_typed(typed), TypedCommand):
                self.changed.emit()
                self.command_refused.emit(error)
            else:
                self._on_refused(error)

        self._bridge.run(work, otherwise=refused)

    async def _submit(self, typed: str) -> None:
        asked_in = self._target
        outcome = await self._hub.commands.submit(self.source, typed, shown=asked_in)
        self.queue_changed.emit()
        outcome = outcome or CommandOutcome(command="")
        if outcome.returned:
            self.texts_returned.emit(list(outcome.returned))
        if outcome.opened is not None:
            await self.load(outcome.opened)
        elif (outcome.words or outcome.pairs) and asked_in == self._target:
            self.command_answered.emit(outcome)
        await self._refresh()

    def complete(self, begun: str, then: Callable[[str, Sequence[Completion]], None]) -> None:
        """Ask how a command may go on; `then` gets its beginning and the ways."""
        self._bridge.run(self._hub.commands.complete(begun), lambda ways: then(begun, ways), lambda _: None)

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
            self._bridge.run(self._hub.history.rename(session.id, title))

    def choose_model(self, name: str) -> None:
        self._act(lambda: self._hub.select_model(self.source, name))

    def choose_agent(self, agent_id: str) -> None:
        self._act(lambda: self._hub.select_agent(self.source, agent_id))

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
