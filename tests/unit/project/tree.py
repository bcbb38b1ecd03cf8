"""The checkout as the project's own tests see it: its folders, its modules and what they define."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "desktop" / "placet"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def length(node: FunctionNode) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def functions(path: Path) -> Iterator[FunctionNode]:
    return (node for node in ast.walk(parsed(path)) if isinstance(node, FunctionNode))


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef))
