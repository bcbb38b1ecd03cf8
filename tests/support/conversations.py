"""A whole core on a scripted model, driven as a front end drives it: verbs down, events up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from placet.core.domain import events
from placet.core.domain.events import AnyEvent, Envelope
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext
from placet.core.domain.ports import Pause
from placet.core.hub.core import Core, open_core
from support.pauses import Pauses
from support.scripted_model import ScriptedModel

WAIT_S = 10.0
E_ = TypeVar("E_", bound=events.Event)

CONFIG = """
[[providers]]
name = "scripted"
type = "openai"
base_url = "http://127.0.0.1:9/v1"

[[models]]
name = "script"
provider = "scripted"
model_id = "script"
context_length = 128000
default = true
"""


class Talk:
    """One source of one core. `seen` has every event so far, in order."""

    def __init__(self, core: Core, model: ScriptedModel, session_id: SessionId, source: str) -> None:
        self.core, self.hub, self.model = core, core.hub, model
        self.session_id, self.source = session_id, source
        self.seen: list[AnyEvent] = []
        self._stream = core.hub.events(capacity=None)
        self._reader = aiter(self._stream)
        self._read = 0

    async def next(self, kind: type[E_], where: Callable[[E_], bool] = lambda _: True) -> E_:
        """Return the next event of `kind`; every wait is bounded."""
        async with asyncio.timeout(WAIT_S):
            while True:
                envelope: Envelope = await anext(self._reader)
                self.seen.append(envelope.event)
                if isinstance(envelope.event, kind) and where(envelope.event):
                    return envelope.event

    async def send(self, text: str) -> None:
        await self.hub.send_message(self.source, text)

    async def say(self, text: str) -> list[AnyEvent]:
        """Send, and wait for the end of the turn; returns its events."""
        start = len(self.seen)
        await self.send(text)
        await self.until_idle()
        return self.seen[start:]

    async def until_idle(self) -> None:
        await self.next(events.TurnRunning, lambda event: not event.running)

    async def approve_next(self) -> None:
        waiting = await self.next(events.PendingWrite)
        await self.hub.approve(waiting.request_id)

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.seen]

    def close(self) -> None:
        self._stream.close()


@asynccontextmanager
async def talk(
    home: Path,
    model: ScriptedModel | None,
    workdir: Path,
    *,
    source: str = "desktop",
    reset: bool = False,
    config: str = CONFIG,
    pauses: Pauses | None = None,
    pause: Pause | None = None,
) -> AsyncIterator[Talk]:
    """Open a core in `home` with a conversation in `workdir`; everything is closed at the end.

    Without a model the servers that `config` names are asked. Pauses before another try take no time.
    """
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(config)
    core = open_core(home, client=model, pause=pause or pauses or Pauses())
    await core.start()
    try:
        session_id = await core.hub.provision_session(source, context=RunContext(workdir=str(workdir)), reset=reset)
        conversation = Talk(core, model or ScriptedModel(), session_id, source)
        yield conversation
        conversation.close()
    finally:
        await core.aclose()
