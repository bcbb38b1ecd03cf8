"""The commit guard finds what must not be committed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from unit.project.tree import ROOT

GUARD = runpy.run_path(str(ROOT / "packaging" / "commit_guard.py"))


@pytest.mark.parametrize(
    "secret", ["sk-" + "a1" * 20, "AKIA" + "A" * 16, "ghp_" + "b" * 36, "-----BEGIN " + "PRIVATE KEY-----"]
)
def test_a_credential_is_named_by_line(tmp_path: Path, secret: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(f"first\nkey = {secret}\n")
    assert GUARD["complaints"](path) == [f"{path}:2: looks like a secret"]


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    path.write_bytes(b"\0" * (GUARD["LIMIT_BYTES"] + 1))
    assert "over 600,000" in GUARD["complaints"](path)[0]


def test_ordinary_text_passes(tmp_path: Path) -> None:
    path = tmp_path / "ordinary.py"
    path.write_text("task_id = 'sk-learn'\n")
    assert GUARD["complaints"](path) == []
