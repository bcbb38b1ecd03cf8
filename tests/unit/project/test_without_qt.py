"""A whole turn runs in a terminal where Qt is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from unit.project.tree import ROOT

CONFIG = """
[[providers]]
name = "demo"
type = "demo"

[[models]]
name = "demo"
provider = "demo"
model_id = "demo"
default = true
"""
CALL = """
import sys
sys.modules.update(PySide6=None, qasync=None)  # importing them now fails as if they were not there
from placet.cli import main
sys.exit(main(["run", "hello", "--approve", "edits", "--output", "json"]))
"""


def test_a_turn_with_a_file_edit_needs_no_qt(placet_home: Path, tmp_path: Path) -> None:
    placet_home.mkdir()
    (placet_home / "config.toml").write_text(CONFIG)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "desktop")}
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    changes = json.loads(done.stdout)["changes"]
    assert [Path(change["path"]).is_relative_to(tmp_path) for change in changes] == [True]
    assert Path(changes[0]["path"]).is_file()
