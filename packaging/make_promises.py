"""Writes the "Held by" lines of docs/promises.md from the tests on disk:  python packaging/make_promises.py

A test holds a rule if its name (`test_r_5_…`), its docstring or a comment in it names the rule (`R-5`).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "promises.md"
SHOWN = 3  # tests named for a rule; the others are counted

RULE = re.compile(r"^- \*\*([TRHCSBPD]-\d+)\*\* ")
_IN_TEXT = re.compile(r"(?<![\w-])([TRHCSBPD])-(\d+)(?![\w-])")
_IN_NAME = re.compile(r"_([trhcsbpd])_?(\d+)(?=_|$)")
_STATUS = ("  Held by ", "  Not yet")


def _tests(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def rules_of_test(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> set[str]:
    """Return the ids that a test names in its name, docstring, or comments."""
    named = {f"{letter.upper()}-{number}" for letter, number in _IN_NAME.findall(node.name)}
    comments = (line.partition("#")[2] for line in lines[node.lineno - 1 : node.end_lineno])
    text = "\n".join([ast.get_docstring(node) or "", *comments])
    return named | {f"{letter}-{number}" for letter, number in _IN_TEXT.findall(text)}


def holders(tests: Path) -> dict[str, list[tuple[str, str]]]:
    """Return for each rule id the (file, test) pairs that name it, in order of file and line."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(tests.rglob("test_*.py")):
        text = path.read_text("utf-8")
        for node in _tests(ast.parse(text)):
            for rule in rules_of_test(node, text.splitlines()):
                found[rule].append((path.relative_to(tests.parent).as_posix(), node.name))
    return found


def status(held: list[tuple[str, str]]) -> str:
    """Return the status line of a rule."""
    if not held:
        return "  Not yet named by a test."
    by_file: dict[str, list[str]] = defaultdict(list)
    for file, test in held[:SHOWN]:
        by_file[file].append(f"`{test}`")
    parts = [f"{', '.join(names)} in `{file}`" for file, names in by_file.items()]
    more = f", and {len(held) - SHOWN} more" if len(held) > SHOWN else ""
    return f"  Held by {'; '.join(parts)}{more}."


def renewed(text: str, found: dict[str, list[tuple[str, str]]]) -> str:
    """Return the document with the status line after each rule made anew."""
    result: list[str] = []
    rule = ""
    for line in [*text.splitlines(), ""]:
        if line.startswith(_STATUS):
            continue
        if rule and not line.startswith("  "):
            result.append(status(found.get(rule, [])))
            rule = ""
        result.append(line)
        if match := RULE.match(line):
            rule = match[1]
    return "\n".join(result).rstrip() + "\n"


if __name__ == "__main__":
    TARGET.write_text(renewed(TARGET.read_text("utf-8"), holders(ROOT / "tests")), "utf-8")
