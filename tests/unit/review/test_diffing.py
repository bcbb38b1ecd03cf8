"""What a person is shown of a change, and what it costs."""

from __future__ import annotations

import random

import pytest

from placet.core.domain.diff import FileDiff, NoticeLevel
from placet.core.domain.hidden import find_hidden, visible
from placet.core.review.diffing import diff_contents, unified_text


def said(diff: FileDiff) -> str:
    return "\n".join(notice.text for notice in diff.notices)


def warnings(diff: FileDiff) -> list[str]:
    return [notice.text for notice in diff.notices if notice.level is NoticeLevel.WARNING]


def lines_of(diff: FileDiff) -> list[tuple[str, str]]:
    return [(line.sign.value, line.text) for hunk in diff.hunks for line in hunk.lines]


def test_a_change_has_three_lines_of_context_and_numbers_on_both_sides() -> None:
    old = "".join(f"{n}\n" for n in range(1, 21)).encode()
    diff = diff_contents("a.txt", old, old.replace(b"10\n", b"ten\nTEN\n"))
    (hunk,) = diff.hunks
    assert (diff.added, diff.removed, hunk.unchanged_before, diff.unchanged_after) == (2, 1, 6, 7)
    assert [line.text for line in hunk.lines] == ["7", "8", "9", "10", "ten", "TEN", "11", "12", "13"]
    assert [(line.old, line.new) for line in hunk.lines][-1] == (13, 14)


def test_near_changes_share_a_hunk_and_far_ones_do_not() -> None:
    old = [str(n) for n in range(40)]
    new = old.copy()
    new[5], new[11], new[30] = "x", "y", "z"
    diff = diff_contents("a", "\n".join(old).encode(), "\n".join(new).encode())
    assert [hunk.unchanged_before for hunk in diff.hunks] == [2, 12]


def test_new_deleted_and_empty_files_are_told_apart() -> None:
    assert diff_contents("a", None, b"x\n").is_new
    assert diff_contents("a", b"x\n", None).is_deleted
    assert "empty" in said(diff_contents("a", None, b""))
    assert "empty" in said(diff_contents("a", b"", None))


def test_changes_inside_a_line_are_marked_by_words() -> None:
    diff = diff_contents("a.py", b"value = compute(first, second)\n", b"value = compute(third, second)\n")
    removed, added = diff.hunks[0].lines
    assert [removed.text[a:b] for a, b in removed.marks] == ["first"]
    assert [added.text[a:b] for a, b in added.marks] == ["third"]


def test_a_changed_line_is_compared_with_the_one_it_became() -> None:
    """A line put before it does not take its place."""
    diff = diff_contents("a.py", b"total = add(one, two)\n", b"# a remark\n\ntotal = add(one, three)\n")
    marked = {line.text: [line.text[a:b] for a, b in line.marks] for line in diff.hunks[0].lines if line.marks}
    assert marked == {"total = add(one, two)": ["two"], "total = add(one, three)": ["three"]}


def test_the_enclosing_function_is_named() -> None:
    body = "".join(f"        step_{n}()\n" for n in range(10))
    old = f"class Machine:\n    def start(self):\n{body}".encode()
    diff = diff_contents("m.py", old, old.replace(b"step_8", b"leap_8"))
    assert diff.hunks[0].symbol == "def start(self)"
    assert diff.language == "python"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"a\r\nb\r\n", b"a\nb\n", "from CRLF to LF"),
        (b"a\r\nb\n", b"a\nb\n", "from mixed to LF"),
        (b"a\r\nb\nc\n", b"a\nb\r\nc\n", "endings of 2 lines change, first in line 1"),
        (b"a\n", b"a", "end of the file is removed"),
        (b"a", b"a\n", "end of the file is added"),
        (b"a\n", b"\xef\xbb\xbfa\n", "byte order mark is added"),
        ("é\n".encode("latin-1"), "é\n".encode(), "from Latin-1 to UTF-8"),
        ("\ufeffa\n".encode("utf-16-le"), b"a\n", "from UTF-16 LE to UTF-8"),
    ],
)
def test_what_the_lines_do_not_show_is_said(old: bytes, new: bytes, expected: str) -> None:
    """`R-7`"""
    assert expected in said(diff_contents("a", old, new))


@pytest.mark.parametrize(
    "new",
    [b"rm -rf ~\n" + b"\x01" * 500, b"\x1b" * 40 + b"\x07" * 400 + b"rm -rf ~\n", b"rm -rf ~\n\xff" + b"\x02" * 500],
    ids=["controls", "bells", "not UTF-8"],
)
@pytest.mark.parametrize("old", [None, b"a\n"])
def test_control_characters_cannot_blank_a_difference(old: bytes | None, new: bytes) -> None:
    """`R-5`"""
    diff = diff_contents("a.sh", old, new)
    assert not diff.is_binary
    assert any("rm -rf ~" in text for _, text in lines_of(diff))
    assert any("hidden" in text for text in warnings(diff))


@pytest.mark.parametrize("old", [None, b"", b"a\n"])
def test_text_that_becomes_binary_is_warned_of(old: bytes | None) -> None:
    diff = diff_contents("a.sh", old, b"rm -rf ~\n" + b"\0" * 1500)
    assert diff.is_binary
    assert warnings(diff) == ["The new content is binary: it has 1,500 NUL characters, and its lines cannot be shown"]
    assert warnings(diff_contents("a.bin", b"\0\xff", b"\0\0\xff")) == []


def test_binary_content_has_sizes_and_digests_and_no_hunks() -> None:
    diff = diff_contents("a.png", b"\x89PNG\0\xff", bytes(range(256)))
    assert (diff.is_binary, diff.hunks) == (True, ())
    assert "6 bytes" in said(diff)
    assert "256 bytes" in said(diff)


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("if access != 'user\u202e \u2066// admin only\u2069 \u2066':", ["<U+202E>", "<U+2066>", "<U+2069>"]),
        ("ad\u200bmin = True\x00", ["<U+200B>", "<U+0000>"]),
        ("wget x | sh\r\x1b[2Kgit status", ["<U+000D>", "<U+001B>"]),
        ("tag\U000e0041", ["<U+E0041>"]),
    ],
)
def test_hidden_characters_are_warned_of_and_shown_as_tokens(line: str, tokens: list[str]) -> None:
    """`C02`: nothing reorders, hides or overwrites what is reviewed."""
    diff = diff_contents("a.py", b"x\n", f"{line}\n".encode())
    text = unified_text(diff, colour=False)
    assert len(warnings(diff)) == 1
    assert f" {len(find_hidden(line))} character" in warnings(diff)[0]
    for token in tokens:
        assert token in text
        assert token in warnings(diff)[0]
    assert not find_hidden(text)


def test_a_path_with_hidden_characters_is_warned_of() -> None:
    diff = diff_contents("report\u202egpj.exe", None, b"x\n")
    assert "path" in warnings(diff)[0]
    assert "report<U+202E>gpj.exe" in unified_text(diff, colour=False)


@pytest.mark.parametrize("line", ["name = 'שלום'  # Hebrew", "family = '👨‍👩‍👧‍👦'", "tab\there", "naïve 漢字"])
def test_ordinary_text_of_any_language_gives_no_warning(line: str) -> None:
    diff = diff_contents("a.py", b"x\n", f"{line}\n".encode())
    assert warnings(diff) == []
    assert visible(line) == line


def test_terminal_colours_are_the_only_escapes() -> None:
    diff = diff_contents("a", b"x\n", b"\x1b[2Jy\n")
    text = unified_text(diff, colour=True)
    assert "<U+001B>[2Jy" in text
    assert "\x1b[32m+" in text
    assert "\x1b[2J" not in text


def test_a_change_in_one_huge_line_is_marked_where_it_is() -> None:
    """`C03`"""
    diff = diff_contents("a", b"x," * 500_000, b"x," * 500_000 + b"y")
    added = diff.hunks[0].lines[-1]
    assert added.marks == ((1_000_000, 1_000_001),)
    assert "1,000,001 characters" in said(diff)


def test_a_long_middle_is_one_mark() -> None:
    old = b"a" * 3000 + b"x" + b"b" * 3000
    diff = diff_contents("a", old, b"a" * 2990 + b"y" + b"b" * 3010)
    assert diff.hunks[0].lines[0].marks == ((2990, 3001),)


def test_marks_never_cut_an_emoji() -> None:
    family = "👨‍👩‍👧‍👦"
    diff = diff_contents("a", (family * 700).encode(), (family * 300 + "👨‍👩‍👧" + family * 399).encode())
    for line in diff.hunks[0].lines:
        for start, end in line.marks:
            assert line.text[start] == "👨" or line.text[start - 1] != "\u200d"
            assert end == len(line.text) or line.text[end] != "\u200d"


def test_a_reindented_file_is_a_plain_replacement_and_says_so() -> None:
    old = "".join(f"    x{n}\n" for n in range(20_000)).encode()
    diff = diff_contents("a", old, old.replace(b"    ", b"\t"))
    assert (diff.added, diff.removed) == (20_000, 20_000)
    assert "replaced as a whole" in said(diff)
    assert "20,000 lines change only in blanks" in said(diff)


def hard_cases() -> dict[str, tuple[str, str]]:
    draw = random.Random(1)
    big = [f"    line {n} = {draw.random()}" for n in range(50_000)]
    edited = big.copy()
    for _ in range(500):
        edited[draw.randrange(50_000)] = "    edited"
    words = ["a b " * 450, "c " * 900]
    return {
        "500 edits": ("\n".join(big), "\n".join(edited)),
        "reversed": ("\n".join(big), "\n".join(reversed(big))),
        "repeated lines": ("x\n" * 50_000, "x\ny\n" * 25_000),
        "few different lines": (
            "\n".join(draw.choice("abc") for _ in range(20_000)), "\n".join(draw.choice("abc") for _ in range(20_000)),
        ),
        "repeated words": (
            "\n".join(draw.choice(words) for _ in range(399)), "\n".join(draw.choice(words)[:-8] for _ in range(399)),
        ),
        "one huge line": ("x " * 500_000, "y " * 500_000),
        "small gaps": ("\n".join(f"k{n}\n" + "a\nb\n" * 90 for n in range(100)),
                       "\n".join(f"k{n}\n" + "b\na\n" * 90 for n in range(100))),
    }  # fmt: skip


@pytest.mark.parametrize("name", hard_cases())
@pytest.mark.timeout(30)  # what is quadratic takes minutes here
def test_no_pair_of_files_is_compared_in_quadratic_time(name: str) -> None:
    old, new = hard_cases()[name]
    diff = diff_contents("x.py", old.encode(), new.encode())
    assert diff.added and diff.removed
