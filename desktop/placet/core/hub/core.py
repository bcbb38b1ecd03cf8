"""The core, put together: every part is made here, once, and closed here in order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from placet.core.domain.errors import UsageError
from placet.core.domain.events import AnyEvent, ToolOutput
from placet.core.domain.ids import CallId, SessionId
from placet.core.domain.ports import ModelClient
from placet.core.domain.review import CallRef
from placet.core.domain.stopping import TaskScope
from placet.core.hub.bus import EventBus
from placet.core.hub.catalogue import Catalogue
from placet.core.hub.facades import Changes, History
from placet.core.hub.hub import Hub
from placet.core.hub.live import LiveSessions
from placet.core.hub.requests import Requests
from placet.core.hub.sources import Sources
from placet.core.providers.client import ProviderClient
from placet.core.providers.keys import KeyRing
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from placet.core.review.seeds import Seeds, read_seeds
from placet.core.review.undo import Undo
from placet.core.settings.config import Config, load_config
from placet.core.settings.home import Home, find_home
from placet.core.settings.presets import candidates
from placet.core.settings.resources import read_resource, resources_folder
from placet.core.store.store import Store, open_store
from placet.core.tools.toolbox import BuiltinToolbox


class Core:
    """The program without its window. Made and used on one event loop; the maker awaits `start` and `aclose`."""

    def __init__(self, home: Home, config: Config, store: Store, client: ModelClient | None = None) -> None:
        self.home, self.config, self.store = home.root, config, store
        self.scope = TaskScope("core")
        self.keys = KeyRing(home.root)
        self._bus = EventBus()
        self._servers = ProviderClient(self.keys.key_of)
        self._client = client or self._servers
        self._seeds = read_seeds(read_resource("review.toml"))
        self._gate = self._make_gate(self._seeds)
        self.catalogue = self._make_catalogue()
        self._tools = BuiltinToolbox(self._emit_output, self._gate.denied_paths, self.catalogue.secret_variables)
        self._undo = Undo(store.changes)
        self.hub = self._make_hub(home)

    async def start(self) -> None:
        """Make what a first start needs: the shipped rules."""
        await self.store.rules.seed(self._seeds.rules)

    def start_chores(self) -> None:
        """For a program that stays: settle writes that a crash cut, and make the daily backup, beside everything."""
        self.scope.start(self._chores(), name="chores")

    async def _chores(self) -> None:
        await self._gate.recover()
        await self.store.database.back_up_if_due()

    async def aclose(self) -> None:
        """End turns, commands and connections, then close the database. What waits for a person stays waiting."""
        await self.hub.aclose()
        await self.scope.close()
        await self._servers.aclose()
        self._tools.close()
        await self.store.aclose()

    def _make_gate(self, seeds: Seeds) -> ReviewGate:
        ground = Ground(placet_home=self.home, user_home=Path.home())
        policy = Policy(ground=ground, harmless=seeds.harmless)
        store = self.store
        return ReviewGate(store.rules, store.approvals, store.changes, self._emit_for_call, policy)

    def _make_catalogue(self) -> Catalogue:
        return Catalogue(
            declared_providers=self.config.providers,
            declared_models=self.config.models,
            candidates=candidates(),
            rows=self.store.catalogue,
            client=self._servers,
            keys=self.keys,
        )

    def _make_hub(self, home: Home) -> Hub:
        self._live = LiveSessions(
            store=self.store,
            bus=self._bus,
            models=self.catalogue,
            client=self._client,
            tools=self._tools,
            review=self._gate,
            prompt_of=agent_prompt,
            max_rounds=self.config.llm.max_tool_rounds,
        )
        return Hub(
            store=self.store,
            bus=self._bus,
            live=self._live,
            requests=Requests(self._gate, self._tools, self.store),
            history=History(self.store, self._bus),
            changes=Changes(self.store, self._undo, self._bus),
            catalogue=self.catalogue,
            sources=Sources(self.store, self._bus, self._live, str(home.folder("work"))),
            problems=self.config.problems,
        )

    def _emit_for_call(self, call: CallRef, event: AnyEvent) -> None:
        self._publish(call.session_id, event)

    def _emit_output(self, session_id: SessionId, call_id: CallId, text: str) -> None:
        self._publish(session_id, ToolOutput(tool_call_id=call_id, text=text))

    def _publish(self, session_id: SessionId, event: AnyEvent) -> None:
        live = self._live.peek(session_id)
        self._bus.publish(live.source if live is not None else "", session_id, event)


def open_core(home: Path | None = None, *, client: ModelClient | None = None) -> Core:
    """Open the data folder and put the core together. Blocks for some milliseconds; call `start` next.

    `client` answers turns instead of the configured providers' servers.

    Raises: UsageError, StoreError.
    """
    place = (Home(home) if home is not None else find_home()).ensure()
    return Core(place, load_config(place.config), open_store(place.root), client)


@cache
def agent_prompt(agent: str) -> str:
    """The static prompt of an agent. Raises: UsageError for an unknown one."""
    known = sorted(path.parent.name for path in (resources_folder() / "agents").glob("*/AGENT.md"))
    if agent not in known:
        raise UsageError(f"There is no agent named {agent}.", hint=f"There are: {', '.join(known)}.")
    return read_resource(f"agents/{agent}/AGENT.md")
