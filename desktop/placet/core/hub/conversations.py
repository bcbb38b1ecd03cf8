"""The conversations of all sources: what a person says, takes back and stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from placet.core.domain.errors import UsageError
from placet.core.domain.ids import SessionId
from placet.core.hub.conversation import Conversation, Surroundings
from placet.core.hub.live import RunningTurn
from placet.core.store.store import Store
from placet.core.turn.incoming import Incoming


class Conversations:
    """The verbs of `InboxApi`. Each source's conversation is made when it is first asked for."""

    def __init__(self, store: Store, around: Surroundings) -> None:
        self._store, self._around = store, around
        self._made: dict[str, Conversation] = {}

    def of(self, source: str) -> Conversation:
        if source not in self._made:
            self._made[source] = Conversation(source, self._around)
        return self._made[source]

    def queued(self, source: str) -> Sequence[str]:
        return self.of(source).queued

    async def send_message(
        self,
        source: str,
        text: str,
        *,
        attachments: Sequence[str] = (),
        typed: str = "",
        tools: tuple[str, ...] | None = None,
    ) -> None:
        message = _incoming(text, attachments)
        self.of(source).send(msgspec.structs.replace(message, typed=typed, tools=tools))

    async def interrupt_and_send(self, source: str, text: str, *, attachments: Sequence[str] = ()) -> None:
        running = self._around.live.turns()
        self.of(source).interrupt(_incoming(text, attachments))
        if (turn := await self._active_turn(source, running)) is not None:
            turn.stop.set()

    async def drop_queued(self, source: str, index: int) -> str:
        return self.of(source).take_back(index)

    async def take_drafts(self, source: str) -> Sequence[str]:
        return await self._around.drafts.take(source)

    async def cancel(self, source: str) -> Sequence[str]:
        running = self._around.live.turns()
        texts = await self.of(source).stop()
        await _stopped(await self._active_turn(source, running))
        return texts

    async def _active_turn(self, source: str, running: Mapping[SessionId, RunningTurn]) -> RunningTurn | None:
        """The turn in the source's session, which another source may have begun."""
        session_id = await self._store.sources.active(source)
        return running.get(session_id) if session_id is not None else None

    async def cancel_session(self, session_id: SessionId) -> None:
        """Stop the session's turn if it runs in this process, and wait for its end (`T-10`)."""
        await _stopped(self._around.live.turns().get(session_id))

    async def resume(self, session_id: SessionId) -> None:
        """In the source that talks in the session now, so that its messages reach the turn (`H-3`)."""
        live = await self._around.live.get(session_id)
        source = await self._store.sources.of_session(session_id) or live.source
        if not live.handler.is_running:
            self.of(source).resume(live.id)


async def _stopped(turn: RunningTurn | None) -> None:
    if turn is not None:
        turn.stop.set()
        await turn.ended()


def _incoming(text: str, attachments: Sequence[str]) -> Incoming:
    """Raises: UsageError for nothing at all."""
    if not text.strip() and not attachments:
        raise UsageError("There is nothing to send.")
    return Incoming(text=text, attachments=tuple(attachments))
