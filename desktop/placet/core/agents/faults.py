"""What is wrong with an agent's files, as one error."""

from __future__ import annotations

from placet.core.domain.errors import PlacetError
from placet.core.domain.hidden import visible


class AgentFault(PlacetError):
    """Why a file of an agent cannot be used. `place` is the file, from the agents' folder on; `what` has no full stop."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{visible(place)}: {visible(what)}.")
        self.place, self.what = visible(place), visible(what)
