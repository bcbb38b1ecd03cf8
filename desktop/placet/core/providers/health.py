"""Which models answer. In memory: a restart of the program is a fresh chance for everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum

DEGRADED_AFTER, DOWN_AFTER = 3, 5
ANOTHER_CHANCE_S = 60.0
"""A minute: a server that was started or a rate limit that ran out is found soon, and a dead one costs few turns a wait."""


class Health(StrEnum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    DOWN = "down"


class ModelHealth:
    """Counts each model's failures in a row, by the model's name.

    What happened longer ago than `ANOTHER_CHANCE_S` does not hold a model back, or one that is avoided could never
    show that it works again. The count stays: the next failure puts it back where it was.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: dict[str, tuple[int, float]] = {}  # how many in a row, and when the last one was

    def failed(self, name: str) -> None:
        count, _ = self._failures.get(name, (0, 0.0))
        self._failures[name] = (count + 1, self._clock())

    def healed(self, name: str) -> None:
        """It answered, or it was changed and what it did before says nothing."""
        self._failures.pop(name, None)

    def of(self, name: str) -> Health:
        count, at = self._failures.get(name, (0, 0.0))
        if count < DEGRADED_AFTER or self._clock() - at >= ANOTHER_CHANCE_S:
            return Health.HEALTHY
        return Health.DOWN if count >= DOWN_AFTER else Health.DEGRADED
