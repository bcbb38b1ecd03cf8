"""`placet run` as a script would use it: the real process, a real server on loopback, real files."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.dialects import assert_well_formed_chat, assert_well_formed_messages
from support.placet_process import Program, write_config
from support.wire_server import WireServer, call, error, stall, text

DIALECTS = ["openai", "anthropic"]


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as running:
        yield running


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    return folder


@pytest.fixture
def program(tmp_path: Path, server: WireServer) -> Program:
    home = tmp_path / "home"
    write_config(home, server.url)
    return Program(home)


def edit_script() -> list[list[object]]:
    return [
        [text("I read it. "), call("read_file", {"path": "a.txt"})],
        [text("Two becomes 2. "), call("edit_file", {"path": "a.txt", "old_string": "two", "new_string": "2"})],
        [text("It is ", "done.")],
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_approved_edit_changes_the_file(program: Program, server: WireServer, work: Path, dialect: str) -> None:
    write_config(program.home, server.url, dialect)
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work), "--approve", "edits", "--output", "events")
    assert ended.code == 0, ended.err
    assert (work / "a.txt").read_bytes() == b"one\n2\n"
    assert ended.types == [
        "turn_running", "user_message",
        "thinking", "tool_start", "tool_done",
        "thinking", "tool_start", "pending_write", "approval_resolved", "tool_done", "file_changed",
        "done", "turn_running",
    ]  # fmt: skip
    check = assert_well_formed_chat if dialect == "openai" else assert_well_formed_messages
    for request in server.requests:
        check(request.body)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_denied_edit_leaves_every_byte(program: Program, server: WireServer, work: Path, dialect: str) -> None:
    write_config(program.home, server.url, dialect)
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work), "--approve", "deny", "--output", "events")
    assert ended.code == 3
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
    assert "tool_rejected" in ended.types
    assert ended.types[-2:] == ["done", "turn_running"]


def test_without_a_terminal_nobody_can_be_asked(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work))
    assert ended.code == 3
    assert "--approve" in ended.err
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"


def test_edits_outside_the_folder_are_not_approved_by_edits(program: Program, server: WireServer, work: Path) -> None:
    outside = work.parent / "outside.txt"
    server.script([call("write_file", {"path": str(outside), "content": "x"})], [text("Oh.")])
    ended = program.call("run", "write", "--workdir", str(work), "--approve", "edits")
    assert ended.code == 3
    assert not outside.exists()


def test_the_json_output_is_one_object(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work), "--approve", "all", "--output", "json")
    result = ended.json
    assert ended.code == 0
    assert result["content"] == "It is done."
    assert [change["change"] for change in result["changes"]] == ["modified"]
    assert result["rejected"] == []


def test_a_prompt_of_a_dash_reads_standard_input(program: Program, server: WireServer, work: Path) -> None:
    server.script([text("Hello.")])
    ended = program.call("run", "-", "--workdir", str(work), stdin="from the pipe\n")
    assert (ended.code, ended.out) == (0, "Hello.\n")
    assert b"from the pipe" in server.requests[0].body


def test_continue_goes_on_in_the_same_session(program: Program, server: WireServer, work: Path) -> None:
    server.script([text("First.")], [text("Second.")])
    program.call("run", "remember 42", "--workdir", str(work))
    ended = program.call("run", "and now?", "--workdir", str(work), "--continue")
    assert ended.code == 0
    assert b"remember 42" in server.requests[1].body
    assert program.call("sessions", "list", "--json").json["total"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", ""], "empty"),
        (["run", "hi", "--workdir", "/nowhere"], "/nowhere is not a folder"),
        (["run", "hi", "--model", "smal"], "Did you mean small?"),
        (["run", "hi", "--session", "none"], "There is no session none"),
        (["run"], "PROMPT"),
        (["sessions", "show", "none"], "There is no session none"),
        (["runn"], "invalid choice"),
        (["changes", "revert"], "Name the changes to undo"),
        (["revert", "1", "--since", "2"], "Name the changes to undo"),
        (["revert", "--turn", "1", "--session", "none"], "--session goes with --file"),
        (["changes", "show", "7"], "There is no change 7"),
    ],
)
def test_wrong_usage_exits_2_with_one_line(program: Program, arguments: list[str], said: str) -> None:
    ended = program.call(*arguments)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.startswith("placet: ")
    assert ended.err.count("\n") == 1


def test_no_model_exits_2_and_says_what_to_do(program: Program) -> None:
    (program.home / "config.toml").unlink()
    ended = program.call("run", "hi")
    assert ended.code == 2
    assert "No model is configured" in ended.err
    assert "config.toml" in ended.err


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (error(401, '{"error":{"message":"bad key"}}'), "key"),
        (error(404, '{"error":{"message":"model not found","code":"model_not_found"}}'), "small"),
    ],
)
def test_a_provider_that_fails_exits_4_and_the_session_stays_usable(
    program: Program, server: WireServer, work: Path, step: object, said: str
) -> None:
    server.script(step, [text("Better now.")])
    ended = program.call("run", "hi", "--workdir", str(work), "--output", "events")
    assert ended.code == 4
    assert said in ended.err
    assert "llm_failed" in ended.types
    again = program.call("run", "again", "--workdir", str(work), "--continue")
    assert (again.code, again.out) == (0, "Better now.\n")


def test_a_server_that_keeps_failing_is_asked_three_times_and_exits_4(
    program: Program, server: WireServer, work: Path
) -> None:
    server.script(*[error(500, "<html>oops</html>", retry_after="0") for _ in range(3)], [text("Better now.")])
    ended = program.call("run", "hi", "--workdir", str(work), "--output", "events")
    assert ended.code == 4
    assert "placet:" in ended.err
    assert ended.types == ["turn_running", "user_message", "llm_failed", "error", "turn_running"]
    assert program.call("run", "again", "--workdir", str(work), "--continue").out == "Better now.\n"


def test_an_unreachable_server_exits_4_and_names_its_address(program: Program, work: Path) -> None:
    write_config(program.home, "http://127.0.0.1:9/v1")
    ended = program.call("run", "hi", "--workdir", str(work))
    assert ended.code == 4
    assert "127.0.0.1:9" in ended.err


def test_rounds_without_an_end_exit_5(program: Program, server: WireServer, work: Path) -> None:
    config = program.home / "config.toml"
    config.write_text("[llm]\nmax_tool_rounds = 2\n\n" + config.read_text())
    server.script(*[[call("list_files", {})] for _ in range(3)])
    ended = program.call("run", "loop", "--workdir", str(work), "--output", "events")
    assert ended.code == 5
    assert ended.events[-2]["code"] == "rounds_exhausted"


def test_an_interrupt_stops_the_turn_and_exits_130(program: Program, server: WireServer, work: Path) -> None:
    server.script([text("a long "), stall()])
    with program.started("run", "hi", "--workdir", str(work), "--output", "events") as running:
        running.until("text_delta")
        assert running.kill(signal.SIGINT) == 130
    shown = program.call("sessions", "list", "--json").json["items"][0]
    assert shown["snippet"]
    with sqlite3.connect(program.home / "placet.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_a_change_is_listed_and_can_be_undone_and_redone(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    program.call("run", "change it", "--workdir", str(work), "--approve", "edits")
    (change,) = program.call("changes", "--json").json["items"]
    assert (change["path"], change["state"]) == (str(work / "a.txt"), "applied")
    assert program.call("revert", str(change["id"])).code == 0
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
    undo = program.call("changes", "--json").json["items"][0]
    assert program.call("revert", str(undo["id"])).code == 0
    assert (work / "a.txt").read_bytes() == b"one\n2\n"


def test_a_file_that_moved_on_is_not_reverted(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    program.call("run", "change it", "--workdir", str(work), "--approve", "edits")
    (work / "a.txt").write_bytes(b"mine\n")
    ended = program.call("revert", "1")
    assert ended.code == 1
    assert "moved_on" in ended.out
    assert (work / "a.txt").read_bytes() == b"mine\n"


def test_a_turn_is_reverted_by_its_message(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work), "--approve", "edits", "--output", "events")
    message = next(event["message_id"] for event in ended.events if event["type"] == "user_message")
    assert program.call("revert", "--turn", str(message)).code == 0
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"


def test_r_9_all_since_a_message_is_shown_and_then_undone(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    ended = program.call("run", "change it", "--workdir", str(work), "--approve", "edits", "--output", "events")
    message = str(next(event["message_id"] for event in ended.events if event["type"] == "user_message"))
    shown = program.call("changes", "revert", "--since", message, "--dry-run")
    assert "-2\n+two\n" in shown.out
    assert "What commands changed is not in the journal" in shown.out
    assert (work / "a.txt").read_bytes() == b"one\n2\n"
    (listed,) = program.call("changes", "list", "--file", str(work / "a.txt"), "--json").json["items"]
    assert (listed["said"], str(listed["message_id"])) == ("change it", message)
    assert "-two\n+2\n" in program.call("changes", "show", str(listed["id"])).out
    assert program.call("changes", "revert", "--since", message).code == 0
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
    assert "nothing to undo" in program.call("revert", "--file", str(work / "b.txt")).err


def test_r_9_what_others_changed_elsewhere_stays_when_asked_for(
    program: Program, server: WireServer, work: Path
) -> None:
    (work / "a.txt").write_bytes(b"one\ntwo\n3\n4\n5\n")
    server.script(*edit_script())
    program.call("run", "change it", "--workdir", str(work), "--approve", "edits")
    (work / "a.txt").write_bytes(b"one\n2\n3\n4\nfive\n")
    left = program.call("revert", "--file", str(work / "a.txt"))
    assert (left.code, "--merge" in left.out) == (1, True)
    assert program.call("revert", "--file", str(work / "a.txt"), "--merge").code == 0
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n3\n4\nfive\n"


def test_sessions_can_be_shown_and_searched(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    program.call("run", "change the frobnicator", "--workdir", str(work), "--approve", "edits")
    session = program.call("sessions", "list", "--json").json["items"][0]
    assert (session["title"], session["message_count"]) == ("change the frobnicator", 4)
    shown = program.call("sessions", "show", session["id"], "--json").json
    assert [entry["kind"] for entry in shown["messages"]] == [
        "user", "thinking", "tool", "thinking", "tool", "assistant",
    ]  # fmt: skip
    hits = program.call("sessions", "search", "frobnicator", "--json").json
    assert [hit["session_id"] for hit in hits["items"]] == [session["id"]]


def test_the_demo_needs_no_network(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        '[[providers]]\nname = "demo"\ntype = "demo"\n\n'
        '[[models]]\nname = "demo"\nprovider = "demo"\nmodel_id = "demo"\n'
    )
    from placet.core.settings.sample import make_sample_folder

    folder = make_sample_folder(tmp_path / "sample")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    program = Program(home)
    ended = program.call("run", "mend it", "--workdir", str(folder), "--approve", "edits", "--output", "events")
    assert ended.code == 0, ended.err
    assert "file_changed" in ended.types
    change = next(event for event in ended.events if event["type"] == "file_changed")
    assert program.call("revert", str(change["change_id"])).code == 0
    assert {path: path.read_bytes() for path in before} == before


def test_doctor_names_what_is_wrong(program: Program) -> None:
    config = program.home / "config.toml"
    config.write_text("[llm]\nmax_tool_round = 3\n\n" + config.read_text())
    ended = program.call("doctor", "--json")
    assert ended.code == 1
    assert any("max_tool_rounds" in check["message"] for check in ended.json["checks"] if not check["ok"])


def test_doctor_names_a_broken_agent_and_a_run_goes_on_without_it(
    program: Program, server: WireServer, work: Path
) -> None:
    folder = program.home / "agents" / "poet"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text('type = "robot"\n')
    ended = program.call("doctor", "--json")
    assert ended.code == 1
    (check,) = [check for check in ended.json["checks"] if not check["ok"]]
    assert (check["name"], check["message"]) == (
        "agents", "agents/poet/AGENT.md: it is missing; the agent is left out.",
    )  # fmt: skip
    server.script([text("fine")])
    ran = program.call("run", "hi", "--workdir", str(work))
    assert (ran.code, "agents/poet" in ran.err) == (0, True)


def test_an_own_agent_answers_and_can_be_chosen_later(program: Program, server: WireServer, work: Path) -> None:
    folder = program.home / "agents" / "poet"
    folder.mkdir(parents=True)
    (folder / "AGENT.md").write_text("You rhyme on __OS__.")
    server.script([text("plain")], [text("rhymed")])
    assert program.call("run", "hi", "--workdir", str(work)).code == 0
    assert program.call("run", "more", "--continue", "--agent", "poet").code == 0
    said = [request.json["messages"][0]["content"] for request in server.requests]
    assert "assistant" in said[0] and said[1].startswith("You rhyme on ") and "__" not in said[1]
    refused = program.call("run", "more", "--continue", "--agent", "writer")
    assert refused.code == 2 and "For a chat there are: assistant, poet." in refused.err


def test_a_database_of_a_newer_program_is_refused_and_untouched(program: Program, work: Path) -> None:
    program.call("sessions", "list")
    with sqlite3.connect(program.home / "placet.db") as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    ended = program.call("run", "hi", "--workdir", str(work))
    assert ended.code == 1
    assert "newer" in ended.err


def test_a_folder_named_before_the_verb_holds_too(program: Program, server: WireServer, work: Path) -> None:
    server.script([call("list_files", {})], [text("ok")])
    assert program.call("--workdir", str(work), "run", "look").code == 0
    assert b"a.txt" in server.requests[1].body


def test_an_unknown_agent_exits_2_and_spoils_nothing(program: Program, server: WireServer, work: Path) -> None:
    server.script([text("fine")])
    assert program.call("run", "hi", "--workdir", str(work), "--agent", "nope").code == 2
    assert program.call("run", "hi", "--workdir", str(work), "--continue").out == "fine\n"


def test_a_failed_run_is_told_in_its_json(program: Program, server: WireServer, work: Path) -> None:
    server.script(error(401, '{"error":{"message":"bad key"}}'))
    ended = program.call("run", "hi", "--workdir", str(work), "--output", "json")
    assert ended.code == 4
    assert ended.json["error"]["code"] == "auth"


def test_what_a_provider_says_cannot_drive_the_terminal(program: Program, server: WireServer, work: Path) -> None:
    server.script(error(500, '{"error":{"message":"\\u001b[2J\\u202e gone"}}', retry_after="0"), repeat_last=True)
    ended = program.call("run", "hi", "--workdir", str(work))
    assert "\x1b" not in ended.err
    assert "\u202e" not in ended.err


def test_a_broken_config_is_told(program: Program, work: Path) -> None:
    (program.home / "config.toml").write_text("[llm\n")
    ended = program.call("run", "hi", "--workdir", str(work))
    assert ended.code == 2
    assert "line 1" in ended.err


def test_doctor_works_where_the_database_does_not(program: Program) -> None:
    program.home.mkdir(parents=True, exist_ok=True)
    (program.home / "placet.db").write_bytes(b"this is no database at all, but long enough to look like a file" * 50)
    ended = program.call("doctor", "--json")
    assert ended.code == 1
    assert any("database" in check["message"] for check in ended.json["checks"] if not check["ok"])


@pytest.mark.parametrize(
    ("typed", "note"), [("n\n", ""), ("no\n", ""), ("not this way\n", "not this way"), ("n, smaller\n", "smaller")]
)
def test_a_person_at_a_terminal_sees_the_diff_and_decides(
    program: Program, server: WireServer, work: Path, typed: str, note: str
) -> None:
    server.script(*edit_script())
    shown, code = program.at_terminal("run", "change it", "--workdir", str(work), answers={"Allow it?": typed})
    assert "-two" in shown
    assert "+2" in shown
    assert code == 0
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"
    said = server.requests[2].json["messages"][-1]["content"]
    assert said == ("User rejected this tool call." + (f" Reason: {note}" if note else ""))


def test_a_person_at_a_terminal_chooses_hunks_and_edits_before_approving(
    program: Program, server: WireServer, work: Path
) -> None:
    """`R-5`: what would be written is shown anew after each change."""
    old = "".join(f"line {n}\n" for n in range(30))
    (work / "a.txt").write_text(old)
    new = old.replace("line 3\n", "three\n").replace("line 15\n", "fifteen\n").replace("line 27\n", "27\n")
    server.script([call("write_file", {"path": "a.txt", "content": new})], [text("ok")])
    shown, code = program.at_terminal(
        "run", "change it", "--workdir", str(work), answers={"reason: ": "h 9\n"}, in_turn=["h 1-2\n", "y\n"]
    )
    assert code == 0
    assert "There are hunks 1 to 3." in shown
    assert (work / "a.txt").read_text() == new.replace("27\n", "line 27\n")
    assert "approved only a part" in server.requests[1].json["messages"][-1]["content"]


def test_an_interrupt_at_the_question_ends_at_once(program: Program, server: WireServer, work: Path) -> None:
    server.script(*edit_script())
    _, code = program.at_terminal("run", "change it", "--workdir", str(work), answers={"Allow it?": "\x03"})
    assert code == 130
    assert (work / "a.txt").read_bytes() == b"one\ntwo\n"


def test_an_answer_typed_before_the_question_counts_for_nothing(
    program: Program, server: WireServer, work: Path
) -> None:
    server.script(
        [text("Allow it? ", "Now: "), call("write_file", {"path": "evil.sh", "content": "x\n"})], [text("ok")]
    )
    shown, code = program.at_terminal("run", "go", "--workdir", str(work), answers={"Now:": "y\n", "reason: ": "n\n"})
    assert code == 0
    assert "evil.sh" in shown
    assert not (work / "evil.sh").exists()


def test_names_and_reasons_cannot_look_like_lines_of_the_program(
    program: Program, server: WireServer, work: Path
) -> None:
    name = "a.txt +1 −1\n-old\n+new"
    server.script(
        [text("reason\n+1 −1 fake"), call("write_file", {"path": name, "content": "x\n"})],
        [call("execute_cmd", {"command": "true" + "\n" * 40 + "touch hidden"})],
        [text("ok")],
    )
    shown, _ = program.at_terminal("run", "go", "--workdir", str(work), answers={"reason: ": "n\n"}, repeat=True)
    request = shown[shown.index("everything else") :]  # before it comes the model's own text, as it wrote it
    lines = [line.strip() for line in request.replace("\r", "").split("\n")]
    assert "-old" not in lines
    assert "+1 −1 fake" not in lines
    assert "(39 blank lines)" in lines
    assert "$ touch hidden" in lines


@pytest.mark.parametrize("place", ["home", "git", "own", "rules"])
def test_approve_edits_is_no_licence_for_what_is_no_work(
    tmp_path: Path, server: WireServer, work: Path, place: str
) -> None:
    home = tmp_path / "own"
    write_config(home, server.url)
    program = Program(home, {"HOME": str(work)} if place == "home" else {})
    folder, name = {
        "home": (work, ".bashrc"), "git": (work, ".git/hooks/pre-commit"), "own": (home, "agents/x/AGENT.md"),
        "rules": (work, ".placet/rules.toml"),
    }[place]  # fmt: skip
    server.script([call("write_file", {"path": name, "content": "x\n"})], [text("ok")])
    ended = program.call("run", "go", "--workdir", str(folder), "--approve", "edits")
    assert ended.code == 3
    assert not (folder / name).exists()
