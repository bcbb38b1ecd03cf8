"""`run.sh` prepares once, repairs what was interrupted, and passes everything on.

Python is played by a small script that logs what it is asked for, so that no package is fetched.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from unit.project.tree import ROOT

PYTHON = """#!/bin/sh
echo "$*" >>"$PYTHON_LOG"
case "$*" in
    *version_info*"(3, 11)"*) exit "${PYTHON_TOO_OLD:-0}" ;;
    --version | -VV) echo "Python ${PYTHON_VERSION:-3.11.0}" ;;
    "-m venv"*) for folder; do :; done; mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
    "-m pip install"*) exit "${PIP_STATUS:-0}" ;;
    "-m placet"*) echo "started in $PWD with: $*" ;;
esac
"""


class Checkout:
    """A copy of the scripts with a Python that only logs."""

    def __init__(self, root: Path, log: Path, python: Path) -> None:
        self.root, self._log, self._python = root, log, python

    def run(self, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHON": str(self._python), "PYTHON_LOG": str(self._log), **variables
        }  # fmt: skip
        command = ["sh", str(self.root / "packaging" / "run.sh"), *arguments]
        return subprocess.run(
            command, cwd=cwd or self.root, env=environment, capture_output=True, text=True, check=False, timeout=30
        )

    def installs(self) -> int:
        return self._log.read_text().count("-m pip install")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a check out"
    shutil.copytree(ROOT / "packaging", root / "packaging")
    shutil.copy(ROOT / "pyproject.toml", root)
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return Checkout(root, tmp_path / "log", python)


def test_arguments_and_the_folder_are_passed_on(checkout: Checkout, tmp_path: Path) -> None:
    done = checkout.run("run", "two words", cwd=tmp_path)
    assert done.stdout == f"started in {tmp_path} with: -m placet run two words\n"


def test_the_second_run_installs_nothing_and_says_nothing(checkout: Checkout) -> None:
    checkout.run("doctor")
    done = checkout.run("doctor")
    assert (checkout.installs(), done.stderr) == (1, "")


def test_a_run_that_failed_is_begun_anew(checkout: Checkout) -> None:
    failed = checkout.run("doctor", PIP_STATUS="1")
    repaired = checkout.run("doctor")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "installing the project failed" in failed.stderr
    assert repaired.stdout.endswith("-m placet doctor\n")
    assert checkout.installs() == 2


def test_new_requirements_are_installed(checkout: Checkout) -> None:
    checkout.run("doctor")
    with (checkout.root / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    checkout.run("doctor")
    assert checkout.installs() == 2


def test_another_python_is_installed_for(checkout: Checkout) -> None:
    checkout.run("doctor")
    checkout.run("doctor", PYTHON_VERSION="3.13.0")
    assert checkout.installs() == 2


def test_a_python_that_is_too_old_is_refused_in_words(checkout: Checkout) -> None:
    done = checkout.run("doctor", PYTHON_TOO_OLD="1")
    assert done.returncode == 1
    assert "is not Python 3.11 or newer" in done.stderr


def _setup(tmp_path: Path, managers: list[str], libraries: str, call: str) -> str:
    """Run a function of setup.sh where only the given package managers and libraries exist."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "awk", "uname", "id"):
        (programs / name).symlink_to(shutil.which(name) or "")
    for name in managers:
        (programs / name).symlink_to("/bin/true")
    (programs / "ldconfig").write_text(f"#!/bin/sh\necho '{libraries}'\n")
    (programs / "ldconfig").chmod(0o755)
    command = [str(programs / "sh"), "-c", f". {ROOT}/packaging/setup.sh; {call}"]
    return subprocess.run(
        command, env={"PATH": str(programs)}, capture_output=True, text=True, check=True, timeout=10
    ).stdout


ALL_BUT_TWO = "\n".join(
    line.split()[0]
    for line in (ROOT / "packaging" / "setup.sh").read_text().split("QT_LIBRARIES='")[1].split("'")[0].splitlines()
    if line and not line.startswith(("libxcb-icccm", "libEGL"))
)


@pytest.mark.parametrize(
    ("manager", "packages", "line"),
    [
        ("apt-get", "libegl1 libxcb-icccm4", "apt-get install -y --no-install-recommends libegl1"),
        ("dnf", "libglvnd-egl xcb-util-wm", "dnf install -y libglvnd-egl"),
        ("pacman", "libglvnd xcb-util-wm", "pacman -S --noconfirm --needed libglvnd"),
        ("zypper", "libEGL1 libxcb-icccm4", "zypper --non-interactive install --no-recommends libEGL1"),
    ],
)
def test_what_is_missing_is_named_as_the_system_names_it(
    tmp_path: Path, manager: str, packages: str, line: str
) -> None:
    call = 'found=$(missing_libraries); echo "$found"; install_line ${found%% *}'
    assert _setup(tmp_path, [manager], ALL_BUT_TWO, call).split("\n")[:2] == [packages + " ", line]


def test_nothing_is_missing_where_every_library_is_there(tmp_path: Path) -> None:
    everything = ALL_BUT_TWO + "\nlibxcb-icccm.so.4\nlibEGL.so.1"
    assert _setup(tmp_path, ["apt-get"], everything, "missing_libraries") == ""
