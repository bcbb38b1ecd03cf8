"""Proposals in memory for tests of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.core.domain.errors import PlacetError, UnknownItem
from placet.core.domain.ids import CallId, RequestId
from placet.core.domain.proposals import ProposedWrite

if TYPE_CHECKING:
    from support.window_hub import WindowHub


class FakeProposals:
    """Implements `ProposalsApi`. `taken_up` has every call that a person took up again."""

    def __init__(self, hub: WindowHub) -> None:
        self._hub = hub
        self.writes: dict[CallId, ProposedWrite] = {}
        self.taken_up: list[CallId] = []
        self.refusal: PlacetError | None = None

    async def of_call(self, call_id: CallId) -> ProposedWrite:
        if call_id not in self.writes:
            raise UnknownItem("There is no such call.")
        return self.writes[call_id]

    async def again(self, call_id: CallId) -> RequestId:
        if self.refusal is not None:
            raise self.refusal
        self.taken_up.append(call_id)
        return self._hub.take_up(call_id)
