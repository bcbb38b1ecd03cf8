"""The recorded faults of comparable programs, by id."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).resolve().parents[1] / "cases" / "cases.jsonl"


@cache
def _cases() -> dict[str, dict[str, Any]]:
    return {case["id"]: case for case in map(json.loads, _FILE.read_text("utf-8").splitlines())}


def case_input(case_id: str) -> dict[str, Any]:
    """The input of a case."""
    given: dict[str, Any] = _cases()[case_id]["input"]
    return given
