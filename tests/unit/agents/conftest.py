"""Two folders of agents: a small shipped one, and a person's own in a data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.agents.catalogue import AgentCatalogue

SHIPPED = {
    "assistant/AGENT.md": "You help.\n{{include rules}}\n",
    "assistant/agent.toml": 'type = "chat"\nfriendly = "Helps you."\n',
    "explorer/AGENT.md": "You look.\n",
    "explorer/agent.toml": 'type = "task"\ndescription = "Looks."\ninstructions = "Say where."\n',
    "_includes/rules.md": "Be careful.\n",
}


class Place:
    """Writes files of agents, and opens the catalogue on them."""

    def __init__(self, root: Path) -> None:
        self.shipped, self.home = root / "shipped", root / "home"
        self.own = self.home / "agents"
        self.own.mkdir(parents=True)
        for name, text in SHIPPED.items():
            self.write(self.shipped / name, text)
        self.catalogue = AgentCatalogue(self.shipped, self.home)

    @staticmethod
    def write(path: Path, content: str | bytes) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def add(self, agent_id: str, prompt: str | bytes = "You are mine.\n", toml: str | bytes | None = None) -> Path:
        self.write(self.own / agent_id / "AGENT.md", prompt)
        if toml is not None:
            self.write(self.own / agent_id / "agent.toml", toml)
        return self.own / agent_id

    def ids(self) -> list[str]:
        return [agent.id for agent in self.catalogue.all()]

    def problem(self) -> str:
        (found,) = self.catalogue.problems()
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)
