"""Bytes as text and back, with nothing lost: encoding, byte order mark and line endings are kept (`R-7`).

A line ends at LF or CRLF and nowhere else, as for git, grep and editors. The encodings that may be edited are
one-to-one between bytes and text, so what an edit does not touch keeps its bytes.
"""

from __future__ import annotations

import codecs
import re
from functools import cached_property

import msgspec

from placet.core.domain.errors import ToolFailure

_BOMS = (
    (codecs.BOM_UTF8, "UTF-8 with BOM", "utf-8"),
    (codecs.BOM_UTF16_LE, "UTF-16 LE", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "UTF-16 BE", "utf-16-be"),
)
_ENDING = re.compile("\r?\n")
_BARE_LF = re.compile("(?<!\r)\n")


class NotText(ToolFailure):
    """The bytes are no text that can be edited."""


class TextFile(msgspec.Struct, frozen=True, dict=True):
    """The text of a file without its byte order mark. `encoding` is for reading, `codec` for Python."""

    text: str
    encoding: str = "UTF-8"
    codec: str = "utf-8"
    bom: bytes = b""
    can_edit: bool = True

    @cached_property
    def lines(self) -> list[str]:
        """The lines with their endings; only the last may have none."""
        return split_lines(self.text)

    @cached_property
    def newline(self) -> str:
        """The more frequent ending; LF where there is none."""
        crlf = self.text.count("\r\n")
        return "\r\n" if 2 * crlf > self.text.count("\n") else "\n"

    @property
    def newline_name(self) -> str:
        crlf, every = self.text.count("\r\n"), self.text.count("\n")
        return "LF" if not crlf else "CRLF" if crlf == every else "mixed LF and CRLF"

    def encode(self, text: str) -> bytes:
        """Return `text` as bytes of this file's kind. Raises: ToolFailure."""
        return self.bom + encode(text, self.codec)


def encode(text: str, codec: str = "utf-8") -> bytes:
    """Raises: ToolFailure where the text has halves of surrogate pairs."""
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        point = f"U+{ord(text[error.start]):04X}"
        raise ToolFailure(
            f"The text cannot be written: {point} is half of a character. Send whole characters."
        ) from error


def decode(data: bytes) -> TextFile:
    """Return bytes as text for editing. Raises: NotText."""
    file = decode_for_reading(data)
    if not file.can_edit:
        raise NotText(
            "The file is no UTF-8 or UTF-16 text, so a text tool cannot edit it without damage. "
            "Convert it first, for example with iconv through execute_cmd."
        )
    return file


def decode_for_reading(data: bytes) -> TextFile:
    """As `decode`, but text in an older one-byte encoding is shown too. Raises: NotText."""
    for bom, encoding, codec in _BOMS:
        if data.startswith(bom):
            return TextFile(_strict(data[len(bom) :], codec), encoding, codec, bom)
    if b"\0" in data:
        raise _no_text(data, "it contains NUL bytes")
    try:
        return TextFile(data.decode())
    except UnicodeDecodeError:
        return _one_byte(data)


def _strict(data: bytes, codec: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise _no_text(data, f"its bytes are no valid {codec}") from error
    if "\0" in text:
        raise _no_text(data, "it contains NUL characters")
    return text


def _one_byte(data: bytes) -> TextFile:
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if sum(1 for char in text[:4096] if ord(char) < 32 and char not in "\t\n\r\f\v\x1b") > len(text[:4096]) // 50:
        raise _no_text(data, "its bytes are no text")
    return TextFile(text, "no UTF-8; shown as Windows-1252", "cp1252", can_edit=False)


def _no_text(data: bytes, why: str) -> NotText:
    return NotText(f"The file is binary ({len(data):,} bytes; {why}); text tools can neither show nor edit it.")


def split_lines(text: str) -> list[str]:
    """Cut after every LF and nowhere else; the endings stay."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def bare(line: str) -> str:
    """Return the line without its ending."""
    return line[: len(line) - len(ending(line))]


def ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def content_lines(content: str) -> list[str]:
    """Return what a model sent as whole lines, without endings; a last ending begins no further line."""
    return [bare(line) for line in split_lines(content)]


def line_number(text: str, offset: int) -> int:
    """Return the line, from 1, that the character at `offset` is in."""
    return text.count("\n", 0, offset) + 1


def to_crlf(text: str) -> str:
    """Return the text with every LF that has no CR before it made CRLF."""
    return _BARE_LF.sub("\r\n", text)


def to_lf(text: str) -> str:
    return _ENDING.sub("\n", text)
