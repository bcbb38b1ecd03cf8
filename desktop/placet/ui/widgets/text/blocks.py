"""Markdown cut into top-level blocks, whole or while it streams. Pure: knows the grammar, nothing of Qt.

Blocks are exact slices: put together they give the source back, character by character. Only the last one can still
change when more text arrives; the parser itself says where it begins, so fences, lists, lazy lines and link
definitions are cut as they will be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

import msgspec
from markdown_it.token import Token

from placet.ui.widgets.text.markdown import block_tokens

WINDOW = 4000
"""Longest stretch that is laid out as one; longer paragraphs, lists and tables go on in a further block."""

TABLE_LINES = 64
"""Lines of a table that are laid out as one: a cell costs as much as a paragraph."""

_BLANK = " \t\r\n"
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_OPENING = re.compile(r"(?<![^\r\n])(?P<indent> {0,3})(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)(?:\r\n|\r|\n)?")


class BlockKind(StrEnum):
    PROSE = "prose"
    CODE = "code"


class Block(msgspec.Struct, frozen=True):
    """One slice of the source. `lead` is to be rendered before it, where it goes on from the one before:
    the head of a table. `is_joined` says that it goes on.
    """

    source: str
    kind: BlockKind = BlockKind.PROSE
    lead: str = ""
    is_joined: bool = False


class Fence(msgspec.Struct, frozen=True):
    """A fenced block taken apart. `code` is verbatim, without the line end before the closing mark."""

    language: str
    code: str
    is_closed: bool


def read_fence(source: str) -> Fence:
    """Take a `BlockKind.CODE` source apart by the rules of CommonMark."""
    opening = _OPENING.search(source)
    assert opening is not None
    body_at = opening.end()
    closing = _closing(opening["mark"]).search(source, body_at) if source[body_at - 1] in "\r\n" else None
    body = source[body_at : closing.start()] if closing else source[body_at:]
    if indent := len(opening["indent"]):
        lines = _lines(body)
        body = "".join(line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines)
    return Fence(opening["info"].strip(), _unended(body), closing is not None)


def language_of(info: str) -> str:
    """The language of a fence's info string: its first word."""
    return info.split(maxsplit=1)[0].strip("{}.,") if info.strip() else ""


class BlockSplitter:
    """Cuts streamed Markdown. What `feed` returns never changes again, however the text was cut into pieces."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._lead = ""
        self._joined = False
        self._closing: re.Pattern[str] | None = None  # of the open fence that the tail starts with
        self._scanned = 0

    @property
    def tail(self) -> str:
        """What is not finished."""
        return self._text[self._at :]

    def feed(self, piece: str) -> list[Block]:
        """Take more text; return the blocks that are finished by it."""
        self._text += piece
        done: list[Block] = []
        while (made := self._step()) is not None:
            done += made
        self._text, self._scanned, self._at = self.tail, self._scanned - self._at, 0
        return done

    def open_blocks(self) -> list[Block]:
        """`tail` as it would be rendered if nothing followed."""
        if not self.tail:
            return []
        if self._closing is not None:
            return [Block(self.tail, BlockKind.CODE)]
        return self._as_blocks(self.tail, _starts(self.tail, self._lead))

    def _step(self) -> list[Block] | None:
        """Blocks that are finished now, or None when more text is needed."""
        if self._at >= len(self._text):
            return None
        if self._closing is not None:
            return self._fence()
        end, is_longer = len(self._text), len(self._text) - self._at > WINDOW
        if is_longer:
            end = self._text.rfind("\n", self._at, self._at + WINDOW) + 1 or self._at + WINDOW
        window = self._text[self._at : end]
        starts = _starts(window, self._lead)
        if table_end := _long_table_end(window, starts):
            return [self._force(window[:table_end], starts)]
        sure = len(starts) - 1
        if sure > 0 and starts[-1].offset >= _last_line_offset(window) and starts[-2].kind is BlockKind.PROSE:
            sure -= 1  # its one line is not complete: it may yet turn into a part of the block before
        if sure > 0:
            end = starts[sure].offset
            done = self._as_blocks(window[:end], starts[:sure])
            self._consume(end)
            return done
        if len(starts) == 1 and starts[0].kind is BlockKind.CODE:
            return self._fence()
        return [self._force(window, starts)] if is_longer else None

    def _consume(self, length: int) -> None:
        self._at += length
        self._lead, self._joined, self._closing, self._scanned = "", False, None, 0

    def _as_blocks(self, text: str, starts: Sequence[_Start]) -> list[Block]:
        cuts = [0, *(start.offset for start in starts[1:]), len(text)]
        made = []
        for index, (a, b) in enumerate(pairwise(cuts)):
            kind = starts[index].kind if starts else BlockKind.PROSE
            goes_on = index == 0 and self._joined
            made.append(Block(text[a:b], kind, self._lead if goes_on else "", goes_on))
        return made

    # ---- a fence may be long: it is scanned once for its closing mark ------------------------------------------

    def _fence(self) -> list[Block] | None:
        """The tail is one fence, open or closed. It is finished as soon as something follows its closing mark."""
        opening = _OPENING.search(self._text, self._at)
        assert opening is not None
        if self._text[opening.end() - 1] not in "\r\n":
            return None
        self._closing = self._closing or _closing(opening["mark"])
        closing = self._closing.search(self._text, max(self._scanned, opening.end()))
        if closing is None:
            self._scanned = max(opening.end(), self._text.rfind("\n") + 1)
            return None
        after = _NOT_BLANK.search(self._text, closing.end())
        if after is None:
            self._closing = None  # there are two ways to go on: with blank lines, or by overwriting a partial mark
            return None
        length = max(self._text.rfind("\n", 0, after.start()), self._text.rfind("\r", 0, after.start())) + 1 - self._at
        block = Block(self._text[self._at : self._at + length], BlockKind.CODE)
        self._consume(length)
        return [block]

    # ---- what does not end is cut for display ------------------------------------------------------------------

    def _force(self, window: str, starts: Sequence[_Start]) -> Block:
        """Cut a paragraph, list or table that fills the window, at the end of a line, item or row."""
        kind = starts[0].token if starts else "paragraph_open"
        end = starts[0].last_item if starts and starts[0].last_item else len(window)
        if not window.endswith("\n"):
            end = _word_end(window)
        lead = self._lead
        if kind == "table_open" and not lead:
            head = _lines(window[starts[0].offset :])[:2]
            lead = "".join(head)
        block = self._as_blocks(window[:end], starts[:1])[0]
        self._consume(end)
        self._joined = True
        self._lead = lead if kind == "table_open" else ""
        return block


def split_blocks(text: str) -> list[Block]:
    """The blocks of a whole text."""
    splitter = BlockSplitter()
    return splitter.feed(text) + splitter.open_blocks()


# ---- where blocks start ----------------------------------------------------------------------------------------


class _Start(msgspec.Struct, frozen=True):
    offset: int
    kind: BlockKind
    token: str
    last_item: int = 0  # where the last item of a list starts, if it is not the only one


def _starts(text: str, lead: str = "") -> list[_Start]:
    """Starts of the top-level blocks. Lines that give no token, which are link definitions, make blocks too.

    `lead` is the head of the table that `text` goes on with.
    """
    lines = _lines(text)
    if (plain := _obvious_starts(lines, lead)) is not None:
        return plain
    shift = len(_lines(lead))
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    found: list[_Start] = []
    end = 0
    tokens = block_tokens(lead + text)
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        start, stop = max(0, token.map[0] - shift), max(0, token.map[1] - shift)
        start = _definitions(lines, offsets, end, start, token.type, found)
        kind = BlockKind.CODE if token.type == "fence" else BlockKind.PROSE
        items = _item_starts(tokens, index) if token.type.endswith("list_open") else []
        last = offsets[items[-1] - shift] if len(items) > 1 else 0
        found.append(_Start(offsets[start], kind, token.type, last))
        end = stop
    _definitions(lines, offsets, end, len(lines), "", found)
    return found


def _long_table_end(text: str, starts: Sequence[_Start]) -> int:
    """Where a table that comes first is cut, 0 where it is short. Lines that may still grow do not count."""
    if not starts or starts[0].token != "table_open":
        return 0
    extent = text[: starts[1].offset] if len(starts) > 1 else text
    lines = extent[: extent.rfind("\n") + 1].rstrip(_BLANK).split("\n")
    return sum(len(line) + 1 for line in lines[:TABLE_LINES]) if len(lines) > TABLE_LINES else 0


def _obvious_starts(lines: Sequence[str], lead: str) -> list[_Start] | None:
    """The starts where no line can be anything but words, or a table's row: most text, at a tenth of the cost."""
    if lead:
        return [_Start(0, BlockKind.PROSE, "table_open")] if all(line[0] == "|" for line in lines) else None
    found: list[_Start] = []
    at, in_paragraph = 0, False
    for line in lines:
        if not line.strip(_BLANK):
            in_paragraph = False
        elif not line[0].isalpha():
            return None
        elif not in_paragraph:
            found.append(_Start(at, BlockKind.PROSE, "paragraph_open"))
            in_paragraph = True
        at += len(line)
    return found


def _definitions(
    lines: Sequence[str], offsets: Sequence[int], begin: int, end: int, before: str, found: list[_Start]
) -> int:
    """Add a block for each run of lines in [begin, end) that gave no token; return where the next block starts.

    A run that touches a paragraph is still a part of it: its definitions may turn out to go on.
    """
    run = -1
    for number in range(begin, end):
        if not lines[number].strip(_BLANK):
            run = -1
        elif run < 0:
            run = number
            found.append(_Start(offsets[number], BlockKind.PROSE, "definition"))
    if run >= 0 and before == "paragraph_open":
        found.pop()
        return run
    return end


def _item_starts(tokens: Sequence[Token], index: int) -> list[int]:
    found = []
    for token in tokens[index + 1 :]:
        if token.level == 0:
            break
        if token.type == "list_item_open" and token.level == 1 and token.map is not None:
            found.append(token.map[0])
    return found


def _lines(text: str) -> list[str]:
    """Lines with their ends, as the parser counts them: U+2028 and the like do not end one."""
    if "\r" not in text:
        parts = text.split("\n")
        lines = [part + "\n" for part in parts[:-1]]
        return [*lines, parts[-1]] if parts[-1] else lines
    cuts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    lines = [text[a:b] for a, b in pairwise(cuts)]
    return [*lines, text[cuts[-1] :]] if cuts[-1] < len(text) else lines


def _last_line_offset(text: str) -> int:
    """Where the last line starts that may still grow; the length of the text if its last line is complete."""
    if text.endswith("\n"):
        return len(text)
    lines = _lines(text)
    return len(text) - len(lines[-1])


def _word_end(window: str) -> int:
    """After a space behind which a word starts; the next piece must not look like a list or a heading."""
    for at in range(len(window) - 1, max(len(window) - 400, 0), -1):
        if window[at].isalpha() and window[at - 1] == " ":
            return at
    return len(window)


def _closing(mark: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\r\n]) {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*(?:\r\n|\r|\n|\Z)")


def _unended(body: str) -> str:
    """Without the line end before the closing mark, and with the line ends that the parser sees."""
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    return body[:-1] if body.endswith("\n") else body
