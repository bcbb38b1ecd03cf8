"""`placet tic` as a person and a script call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.placet_process import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


def test_without_events_nothing_happens(program: Program) -> None:
    ended = program.call("tic", "run")
    assert (ended.code, ended.out, ended.err) == (0, "No event waits.\n", "")
    assert program.call("tic", "run", "--output", "json").json == {"tick": None}
    assert program.call("tic", "run", "--output", "events").out == ""
    assert program.call("tic", "list", "--json").json["total"] == 0
    assert program.call("sessions", "list", "--json").json["total"] == 0
