"""Bytes of a file as a person may read them, and back: encoding, byte order mark, line endings.

Both ways are exact: a content that was not changed gives the bytes it was read from.
"""

from __future__ import annotations

import codecs
import re

import msgspec

_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16 BE"),
)
_CONTROL = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f]")
_MANY_CONTROLS = 0.1


class Content(msgspec.Struct, frozen=True):
    """One side of a difference. `lines` are without endings; `endings` has one for each, "" where the last has none.

    `is_guess` says that the bytes are not valid in any Unicode encoding and are shown as Latin-1.
    """

    lines: list[str]
    endings: list[str]
    encoding: str = "UTF-8"
    has_mark: bool = False
    is_guess: bool = False
    is_binary: bool = False

    @property
    def newline(self) -> str:
        """LF, CRLF, mixed, or none."""
        kinds = set(self.endings) - {""}
        if len(kinds) > 1:
            return "mixed"
        return {"\n": "LF", "\r\n": "CRLF"}[kinds.pop()] if kinds else "none"

    @property
    def ends_with_newline(self) -> bool:
        return not self.endings or self.endings[-1] != ""


def read_content(data: bytes | None) -> Content:
    """Decode for reading. Only LF and CRLF end a line; a CR elsewhere is a character like any other.

    Whatever has no NUL is text, however many control characters it has: nothing to be reviewed may be blanked by them.
    """
    if not data:
        return Content([], [])
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            try:
                return _split(data[len(mark) :].decode(codec), name, has_mark=True)
            except UnicodeDecodeError:
                break
    try:
        text, is_guess = data.decode("utf-8"), False
    except UnicodeDecodeError:
        text, is_guess = data.decode("latin-1"), True
    if "\0" in text and (is_guess or len(_CONTROL.findall(text)) > _MANY_CONTROLS * len(text)):
        return Content([], [], "binary", is_binary=True)
    return _split(text, "Latin-1" if is_guess else "UTF-8", is_guess=is_guess)


def encode_content(content: Content, text: str) -> bytes:
    """Return `text` as bytes of the content's kind. Raises: UnicodeEncodeError."""
    mark, codec = next(((mark, codec) for mark, codec, name in _MARKS if name == content.encoding), (b"", "latin-1"))
    return (mark if content.has_mark else b"") + text.encode(codec)


def _split(text: str, encoding: str, *, has_mark: bool = False, is_guess: bool = False) -> Content:
    lines = text.split("\n")
    last = lines.pop()
    if "\r\n" in text:
        endings = ["\r\n" if line.endswith("\r") else "\n" for line in lines]
        lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    else:
        endings = ["\n"] * len(lines)
    if last:
        lines.append(last)
        endings.append("")
    return Content(lines, endings, encoding, has_mark, is_guess)
