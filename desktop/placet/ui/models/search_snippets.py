"""A piece of a message as one line of a list of matches: read, not written. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

Marks = tuple[tuple[int, int], ...]

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_SIGNS = re.compile(
    r"^[ \t]{0,3}```[\w+-]*$|\*\*|~~|`+"
    r"|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])"  # a star that begins or ends a stressed word
    r"|^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-+*][ \t]+(?=\S))",
    re.MULTILINE,
)


def readable(snippet: str, marks: Marks) -> tuple[str, Marks]:
    """The text without the signs of Markdown, and where the matches stand in it. What matched is never left out."""
    gone = bytearray(len(snippet))
    for start, end in _signs(snippet):
        gone[start:end] = b"\1" * (end - start)
    for start, end in marks:
        gone[start:end] = bytes(end - start)
    kept: list[str] = []
    at: list[int] = []
    for index, char in enumerate(snippet):
        at.append(len(kept))
        if not gone[index]:
            kept.append(" " if char == "\n" else char)
    at.append(len(kept))
    return "".join(kept), tuple((at[start], at[end]) for start, end in marks)


def _signs(snippet: str) -> Iterator[tuple[int, int]]:
    """The stretches that say how something looks."""
    for link in _LINK.finditer(snippet):
        yield link.start(), link.start(1)
        yield link.end(1), link.end()
    yield from (sign.span() for sign in _SIGNS.finditer(snippet))
