"""Whatever the bytes and endings are: lines that an edit does not name keep theirs, and all tools count alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import FileWrite
from placet.core.tools import edit_file, insert_at_line, own_search, read_file, replace_lines, write_file
from placet.core.tools.command_output import CommandOutput
from placet.core.tools.globs import expand_braces, pattern_of, spec_of
from placet.core.tools.places import Place
from placet.core.tools.searching import Query
from placet.core.tools.text_file import bare, content_lines, decode, split_lines

CODECS = [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
LINE = st.text(st.sampled_from("ab \t\r\f\v\x85\u2028é\u0301\u00a0\U0001f600'\u2019"), max_size=5)
ENDING = st.sampled_from(["\n", "\r\n"])
PLACE = Place(Path("/nowhere-at-all"))


@st.composite
def files(draw):
    """The bytes of a file, its bare lines and the codec; the last line may have no ending."""
    raw = draw(st.lists(st.tuples(LINE, ENDING), max_size=8))
    text = "".join(line + ending for line, ending in raw) + draw(LINE)
    bom, codec = draw(st.sampled_from(CODECS))
    return bom + text.encode(codec), split_lines(text), codec


def planned(tool, old, **arguments):
    defaults = {param.name: param.default for param in tool.params}
    operation = tool.prepare({**defaults, "path": "file", **arguments}, PLACE)
    assert isinstance(operation, FileWrite)
    return operation.plan(old).new


def content(draw_lines):
    return "".join(line + "\n" for line in draw_lines)


@given(files())
def test_text_and_bytes_are_one_to_one(file):
    data, lines, _ = file
    decoded = decode(data)
    assert decoded.lines == lines
    assert decoded.encode("".join(decoded.lines)) == data
    assert all(line.endswith("\n") for line in lines[:-1])


@given(files(), st.data())
def test_replace_lines_is_list_assignment_and_keeps_other_bytes(file, data):
    old, lines, codec = file
    assume(lines)
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    sent = content(data.draw(st.lists(LINE.filter(lambda line: not line.endswith("\r")), max_size=4)))
    try:
        new = planned(replace_lines.TOOL, old, start=start, end=end, content=sent)
    except ToolFailure as failure:
        assert "no change" in str(failure)
        return
    after = decode(new).lines
    names = [bare(line) for line in lines]
    names[start - 1 : end] = content_lines(sent)
    assert [bare(line) for line in after] == names
    assert new.startswith(old[: len(old) - len("".join(lines[start - 1 :]).encode(codec))])
    assert new.endswith("".join(lines[end:]).encode(codec))


@given(files(), st.data())
def test_insert_at_line_is_list_insertion_and_keeps_other_bytes(file, data):
    old, lines, codec = file
    at = data.draw(st.integers(1, len(lines) + 1))
    sent = content(data.draw(st.lists(LINE.filter(lambda line: not line.endswith("\r")), min_size=1, max_size=4)))
    try:
        new = planned(insert_at_line.TOOL, old, line=at, content=sent)
    except ToolFailure as failure:
        assert "no change" in str(failure)
        return
    names = [bare(line) for line in lines]
    names[at - 1 : at - 1] = content_lines(sent)
    assert [bare(line) for line in decode(new).lines] == names
    assert new.startswith(old[: len(old) - len("".join(lines[at - 1 :]).encode(codec))])
    assert new.endswith("".join(lines[at - 1 :]).encode(codec))


@given(files(), st.data())
def test_edit_file_changes_only_what_it_found(file, data):
    old, lines, codec = file
    text = "".join(lines)
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    sent = text[start:end] if data.draw(st.booleans()) else text[start:end].replace("\r\n", "\n")
    new_string = data.draw(st.lists(LINE, max_size=3).map("\n".join))
    try:
        new = planned(edit_file.TOOL, old, old_string=sent, new_string=new_string)
    except ToolFailure as failure:
        assert re.search("no change|matches|not found", str(failure))
        return
    found = edit_file.find(text, sent)
    assert len(found) == 1
    before, after = text[: found[0][0]].encode(codec), text[found[0][1] :].encode(codec)
    assert new.startswith(old[: len(old) - len(text.encode(codec))] + before)
    assert new.endswith(after)
    body = new[len(old) - len(text.encode(codec)) + len(before) : len(new) - len(after)].decode(codec)
    assert body.replace("\r\n", "\n") == new_string.replace("\r\n", "\n")


@given(files(), st.lists(LINE.filter(lambda line: "\r" not in line), max_size=8))
def test_write_file_keeps_the_kind_of_file_and_the_lines(file, new_lines):
    old, _, _ = file
    sent = content(new_lines)
    try:
        new = planned(write_file.TOOL, old, content=sent)
    except ToolFailure as failure:
        assert "no change" in str(failure)
        return
    after, before = decode(new), decode(old)
    assert (after.codec, after.bom) == (before.codec, before.bom)
    assert [bare(line) for line in after.lines] == new_lines


@given(files())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_read_file_and_grep_number_alike(tmp_path, file):
    data, lines, _ = file
    path = tmp_path / "file"
    path.write_bytes(data)
    read = read_file.read_lines(path, "file", 1, 100, lambda _path: False).text.split("\n")[1:] if lines else []
    query = Query(pattern="^", root=path, label="file")
    found = own_search.search(query, lambda: None, lambda _path: False).text()[0]
    expected = [f"file:{number}:{bare(line)}" for number, line in enumerate(lines, 1)]
    assert read == [f"{number}\t{bare(line)}" for number, line in enumerate(lines, 1)]
    assert found.split("\n") == expected or not lines


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_become_text_that_can_be_stored_and_sent(chunks):
    live = []
    output = CommandOutput(live.append)
    for chunk in chunks:
        output.feed(chunk)
    captured = output.finish()
    assert captured.size_bytes == sum(map(len, chunks))
    assert not set(captured.text()) & {"\x1b", "\0", "\r"}
    assert "\0" not in "".join(live)
    captured.text().encode()


@given(st.lists(st.tuples(st.text(st.sampled_from("ab \r\x1b[3mé"), max_size=6), ENDING), max_size=10), st.data())
def test_text_output_does_not_depend_on_where_it_is_cut(pieces, data):
    raw = "".join(line + ending for line, ending in pieces).encode()
    whole, parts = CommandOutput(lambda _text: None), CommandOutput(lambda _text: None)
    whole.feed(raw)
    while raw:
        cut = data.draw(st.integers(1, len(raw)))
        parts.feed(raw[:cut])
        raw = raw[cut:]
    assert whole.finish() == parts.finish()


@given(st.text(st.sampled_from("ab\r\n"), max_size=24), st.text(st.sampled_from("ab\n"), min_size=1, max_size=4))
def test_an_lf_is_found_where_a_crlf_is(text, wanted):
    expected = [found.span() for found in re.finditer(re.escape(wanted).replace("\\\n", "\r?\n"), text)]
    assert edit_file.find(text, wanted) == expected


@pytest.mark.filterwarnings("ignore:Possible nested set")
@settings(max_examples=400)
@given(
    st.text(st.sampled_from("ab*?/[]!\\(."), min_size=1, max_size=12),
    st.lists(st.text(st.sampled_from("ab/(.]*"), max_size=12), min_size=1, max_size=8),
)
def test_a_glob_fits_what_it_fits_for_git(glob, paths):
    try:
        plain = GitIgnoreSpec.from_lines([glob], backend="simple")
        fits = spec_of([pattern_of(glob)])
    except ValueError:
        assume(False)
    for path in paths:
        assert fits.match_file(path) == plain.match_file(path)


@given(st.lists(st.text(st.sampled_from("ab*/."), min_size=1, max_size=3), min_size=2, max_size=4))
def test_braces_stand_for_each_choice(choices):
    assert expand_braces("x{" + ",".join(choices) + "}y") == [f"x{choice}y" for choice in choices]
