"""The agents that come with Placet: they read, they are short, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from placet.core.agents.catalogue import AgentCatalogue
from placet.core.domain.agents import AgentType
from placet.core.settings.resources import resources_folder
from placet.core.tools.toolbox import BuiltinToolbox

MOST_TOKENS = 1200
TYPES = {
    "assistant": AgentType.CHAT, "code-explorer": AgentType.TASK, "data-analyst": AgentType.TASK, "generalist": AgentType.TASK,
    "researcher": AgentType.TASK, "software-engineer": AgentType.TASK, "tech-lead": AgentType.TASK, "tic": AgentType.SYSTEM,
    "writer": AgentType.TASK,
}  # fmt: skip


@pytest.fixture
def catalogue(tmp_path: Path) -> AgentCatalogue:
    return AgentCatalogue(resources_folder() / "agents", tmp_path)


@pytest.fixture(scope="module")
def tools() -> frozenset[str]:
    async def nothing(context: object) -> object:
        raise AssertionError

    box = BuiltinToolbox(lambda *_: None, nothing, tuple)  # type: ignore[arg-type]  # nothing is called
    names = frozenset(spec.name for spec in box.specs())
    box.close()
    return names


def test_there_are_nine_and_nothing_is_wrong_with_them(catalogue: AgentCatalogue) -> None:
    assert {agent.id: agent.type for agent in catalogue.all()} == TYPES
    assert catalogue.problems() == ()


@pytest.mark.parametrize("agent_id", TYPES)
def test_a_prompt_is_short_and_whole(catalogue: AgentCatalogue, agent_id: str) -> None:
    prompt = catalogue.get(agent_id).prompt
    assert len(prompt) / 4 <= MOST_TOKENS
    assert not re.search(r"\{\{|__[A-Z]", prompt)


@pytest.mark.parametrize("agent_id", TYPES)
def test_a_prompt_names_only_tools_that_exist(catalogue: AgentCatalogue, tools: frozenset[str], agent_id: str) -> None:
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", catalogue.get(agent_id).prompt))
    assert named - tools == set()


@pytest.mark.parametrize("agent_id", TYPES)
def test_an_agent_tells_people_and_models_what_it_is_for(catalogue: AgentCatalogue, agent_id: str) -> None:
    agent = catalogue.get(agent_id)
    assert agent.friendly.endswith(".") and len(agent.friendly) <= 130
    if agent.type is AgentType.TASK:
        assert agent.description.endswith(".")


def test_who_may_delegate_knows_the_others(catalogue: AgentCatalogue) -> None:
    tasks = {agent_id for agent_id, kind in TYPES.items() if kind is AgentType.TASK}
    listed = {
        agent_id: set(re.findall(r"^- `([a-z-]+)`: ", catalogue.get(agent_id).prompt, re.MULTILINE))
        for agent_id in TYPES
    }
    assert listed.pop("assistant") == tasks
    assert listed.pop("tech-lead") == tasks - {"tech-lead"}
    assert not any(listed.values())


def test_c1_a_prompt_is_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    first, second = (AgentCatalogue(resources_folder() / "agents", tmp_path) for _ in range(2))
    assert [agent.prompt for agent in first.all()] == [agent.prompt for agent in second.all()]
