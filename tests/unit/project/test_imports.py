"""What importing the core costs and needs, measured in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from unit.project.tree import PACKAGE, ROOT, modules

SLOW = ("httpx", "pygments", "PySide6", "qasync", "mcp", "pydantic", "peewee", "keyring", "tree_sitter", "markdown_it")


def _python(code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "desktop")}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def _core() -> list[str]:
    names = (
        path.relative_to(PACKAGE.parent).with_suffix("").parts for path in modules() if PACKAGE / "core" in path.parents
    )
    return [".".join(part for part in parts if part != "__init__") for parts in names]


def test_the_whole_core_imports_where_qt_is_not_installed() -> None:
    code = f"import sys, importlib; sys.modules.update(PySide6=None, qasync=None); [importlib.import_module(n) for n in {_core()}]"
    assert _python(code) == ""


def test_the_domain_pulls_in_no_slow_library() -> None:
    domain = [name for name in _core() if name.startswith("placet.core.domain")]
    code = f"import sys, json, importlib; [importlib.import_module(n) for n in {domain}]; print(json.dumps(list(sys.modules)))"
    assert set(json.loads(_python(code))) & set(SLOW) == set()


def test_asking_for_the_version_pulls_in_no_slow_library() -> None:
    code = (
        "import sys, json, contextlib, io; sys.argv = ['placet', '--version']\n"
        "import placet.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): placet.cli.main()\n"
        "print(json.dumps(list(sys.modules)))"
    )
    assert set(json.loads(_python(code))) & set(SLOW) == set()
