"""The script behind docs/promises.md: which test holds which rule."""

from __future__ import annotations

import ast
import runpy

import pytest

from unit.project.tree import ROOT

SCRIPT = runpy.run_path(str(ROOT / "packaging" / "make_promises.py"))
PAGE = "# Promises\n\n- **R-5** Shown is written,\n  byte for byte.\n- **R-6** Atomic.\n\nThe end.\n"


@pytest.mark.parametrize(
    ("source", "rules"),
    [
        ("def test_r_5_shown(): ...", {"R-5"}),
        ("def test_r5_and_t_10_too(): ...", {"R-5", "T-10"}),
        ('def test_x():\n    "Holds `S-2`, and C-1."', {"S-2", "C-1"}),
        ("def test_x():\n    call()  # D-4", {"D-4"}),
        ("def test_p95_of_utf_8():\n    encode('UTF-8', 'R-5')", {"P-95"}),
    ],
)
def test_a_test_names_rules_in_its_name_its_docstring_and_comments(source: str, rules: set[str]) -> None:
    node = ast.parse(source).body[0]
    assert SCRIPT["rules_of_test"](node, source.splitlines()) == rules


def test_each_rule_gets_its_tests_or_says_that_there_are_none() -> None:
    found = {"R-5": [("tests/unit/a.py", f"test_{n}") for n in range(5)]}
    page = SCRIPT["renewed"](PAGE, found)
    assert (
        "  byte for byte.\n  Held by `test_0`, `test_1`, `test_2` in `tests/unit/a.py`, and 2 more.\n- **R-6**" in page
    )
    assert "Atomic.\n  Not yet named by a test.\n\nThe end.\n" in page


def test_making_the_page_again_changes_nothing() -> None:
    once = SCRIPT["renewed"](PAGE, {})
    assert SCRIPT["renewed"](once, {}) == once
