"""`placet sessions import|export|fork|delete` as a person and a script call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.placet_process import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """A session as another machine wrote it."""
    session = {"id": "theirs", "title": "Tide tables", "created_at": 1.5, "last_activity": 2.5, "turns": 1}
    messages: list[dict[str, Any]] = [
        {"id": 7, "frame_id": 3, "role": "user", "content": "when is high tide?", "created_at": 1.5},
        {"id": 8, "frame_id": 3, "role": "assistant", "content": "At noon.", "created_at": 2.5, "model": "m"},
    ]
    frames = [{"id": 3, "session_id": "theirs", "agent": "assistant"}]
    path = tmp_path / "theirs.json"
    path.write_text(
        json.dumps({
            "format": "placet-session", "version": 1, "session": session, "frames": frames, "messages": messages,
        })
    )  # fmt: skip
    return path


def test_a_session_is_imported_shown_forked_exported_and_removed(
    program: Program, exported: Path, tmp_path: Path
) -> None:
    first = program.call("sessions", "import", str(exported), "--json").json["items"][0]
    assert (first["title"], first["messages"], first["is_new"]) == ("Tide tables", 2, True)
    again = program.call("sessions", "import", str(exported))
    assert (again.code, "nothing was added" in again.out) == (0, True)
    listed = program.call("sessions", "list", "--json").json
    assert (listed["total"], listed["items"][0]["title"]) == (1, "Tide tables")
    shown = program.call("sessions", "show", first["session_id"], "--json").json
    assert [entry["content"] for entry in shown["messages"]] == ["when is high tide?", "At noon."]
    fork = program.call("sessions", "fork", first["session_id"], "--json").json
    assert fork["id"] != first["session_id"]
    page = program.call("sessions", "export", first["session_id"], "--format", "html").out
    assert page.startswith("<!DOCTYPE html>") and "At noon." in page
    target = tmp_path / "out.md"
    assert program.call("sessions", "export", fork["id"], "--format", "md", "-o", str(target)).code == 0
    assert "# Tide tables" in target.read_text()
    refused = program.call("sessions", "export", fork["id"], "--format", "md", "-o", str(target))
    assert (refused.code, "exists" in refused.err) == (2, True)
    assert program.call("sessions", "delete", first["session_id"]).code == 0
    assert program.call("sessions", "list", "--json").json["total"] == 1
    found = program.call("sessions", "search", "tide", "--json").json
    assert {hit["session_id"] for hit in found["items"]} == {fork["id"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "nothing", "--format", "json"),
        ("delete", "nothing"),
        ("fork", "nothing"),
        ("import", "/nowhere/at/all.json"),
        ("import", "/dev/null"),
    ],
)
def test_what_is_not_there_exits_2_in_one_line(program: Program, arguments: tuple[str, ...]) -> None:
    ended = program.call("sessions", *arguments)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
