"""What turns run on: servers, tools, the gate in front of them, and undo.

Imported and made when it is first needed: showing history and choosing models need none of it, and it is the larger
half of the core.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from placet.core.context.builder import RequestBuilder
from placet.core.context.calibration import Calibration
from placet.core.context.compactor import HistoryCompactor
from placet.core.domain.events import AnyEvent, ToolOutput
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import RunContext, Session
from placet.core.domain.ports import Agents, Emitter, ModelClient, Pause
from placet.core.domain.review import CallRef
from placet.core.domain.tools import Operation
from placet.core.hub.catalogue import Catalogue
from placet.core.hub.judging import Judge
from placet.core.hub.own_requests import OwnRequests
from placet.core.hub.past_writes import PastWrites
from placet.core.hub.requests import Requests
from placet.core.hub.servers import Servers
from placet.core.providers.client import ProviderClient
from placet.core.providers.keys import KeyRing
from placet.core.review.bypasses import Bypasses
from placet.core.review.gate import ReviewGate
from placet.core.review.paths import Ground
from placet.core.review.rules import Policy
from placet.core.review.seeds import Seeds
from placet.core.review.undo import Undo
from placet.core.settings.home import Home
from placet.core.settings.options import Compaction
from placet.core.settings.resources import read_resource
from placet.core.store.notifications import as_result
from placet.core.store.store import Store
from placet.core.tools.notify import Tell
from placet.core.tools.toolbox import BuiltinToolbox
from placet.core.turn.handler import SessionHandler
from placet.core.turn.parts import Parts

Publish = Callable[[SessionId, AnyEvent], None]


class Engine:
    """One for the program; the maker awaits `aclose`. `client` answers turns instead of the providers' servers."""

    def __init__(
        self,
        *,
        home: Home,
        store: Store,
        seeds: Seeds,
        keys: KeyRing,
        catalogue: Catalogue,
        publish: Publish,
        agents: Agents,
        max_rounds: int,
        max_parallel: int,
        compaction: Compaction,
        client: ModelClient | None = None,
        pause: Pause = asyncio.sleep,
        bypasses: Bypasses,
        tell: Tell,
    ) -> None:
        self._store, self._catalogue, self._publish, self._agents = store, catalogue, publish, agents
        self._max_rounds, self._max_parallel, self._compaction = max_rounds, max_parallel, compaction
        self._calibration = Calibration()
        self._connections = ProviderClient(keys.key_of)
        self._client, self._pause = client or self._connections, pause
        policy = Policy(ground=Ground(placet_home=home.root, user_home=Path.home()), harmless=seeds.harmless)
        self.gate = ReviewGate(
            store.rules, store.approvals, store.changes, self._emit_for_call, policy, self._prepare, bypasses
        )
        self._tools = BuiltinToolbox(
            self._emit_output,
            self.gate.denied_paths,
            catalogue.secret_variables,
            self._read_notifications,
            store.remainders,
            tell,
        )
        self.servers = Servers(self._connections)
        self.past_writes = PastWrites(store, self._tools)
        self.own_requests = OwnRequests(self.gate, self.past_writes, store, publish)
        self.requests = Requests(self.gate, self._tools, store, self.own_requests)
        self.judge = Judge(store, self._tools, self.gate.verdicts, policy)
        self.undo = Undo(store.changes)

    def builder(self, prompt_of: Callable[[str], str]) -> RequestBuilder:
        """For the requests of one session; `prompt_of` gives the static prompt of an agent."""
        return RequestBuilder(self._store.turns, self._store.compactions, prompt_of, calibration=self._calibration)

    def handler(
        self, session: Session, builder: RequestBuilder, emit: Emitter, policy: Callable[[], RunContext]
    ) -> SessionHandler:
        """For the turns of one session; `policy` is asked at every check."""
        parts = Parts(
            store=self._store.turns,
            models=self._catalogue,
            client=self._client,
            context=builder,
            compactor=HistoryCompactor(
                builder,
                self._store.turns,
                self._store.compactions,
                read_resource("prompts/summary.md"),
                self._compaction.keep_recent,
            ),
            tools=self._tools,
            review=self.gate,
            agents=self._agents,
            pause=self._pause,
            summary_strength=self._compaction.strength,
        )
        return SessionHandler(
            session.id, parts, emit, policy, max_rounds=self._max_rounds, max_parallel=self._max_parallel
        )

    async def aclose(self) -> None:
        """End connections and what runs in threads."""
        await self._connections.aclose()
        self._tools.close()

    async def _read_notifications(self, session_id: SessionId, limit: int) -> str:
        return as_result(await self._store.notifications.of_session(session_id, limit))

    def _emit_for_call(self, call: CallRef, event: AnyEvent) -> None:
        if call.agent_call_id is not None:
            event = msgspec.structs.replace(event, agent_call_id=call.agent_call_id)
        self._publish(call.session_id, event)

    def _prepare(self, name: str, arguments: dict[str, Any], context: RunContext) -> Operation:
        return self._tools.prepare(name, arguments, context)

    def _emit_output(self, call: CallRef, text: str) -> None:
        self._emit_for_call(call, ToolOutput(tool_call_id=call.call_id, text=text))
