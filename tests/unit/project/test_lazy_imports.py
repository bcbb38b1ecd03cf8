"""What must not be imported before it is needed: it would be paid at every start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unit.project.tree import ROOT

ENGINE = (
    "placet.core.hub.engine",
    "placet.core.providers.client",
    "placet.core.review.gate",
    "placet.core.tools.toolbox",
    "placet.core.turn.handler",
    "placet.core.context.builder",
    "placet.core.hub.command_table",
)
LARGE = ("httpx", "regex", "pygments", "keyring", "pathspec", "rich", "click", "patiencediff", "hmac", "email")
LATE_PAGES = (
    "placet.ui.panels.settings",
    "placet.ui.panels.changes.page",
    "placet.ui.panels.first_start",
    "placet.ui.panels.sidebar.search_page",
    "placet.ui.start_trouble",
)


def _imported(code: str, home: Path) -> set[str]:
    """The modules that a fresh process has after `code`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "desktop"), "PLACET_HOME": str(home)}
    script = f"{code}\nimport sys\nprint(*(name for name, module in sys.modules.items() if module is not None))"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def _within(names: tuple[str, ...], imported: set[str]) -> list[str]:
    return sorted(
        module for module in imported if any(module == name or module.startswith(f"{name}.") for name in names)
    )


def test_showing_history_needs_no_engine(tmp_path: Path) -> None:
    code = """
import asyncio
from pathlib import Path
from placet.core.hub.core import open_core

async def main():
    core = open_core()
    await core.start()
    await core.hub.history.newest(await core.hub.register("desktop"))
    await core.hub.pending()
    await core.hub.catalogue.models()
    await core.aclose()

asyncio.run(main())
"""
    imported = _imported(code, tmp_path)
    assert "placet.core.store.store" in imported
    assert _within((*ENGINE, *LARGE), imported) == []


def test_the_windows_start_leaves_late_parts_out(tmp_path: Path) -> None:
    imported = _imported("import placet.app", tmp_path)
    assert "placet.ui.window" in imported
    assert _within((*ENGINE, *LARGE, *LATE_PAGES), imported) == []


def test_a_run_brings_no_window_and_nothing_it_may_not_need(tmp_path: Path) -> None:
    imported = _imported("import placet.headless.run, placet.core.hub.engine", tmp_path)
    assert _within(("PySide6", "qasync", "markdown_it", "placet.ui", "httpx", "regex", "keyring"), imported) == []


def test_httpx_comes_without_its_command_line(tmp_path: Path) -> None:
    code = "from placet.core.providers.http import Connections; Connections(); import httpx"
    imported = _imported(code, tmp_path)
    assert "httpx" in imported
    assert _within(("rich", "click", "httpx._main"), imported) == []


def test_python_keeps_its_own_import_function(tmp_path: Path) -> None:
    code = "import builtins; plain = builtins.__import__; import placet.ui; assert builtins.__import__ is plain"
    assert "PySide6.QtWidgets" in _imported(code, tmp_path)


@pytest.mark.parametrize("arguments", [["--version"], ["sessions", "list", "--json"]])
def test_calls_that_ask_no_model_make_no_engine(arguments: list[str], tmp_path: Path) -> None:
    code = f"""
import contextlib, io
from placet import cli
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    cli.main({arguments!r})
"""
    assert _within((*ENGINE, "PySide6", "httpx"), _imported(code, tmp_path)) == []
