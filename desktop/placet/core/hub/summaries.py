"""What stands for the old part of a conversation: made now, read, written by hand, taken back (`C-7`)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from placet.core.domain import events
from placet.core.domain.compaction import CompactedBy, Compaction
from placet.core.domain.errors import SessionBusy, UnknownItem, UsageError
from placet.core.domain.ids import SessionId
from placet.core.hub.bus import EventBus
from placet.core.hub.conversations import Conversations
from placet.core.hub.live import LiveSessions
from placet.core.store.store import Store

MOST_CHARACTERS = 40_000  # of a summary that a person writes


class Summaries:
    """Implements `SummariesApi`."""

    def __init__(self, store: Store, bus: EventBus, live: LiveSessions, conversations: Conversations) -> None:
        self._store, self._bus, self._live, self._conversations = store, bus, live, conversations

    async def compact(self, source: str, focus: str = "") -> None:
        self._conversations.of(source).compact(focus)

    async def of_session(self, session_id: SessionId) -> Sequence[Compaction]:
        frame = await self._store.turns.root_frame(session_id)
        return await self._store.compactions.all_of(frame.id)

    async def write(self, session_id: SessionId, content: str, *, based_on: int) -> Compaction:
        held = next((each for each in await self.of_session(session_id) if each.id == based_on), None)
        if held is None or not held.covers_to:
            raise UnknownItem("There is no such summary in this conversation.")
        if not content.strip():
            raise UsageError(
                "An empty summary would lose what it stands for.", hint="Take an earlier one back instead."
            )
        if len(content) > MOST_CHARACTERS:
            raise UsageError(f"A summary of {len(content):,} characters is too long; {MOST_CHARACTERS:,} are possible.")
        return await self._put(session_id, msgspec.structs.replace(held, content=content.strip()), based_on)

    async def take_back(self, session_id: SessionId, to: int) -> Compaction:
        known = await self.of_session(session_id)
        earlier = next((each for each in known if each.id == to), None)
        if earlier is None:
            raise UnknownItem("There is no such summary in this conversation.")
        return await self._put(session_id, earlier, known[0].id)

    async def _put(self, session_id: SessionId, wanted: Compaction, based_on: int) -> Compaction:
        live = await self._live.get(session_id)
        await self._live.refuse_foreign(session_id)
        if live.handler.is_running:
            raise SessionBusy("The running turn keeps its summary.", hint="Change it when the turn has ended.")
        by_hand = msgspec.structs.replace(wanted, by=CompactedBy.PERSON)
        added = await self._store.compactions.add(by_hand, based_on=based_on)
        live.builder.shortened(await self._store.turns.root_frame(session_id))
        self._bus.publish(live.source, session_id, events.PrefixReset(reason="summary edited"))
        return added
