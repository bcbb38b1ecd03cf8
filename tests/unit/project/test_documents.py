"""The project's documents say what is in the tree."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest

from unit.project.tree import PACKAGE, ROOT

ARCHITECTURE = ROOT / "docs" / "architecture.md"
PROMISES = ROOT / "docs" / "promises.md"
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


def _folders_in_tree() -> set[str]:
    """Folders below `desktop/placet/` as the first code block of the architecture page draws them, by indentation."""
    block = ARCHITECTURE.read_text("utf-8").split("```text\n")[1].split("```")[0]
    open_folders: list[tuple[int, str]] = []
    found = set()
    for line in block.splitlines():
        match = re.match(r"( *)([\w./]+)/(?: |$)", line)
        if not match:
            continue
        while open_folders and open_folders[-1][0] >= len(match[1]):
            open_folders.pop()
        path = "/".join([*(name for _, name in open_folders), match[2]])
        open_folders.append((len(match[1]), match[2]))
        found.add(path)
    return {path for path in found if path.startswith("desktop/placet/")}


def test_the_tree_of_the_architecture_page_is_the_one_on_disk() -> None:
    on_disk = {path.parent.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.py")} - {"desktop/placet"}
    assert _folders_in_tree() == on_disk


def test_the_architecture_page_stays_short() -> None:
    assert len(ARCHITECTURE.read_text("utf-8").splitlines()) < 300


def test_every_test_that_the_architecture_page_names_exists() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", ARCHITECTURE.read_text("utf-8")))
    assert {name for name in named if f"def {name}(" not in tests} == set()


def test_the_promises_name_the_tests_that_hold_them() -> None:
    """Both ways: a rule that a test names is listed with it, and a rule without a test says so."""
    script = runpy.run_path(str(ROOT / "packaging" / "make_promises.py"))
    text = PROMISES.read_text("utf-8")
    assert script["renewed"](text, script["holders"](ROOT / "tests")) == text, "run: python packaging/make_promises.py"


def test_a_rule_is_stated_once_and_in_order() -> None:
    ids = re.findall(r"^- \*\*([A-Z])-(\d+)\*\* ", PROMISES.read_text("utf-8"), re.MULTILINE)
    for letter in dict.fromkeys(letter for letter, _ in ids):
        numbers = [int(number) for other, number in ids if other == letter]
        assert numbers == list(range(1, len(numbers) + 1)), letter


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text("utf-8"))
    missing = {target for target in targets if not (document.parent / target).exists()}
    assert missing == set()


def test_a_decision_fits_on_a_page() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in decisions] == list(range(1, len(decisions) + 1))
    assert {path.name for path in decisions if len(path.read_text("utf-8").splitlines()) > 60} == set()


def test_the_window_shows_the_icon_of_the_project() -> None:
    assert (ROOT / "icon.svg").read_bytes() == (ROOT / "resources" / "placet.svg").read_bytes()


def test_ci_runs_the_command_of_the_readme() -> None:
    assert "sh packaging/test.sh" in (ROOT / "README.md").read_text("utf-8")
    assert "sh packaging/test.sh" in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("script", ["packaging/setup.sh", "packaging/run.sh", "packaging/test.sh"])
def test_scripts_parse_in_a_plain_shell(script: str) -> None:
    done = subprocess.run(["sh", "-n", str(ROOT / script)], capture_output=True, text=True, check=False, timeout=10)
    assert done.stderr == ""


def test_the_licence_note_names_every_resource() -> None:
    text = (ROOT / "resources" / "README.md").read_text("utf-8")
    resources = ROOT / "resources"
    there = {path.relative_to(resources).parts[0] for path in resources.rglob("*") if path.is_file()} - {
        "README.md",
        "licences",
    }
    assert {name for name in there if f"`{name}" not in text} == set()
