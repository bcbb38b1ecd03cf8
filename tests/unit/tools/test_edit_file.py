"""`edit_file`: exact matches, tolerance for line endings only, and misses that help."""

from __future__ import annotations

import pytest

CRLF = b"one\r\ntwo\r\nthree\nfour\r\n"
AREA = b"def area(w, h):\n    side = w\n    top = h\n    return side * top\n"


def test_b01_lf_from_the_model_matches_crlf(bench):
    plan = bench.plan("edit_file", CRLF, old_string="one\ntwo", new_string="ONE\nTWO")
    assert plan.new == b"ONE\r\nTWO\r\nthree\nfour\r\n"


def test_b01_mixed_endings_stay_outside_the_change(bench):
    plan = bench.plan("edit_file", CRLF, old_string="three\nfour", new_string="THREE\nextra\nFOUR")
    assert plan.new in (b"one\r\ntwo\r\nTHREE\nextra\r\nFOUR\r\n", b"one\r\ntwo\r\nTHREE\nextra\nFOUR\r\n")


def test_b01_crlf_from_the_model_is_taken_as_it_is(bench):
    plan = bench.plan("edit_file", CRLF, old_string="one\r\ntwo", new_string="ONE\r\nTWO")
    assert plan.new == b"ONE\r\nTWO\r\nthree\nfour\r\n"


def test_b01_crlf_from_the_model_matches_lf(bench):
    plan = bench.plan("edit_file", b"one\ntwo\n", old_string="one\r\ntwo\r\n", new_string="1\r\n2\r\n")
    assert plan.new == b"1\n2\n"


def test_a_new_line_inside_one_crlf_line_ends_in_crlf(bench):
    assert bench.plan("edit_file", b"a\r\nb\r\n", old_string="b", new_string="b\nc").new == b"a\r\nb\r\nc\r\n"
    assert bench.plan("edit_file", b"a\r\nb", old_string="b", new_string="b\nc").new == b"a\r\nb\r\nc"


def test_unchanged_lines_of_a_tolerant_match_keep_their_endings(bench):
    plan = bench.plan("edit_file", b"a\r\nb\nc\r\nd\r\n", old_string="a\nb\nc\nd\n", new_string="a\nx\ny\nb\nc\nd\n")
    assert plan.new.startswith(b"a\r\nx") and plan.new.endswith(b"b\nc\r\nd\r\n")


def test_places_that_differ_in_cr_only_are_ambiguous(bench):
    assert "2 matches" in bench.failure("edit_file", b"a\nb\n-\na\r\nb\r\n", old_string="a\nb", new_string="x\ny")


@pytest.mark.parametrize(
    ("file", "old", "new", "points"),
    [
        ("price: 10\u00a0EUR net\n", "10 EUR", "12 EUR", ["U+00A0", "U+0020"]),
        ("title: \u201cDraft\u201d\n", 'title: "Draft"', 'title: "Final"', ["U+201C", "U+0022", "U+201D"]),
        ("cafe\u0301\n", "caf\u00e9", "bar", ["U+0065 U+0301", "U+00E9"]),
        ("caf\u00e9\n", "cafe\u0301", "bar", ["U+0065 U+0301", "U+00E9"]),
        ("x\r\na\u00a0b\r\nc\r\n", "a b\nc", "bar", ["line 2", "U+00A0"]),
    ],
)
def test_b03_a_lookalike_is_named_not_replaced(bench, file, old, new, points):
    said = bench.failure("edit_file", file.encode(), old_string=old, new_string=new)
    assert all(point in said for point in points)
    assert "line" in said


def test_b03_a_lookalike_can_be_what_changes(bench):
    plan = bench.plan("edit_file", b"msg = 'ok'\n", old_string="'ok'", new_string="\u2018ok\u2019")
    assert plan.new.decode() == "msg = \u2018ok\u2019\n"


def test_b05_other_blanks_are_an_error_with_the_real_text(bench):
    said = bench.failure("edit_file", AREA, old_string="    side  =  w", new_string="    side = abs(w)")
    assert "line 2" in said and "    side = w" in said


def test_b05_other_indentation_of_several_lines_is_an_error(bench):
    said = bench.failure("edit_file", AREA, old_string="  side = w\n  top = h", new_string="x")
    assert "line 2" in said and "    side = w\n    top = h" in said


def test_b05_several_matches_are_counted_with_their_lines(bench):
    file = b"a = 1\nb = 2\na = 1\n"
    assert "2 matches in 'file.txt' (lines 1, 3)" in bench.failure(
        "edit_file", file, old_string="a = 1", new_string="a = 3"
    )
    plan = bench.plan("edit_file", file, old_string="a = 1", new_string="a = 3", replace_all=True)
    assert plan.new == b"a = 3\nb = 2\na = 3\n"
    assert "2 occurrences" in plan.result


def test_b05_what_is_not_there_is_an_error(bench):
    assert "not found" in bench.failure("edit_file", AREA, old_string="not there", new_string="z")


def test_b05_an_empty_old_string_is_an_error(bench):
    assert "old_string is empty" in bench.failure("edit_file", AREA, old_string="", new_string="z")


def test_b05_equal_strings_are_no_change(bench):
    assert "no change" in bench.failure("edit_file", AREA, old_string="top = h", new_string="top = h")


def test_a_similar_line_is_shown(bench):
    said = bench.failure("edit_file", AREA, old_string="    return side * tap", new_string="z")
    assert "line 4" in said and "return side * top" in said


def test_a_missing_file_points_to_write_file(bench):
    bench.write("files.txt", "x")
    said = bench.failure("edit_file", None, old_string="", new_string="z")
    assert "write_file" in said and "files.txt" in said


def test_the_result_shows_the_changed_lines_with_numbers(bench):
    plan = bench.plan("edit_file", AREA, old_string="top = h\n", new_string="top = h\n    low = 0\n")
    assert "3\t    top = h\n4\t    low = 0\n5\t    return" in plan.result


def test_r7_utf16_and_bom_survive_an_edit(bench):
    for bom, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        old = bom + "größe\r\nzwei\r\n".encode(codec)
        plan = bench.plan("edit_file", old, old_string="größe\nzwei", new_string="Größe\ndrei")
        assert plan.new == bom + "Größe\r\ndrei\r\n".encode(codec)


@pytest.mark.parametrize("data", [b"a\0b\n", b"caf\xe9\n", b"\xff\xfea", "a\0".encode("utf-16"), bytes(range(256))])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_file", {"old_string": "a", "new_string": "b"}),
        ("insert_at_line", {"line": 1, "content": "x"}),
        ("replace_lines", {"start": 1, "end": 1, "content": "x"}),
    ],
)
def test_r7_what_is_no_text_is_not_edited(bench, data, tool, arguments):
    said = bench.failure(tool, data, **arguments)
    assert "binary" in said or "no UTF-8" in said


def test_half_a_surrogate_pair_is_refused(bench):
    assert "U+D83D" in bench.failure("edit_file", b"a\n", old_string="a", new_string="\ud83d")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ab" * 250 + "\n", "ba" * 250 + "c"),
        ("abc " * 120 + "\n", "acb " * 120),
        ("a b c d e f g h\n", "q w e r t y u i o p " * 40),
        ("\n", "\n" * 9_000 + "y"),
        ("x\n", "x\n" * 9_000 + "y\n"),
        ("x\r\n", "x\n" * 9_000 + "y\n"),
        ("\u2018x\u2019\n", "'x'\n" * 9_000 + "y\n"),
        ("a \u00e9 ", "\u2018zz\u2019"),
    ],
)
@pytest.mark.timeout(30)  # what is quadratic takes minutes here
def test_a_miss_is_explained_whatever_the_file_is(bench, text, wanted):
    for size in (900_000, 5_000_000):
        old = (text * (size // len(text))).encode()
        assert "Nothing was changed" in bench.failure("edit_file", old, old_string=wanted, new_string="z")


@pytest.mark.timeout(60)  # looking at every place for each place would take hours
def test_many_places_take_no_longer_than_their_text(bench):
    old = b"ab\r\n" * 200_000
    said = bench.failure("edit_file", old, old_string="b\na", new_string="c")
    assert "199999 matches" in said
    plan = bench.plan("edit_file", old, old_string="b", new_string="c\nd", replace_all=True)
    assert plan.new == b"ac\r\nd\r\n" * 200_000


def test_a_replacement_that_would_fill_the_memory_is_refused(bench):
    arguments = {"old_string": "a", "new_string": "b" * 100_000, "replace_all": True}
    assert "would become" in bench.failure("edit_file", b"a" * 1_000_000, **arguments)


def test_a_file_that_is_too_large_is_refused(bench):
    old = b"line\n" * 3_300_000
    for name, arguments in {
        "edit_file": {"old_string": "a", "new_string": "b"}, "write_file": {"content": "x"},
        "insert_at_line": {"line": 1, "content": "x"}, "replace_lines": {"start": 1, "end": 1, "content": "x"},
    }.items():  # fmt: skip
        said = bench.failure(name, old, **arguments)
        assert "16,500,000 bytes" in said and "execute_cmd" in said
