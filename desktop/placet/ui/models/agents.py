"""Agents as the settings page sees them. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from placet.core.domain.agents import Agent, AgentType
from placet.ui.bridge import Bridge
from placet.ui.models.conversation import Conversation


class AgentsModel(QObject):
    """Who there is, what is wrong with a person's own ones, and who answers in the chat that is shown."""

    changed = Signal()

    def __init__(self, bridge: Bridge, conversation: Conversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._conversation = bridge, conversation
        self.agents: Sequence[Agent] = ()
        self.problems: Sequence[str] = ()
        self._shown_agent = ""
        conversation.changed.connect(self._on_conversation_changed)
        self.reload()

    @property
    def folder(self) -> Path:
        """Where a person's own agents are."""
        return self._bridge.hub.agents.folder

    @property
    def current(self) -> str:
        """The id of the agent that answers in the chat shown; empty where none is shown."""
        session = self._conversation.session
        return session.agent if session is not None else ""

    def of_type(self, kind: AgentType) -> Sequence[Agent]:
        return [agent for agent in self.agents if agent.type is kind]

    def folder_of(self, agent: Agent) -> Path:
        """The folder of an own agent."""
        return self.folder / agent.id

    def reload(self) -> None:
        """Look at the files again; `changed` follows if anything did."""
        api = self._bridge.hub.agents
        agents, problems = tuple(api.all()), tuple(api.problems())
        if (agents, problems) != (self.agents, self.problems):
            self.agents, self.problems = agents, problems
            self.changed.emit()

    def use(self, agent_id: str) -> None:
        """Let this agent answer in the chat shown, from its next turn on."""
        self._conversation.choose_agent(agent_id)

    def _on_conversation_changed(self) -> None:
        if self._shown_agent != self.current:
            self._shown_agent = self.current
            self.changed.emit()
