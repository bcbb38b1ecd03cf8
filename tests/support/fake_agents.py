"""Agents in memory, for the hubs that tests of the window use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from placet.core.domain.agents import Agent, AgentType
from placet.core.domain.errors import UnknownItem

ASSISTANT = Agent(id="assistant", prompt="You help.", friendly="Works with you in the folder you chose.")


class FakeAgents:
    """`items` are the agents by id, `troubles` what is wrong with own ones."""

    def __init__(self) -> None:
        self.items = {agent.id: agent for agent in (ASSISTANT,)}
        self.troubles: list[str] = []
        self.folder = Path("/home/ada/.local/share/placet/agents")

    def add(self, agent_id: str, kind: AgentType = AgentType.TASK, **facts: object) -> Agent:
        agent = Agent(id=agent_id, prompt="You work.", type=kind, **facts)  # type: ignore[arg-type]
        self.items = dict(sorted({**self.items, agent_id: agent}.items()))
        return agent

    def get(self, agent_id: str) -> Agent:
        if agent_id not in self.items:
            raise UnknownItem(f"There is no agent named {agent_id}.")
        return self.items[agent_id]

    def all(self) -> Sequence[Agent]:
        return tuple(self.items.values())

    def problems(self) -> Sequence[str]:
        return tuple(self.troubles)
