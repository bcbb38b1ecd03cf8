"""What a model sends is checked before anything else; paths are resolved before anybody is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import Category, Command, FileWrite, Replay


def refused(bench, name, arguments):
    with pytest.raises(ToolFailure) as caught:
        bench.box.prepare(name, arguments, bench.context)
    return str(caught.value)


def test_a03_a_missing_argument_is_named(bench):
    said = refused(bench, "execute_cmd", {})
    assert "missing argument 'command'" in said and "execute_cmd(command, workdir?, timeout?)" in said


def test_a03_no_arguments_are_enough_where_none_is_needed(bench):
    assert bench.prepare("list_files").path == bench.folder


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("read_files", {}, "Did you mean 'read_file'"),
        ("teleport", {}, "There are: read_file"),
        ("execute_cmd", {"cmd": "ls"}, "did you mean 'command'"),
        ("read_file", {"path": 3}, "'path' must be text, not 3"),
        ("read_file", {"path": "a", "offset": "x"}, "must be a whole number"),
        ("read_file", {"path": "a", "offset": True}, "must be a whole number"),
        ("read_file", {"path": "a", "offset": 1.5}, "must be a whole number"),
        ("read_file", {"path": "a", "offset": 0}, "at least 1"),
        ("read_file", {"path": ""}, "empty"),
        ("read_file", {"path": "a\0b"}, "NUL"),
        ("read_file", {"path": "\ud800"}, "cannot be resolved"),
        ("write_file", {"path": "a", "content": {"b": 1}}, "'content' must be text"),
        ("write_file", {"path": ".", "content": ""}, "names a folder"),
        ("write_file", {"path": "new/", "content": ""}, "names a folder"),
        ("grep_files", {"pattern": "a", "output_mode": "all"}, "one of content"),
        ("execute_cmd", {"command": "  "}, "empty"),
        ("execute_cmd", {"command": "a\0b"}, "NUL"),
        ("read_file", {"path": "a", "offset": 10**300}, "too large"),
        ("grep_files", {"pattern": "a", "offset": 1e300}, "too large"),
        ("list_files", {"pattern": "{a,b}" * 17}, "more than 64 patterns"),
        ("list_files", {"pattern": "{" + "," * 900 + "}"}, "more than 64 patterns"),
        ("grep_files", {"pattern": "a", "glob": "x" * 1_001}, "1000 characters"),
        ("grep_files", {"pattern": "a", "glob": "**/a/" * 4}, "3 times **"),
        ("execute_cmd", {"command": "ls", "timeout": "nan"}, "a number"),
    ],
)
def test_a_wrong_call_is_explained(bench, name, arguments, words):
    assert words in refused(bench, name, arguments)


def test_only_the_harmless_is_converted(bench):
    bench.prepare("read_file", path="a", offset="3", limit=4.0)
    bench.prepare("read_file", path="a", offset=None)
    bench.prepare("edit_file", path="a", old_string="a", new_string="b", replace_all="true")


def test_every_schema_is_closed_and_names_what_is_required(bench):
    for spec in bench.box.specs():
        assert spec.parameters["type"] == "object" and spec.parameters["additionalProperties"] is False
        assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])
    replay = {spec.name: spec.replay for spec in bench.box.specs()}
    assert (replay["read_file"], replay["write_file"], replay["execute_cmd"]) == (
        Replay.SAFE, Replay.JOURNAL, Replay.NEVER,
    )  # fmt: skip


def test_r1_dots_home_and_links_are_resolved(bench, monkeypatch):
    bench.write("real/inside.txt", "x")
    (bench.folder / "link").symlink_to(bench.folder / "real")
    monkeypatch.setenv("HOME", str(bench.folder / "real"))
    inside = bench.folder / "real" / "inside.txt"
    for raw in ("real/../link/inside.txt", "~/inside.txt", str(inside), "./link/./inside.txt"):
        operation = bench.prepare("read_file", path=raw)
        assert (operation.path, operation.label) == (inside, "real/inside.txt")
    assert bench.prepare("write_file", path="link/new/x", content="").path == bench.folder / "real/new/x"


@pytest.mark.parametrize("path", ["loop", "loop/x", "loop/x/y"])
def test_r1_a_loop_of_links_is_an_error(bench, path):
    (bench.folder / "loop").symlink_to(bench.folder / "loop")
    assert "cannot be resolved" in refused(bench, "read_file", {"path": path})


def test_a_path_longer_than_any_file_has_is_refused_at_once(bench):
    assert "1,000,000 characters" in refused(bench, "list_files", {"path": "a/" * 500_000})


def test_a_path_outside_is_shown_in_full(bench):
    operation = bench.prepare("write_file", path="../x.txt", content="a")
    assert isinstance(operation, FileWrite)
    assert operation.category is Category.FS_WRITE
    assert operation.label == str(bench.folder.parent / "x.txt")


def test_r11_a_command_is_one_parsed_object(bench):
    operation = bench.prepare("execute_cmd", command="echo a\necho b", timeout=9999)
    assert isinstance(operation, Command)
    assert (operation.command, operation.workdir, operation.label) == ("echo a\necho b", bench.folder, "echo a")
    assert operation.timeout_s == 600
    assert operation.path is None
    assert Path(operation.workdir).is_absolute()


def test_nothing_that_is_there_is_told_before_anybody_decided(bench):
    bench.write("keys/id_work_key", "K")
    for workdir in ("keys/id_wrk_key", "keys/id_work_key"):
        assert bench.prepare("execute_cmd", command="ls", workdir=workdir)
    assert bench.prepare("write_file", path="keys", content="x")
    outside = str(bench.folder.parent / "nothing.txt")
    operation = bench.prepare("edit_file", path=outside, old_string="a", new_string="b")
    with pytest.raises(ToolFailure) as caught:
        operation.plan(None)
    assert bench.folder.name not in str(caught.value)


def test_a_label_is_one_line(bench):
    name = "a\nb\u2028c\r\nd"
    for tool, rest in {
        "read_file": {}, "list_files": {"pattern": "x\ny"}, "grep_files": {"pattern": "x\ny"},
        "write_file": {"content": ""}, "edit_file": {"old_string": "a", "new_string": "b"},
    }.items():  # fmt: skip
        label = bench.prepare(tool, path=name, **rest).label
        assert "a⏎b⏎c⏎d" in label and len(label.splitlines()) == 1
