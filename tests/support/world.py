"""One source of a whole core whose every outside is in the test's hands: the model's answers, the person's decisions,
the moment of a crash. Between two moves everything is at rest, waiting for the test."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from placet.core.domain import events
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import RunContext
from placet.core.hub.core import Core, open_core
from support.driven_model import DrivenModel, OpenCall

SOURCE = "desktop"
WAIT_S = 30.0  # of a machine that does much else
CONFIG = """
[[providers]]
name = "chat"
type = "openai"
base_url = "http://127.0.0.1:9/v1"

[[providers]]
name = "messages"
type = "anthropic"
base_url = "http://127.0.0.1:9"

[[models]]
name = "one"
provider = "chat"
model_id = "one"
context_length = 128000
default = true

[[models]]
name = "two"
provider = "messages"
model_id = "two"
context_length = 128000
"""

_ENDS = (events.ToolDone, events.ToolError, events.ToolCancelled, events.ToolRejected)
_ASKS = (events.PendingWrite, events.PendingCommand, events.ApprovalRequired, events.AgentQuestion)
_Ask = events.PendingWrite | events.PendingCommand | events.ApprovalRequired | events.AgentQuestion


class World:
    """Made inside a running loop by `begin`; `aclose` ends it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workdir = root / "work"
        self.workdir.mkdir()
        self._homes = 0
        self._moved = asyncio.Event()
        self.model = DrivenModel(self._moved.set)
        self.seen: list[AnyEvent] = []
        self.running = False
        self.asks: dict[RequestId, _Ask] = {}
        self.children: dict[CallId, CallId | None] = {}  # running sub-agents by the call that started them
        self.prompts: dict[str, CallId] = {}
        self.agents: dict[CallId, events.AgentStart] = {}
        self.ended: Counter[CallId] = Counter()
        self.unsettled: set[str] = set()  # messages that are queued
        self.echoed: list[str] = []
        self.faults: list[str] = []  # what must never be seen

    # ---- life ----------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        home = self._new_home()
        await self._open(home)
        self.session_id = await self.core.hub.provision_session(SOURCE, context=RunContext(workdir=str(self.workdir)))
        await self.at_rest()

    def _new_home(self) -> Path:
        self._homes += 1
        home = self.root / f"home{self._homes}"
        home.mkdir()
        (home / "config.toml").write_text(CONFIG)
        return home

    async def _open(self, home: Path) -> None:
        self.core: Core = open_core(home, client=self.model)
        await self.core.start()
        self.hub = self.core.hub
        self._stream = self.hub.events(capacity=None)
        self._reader = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        async for envelope in self._stream:
            self._take(envelope.event)
            self._moved.set()

    async def crash(self) -> None:
        """What a lost process leaves: the committed rows and the files, and nothing else."""
        home = self._new_home()
        with (
            sqlite3.connect(self.core.home / "placet.db") as old,
            sqlite3.connect(home / "placet.db") as new,
        ):
            old.backup(new)
        old.close()
        new.close()
        await self.aclose()
        self.running = False
        self.asks.clear()
        self.children.clear()
        self.unsettled.clear()
        await self._open(home)
        self.session_id = await self.hub.register(SOURCE)
        await self.at_rest()

    async def aclose(self) -> None:
        self._stream.close()
        self._reader.cancel()
        await asyncio.wait([self._reader])
        await self.core.aclose()

    # ---- what is told --------------------------------------------------------------------------------------------

    def _take(self, event: AnyEvent) -> None:
        self.seen.append(event)
        if isinstance(event, events.TurnRunning):
            self._on_running(event.running)
        elif isinstance(event, events.UserMessage):
            self.echoed.append(event.content)
            self.unsettled.discard(event.content)
        elif isinstance(event, events.Error) and event.draft:
            self.unsettled.difference_update(event.draft.split("\n\n"))
        elif isinstance(event, _ASKS):
            self.asks[event.request_id] = event
        elif isinstance(event, events.ApprovalResolved):
            self.asks.pop(event.request_id, None)
        elif isinstance(event, events.AgentStart):
            self.children[event.tool_call_id] = event.agent_call_id
            self.prompts[event.prompt] = event.tool_call_id
            self.agents[event.tool_call_id] = event
        elif isinstance(event, events.AgentDone):
            self.children.pop(event.tool_call_id, None)
        elif isinstance(event, _ENDS):
            self.ended[event.tool_call_id] += 1

    def _on_running(self, running: bool) -> None:
        if running and self.running:
            self.faults.append("a turn began while another one ran")
        if not running and self.children:
            self.faults.append(f"a turn ended before its sub-agents {list(self.children)}")
        self.running = running

    # ---- rest ----------------------------------------------------------------------------------------------------

    async def at_rest(self) -> None:
        """Wait until everything that runs waits for the test."""
        await self.until(self._is_at_rest)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not holds():
                self._moved.clear()
                if not holds():
                    await self._moved.wait()

    def _is_at_rest(self) -> bool:
        if not self.running:
            return not self.unsettled
        frames = [None, *self.children]
        leaves = [frame for frame in frames if frame not in self.children.values()]
        return all(self._is_parked(frame) for frame in leaves)

    def _is_parked(self, frame: CallId | None) -> bool:
        return any(self.frame_of(call) == frame for call in self.model.open) or any(
            ask.agent_call_id == frame for ask in self.asks.values()
        )

    def frame_of(self, call: OpenCall) -> CallId | None:
        return next((call_id for prompt, call_id in self.prompts.items() if prompt in call.opening), None)

    # ---- facts ---------------------------------------------------------------------------------------------------

    async def session_of_source(self) -> SessionId:
        return await self.hub.register(SOURCE)


def new_world() -> tuple[World, tempfile.TemporaryDirectory[str]]:
    """A world in a folder of its own; the caller removes the folder."""
    folder = tempfile.TemporaryDirectory(prefix="placet-world-")
    return World(Path(folder.name).resolve()), folder
