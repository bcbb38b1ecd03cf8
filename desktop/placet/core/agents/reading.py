"""All agents read at once: a person's own before the shipped ones, and what is wrong with them in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from placet.core.agents.declaration import Declaration, read_declaration
from placet.core.agents.faults import AgentFault
from placet.core.agents.files import (
    DECLARATION,
    DECLARATION_BYTES,
    INCLUDES,
    MOST_FOLDERS,
    PROMPT,
    Folder,
    agent_folders,
)
from placet.core.agents.template import fill
from placet.core.domain.agents import Agent, AgentType
from placet.core.domain.hidden import visible

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Reading(msgspec.Struct, frozen=True):
    """Agents by id, in the order of ids; `problems` has one sentence each."""

    agents: dict[str, Agent] = {}
    problems: tuple[str, ...] = ()


class _Draft(msgspec.Struct, frozen=True):
    """An agent whose files were read and whose prompt is not filled in yet."""

    id: str
    text: str
    declared: Declaration
    own: bool


def read_agents(shipped: Path, own: Path, keys: Mapping[str, str]) -> Reading:
    """Read both folders. Never raises for what is in them: it is told as a problem, and the rest is there."""
    return _Reader(shipped, own, keys).read()


class _Reader:
    def __init__(self, shipped: Path, own: Path, keys: Mapping[str, str]) -> None:
        self._shipped, self._own, self._keys = Folder(shipped), Folder(own), keys
        self._names = {self._shipped: agent_folders(shipped), self._own: agent_folders(own)}
        self._includes: dict[tuple[Folder, str], str] = {}
        self._problems: dict[str, None] = {}  # in order, each once: one include may be in many prompts

    def read(self) -> Reading:
        shipped = {draft.id: draft for draft in self._drafts(self._shipped, own=False)}
        mine = {draft.id: draft for draft in self._drafts(self._own, own=True)}
        while True:  # what cannot be filled in must not be in the lists of the others either
            agents = {}
            for draft in sorted({**shipped, **mine}.values(), key=lambda draft: draft.id):
                try:
                    agents[draft.id] = self._filled(draft, {**shipped, **mine})
                except AgentFault as fault:
                    self._tell(fault, self._instead(draft.id, own=draft.own))
                    (mine if draft.own else shipped).pop(draft.id)
                    break
            else:
                return Reading(agents, tuple(self._problems))

    def _tell(self, fault: AgentFault, instead: str) -> None:
        self._problems[f"agents/{fault.place}: {fault.what}; {instead}."] = None

    def _instead(self, agent_id: str, *, own: bool) -> str:
        return "the shipped one is used" if own and agent_id in self._names[self._shipped] else "the agent is left out"

    # ---- files ----------------------------------------------------------------------------------------------------

    def _drafts(self, root: Folder, *, own: bool) -> Iterable[_Draft]:
        names = self._names[root]
        for name in names[:MOST_FOLDERS]:
            try:
                yield self._draft(root, name, own=own)
            except AgentFault as fault:
                self._tell(fault, self._instead(name, own=own))
        if len(names) > MOST_FOLDERS:
            last = visible(names[MOST_FOLDERS - 1])
            self._problems[f"agents: only {MOST_FOLDERS} are read; those after “{last}” are left out."] = None

    def _draft(self, root: Folder, name: str, *, own: bool) -> _Draft:
        if not _ID.fullmatch(name):
            raise AgentFault(
                name, "the name of an agent's folder has only lower-case letters, digits and -, at most 64"
            )
        text = root.text(f"{name}/{PROMPT}")
        if not text.strip():
            raise AgentFault(f"{name}/{PROMPT}", "it is empty")
        place = f"{name}/{DECLARATION}"
        declared, notes = Declaration(), list[str]()
        if root.has(place):
            declared, notes = read_declaration(root.text(place, DECLARATION_BYTES), place)
        self._problems.update(dict.fromkeys(f"agents/{note}" for note in notes))
        return _Draft(name, text, declared, own)

    # ---- prompts --------------------------------------------------------------------------------------------------

    def _filled(self, draft: _Draft, others: Mapping[str, _Draft]) -> Agent:
        """Raises: AgentFault."""
        try:
            prompt = self._prompt(draft, others, (self._own, self._shipped))
        except AgentFault as fault:
            if draft.own:
                raise
            prompt = self._prompt(draft, others, (self._shipped,))  # an own include spoils no shipped agent
            self._tell(fault, "the shipped include is used")
        declared = draft.declared
        return Agent(
            id=draft.id,
            prompt=prompt,
            type=declared.type,
            description=declared.description,
            friendly=declared.friendly or declared.description,
            model=declared.model,
            scope=declared.scope,
            strength=declared.strength,
            memory=declared.memory,
            own=draft.own,
        )

    def _prompt(self, draft: _Draft, others: Mapping[str, _Draft], roots: tuple[Folder, ...]) -> str:
        place = f"{draft.id}/{PROMPT}"

        def include(name: str) -> str:
            file = f"{INCLUDES}/{name}.md"
            root = next((root for root in roots if (root, file) in self._includes or root.has(file)), None)
            if root is None:
                raise AgentFault(place, f"there is no include “{name}”")
            if (root, file) not in self._includes:
                self._includes[root, file] = root.text(file)
            return self._includes[root, file]

        lists: dict[str, Callable[[], str]] = {"task-agents": lambda: _task_agents(draft, others)}
        keys = {**self._keys, "AGENT": draft.id}
        return fill(draft.text, place=place, include=include, lists=lists, keys=keys).strip() + "\n"


def _task_agents(draft: _Draft, others: Mapping[str, _Draft]) -> str:
    """Those that `draft` may give a task to, one line each."""
    lines = []
    for agent_id in sorted(others):
        declared = others[agent_id].declared
        if declared.type is AgentType.TASK and agent_id != draft.id:
            lines.append(f"- `{agent_id}`: {f'{declared.description} {declared.instructions}'.strip() or agent_id}")
    return "\n".join(lines) or "- none"
