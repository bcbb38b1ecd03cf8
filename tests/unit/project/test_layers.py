"""The layering of pyproject.toml holds, and would be seen if it did not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unit.project.tree import ROOT

LINT = "import sys; from importlinter.cli import lint_imports_command; sys.argv[1:] = ['--no-cache']; lint_imports_command()"


def _lint(root: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(root / "desktop"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", LINT]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "desktop", tmp_path / "desktop", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_hold() -> None:
    done = _lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "violation", "contract"),
    [
        ("core/domain/ids.py", "import placet.core.store", "Imports go down only"),
        ("core/turn/__init__.py", "import placet.core.store", "Imports go down only"),
        ("core/review/__init__.py", "import PySide6.QtCore", "The core knows no Qt"),
        ("ui/widgets/__init__.py", "import placet.core.store", "The window sees hub, domain and settings only"),
    ],
)
def test_a_planted_violation_is_seen(copy: Path, module: str, violation: str, contract: str) -> None:
    path = copy / "desktop" / "placet" / module
    path.write_text(path.read_text("utf-8") + f"\n{violation}\n", "utf-8")
    done = _lint(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{contract} BROKEN" in done.stdout
