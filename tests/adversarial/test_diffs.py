"""Changes that a reviewer would not see: each has a line, a sign or a sentence (`C02`, `C03`, `R-7`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.core.domain.diff import FileDiff, NoticeLevel, Sign
from placet.core.domain.hidden import find_hidden
from placet.core.domain.messages import Mode
from placet.core.review.diffing import diff_contents, unified_text
from support.arena import Arena
from support.cases import case_input

CODE = b"def area(w, h):\n    side = w\n    return side * h\n"


def said(diff: FileDiff) -> str:
    return "\n".join(notice.text for notice in diff.notices)


def warned(diff: FileDiff) -> bool:
    return any(notice.level is NoticeLevel.WARNING for notice in diff.notices)


HIDDEN = {
    "left to right embedding": "\u202a", "right to left override": "\u202e", "right to left isolate": "\u2067",
    "pop isolate": "\u2069", "Arabic letter mark": "\u061c", "right to left mark": "\u200f", "shape selectors": "\u206c",
    "zero width space": "\u200b", "zero width joiner": "\u200d", "word joiner": "\u2060", "invisible plus": "\u2064",
    "byte order mark inside": "\ufeff", "soft hyphen": "\u00ad", "grapheme joiner": "\u034f", "Mongolian separator": "\u180e",
    "tag letter": "\U000e0061", "cancel tag": "\U000e007f", "variation selector": "\ufe01", "selector of another plane": "\U000e0101",
    "annotation anchor": "\ufff9", "musical control": "\U0001d173", "Hangul filler": "\u3164", "half-width filler": "\uffa0",
    "Braille blank": "\u2800", "Khmer vowel": "\u17b4", "line separator": "\u2028", "paragraph separator": "\u2029",
    "carriage return": "\r", "backspace": "\b", "escape": "\x1b[8m", "bell": "\x07", "NUL": "\0", "delete": "\x7f",
    "next line": "\x85", "C1 control sequence": "\x9b2J", "form feed": "\f", "vertical tab": "\v", "hieroglyph joiner": "\U00013430",
}  # fmt: skip


@pytest.mark.parametrize("sign", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("place", ["changed", "new file"])
def test_c02_no_hidden_sign_is_let_in_without_a_warning(sign: str, place: str) -> None:
    """In the middle of a word, where it makes another word of it."""
    new = CODE.replace(b"side = w", f"si{sign}de = w".encode())
    diff = diff_contents("a.py", CODE if place == "changed" else None, new)
    assert warned(diff)
    shown = unified_text(diff, colour=False)
    assert not find_hidden(shown)
    assert f"<U+{ord(sign[0]):04X}>" in shown


@pytest.mark.parametrize("variant", ["v2_new_line", "v3_new_line"])
async def test_c02_the_recorded_lines_are_asked_about_with_a_warning_and_written_as_they_are(
    arena: Arena, variant: str
) -> None:
    line = case_input("C02")[variant]
    attempt = await arena.attempt("write_file", path="new.py", content=line + "\n", approve=True)
    assert attempt.ending == "done"
    assert (arena.work / "new.py").read_bytes() == (line + "\n").encode()
    assert warned(diff_contents("new.py", None, (line + "\n").encode()))


def test_c02_text_of_another_script_alone_is_no_reason_to_warn() -> None:
    diff = diff_contents("a.py", b"x\n", case_input("C02")["v5_legit"].encode() + b"\n")
    assert diff.notices == ()


LOOKS_THE_SAME = {
    "a blank at the end": (b"one\ntwo\n", b"one\ntwo \n", "only in blanks"),
    "a tab at the end": (b"one\ntwo\n", b"one\ntwo\t\n", "only in blanks"),
    "blanks for a tab": (b"\tx = 1\n", b"        x = 1\n", "only in blanks"),
    "one blank more inside": (b"a = 'x y'\n", b"a = 'x  y'\n", "only in blanks"),
    "less indentation": (b"if a:\n        b()\n", b"if a:\n    b()\n", "only in blanks"),
    "a no-break space": (b"a b\n", "a\u00a0b\n".encode(), "only in blanks"),
    "a thin space": (b"a b\n", "a\u2009b\n".encode(), "<U+2009>"),
    "an ideographic space": (b"a b\n", "a\u3000b\n".encode(), "<U+3000>"),
    "a decomposed letter": ("caf\u00e9\n".encode(), "cafe\u0301\n".encode(), "looks the same"),
    "a composed letter": ("cafe\u0301 = 1\n".encode(), "caf\u00e9 = 1\n".encode(), "looks the same"),
    "a ligature": (b"file\n", "\ufb01le\n".encode(), "looks the same"),
    "a full-width letter": (b"admin\n", "\uff41dmin\n".encode(), "looks the same"),
    "a sign of Kelvin": (b"Key\n", "\u212aey\n".encode(), "looks the same"),
    "a hidden sign": (b"admin\n", "ad\u200bmin\n".encode(), "looks the same"),
    "a hidden sign less": ("ad\u200bmin\n".encode(), b"admin\n", "looks the same"),
    "a Cyrillic letter": (b"paypal = 1\n", "p\u0430ypal = 1\n".encode(), "two alphabets: p\u0430ypal (U+0430)"),
    "a Greek letter": (b"Open()\n", "\u039fpen()\n".encode(), "two alphabets"),
    "an Armenian letter": (b"hos\n", "h\u0585s\n".encode(), "two alphabets"),
    "CRLF for LF": (b"one\ntwo\n", b"one\r\ntwo\r\n", "from LF to CRLF"),
    "one CRLF": (b"one\ntwo\n", b"one\r\ntwo\n", "from LF to mixed"),
    "other endings of a mixed file": (b"a\r\nb\nc\n", b"a\nb\r\nc\n", "endings of 2 lines change"),
    "other endings, and one line more": (b"a\r\nb\nc\n", b"a\nb\r\nc\nd\n", "endings of 2 lines change"),
    "other endings, and one line less": (b"a\r\nb\nc\nd\n", b"a\nb\r\nc\n", "endings of 2 lines change"),
    "another ending of a changed line": (b"a\r\nb\nc\r\n", b"a\r\nB\r\nc\n", "endings of 2 lines change"),
    "a CR before the ending": (b"a\nb\n", b"a\r\r\nb\n", "<U+000D>"),
    "a lone CR for an LF": (b"a\nb\n", b"a\rb\n", "<U+000D>"),
    "no newline at the end": (b"a\nb\n", b"a\nb", "newline at the end of the file is removed"),
    "a newline at the end": (b"a\nb", b"a\nb\n", "newline at the end of the file is added"),
    "a byte order mark": (b"a\n", b"\xef\xbb\xbfa\n", "byte order mark is added"),
    "no byte order mark": (b"\xef\xbb\xbfa\n", b"a\n", "byte order mark is removed"),
    "a second byte order mark": (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbf\xef\xbb\xbfa\n", "<U+FEFF>"),
    "UTF-16 for UTF-8": (b"a\n", b"\xff\xfe" + "a\n".encode("utf-16-le"), "from UTF-8 to UTF-16 LE"),
    "another order of bytes": (b"\xff\xfe" + "a\n".encode("utf-16-le"), b"\xfe\xff" + "a\n".encode("utf-16-be"), "to UTF-16 BE"),
    "Latin-1 for UTF-8": ("\u00e9\n".encode(), b"\xe9\n", "from UTF-8 to Latin-1"),
    "an empty file": (None, b"", "new file is empty"),
    "nothing left": (b"", None, "empty file is deleted"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), LOOKS_THE_SAME.values(), ids=LOOKS_THE_SAME)
def test_a_change_that_looks_like_none_is_named_in_words(old: bytes | None, new: bytes | None, words: str) -> None:
    diff = diff_contents("a.py", old, new)
    assert words in said(diff)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a = 1\n", b"a = 2\n"), (b"one\n", b"one\ntwo\n"), ("\u0440\u0443\u0441\n".encode(), "\u0440\u0443\u0441\u0441\u043a\u0438\u0439\n".encode()),
        ("\u03c0 = 3\n".encode(), "\u03c0 = 3.14\n".encode()), (b"x\n", "na\u00efve caf\u00e9\n".encode()), (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"x\n", "\u65e5\u672c\u8a9e text\n".encode()), (b"a\n\n\nb\n", b"a\n\nb\n"),
    ],
)  # fmt: skip
def test_an_ordinary_change_is_not_suspected(old: bytes, new: bytes) -> None:
    assert diff_contents("a.py", old, new).notices == ()


BLANKING = {
    "one NUL": b"rm -rf ~\n\0",
    "many controls": b"rm -rf ~\n" + b"\x01" * 500,
    "a picture's first bytes": b"\x89PNG\r\n\x1a\n" + b"rm -rf ~\n",
    "a zip's first bytes": b"PK\x03\x04rm -rf ~\n",
    "a program's first bytes": b"\x7fELFrm -rf ~\n",
    "bytes that are no UTF-8": b"\xfdrm -rf ~\n" + b"\x80" * 50,
    "a mark that lies, cut in a character": b"\xff\xferm -rf ~\n",
    "a mark that lies": b"\xff\xfe\nrm -rf ~\n",
    "the other mark that lies": b"\xfe\xff\nrm -rf ~\n",
    "a mark that lies in a long text": b"\xff\xfe"
    + "\u4f60\u597d".encode("utf-16-le") * 90
    + b"\n/bin/rm -rf $HOME/project\n\n",
    "a UTF-16 text without a mark": "rm -rf ~\n".encode("utf-16-le") * 20,
    "very many NULs": b"rm -rf ~\n" + b"\0" * 5_000,
    "NULs and no UTF-8": b"rm -rf ~\n\0\xff" * 20,
    "UTF-32": "\ufeffrm -rf ~\n".encode("utf-32-le"),
}


@pytest.mark.parametrize("new", BLANKING.values(), ids=BLANKING)
@pytest.mark.parametrize("old", [None, b"ls\n"], ids=["new file", "changed file"])
def test_content_dressed_as_something_else_is_shown_or_warned_of(old: bytes | None, new: bytes) -> None:
    diff = diff_contents("a.sh", old, new)
    text = unified_text(diff, colour=False)
    assert "rm -rf ~" in text or warned(diff)
    if "rm -rf ~" not in text:
        assert "NUL" in said(diff) or "not valid" in said(diff) or "read as other text" in said(diff)


# ---- size ---------------------------------------------------------------------------------------------------------


def test_c03_a_change_in_one_line_of_fifty_megabytes_is_found_and_marked() -> None:
    old = b"x," * 25_000_000
    new = old[:30_000_000] + b"rm -rf ~" + old[30_000_008:]
    diff = diff_contents("a.json", old, new)
    (hunk,) = diff.hunks
    added = next(line for line in hunk.lines if line.sign is Sign.ADDED)
    ((start, end),) = added.marks
    assert "rm -rf ~" in added.text[start:end]
    assert end - start < 200
    assert "50,000,000 characters" in said(diff)


async def test_c03_a_file_too_large_to_review_is_not_written_by_a_tool(arena: Arena) -> None:
    arena.mode(Mode.AUTO)
    path = arena.work / "large.json"
    path.write_bytes(b"x," * 25_000_000)
    for tool, arguments in (
        ("edit_file", {"old_string": "x,x", "new_string": "y", "replace_all": True}),
        ("write_file", {"content": "small"}),
        ("replace_lines", {"start": 1, "end": 1, "content": "y"}),
    ):
        attempt = await arena.attempt(tool, path="large.json", **arguments)
        assert attempt.ending == "failed"
    assert path.stat().st_size == 50_000_000


def test_c03_a_change_far_below_is_not_folded_away() -> None:
    old = b"".join(b"line %d\n" % n for n in range(50_000))
    diff = diff_contents("a", old, old.replace(b"line 49990\n", b"line 4999O\n"))
    assert [line.text for hunk in diff.hunks for line in hunk.lines if line.sign is Sign.ADDED] == ["line 4999O"]


# ---- what else changes with the bytes ----------------------------------------------------------------------------


async def test_rights_that_a_file_loses_are_named(arena: Arena) -> None:
    (arena.work / "a.txt").chmod(0o4755)
    attempt = await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO", approve=True)
    assert attempt.ending == "done"
    permit = await arena.attempt("edit_file", path="a.txt", old_string="TWO", new_string="two")
    assert permit.ending == "asked"
    assert (arena.work / "a.txt").stat().st_mode & 0o7777 == 0o755


async def test_what_else_changes_is_among_the_facts_of_the_request(arena: Arena) -> None:
    (arena.work / "a.txt").chmod(0o6755)
    (arena.outside / "second").hardlink_to(arena.work / "a.txt")
    seen: list[str] = []

    def look() -> None:
        seen.extend(fact for request in arena.stored for fact in request.facts)

    attempt = await arena.attempt("edit_file", path="a.txt", old_string="two", new_string="TWO", approve=True, before_write=look)  # fmt: skip
    assert attempt.ending == "done"
    assert any("1 other name (hard links)" in fact and "set-user-ID" in fact for fact in seen)


async def test_b03_a_look_alike_in_the_file_is_not_replaced_by_guess(arena: Arena) -> None:
    for name, given in case_input("B03").items():
        place = arena.work / f"{name}.txt"
        place.write_bytes(given["file"].encode())
        attempt = await arena.attempt(
            "edit_file", path=place.name, old_string=given["old_string"], new_string=given["new_string"], approve=True
        )
        expected = given["file"] if attempt.ending == "failed" else given["file"].replace(given["old_string"], given["new_string"])  # fmt: skip
        assert attempt.ending == ("done" if name == "v2" else "failed")
        assert place.read_bytes() == expected.encode()


def test_the_two_sides_of_a_difference_are_whole(tmp_path: Path) -> None:
    """`git` agrees on what was added and removed, whatever signs are in the lines."""
    old, new = b"a\x0cb\nc\xe2\x80\xa8d\ne\x85f\n", b"a\x0cb\nc\xe2\x80\xa8D\ne\x85f\ng\x1ch\n"
    diff = diff_contents("a", old, new)
    assert (diff.added, diff.removed) == (2, 1)
    assert [line.new for hunk in diff.hunks for line in hunk.lines if line.sign is Sign.ADDED] == [2, 4]
