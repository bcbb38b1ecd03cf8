"""Sub-agents and questions with the real program: killed, asked, answered, shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.dialects import assert_well_formed_chat
from support.placet_process import Program, write_config
from support.wire_server import WireServer, call, pause, text

QUESTION = {"title": "Port", "question": "Which port?", "suggested_answers": ["80", "8080"]}


def delegating(words: str, name: str = "execute_task") -> object:
    return call(name, {"agent": "researcher", "task": words})


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    return folder


def test_a_question_that_nobody_can_answer_ends_with_3_and_stays_asked(tmp_path: Path, work: Path) -> None:
    with WireServer() as server:
        write_config(tmp_path / "home", server.url)
        program = Program(tmp_path / "home")
        server.script([text("I ask. "), call("ask_user_clarification", QUESTION)], [text("Then 8080.")])
        ended = program.call("run", "go", "--workdir", str(work), "--output", "events")
        assert ended.code == 3
        assert "Which port?" in ended.err
        (session,) = program.call("sessions", "list", "--json").json["items"]
        assert (session["waiting"], session["is_interrupted"]) == (1, True)
        shown, code = program.at_terminal("resume", session["id"], answers={"Your answer:": "2\n"})
        assert code == 0, shown
        assert "1. 80" in shown
        assert assert_well_formed_chat(server.requests[-1].body)[-1]["content"] == "8080"


def test_a_model_that_repeats_itself_goes_on_without_the_call_where_nobody_can_be_asked(
    tmp_path: Path, work: Path
) -> None:
    with WireServer() as server:
        write_config(tmp_path / "home", server.url)
        program = Program(tmp_path / "home")
        server.script(*[[call("read_file", {"path": "a.txt"})] for _ in range(14)], [text("Enough.")])
        ended = program.call("run", "go", "--workdir", str(work), "--output", "events")
        assert ended.code == 0, ended.err
        assert ended.types.count("tool_done") == 9
        assert ended.types.count("tool_error") == 5


def test_sessions_show_has_a_sub_agents_rows_behind_its_call(tmp_path: Path, work: Path) -> None:
    with WireServer() as server:
        write_config(tmp_path / "home", server.url)
        program = Program(tmp_path / "home")
        server.script(
            [delegating("count")], [text("I read. "), call("read_file", {"path": "a.txt"})], [text("One.")],
            [text("It is one.")],
        )  # fmt: skip
        ended = program.call("run", "go", "--workdir", str(work))
        assert (ended.code, ended.out) == (0, "It is one.\n")
        (session,) = program.call("sessions", "list", "--json").json["items"]
        shown = program.call("sessions", "show", session["id"], "--json").json["messages"]
        kinds = [(entry["kind"], entry.get("agent_id"), entry.get("depth")) for entry in shown]
        assert kinds == [
            ("user", None, None), ("thinking", None, None), ("tool", None, None),
            ("agent", "researcher", 1), ("thinking", None, None), ("tool", None, None), ("assistant", None, None),
            ("agent_end", "researcher", 1),
            ("assistant", None, None),
        ]  # fmt: skip
        readable = program.call("sessions", "show", session["id"]).out
        assert "\n    One.\n" in readable


# What the program was doing when it was killed, the event that says so, and how each call ends after a resume.
DEATHS = {
    "one sub-agent": ([[delegating("part A")], [text("half "), pause(30)]], "text_delta", ["done"]),
    "a batch": (
        [[delegating("part A"), delegating("part B")], [text("half "), pause(30)], [text("half "), pause(30)]],
        "text_delta",
        ["failed", "failed"],
    ),
    "a command": ([[call("execute_cmd", {"command": "echo x >> ran; sleep 30"})]], "tool_output", ["failed"]),
    "a waiting write": ([[call("write_file", {"path": "n", "content": "1\n"})]], "pending_write", ["done"]),
    "a waiting write of a sub-agent": (
        [[delegating("part A")], [call("write_file", {"path": "n", "content": "1\n"})]],
        "pending_write",
        ["done"],
    ),
}


@pytest.mark.parametrize("name", DEATHS)
def test_t5_killed_while_something_runs_a_resume_does_as_promised(tmp_path: Path, work: Path, name: str) -> None:
    steps, event, expected = DEATHS[name]
    if event == "tool_output":
        steps = [[call("execute_cmd", {"command": "echo x >> ran; echo begun; sleep 30"})]]
    with WireServer() as server:
        write_config(tmp_path / "home", server.url)
        program = Program(tmp_path / "home")
        server.script(*steps)
        policy = "all" if event == "tool_output" else "ask"
        with program.started("run", "go", "--workdir", str(work), "--approve", policy, "--output", "events") as running:
            running.until(event)
            running.kill()
        server.script(*[[text("Report.")] for _ in range(4)])
        (session,) = program.call("sessions", "list", "--json").json["items"]
        ended = program.call("resume", session["id"], "--approve", "all", "--output", "events")
        assert ended.types[-2:] == ["done", "turn_running"], ended.err
        page = program.call("sessions", "show", session["id"], "--json").json["messages"]
        top, depth = [], 0
        for entry in page:
            depth += {"agent": 1, "agent_end": -1}.get(entry["kind"], 0)
            if entry["kind"] == "tool" and depth == 0:
                top.append(entry["status"])
        assert top == expected
        for request in server.requests:
            assert_well_formed_chat(request.body)
        if "ran" in name or event == "tool_output":
            assert (work / "ran").read_text() == "x\n"
        if event == "pending_write":
            assert (work / "n").read_text() == "1\n"
