"""Which agents there are: read when first asked for, and again when a person's own files changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.domain.agents import Agent
from placet.core.domain.errors import UnknownItem

if TYPE_CHECKING:
    from placet.core.agents.files import Stamp
    from placet.core.agents.reading import Reading

_SYSTEMS = {"darwin": "macOS", "win32": "Windows"}


class AgentCatalogue:
    """Implements the port `Agents`. On the loop's thread only; made without looking at a file.

    An agent is the same object for as long as its files are the same, so whoever holds one keeps what it began with.
    """

    def __init__(self, shipped: Path, home: Path) -> None:
        self._shipped, self._home = shipped, home
        self._seen: Stamp | None = None
        self._reading: Reading | None = None

    @property
    def folder(self) -> Path:
        """Where a person's own agents are."""
        return self._home / "agents"

    def get(self, agent_id: str) -> Agent:
        agents = self._now().agents
        if agent_id not in agents:
            there_are = ", ".join(agents) or "none"
            raise UnknownItem(f"There is no agent named {agent_id}.", hint=f"There are: {there_are}.")
        return agents[agent_id]

    def all(self) -> Sequence[Agent]:
        return tuple(self._now().agents.values())

    def problems(self) -> Sequence[str]:
        """What is wrong with a person's own agents, one sentence each."""
        return self._now().problems

    def prompts(self) -> Callable[[str], str]:
        """Return the static prompts of one session by agent, each with its notes from memory.

        The notes are read once, so that a session's requests go on to begin alike (`C-1`). The function raises
        UnknownItem.
        """
        from placet.core.agents.memory import remembered

        notes: dict[str, str] = {}

        def prompt_of(agent_id: str) -> str:
            agent = self.get(agent_id)
            if agent_id not in notes:
                notes[agent_id] = remembered(self._home / "memory", agent.memory)
            return agent.prompt + notes[agent_id]

        return prompt_of

    def _now(self) -> Reading:
        from placet.core.agents.files import stamp

        seen = stamp(self.folder)
        if self._reading is None or seen != self._seen:
            self._reading, self._seen = self._read(), seen
        return self._reading

    def _read(self) -> Reading:
        from placet.core.agents.reading import read_agents

        reading = read_agents(self._shipped, self.folder, self._keys())
        for agent_id, before in (self._reading.agents if self._reading is not None else {}).items():
            if reading.agents.get(agent_id) == before:
                reading.agents[agent_id] = before
        return reading

    def _keys(self) -> dict[str, str]:
        """What `__KEY__` can stand for, beside `__AGENT__`. All of it stays the same for as long as a session."""
        return {
            "OS": _SYSTEMS.get(sys.platform, sys.platform.capitalize()),
            "HOME": str(Path.home()),
            "PLACET_HOME": str(self._home),
            "MEMORY": str(self._home / "memory"),
        }
