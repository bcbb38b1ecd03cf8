"""Who runs in a frame, and with which tools."""

from __future__ import annotations

from collections.abc import Sequence

from placet.core.domain.agents import Agent, AgentType
from placet.core.domain.background import NOTIFY
from placet.core.domain.errors import ToolFailure
from placet.core.domain.ports import Agents, Toolbox
from placet.core.domain.tools import DELEGATING, QUESTION_TOOL, SUBTASK_TOOL, TASK_TOOL, ToolSpec

MAX_DEPTH = 5

_ROOT_ONLY = frozenset({TASK_TOOL})
_EACH_LEVEL = frozenset({SUBTASK_TOOL, QUESTION_TOOL})  # given anew, down to the depth limit
_ASKING = frozenset({QUESTION_TOOL})
_BY_NAME_ONLY = frozenset({NOTIFY})  # only for a turn that names it among its tools


class AgentRunConfig:
    """What one agent runs with, built once a turn for the root frame and derived for each sub-agent.

    `only` narrows the tools to those named, for this turn and all that it starts; nothing widens them.
    """

    def __init__(self, agent: Agent, toolbox: Toolbox, *, depth: int = 0, only: Sequence[str] | None = None) -> None:
        self.agent, self.depth = agent, depth
        self._toolbox = toolbox
        self._only = None if only is None else frozenset(only)

    def narrowed(self, only: Sequence[str] | None) -> AgentRunConfig:
        """The same with the tools of another message; None: all."""
        return AgentRunConfig(self.agent, self._toolbox, depth=self.depth, only=only)

    def all_tools(self) -> Sequence[ToolSpec]:
        """The tools of the coming round. The same object as long as they are the same."""
        without = _EACH_LEVEL - _ASKING if self.depth == 0 else _ROOT_ONLY
        if self.depth >= MAX_DEPTH:
            without |= _EACH_LEVEL
        if self.agent.type is AgentType.SYSTEM:
            without |= _ASKING
        if self._only is None:
            without |= _BY_NAME_ONLY
        else:
            without |= frozenset(spec.name for spec in self._toolbox.specs()) - self._only
        return self._toolbox.specs(without)

    def check(self, name: str) -> None:
        """Refuse a tool that was not offered. Raises: ToolFailure."""
        offered = [spec.name for spec in self.all_tools()]
        if name in offered or all(spec.name != name for spec in self._toolbox.specs()):
            return  # unknown names are told by the toolbox, which knows the nearest one
        raise ToolFailure(f"{name} cannot be used here. There are: {', '.join(offered)}.")

    def for_sub_agent(self, agent_id: str, agents: Agents) -> AgentRunConfig:
        """The config one level down (`T-2`). Raises: ToolFailure for an agent that cannot be given a task."""
        choices = [agent.id for agent in agents.all() if agent.type is AgentType.TASK and agent.id != self.agent.id]
        there_are = f"There are: {', '.join(choices)}." if choices else "There are no others."
        if self.depth >= MAX_DEPTH:
            raise ToolFailure(f"Sub-agents go {MAX_DEPTH} levels deep; do this task yourself.")
        if agent_id == self.agent.id:
            raise ToolFailure(f"{agent_id} cannot give a task to itself; do it, or choose another agent. {there_are}")
        found = next((agent for agent in agents.all() if agent.id == agent_id), None)
        if found is None:
            raise ToolFailure(f"There is no agent '{agent_id}'. {there_are}")
        if found.type is not AgentType.TASK:
            raise ToolFailure(f"{agent_id} is a {found.type.value} agent and takes no tasks. {there_are}")
        only = None if self._only is None else self._only | (DELEGATING if self._only & DELEGATING else frozenset())
        return AgentRunConfig(
            found, self._toolbox, depth=self.depth + 1, only=tuple(only) if only is not None else None
        )
