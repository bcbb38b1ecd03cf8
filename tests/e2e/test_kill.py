"""SIGKILL at twenty points of a turn: nothing that was told is lost, and the next request is well-formed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.placet_process import Program, write_config
from support.wire_server import WireServer, call, pause, text

CHECKS = {"openai": assert_well_formed_chat, "anthropic": assert_well_formed_messages}


def script() -> list[list[object]]:
    return [
        [text("I ", "read ", "it. "), call("read_file", {"path": "a.txt"})],
        [text("Two "), pause(0.02), text("becomes 2. "), call("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "2"})],
        [text("A command. "), call("execute_cmd", {"command": "echo ran >> log.txt; sleep 0.05; echo out"})],
        [text("Two calls. "), call("list_files", {}), call("write_file", {"path": "b.txt", "content": "new\n"})],
        [text("It "), pause(0.02), text("is done.")],
    ]  # fmt: skip


@pytest.mark.parametrize("point", range(1, 41, 2))
def test_t6_s1_killed_at_a_point_nothing_told_is_lost(tmp_path: Path, point: int) -> None:
    dialect = ("openai", "anthropic")[point // 2 % 2]
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    (work / "a.txt").write_bytes(b"one\ntwo\n")
    with WireServer() as server:
        write_config(home, server.url, dialect)
        program = Program(home)
        server.script(*script())
        with program.started("run", "go", "--workdir", str(work), "--approve", "all", "--output", "events") as running:
            for _ in range(point):
                if running.next_event() is None:
                    break
            running.kill()
        assert (work / "a.txt").read_bytes() in (b"one\ntwo\n", b"one\n2\n"), "a file is old or new, never between"
        check_nothing_is_lost(program, running.seen)
        ran_before = lines_of(work / "log.txt")
        server.script([text("Here again.")])
        ended = program.call(
            "run", "and?", "--workdir", str(work), "--continue", "--approve", "deny", "--output", "events"
        )
        assert ended.types[-2] == "done", ended.err
        for request in server.requests:
            CHECKS[dialect](request.body)
        assert lines_of(work / "log.txt") <= max(ran_before, 1), "a command never runs twice by itself"


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def check_nothing_is_lost(program: Program, told: list[dict[str, Any]]) -> None:
    """Everything the event stream acknowledged (deltas excepted) is in the database, which is sound."""
    database = sqlite3.connect(f"file:{program.home}/placet.db?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        database.close()
    session = program.call("sessions", "list", "--json").json["items"][0]["id"]
    entries = program.call("sessions", "show", session, "--json", "--debug").json["messages"]
    messages = {entry["message_id"]: entry for entry in entries if "message_id" in entry}
    calls = {entry["tool_call_id"]: entry for entry in entries if entry["kind"] == "tool"}
    for event in told:
        match event["type"]:
            case "user_message" | "thinking" | "done":
                assert messages[event["message_id"]]["content"].strip() == event["content"].strip()
            case "tool_start":
                assert json.dumps(calls[event["tool_call_id"]]["arguments"]) == json.dumps(event["arguments"])
            case "tool_done":
                assert calls[event["tool_call_id"]]["status"] == "done"
                assert calls[event["tool_call_id"]]["result"] == event["result"]
            case "file_changed":
                changes = program.call("changes", "--json").json["items"]
                assert event["change_id"] in [change["id"] for change in changes]
