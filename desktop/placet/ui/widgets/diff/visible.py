"""A line of text as it may be shown: hidden characters written out, tabs as spaces, long unchanged stretches cut.

Pure. Text from a model or a file can reorder, overwrite or hide itself when it is drawn as it is; what is drawn
here stands in the order of its bytes. Offsets are code points, of the raw text or of the shown one.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from enum import Enum

import msgspec

from placet.core.domain.hidden import HIDDEN, ODD_SPACES, find_hidden, is_part_of_emoji, token

TAB = 4
LONG_LINE = 1000  # from here on a line is wrapped always, and what did not change in it is cut
_KEPT = 80  # characters kept on each side of what changed
_SHORTEST_CUT = 60

_PRINTABLE = bytes(range(0x20, 0x7F))
_SPECIAL = re.compile(f"[\t{HIDDEN}{ODD_SPACES}]")
_ODD_SPACE = re.compile(f"[{ODD_SPACES}]")


class Kind(Enum):
    TEXT = "text"
    TAB = "tab"
    TOKEN = "token"  # a hidden character's name
    SPACE = "space"  # the name of a blank that is another one than it looks like
    CUT = "cut"


class Piece(msgspec.Struct, frozen=True):
    kind: Kind
    raw: int
    raw_end: int
    shown: int
    text: str

    @property
    def shown_end(self) -> int:
        return self.shown + len(self.text)


class VisibleLine(msgspec.Struct):
    """The shown form of one raw line, and the way between the two."""

    raw: str
    pieces: Sequence[Piece] = ()  # empty: shown exactly as it is
    shown: str = ""
    _raw_starts: list[int] = msgspec.field(default_factory=list)
    _shown_starts: list[int] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        self.shown = "".join(piece.text for piece in self.pieces) if self.pieces else self.raw
        self._raw_starts = [piece.raw for piece in self.pieces]
        self._shown_starts = [piece.shown for piece in self.pieces]

    @property
    def plain(self) -> str:
        """The shown text for reading and searching: tokens and cuts written out, tabs kept."""
        if not self.pieces:
            return self.raw
        return "".join("\t" if piece.kind is Kind.TAB else piece.text for piece in self.pieces)

    def to_raw(self, shown: int) -> int:
        if not self.pieces:
            return min(shown, len(self.raw))
        piece = self.pieces[max(0, bisect_right(self._shown_starts, shown) - 1)]
        if piece.kind is Kind.TEXT:
            return min(piece.raw + shown - piece.shown, piece.raw_end)
        nearer_end = 2 * (shown - piece.shown) > len(piece.text)
        return piece.raw_end if nearer_end else piece.raw

    def to_shown(self, raw: int) -> int:
        if not self.pieces:
            return min(raw, len(self.raw))
        piece = self.pieces[max(0, bisect_right(self._raw_starts, raw) - 1)]
        if piece.kind is Kind.TEXT:
            return min(piece.shown + raw - piece.raw, piece.shown_end)
        return piece.shown if raw <= piece.raw else piece.shown_end

    def marked(self, kind: Kind) -> Iterator[tuple[int, int]]:
        """Shown stretches of one kind of piece."""
        return ((piece.shown, piece.shown_end) for piece in self.pieces if piece.kind is kind)


def make_visible(raw: str, keep: Sequence[tuple[int, int]] | None = None) -> VisibleLine:
    """Write out what is hidden in `raw`.

    `keep` are the raw stretches that must be seen; of a long line everything far from them is cut, and the cut says
    how much of how much is missing. None keeps all.
    """
    cuts = _cuts(raw, keep) if keep is not None and len(raw) > LONG_LINE else []
    if not cuts and not _SPECIAL.search(raw):
        return VisibleLine(raw)
    pieces: list[Piece] = []
    shown = at = 0
    for start, end in [*cuts, (len(raw), len(raw))]:
        for kind, first, last, text in _written_out(raw, at, start, shown):
            pieces.append(Piece(kind, first, last, shown, text))
            shown += len(text)
        if end > start:
            text = f" … {end - start:,} of {len(raw):,} characters unchanged … "
            pieces.append(Piece(Kind.CUT, start, end, shown, text))
            shown += len(text)
        at = end
    return VisibleLine(raw, pieces)


def shown(raw: str) -> str:
    """Return one line for a label: hidden characters and line breaks written out."""
    return make_visible(raw.replace("\t", " ")).shown.replace("\n", "⏎")


def hidden_count(raw: str) -> int:
    """How many characters of `raw` cannot be seen when drawn as they are."""
    return len(find_hidden(raw))


def _written_out(raw: str, start: int, end: int, shown: int) -> Iterator[tuple[Kind, int, int, str]]:
    column, at = shown, start
    for found in _SPECIAL.finditer(raw, start, end):
        here = found.start()
        if is_part_of_emoji(raw, here):
            continue
        if here > at:
            yield Kind.TEXT, at, here, raw[at:here]
            column += here - at
        if found[0] == "\t":
            text, kind = " " * (TAB - column % TAB), Kind.TAB
        else:
            text, kind = token(found[0]), Kind.SPACE if _ODD_SPACE.match(found[0]) else Kind.TOKEN
        yield kind, here, here + 1, text
        column += len(text)
        at = here + 1
    if at < end:
        yield Kind.TEXT, at, end, raw[at:end]


def _cuts(raw: str, keep: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches that are far from everything in `keep`, between whole characters."""
    cuts, at = [], _KEPT
    for start, end in [*sorted(keep), (len(raw) + _KEPT, 0)]:
        first, last = whole_character(raw, min(at, len(raw))), whole_character(raw, min(start - _KEPT, len(raw)))
        if last - first >= _SHORTEST_CUT:
            cuts.append((first, last))
        at = max(at, end + _KEPT)
    return cuts


def changed_span(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """What lies between the common start and the common end of two lines, in each of them."""
    shorter = min(len(old), len(new))
    head = _longest(shorter, lambda n: old[:n] == new[:n])
    tail = _longest(shorter - head, lambda n: not n or old[-n:] == new[-n:])
    return (head, len(old) - tail), (head, len(new) - tail)


def _longest(limit: int, holds: Callable[[int], bool]) -> int:
    """The greatest n up to `limit` for which `holds`, by halving; it must hold for everything below that n."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def whole_character(text: str, at: int) -> int:
    """Move a cut back to where a person sees one character end and the next begin."""
    for _ in range(64):
        if not 0 < at < len(text) or not _continues(text, at):
            break
        at -= 1
    return at


def _continues(text: str, at: int) -> bool:
    here, before = text[at], text[at - 1]
    if here < "\u0300" and before != "\u200d":
        return False
    if _is_flag(here) and _is_flag(before):
        flags = 0
        while flags < 64 and flags < at and _is_flag(text[at - 1 - flags]):
            flags += 1
        return flags % 2 == 1
    joined = (
        before == "\u200d" or here == "\u200d" or "\ufe00" <= here <= "\ufe0f" or "\U0001f3fb" <= here <= "\U0001f3ff"
    )
    return joined or unicodedata.category(here) in ("Mn", "Me", "Mc")


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def columns(text: str) -> int:
    """How many character cells a shown text takes, never too few."""
    return len(text) if text.isascii() else sum(_cells(char) for char in text)


def is_plain(raw: str) -> bool:
    """Whether every character is shown as itself in one cell; quick also for megabytes."""
    return not_plain(raw) == b""


def not_plain(raw: str) -> bytes | None:
    """The characters of a text that are not shown as themselves in one cell; None where some are no ASCII."""
    return raw.encode().translate(None, _PRINTABLE) if raw.isascii() else None


def cells_at_most(raw: str) -> int:
    """A quick bound for the cells that the shown form of `raw` takes: for scroll ranges, and to skip wrapping."""
    if is_plain(raw):
        return len(raw)
    tabs = raw.count("\t")
    rest = raw.replace("\t", "") if tabs else raw
    if rest.isprintable() and not _SPECIAL.search(rest):  # some that print nothing count as printable
        return len(raw) * (1 if raw.isascii() else 2) + (TAB - 1) * tabs
    return columns(make_visible(raw).shown)


def _cells(char: str) -> int:
    if char < "\u0300":
        return 1
    return 2 if unicodedata.east_asian_width(char) in "WF" or char >= "\U00010000" else 1


def wrapped(line: VisibleLine, width: int) -> list[tuple[int, int]]:
    """Shown stretches of at most `width` cells, broken after a space where there is one near, never inside a token."""
    text = line.shown
    if not line.pieces and text.isascii():
        return wrapped_plain(text, width)
    if columns(text) <= width:
        return [(0, len(text))]
    tokens = sorted(stretch for kind in (Kind.TOKEN, Kind.SPACE, Kind.CUT) for stretch in line.marked(kind))
    starts = [start for start, _ in tokens]
    strips, at = [], 0
    while at < len(text):
        end = _fitting(text, at, width)
        if end < len(text):
            space = text.rfind(" ", at + width // 2, end)
            end = space + 1 if space >= 0 else max(whole_character(text, end), at + 1)
            index = bisect_right(starts, end) - 1
            if index >= 0 and tokens[index][0] < end < tokens[index][1]:
                end = tokens[index][0] if tokens[index][0] > at else tokens[index][1]
        strips.append((at, end))
        at = end
    return strips


def wrapped_plain(text: str, width: int) -> list[tuple[int, int]]:
    """`wrapped` for text of which each character is one cell."""
    strips, at, length = [], 0, len(text)
    while length - at > width:
        space = text.rfind(" ", at + width // 2, at + width)
        end = space + 1 if space >= 0 else at + width
        strips.append((at, end))
        at = end
    strips.append((at, length))
    return strips


def twice_at_most(width: int) -> int:
    """Up to how many cells `wrapped_plain` surely makes no more than two strips: the first has over half the width."""
    return width + width // 2 + 1


def _fitting(text: str, at: int, width: int) -> int:
    part = text[at : at + width]
    if part.isascii():
        return at + len(part)
    cells = 0
    for index, char in enumerate(part):
        cells += _cells(char)
        if cells > width:
            return at + max(index, 1)
    return at + len(part)
