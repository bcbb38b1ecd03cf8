"""What must not be written in the program's own code."""

from __future__ import annotations

import ast
import re
import tomllib

from unit.project.tree import PACKAGE, ROOT, modules, name_of, parsed

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|raise NotImplementedError")


def test_nothing_is_marked_as_unfinished() -> None:
    found = {name_of(path) for path in modules() if UNFINISHED.search(path.read_text("utf-8"))}
    assert found == set()


def test_d_4_the_window_never_nests_an_event_loop() -> None:
    nested = [
        f"{name_of(path)}:{node.lineno} {node.func.attr}"
        for path in modules()
        if path.is_relative_to(PACKAGE / "ui")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("exec", "exec_", "processEvents")
    ]
    assert nested == []


def test_type_errors_are_silenced_one_code_at_a_time() -> None:
    blanket = re.compile(r"#\s*type:\s*ignore(?!\[)|#\s*noqa(?!:)")
    assert {name_of(path) for path in modules() if blanket.search(path.read_text("utf-8"))} == set()


def test_every_module_says_what_lives_in_it() -> None:
    silent = {name_of(path) for path in modules() if parsed(path).body and not ast.get_docstring(parsed(path))}
    assert silent == set()


def test_every_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    dependencies = tomllib.loads(text)["project"]["dependencies"]
    lines = text.splitlines()
    unexplained = []
    for dependency in dependencies:
        index = next(i for i, line in enumerate(lines) if dependency in line)
        above = [line.strip() for line in lines[:index]]
        while above and dependency.split(">=")[0] in above[-1]:  # one comment over several markers of one package
            above.pop()
        if "#" not in lines[index] and not above[-1].startswith("#"):
            unexplained.append(dependency)
    assert unexplained == []
