"""No module, function or class outgrows what one reads in a sitting. There is no list of exceptions."""

from __future__ import annotations

from statistics import median

from unit.project.tree import FunctionNode, classes, functions, length, modules, name_of


def _lines() -> dict[str, int]:
    return {name_of(path): len(path.read_text("utf-8").splitlines()) for path in modules()}


def test_no_module_is_over_500_lines() -> None:
    assert {name: lines for name, lines in _lines().items() if lines > 500} == {}


def test_the_median_module_is_at_most_150_lines() -> None:
    assert median(lines for lines in _lines().values() if lines > 3) <= 150


def test_no_function_is_over_80_lines() -> None:
    lengths = {f"{name_of(path)}:{node.name}": length(node) for path in modules() for node in functions(path)}
    assert {name: lines for name, lines in lengths.items() if lines > 80} == {}


def test_no_class_has_over_25_methods() -> None:
    counts = {
        f"{name_of(path)}:{node.name}": sum(isinstance(part, FunctionNode) for part in node.body)
        for path in modules()
        for node in classes(path)
    }
    assert {name: methods for name, methods in counts.items() if methods > 25} == {}
