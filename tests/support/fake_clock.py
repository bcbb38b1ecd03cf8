"""Time as a test says it passes."""

from __future__ import annotations


class FakeClock:
    """Milliseconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now

    def pass_ms(self, ms: int) -> None:
        self.now += ms
