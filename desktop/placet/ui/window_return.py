"""Where one was when the window closed, and the way back there at the next start."""

from __future__ import annotations

import msgspec

from placet.core.domain.errors import PlacetError
from placet.core.domain.ids import MessageId, SessionId
from placet.ui.models.transcript_rows import UserRow
from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.window_places import Places
from placet.ui.window_state import Preferences

_NAME = "last_place"


class _Kept(msgspec.Struct, frozen=True):
    """`message` is 0 where the end of the chat was in sight: then its end is gone to, whatever was added."""

    place: str = "chat"
    chat: str = ""
    message: int = 0


class LastPlace:
    """Page, chat, and the message that was being read. A chat that is gone is the source's active one."""

    def __init__(self, places: Places, chat: ChatPanel, preferences: Preferences) -> None:
        self._places, self._chat, self._preferences = places, chat, preferences

    def keep(self) -> None:
        kept = _Kept(place=self._places.place, chat=self._places.session_id or "", message=self._message())
        self._preferences.write(_NAME, msgspec.json.encode(kept).decode())

    def _message(self) -> int:
        """The person's message under which one reads; 0 at the end."""
        column = self._chat.transcript.column
        above = [row for row in self._chat.model.rows[: column.anchor + 1] if isinstance(row, UserRow)]
        return 0 if column.follow or not above else above[-1].message_id

    async def go_back(self) -> None:
        """To where one was. What was kept in another form, or names nothing any more, leads to the message field."""
        kept, conversation = self._read(), self._chat.conversation
        try:
            if kept.chat and kept.chat != self._places.session_id:
                await conversation.load(SessionId(kept.chat))
        except PlacetError:
            await conversation.open_active()
        self._places.go_to(kept.place if self._places.has(kept.place) else "chat")
        if kept.message and self._places.session_id == kept.chat:
            self._chat.show_message_when_there(SessionId(kept.chat), MessageId(kept.message))

    def _read(self) -> _Kept:
        try:
            return msgspec.json.decode(self._preferences.read(_NAME) or "{}", type=_Kept)
        except msgspec.DecodeError:
            return _Kept()
