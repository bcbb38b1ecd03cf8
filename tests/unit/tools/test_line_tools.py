"""`replace_lines`, `insert_at_line`, `write_file`; lines end at LF or CRLF only."""

from __future__ import annotations

B06 = "uno\ndos\rx2\n\ftres\u2028t\ncuatro TARGET\n"


async def test_b06_every_tool_counts_the_same_lines(bench):
    bench.write("file.txt", B06)
    assert "file.txt:4:cuatro TARGET" in await bench.text("grep_files", pattern="TARGET")
    read = await bench.text("read_file", path="file.txt")
    assert "lines 1-4 of 4" in read and read.endswith("\n4\tcuatro TARGET")
    plan = bench.plan("replace_lines", B06.encode(), start=4, end=4, content="CUATRO")
    assert plan.new.decode() == "uno\ndos\rx2\n\ftres\u2028t\nCUATRO\n"
    plan = bench.plan("insert_at_line", B06.encode(), line=4, content="nuevo")
    assert plan.new.decode() == "uno\ndos\rx2\n\ftres\u2028t\nnuevo\ncuatro TARGET\n"
    assert "4\tnuevo\n5\tcuatro TARGET" in plan.result


def test_b06_a_range_past_the_end_is_an_error(bench):
    assert "4 lines" in bench.failure("replace_lines", B06.encode(), start=5, end=5, content="x")
    assert "greater" in bench.failure("replace_lines", B06.encode(), start=3, end=2, content="x")
    assert "4 lines" in bench.failure("insert_at_line", B06.encode(), line=6, content="x")
    assert "at least 1" in bench.failure("replace_lines", B06.encode(), start=0, end=2, content="x")


def test_lines_take_the_endings_of_their_place(bench):
    mixed = b"a\r\nb\nc\r\n"
    assert bench.plan("replace_lines", mixed, start=1, end=2, content="A\nB\nX\n").new == b"A\r\nB\nX\nc\r\n"
    assert bench.plan("insert_at_line", mixed, line=4, content="d").new == b"a\r\nb\nc\r\nd\r\n"
    assert bench.plan("insert_at_line", mixed, line=1, content="d").new == b"d\r\na\r\nb\nc\r\n"


def test_a_last_line_without_ending_stays_so(bench):
    assert bench.plan("insert_at_line", b"a\r\nb", line=3, content="c\n").new == b"a\r\nb\r\nc"
    assert bench.plan("replace_lines", b"a\nb", start=2, end=2, content="B\nC\n").new == b"a\nB\nC"
    assert bench.plan("replace_lines", b"a\nb\n", start=2, end=2, content="").new == b"a\n"
    assert bench.plan("insert_at_line", b"", line=1, content="a").new == b"a\n"


def test_no_change_is_said_before_anybody_is_asked(bench):
    assert "no change" in bench.failure("replace_lines", b"a\nb\n", start=2, end=2, content="b")
    assert "no change" in bench.failure("write_file", b"a\r\nb\r\n", content="a\nb\n")


def test_an_inserted_blank_line_has_to_be_meant(bench):
    assert "blank line" in bench.failure("insert_at_line", b"a\n", line=1, content="")
    assert bench.plan("insert_at_line", b"a\n", line=1, content="\n").new == b"\na\n"


def test_write_file_writes_a_new_file_exactly(bench):
    plan = bench.plan("write_file", None, content="a\r\nb\nc")
    assert plan.new == b"a\r\nb\nc"
    assert "Created file.txt (3 lines)" in plan.result


def test_r7_write_file_keeps_encoding_and_endings(bench):
    plan = bench.plan("write_file", b"\xff\xfe" + "a\r\nb\r\n".encode("utf-16-le"), content="ä\nb\nc\n")
    assert plan.new == b"\xff\xfe" + "ä\r\nb\r\nc\r\n".encode("utf-16-le")
    assert "UTF-16 LE" in plan.result and "CRLF" in plan.notice


def test_r7_write_file_keeps_mixed_endings_of_lines_that_stay(bench):
    plan = bench.plan("write_file", b"a\nb\r\nc\r\nd\r\ne\n", content="a\nB\nc\nd\nnew\ne\n")
    assert plan.new == b"a\nB\r\nc\r\nd\r\nnew\r\ne\n"


def test_write_file_with_crlf_of_its_own_decides(bench):
    assert bench.plan("write_file", b"a\r\n", content="x\r\ny\n").new == b"x\r\ny\n"


def test_write_file_does_not_double_a_bom(bench):
    assert bench.plan("write_file", b"\xef\xbb\xbfa\n", content="\ufeffb\n").new == b"\xef\xbb\xbfb\n"


def test_write_file_over_a_binary_says_so_to_the_person(bench):
    plan = bench.plan("write_file", b"\0\1", content="text\n")
    assert plan.new == b"text\n"
    assert "2 bytes" in plan.notice
