"""A whole core under any order of what a person, the background, the model and the power supply do.

Each text that was sent ends in exactly one place, and each notification arrives exactly once.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placet.core.domain import events
from placet.core.domain.errors import UnknownItem
from placet.core.domain.model_calls import ModelPiece, ModelRequest
from placet.core.domain.notifications import Notification
from support.conversations import Talk, talk
from support.held_pause import HeldPause
from support.scripted_model import ScriptedModel

ACTIONS = (
    "send", "send", "send", "interrupt", "take back", "stop", "new chat", "answer", "answer", "notify", "time passes",
    "restart", "look away",
)  # fmt: skip


class SteeredModel(ScriptedModel):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Semaphore(0)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPiece, None]:
        await self.go.acquire()
        async for piece in super().stream(request):
            yield piece


class World:
    """Where every text is."""

    def __init__(self, home: Path, workdir: Path) -> None:
        self.home, self.workdir = home, workdir
        self.sent: list[str] = []
        self.told: list[str] = []
        self.returned: list[str] = []
        self.dropped: list[str] = []

    async def run(self, actions: list[str]) -> None:
        """One run of the program for each part between restarts, and one more that looks."""
        rest = [*actions, "restart"]
        while rest:
            end = rest.index("restart")
            await self._one_run(rest[:end])
            rest = rest[end + 1 :]

    async def _one_run(self, actions: list[str]) -> None:
        self.pause, self.model = HeldPause(), SteeredModel()
        async with talk(self.home, self.model, self.workdir, pause=self.pause) as conversation:
            await conversation.hub.register("desktop")
            self.returned += await conversation.hub.take_drafts("desktop")
            conversation.hub.start_deliveries()
            stream = conversation.hub.events(capacity=None)
            for action in actions:
                await self._do(action, conversation)
        stream.close()
        async for envelope in stream:
            if isinstance(envelope.event, events.Error) and envelope.event.draft:
                self.returned += envelope.event.draft.split("\n\n")

    async def _do(self, action: str, conversation: Talk) -> None:
        hub = conversation.hub
        match action:
            case "send" | "interrupt":
                text = f"m{len(self.sent)}"
                self.sent.append(text)
                await (hub.send_message if action == "send" else hub.interrupt_and_send)("desktop", text)
            case "take back":
                try:
                    self.returned.append(await hub.drop_queued("desktop", 0))
                except UnknownItem:
                    assert hub.queued("desktop") == ()
            case "notify":
                await self._notify(conversation)
            case "look away":
                await _look_away(conversation)
            case _:
                await self._end_something(action, conversation)

    async def _end_something(self, action: str, conversation: Talk) -> None:
        hub = conversation.hub
        match action:
            case "stop":
                self.returned += await hub.cancel("desktop")
            case "new chat":
                self.dropped += hub.queued("desktop")
                await hub.clear("desktop")
            case "answer":
                self.model.go.release()
            case "time passes":
                self.pause.end()

    async def _notify(self, conversation: Talk) -> None:
        number = len(self.told)
        self.told.append(f"n{number}")
        told = Notification(source="tic", event_type="x", summary=self.told[-1], event_time=float(number))
        await conversation.hub.notify(told)

    async def check(self) -> None:
        async with talk(self.home, ScriptedModel(), self.workdir) as conversation:
            left = list(await conversation.hub.take_drafts("desktop"))
            said, told = await self._history(conversation)
            everywhere = Counter([*said, *self.returned, *self.dropped, *left])
            assert everywhere == Counter(self.sent)
            assert await conversation.core.store.notifications.are_waiting() == (len(told) < len(self.told))
            assert sorted(told) == sorted(self.told[: len(told)]), "once each, in order"

    async def _history(self, conversation: Talk) -> tuple[list[str], list[str]]:
        said, told = [], []
        sessions, _ = await conversation.hub.history.sessions(per_page=1000)
        for session in sessions:
            for row in (await conversation.hub.history.newest(session.id, 1000)).messages:
                if row.role == "user" and not row.synthetic:
                    said.append(row.content)
                if row.role == "assistant" and row.synthetic:
                    told += [item["summary"] for call in row.calls for item in json.loads(call.result)]
        return said, told


async def _look_away(conversation: Talk) -> None:
    """Let everything go on as far as it can."""
    for _ in range(10):
        await conversation.core.store.settings.get("anything")


@given(st.lists(st.sampled_from(ACTIONS), max_size=25))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_h6_h7_h10_each_text_is_in_one_place_and_each_notification_comes_once(
    placet_home: Path, tmp_path: Path, actions: list[str]
) -> None:
    world = World(placet_home / os.urandom(6).hex(), tmp_path)
    await world.run(actions)
    await world.check()
