"""What a front end may ask about the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from placet.core.domain.background import BackgroundEvent, Tick, TicState, Watch


class BackgroundApi(Protocol):
    """TIC, which looks through events and rarely speaks, and where its events come from."""

    async def state(self) -> TicState: ...

    async def configure(self, *, enabled: bool | None = None, interval_minutes: int | None = None) -> None:
        """Takes effect at once; what `config.toml` says otherwise stays. Raises: UsageError."""

    async def run_now(self) -> Tick | None:
        """Look through the oldest events that wait, to the end; None where none do, or a look runs already.

        A look that fails is returned so. Raises: StoreError.
        """

    async def stop(self) -> None:
        """End the look that runs; its events can be put back."""

    async def ticks(self, *, page: int = 1, per_page: int = 20) -> tuple[Sequence[Tick], int]:
        """Newest first, and how many there are in all."""

    async def events_of(self, tick_id: int) -> Sequence[BackgroundEvent]: ...

    async def put_back(self, tick_id: int) -> int:
        """Let the events of a failed look wait again; returns how many. Raises: UnknownItem."""

    async def forget_lost(self) -> None:
        """A person has read how many events were lost."""

    async def rules_text(self) -> str:
        """The person's own rules for notifications, `notifications.md`."""

    async def write_rules(self, text: str) -> None:
        """Raises: UsageError."""

    async def watches(self) -> Sequence[Watch]: ...

    async def watch(self, folder: str) -> None:
        """Raises: UsageError for what is no folder, or too large a one."""

    async def unwatch(self, folder: str) -> None: ...
