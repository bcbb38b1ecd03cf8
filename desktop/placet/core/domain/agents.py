"""Agents: who answers. A chat agent talks with a person, a task agent works for another agent, a system agent runs
in the background.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from placet.core.domain.model_calls import Strength

DEFAULT_AGENT = "assistant"


class AgentType(StrEnum):
    CHAT = "chat"
    TASK = "task"
    SYSTEM = "system"


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent as its files declare it. `prompt` is the static system prompt, resolved and ready to send.

    `description` says to a model when to choose it, `friendly` says to a person what it is. The model is the named
    one, else one by scope and strength, else the session's.
    """

    id: str
    prompt: str
    type: AgentType = AgentType.CHAT
    description: str = ""
    friendly: str = ""
    model: str = ""
    scope: str = ""
    strength: Strength | None = None
    memory: tuple[str, ...] = ()
    own: bool = False  # a person's, from the data folder; not shipped
