"""Own agents beside the shipped ones: what counts, and what is wrong in words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from placet.core.agents.files import MOST_FOLDERS, TEXT_BYTES
from placet.core.domain.agents import AgentType
from placet.core.domain.errors import UnknownItem

from .conftest import SHIPPED, Place


def test_without_own_agents_the_shipped_ones_are_there(place: Place) -> None:
    assert place.ids() == ["assistant", "explorer"]
    assert place.catalogue.get("assistant").prompt == "You help.\nBe careful.\n"
    assert place.catalogue.problems() == ()


def test_no_folder_at_all_is_no_problem(place: Place) -> None:
    place.own.rmdir()
    assert place.ids() == ["assistant", "explorer"]
    assert place.catalogue.problems() == ()


def test_an_own_agent_has_what_its_files_declare(place: Place) -> None:
    toml = """
        type = "task"
        description = "Writes\\n poems."
        friendly = "Makes verses."
        model = "large"
        strength = "high"
        memory = ["index.md", "people/ada.md"]
    """
    place.add("poet", "Agent __AGENT__ keeps notes in __MEMORY__.", toml)
    poet = place.catalogue.get("poet")
    assert poet.prompt == f"Agent poet keeps notes in {place.home / 'memory'}.\n"
    assert (poet.type, poet.description, poet.friendly) == (AgentType.TASK, "Writes poems.", "Makes verses.")
    assert (poet.model, poet.strength, poet.memory) == ("large", "high", ("index.md", "people/ada.md"))
    assert poet.own and not place.catalogue.get("explorer").own


def test_a_prompt_alone_makes_a_chat_agent(place: Place) -> None:
    place.add("poet")
    assert place.catalogue.get("poet").type is AgentType.CHAT


def test_an_own_agent_replaces_the_shipped_one_of_its_id(place: Place) -> None:
    place.add("assistant", "I am mine.")
    agent = place.catalogue.get("assistant")
    assert (agent.prompt, agent.own, place.ids()) == ("I am mine.\n", True, ["assistant", "explorer"])


def test_a_list_names_the_others_that_take_tasks(place: Place) -> None:
    place.add("poet", "{{list task-agents}}", 'type = "task"\ndescription = "Rhymes."')
    place.add("boss", "{{list task-agents}}")
    assert place.catalogue.get("boss").prompt == "- `explorer`: Looks. Say where.\n- `poet`: Rhymes.\n"
    assert place.catalogue.get("poet").prompt == "- `explorer`: Looks. Say where.\n"


def test_a_broken_agent_is_in_no_list(place: Place) -> None:
    place.add("poet", "{{include none}}", 'type = "task"\ndescription = "Rhymes."')
    place.add("boss", "{{list task-agents}}")
    assert place.catalogue.get("boss").prompt == "- `explorer`: Looks. Say where.\n"
    assert "poet" not in place.ids()


def test_own_includes_come_before_the_shipped_ones(place: Place) -> None:
    place.write(place.own / "_includes" / "rules.md", "Be bold.")
    assert place.catalogue.get("assistant").prompt == "You help.\nBe bold.\n"
    assert place.catalogue.problems() == ()


def test_a_broken_own_include_spoils_no_shipped_agent(place: Place) -> None:
    place.write(place.own / "_includes" / "rules.md", "{{include rules}}")
    assert place.catalogue.get("assistant").prompt == "You help.\nBe careful.\n"
    assert place.problem() == (
        "agents/_includes/rules.md: includes go in a circle: rules → rules; the shipped include is used."
    )


def test_an_unknown_agent_names_those_there_are(place: Place) -> None:
    with pytest.raises(UnknownItem, match=r"no agent named nobody\. There are: assistant, explorer"):
        place.catalogue.get("nobody")


# ---- what is wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ('type = "task"\nfriendly = \n', "agents/bad/agent.toml: line 2, column 12: Invalid value; the agent is left out."),
        ('x = """', "agents/bad/agent.toml: line 1, column 8: Unterminated string; the agent is left out."),
        ('type = "robot"', "agents/bad/agent.toml: type: “robot” is none of chat, task, system; the agent is left out."),
        ("type = 3", "agents/bad/agent.toml: type: “3” is none of chat, task, system; the agent is left out."),
        ("a = " + "[" * 5000, "agents/bad/agent.toml: it is nested too deeply; the agent is left out."),
        (b"\xff\xfe", "agents/bad/agent.toml: byte 1 is not UTF-8; the agent is left out."),
        ("#" * 20_000, "agents/bad/agent.toml: it is over 16 KB; the agent is left out."),
    ],
)  # fmt: skip
def test_an_unusable_declaration_costs_that_agent_only(place: Place, toml: str | bytes, problem: str) -> None:
    place.add("bad", toml=toml)
    place.add("good")
    assert place.problem() == problem
    assert place.ids() == ["assistant", "explorer", "good"]


def test_a_number_without_end_is_told_too(place: Place) -> None:
    place.add("bad", toml=f"a = {'1' * 5000}")
    assert place.problem().startswith("agents/bad/agent.toml: Exceeds the limit")


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ('strenght = "high"', "strenght: unknown key; the nearest known key is “strength”."),
        ('zzz = 1', "zzz: unknown key; there are: type, description, instructions, friendly, model, scope, strength, memory."),
        ('strength = "big"', "strength: “big” is none of very_low, low, average, high, very_high; it is ignored."),
        ("friendly = 7", "friendly: a text is expected; it is ignored."),
        (f'friendly = "{"x" * 1001}"', "friendly: it is over 1000 characters; it is ignored."),
        ('memory = "index.md"', "memory: a list of file names is expected; it is ignored."),
        ('memory = ["../placet.db"]', "memory: “../placet.db” is no file in the memory folder; it is ignored."),
        ('memory = ["/etc/passwd"]', "memory: “/etc/passwd” is no file in the memory folder; it is ignored."),
        ('type = "task"', "description is missing, so other agents do not learn when to choose this one."),
    ],
)  # fmt: skip
def test_a_key_that_makes_no_sense_costs_itself_only(place: Place, toml: str, problem: str) -> None:
    place.add("odd", toml=toml)
    assert place.problem() == f"agents/odd/agent.toml: {problem}"
    assert "odd" in place.ids()


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        (b"\xff", "agents/bad/AGENT.md: byte 1 is not UTF-8; the agent is left out."),
        (" \n", "agents/bad/AGENT.md: it is empty; the agent is left out."),
        ("x" * (TEXT_BYTES + 1), "agents/bad/AGENT.md: it is over 64 KB; the agent is left out."),
        (
            "{{include ../../config}}",
            "agents/bad/AGENT.md: “../../config” is no name of an include: letters, digits, - and _, without a folder; "
            "the agent is left out.",
        ),
        ("{{include none}}", "agents/bad/AGENT.md: there is no include “none”; the agent is left out."),
    ],
)
def test_an_unusable_prompt_costs_that_agent_only(place: Place, prompt: str | bytes, problem: str) -> None:
    place.add("bad", prompt)
    assert place.problem() == problem
    assert place.ids() == ["assistant", "explorer"]


def test_a_missing_prompt_is_told(place: Place) -> None:
    place.write(place.own / "bad" / "agent.toml", 'type = "chat"')
    assert place.problem() == "agents/bad/AGENT.md: it is missing; the agent is left out."


def test_a_broken_own_agent_leaves_the_shipped_one_of_its_id(place: Place) -> None:
    place.add("assistant", toml="type =")
    assert place.problem().endswith("Invalid value; the shipped one is used.")
    assert not place.catalogue.get("assistant").own
    place.add("explorer", "{{include none}}", "")
    assert place.catalogue.problems()[-1].endswith("no include “none”; the shipped one is used.")
    assert place.catalogue.get("explorer").prompt == SHIPPED["explorer/AGENT.md"]


@pytest.mark.parametrize("name", ["Poet", "po et", "poète", "a_b", "-x", "x" * 65, "a\u202eb"])
def test_an_id_with_odd_characters_is_told(place: Place, name: str) -> None:
    place.add(name)
    assert "only lower-case letters, digits and -" in place.problem()
    assert "\u202e" not in place.problem()
    assert place.ids() == ["assistant", "explorer"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
def test_a_name_that_is_no_text_is_told(place: Place) -> None:
    (place.own / os.fsdecode(b"\xff")).mkdir()
    assert "only lower-case letters" in place.problem()
    place.problem().encode()


def test_hidden_folders_and_files_are_no_agents(place: Place) -> None:
    place.add(".git")
    place.add("_drafts", b"\xff")
    place.write(place.own / "README.md", "mine")
    assert place.catalogue.problems() == ()
    assert place.ids() == ["assistant", "explorer"]


@pytest.mark.parametrize("name", ["bad/AGENT.md", "bad/agent.toml", "_includes/rules.md"])
def test_a_link_that_leads_out_is_not_followed(place: Place, tmp_path: Path, name: str) -> None:
    secret = place.write(tmp_path / "id_rsa", "SECRET")
    place.add("bad", "{{include rules}}")
    link = place.own / name
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    assert any(f"agents/{name}: it leads out of its folder" in problem for problem in place.catalogue.problems())
    assert all("SECRET" not in agent.prompt for agent in place.catalogue.all())


@pytest.mark.parametrize("target", ["AGENT.md", "nowhere"])
def test_a_link_to_itself_or_to_nowhere_is_told(place: Place, target: str) -> None:
    (place.own / "bad").mkdir()
    (place.own / "bad" / "AGENT.md").symlink_to(target)
    assert place.problem().startswith("agents/bad/AGENT.md: it ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_is_not_waited_for(place: Place) -> None:
    (place.own / "bad").mkdir()
    os.mkfifo(place.own / "bad" / "AGENT.md")
    assert place.problem() == "agents/bad/AGENT.md: it is no file; the agent is left out."


def test_a_folder_in_the_place_of_a_file_is_told(place: Place) -> None:
    (place.own / "bad" / "AGENT.md").mkdir(parents=True)
    assert "AGENT.md: it is no file" in place.problem()


def test_more_agents_than_anybody_has_are_told_and_bounded(place: Place) -> None:
    for number in range(MOST_FOLDERS + 3):
        place.add(f"n{number:03}")
    assert place.problem() == f"agents: only {MOST_FOLDERS} are read; those after “n199” are left out."
    assert len(place.ids()) == MOST_FOLDERS + 2


def test_text_from_other_systems_reads_alike(place: Place) -> None:
    place.add("mine", b"\xef\xbb\xbfOne\r\ntwo\r\n", b'\xef\xbb\xbftype = "task"\r\ndescription = "x"\r\n')
    assert place.catalogue.get("mine").prompt == "One\ntwo\n"
    assert place.catalogue.problems() == ()


# ---- changes -----------------------------------------------------------------------------------------------------


def test_a_changed_file_is_read_anew(place: Place) -> None:
    folder = place.add("poet", "old")
    before = place.catalogue.get("poet")
    place.write(folder / "AGENT.md", "newer")
    assert place.catalogue.get("poet").prompt == "newer\n"
    assert before.prompt == "old\n"  # whoever began with it keeps it
    place.write(folder / "agent.toml", "type =")
    assert "poet" not in place.ids() and len(place.catalogue.problems()) == 1
    (folder / "agent.toml").unlink()
    assert "poet" in place.ids() and place.catalogue.problems() == ()


def test_an_agent_whose_files_stay_is_the_same_object(place: Place) -> None:
    place.add("poet")
    poet, assistant = place.catalogue.get("poet"), place.catalogue.get("assistant")
    place.add("other")
    assert "other" in place.ids()
    assert place.catalogue.get("poet") is poet and place.catalogue.get("assistant") is assistant


def test_a_changed_include_is_seen(place: Place) -> None:
    assert "careful" in place.catalogue.get("assistant").prompt
    place.write(place.own / "_includes" / "rules.md", "Be bold.")
    assert "bold" in place.catalogue.get("assistant").prompt


def test_making_the_catalogue_looks_at_no_file(place: Place) -> None:
    for path in sorted(place.shipped.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert place.ids() == []  # it was made before, in the fixture
