"""A built-in command as it was asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Session
from placet.core.hub.api import HubApi


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """`session_id` is the session that the person looks at; a command that changes something in it awaits `enter` first.

    `active` is the one that the source talks in, which is nearly always the same. `max_rounds` is the program's limit of rounds.
    """

    hub: HubApi
    source: str
    active: SessionId
    session_id: SessionId
    argument: str
    max_rounds: int
    enter: Callable[[], Awaitable[None]]

    async def session(self) -> Session:
        return await self.hub.history.session(self.session_id)
