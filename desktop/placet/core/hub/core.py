"""The core, put together: every part is made here, once, and closed here in order."""

from __future__ import annotations

import asyncio
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from placet.core.agents.catalogue import AgentCatalogue
from placet.core.commands.shelf import CommandShelf
from placet.core.domain.events import AnyEvent
from placet.core.domain.ids import SessionId
from placet.core.domain.ports import ModelClient, Pause
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.catalogue import Catalogue
from placet.core.hub.changes import Changes
from placet.core.hub.facades import History
from placet.core.hub.hub import Hub
from placet.core.hub.live import LiveSessions
from placet.core.hub.proposals import Proposals
from placet.core.hub.rules import Rules
from placet.core.hub.sources import Sources
from placet.core.providers.keys import KeyRing
from placet.core.review.bypasses import Bypasses
from placet.core.settings.config import Config, load_config
from placet.core.settings.home import Home, find_home
from placet.core.settings.resources import read_resource, resources_folder
from placet.core.store.store import Store, open_store

if TYPE_CHECKING:
    from placet.core.archive.redaction import Redaction
    from placet.core.hub.background import Background
    from placet.core.hub.engine import Engine
    from placet.core.review.seeds import Seeds

_DAY_S = 24 * 60 * 60


class Core:
    """The program without its window. Made and used on one event loop; the maker awaits `start` and `aclose`."""

    def __init__(
        self,
        home: Home,
        config: Config,
        store: Store,
        client: ModelClient | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.home, self.config, self.store = home.root, config, store
        self.scope = TaskScope("core")
        self.keys = KeyRing(home.root)
        self.agents = AgentCatalogue(resources_folder() / "agents", home.root)
        self.catalogue = Catalogue(
            declared_providers=config.providers,
            declared_models=config.models,
            rows=store.catalogue,
            keys=self.keys,
            servers=lambda: self._engine().servers,
        )
        self._home, self._client, self._pause, self._bus = home, client, pause, EventBus()
        self._bypasses = Bypasses()
        self._made_engine: Engine | None = None
        self._made_background: Background | None = None
        self._live = LiveSessions(store=store, bus=self._bus, engine=self._engine, agents=self.agents)
        self.hub = self._make_hub(pause)

    async def start(self) -> None:
        """Make what a first start needs: the shipped rules."""
        if not await self.store.rules.are_seeded():
            await self.store.rules.seed(shipped_rules().rules)

    def start_chores(self) -> None:
        """For a program that stays: get ready for turns, settle writes that a crash cut, make the daily backup, and
        remove contents that are past their time.

        Notifications are delivered from now on.
        """
        self.scope.start(self._chores(), name="chores")
        self.hub.start_deliveries()

    async def _chores(self) -> None:
        cut = await self.store.changes.intended()  # before anything runs: what is being written later is not cut
        await asyncio.to_thread(import_module, "placet.core.hub.engine")  # so that the first message waits for nothing
        if cut:
            await self._engine().gate.recover(cut)
        await self.hub.archive.remove_hidden()
        await self._background().start(self.scope)
        await self.store.database.back_up_if_due()
        if days := self.config.review.keep_contents_days:
            before = time.time() - days * _DAY_S
            await self.store.changed_files.forget_contents(before)
            await self.store.remainders.expire(before)

    async def aclose(self) -> None:
        """End turns, commands and connections, then close the database. What waits for a person stays waiting."""
        if self._made_background is not None:
            await self._made_background.aclose()
        await self.hub.aclose()
        await self.scope.close()
        if self._made_engine is not None:
            await self._made_engine.aclose()
        await self.store.aclose()

    def _engine(self) -> Engine:
        """Made on first use: a window that shows history, or a list of sessions, does without."""
        if self._made_engine is None:
            from placet.core.hub.engine import Engine

            self._made_engine = Engine(
                home=self._home,
                store=self.store,
                seeds=shipped_rules(),
                keys=self.keys,
                catalogue=self.catalogue,
                publish=self._publish,
                agents=self.agents,
                max_rounds=self.config.llm.max_tool_rounds,
                max_parallel=self.config.llm.max_parallel_subagents,
                compaction=self.config.llm.compaction,
                client=self._client,
                pause=self._pause,
                bypasses=self._bypasses,
                tell=lambda *told: self._background().tell(*told),
            )
        return self._made_engine

    def _background(self) -> Background:
        """Made on first use: a program that only looks has none."""
        if self._made_background is None:
            from placet.core.background.tic import TicOptions
            from placet.core.hub.background import Background

            self._made_background = Background(
                store=self.store,
                bus=self._bus,
                live=self._live,
                announce=self.hub.announce,
                home=self.home,
                declared=msgspec.convert(msgspec.to_builtins(self.config.tic), TicOptions),
            )
        return self._made_background

    async def _redaction(self) -> Redaction:
        """What may not leave the program: what looks like a credential, and the keys that are used here (`S-9`)."""
        from placet.core.archive.redaction import Redaction, read_patterns

        keys = [await self.keys.key_of(provider) for provider in await self.catalogue.providers()]
        return Redaction(read_patterns(read_resource("secrets.toml")), keys)

    def _make_hub(self, pause: Pause) -> Hub:
        return Hub(
            store=self.store,
            bus=self._bus,
            live=self._live,
            requests=lambda: self._engine().requests,
            bypasses=self._bypasses,
            history=History(self.store, self._bus),
            changes=Changes(self.store, lambda: self._engine().undo, self._bus),
            proposals=Proposals(self.store, self._engine),
            rules=Rules(self.store, self._bus, self._live, lambda: self._engine().judge),
            catalogue=self.catalogue,
            agents=self.agents,
            sources=Sources(self.store, self._bus, self._live, str(self._home.folder("work").resolve())),
            background=self._background,
            redaction=self._redaction,
            shelf=CommandShelf(resources_folder() / "commands", self._home.folder("commands")),
            max_rounds=self.config.llm.max_tool_rounds,
            problems=self.config.problems,
            debounce_s=self.config.hub.coalesce_debounce_ms / 1000,
            pause=pause,
        )

    def _publish(self, session_id: SessionId, event: AnyEvent) -> None:
        live = self._live.peek(session_id)
        self._bus.publish(live.source if live is not None else "", session_id, event)


def open_core(home: Path | None = None, *, client: ModelClient | None = None, pause: Pause = asyncio.sleep) -> Core:
    """Open the data folder and put the core together. Blocks for some milliseconds; call `start` next.

    `client` answers turns instead of the configured providers' servers; `pause` is how time passes between tries and
    before notifications are delivered.

    Raises: UsageError, StoreError.
    """
    place = (Home(home) if home is not None else find_home()).ensure()
    return Core(place, load_config(place.config), open_store(place.root), client, pause)


@cache
def shipped_rules() -> Seeds:
    """The approval rules that a first start stores, and the tools that are harmless."""
    from placet.core.review.seeds import read_seeds

    return read_seeds(read_resource("review.toml"))
