"""The wheel holds what the program reads at run time."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from unit.project.tree import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names inside a wheel built by the project's own back end."""
    target = tmp_path_factory.mktemp("wheel")
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(target)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    with zipfile.ZipFile(target / done.stdout.splitlines()[-1]) as archive:
        return set(archive.namelist())


def test_every_resource_is_in_the_wheel(wheel: set[str]) -> None:
    resources = ROOT / "resources"
    files = (path.relative_to(resources).as_posix() for path in resources.rglob("*") if path.is_file())
    assert {f"placet/resources/{name}" for name in files} - wheel == set()


def test_every_module_is_in_the_wheel(wheel: set[str]) -> None:
    desktop = ROOT / "desktop"
    assert {path.relative_to(desktop).as_posix() for path in desktop.rglob("*.py")} - wheel == set()


def test_no_test_and_no_cache_is_in_the_wheel(wheel: set[str]) -> None:
    assert not [name for name in wheel if Path(name).parts[0] == "tests" or "__pycache__" in name]
