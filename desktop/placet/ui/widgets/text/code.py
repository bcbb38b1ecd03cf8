"""Many lines of monospaced text: wrapped by counting cells, laid out only where they are seen.

Fixed lines make the height of a hundred thousand of them a multiplication, so length never costs a stall.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QPainter

from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.flow import TAB, Flow, Line, Span

KEPT_LINES = 200
JOINER = "\u200d"
_LINE_ENDS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", " "))

Runs = Sequence[tuple[str, str]]
"""One source line as (text, colour role)."""


class CodeFlow(Flow):
    """`plain` is the code itself; a wrapped line copies as the one line it is."""

    def __init__(
        self, theme: Theme, code: str, width: float, *, font: QFont | None = None, line: int = 20, role: str = "text"
    ) -> None:
        self.plain, self.width = code, width
        self._theme, self._font, self._line, self._role = theme, font or mono_font(), line, role
        self._cell = text_width("0", self._font)
        cells = max(8, int(width / self._cell))
        sources = code.split("\n")
        self._source_starts = [0, *accumulate(len(source) + 1 for source in sources[:-1])]
        self._starts: Sequence[int] = self._source_starts  # of each visual line
        self._numbers: Sequence[int] = range(len(sources))  # of the source line it shows
        if not (code.isascii() and "\t" not in code and max(map(len, sources)) <= cells):
            self._wrap(sources, cells)
        self.height = float(line * len(self._starts))
        self._runs: Sequence[Runs] | None = None
        self._lines: OrderedDict[int, Line] = OrderedDict()

    def _wrap(self, sources: Sequence[str], cells: int) -> None:
        starts, numbers = [], []
        for number, (at, source) in enumerate(zip(self._source_starts, sources, strict=True)):
            for cut in _cuts(source, cells):
                starts.append(at + cut)
                numbers.append(number)
        self._starts, self._numbers = starts, numbers

    def colour(self, runs: Sequence[Runs]) -> None:
        """Take the colours, one entry a source line; they may come long after the text."""
        if self._runs is not runs:
            self._runs = runs
            self._lines.clear()

    def draw_text(self, p: QPainter, at: QPointF, clip: QRectF) -> None:
        first = max(0, int(clip.top() // self._line))
        last = min(len(self._starts), int(clip.bottom() // self._line) + 1)
        for index in range(first, last):
            line = self._line_at(index)
            line.draw_text(p, at + QPointF(0, index * self._line), clip)

    def offset_at(self, point: QPointF) -> int:
        index = min(max(0, int(point.y() // self._line)), len(self._starts) - 1)
        return self._starts[index] + self._line_at(index).offset_at(point)

    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        first = max(0, bisect_right(self._starts, start) - 1)
        for index in range(first, len(self._starts)):
            begin, stop = self._starts[index], self._end(index)
            if begin >= end and index > first:
                return
            left = self._line_at(index).x_of(max(start, begin) - begin)
            right = self._line_at(index).x_of(min(end, stop) - begin)
            if end > stop and self._is_last_of_source(index):
                right += 4  # a sliver for the line break
            if right > left:
                yield QRectF(left, index * self._line, right - left, self._line)

    def _is_last_of_source(self, index: int) -> bool:
        return index + 1 == len(self._starts) or self._numbers[index + 1] != self._numbers[index]

    def _end(self, index: int) -> int:
        """Where the visual line ends, without the line break."""
        if index + 1 == len(self._starts):
            return len(self.plain)
        return self._starts[index + 1] - self._is_last_of_source(index)

    def _line_at(self, index: int) -> Line:
        line = self._lines.get(index)
        if line is None:
            spans = [Span(text.translate(_LINE_ENDS), self._font, role) for text, role in self._cut_runs(index)]
            line = self._lines[index] = Line(self._theme, spans or [Span("", self._font, self._role)], self._line)
            if len(self._lines) > KEPT_LINES:
                self._lines.popitem(last=False)
        return line

    def _cut_runs(self, index: int) -> Iterator[tuple[str, str]]:
        start, end = self._starts[index], self._end(index)
        number = self._numbers[index]
        runs = self._runs[number] if self._runs is not None and number < len(self._runs) else None
        if runs is None:
            yield self.plain[start:end], self._role
            return
        at = self._source_starts[number]
        for text, role in runs:
            a, b = max(start, at), min(end, at + len(text))
            if a < b:
                yield text[a - at : b - at], role
            at += len(text)


def _cuts(source: str, cells: int) -> Sequence[int]:
    """Where the visual lines of one source line start; never inside what is seen as one character."""
    if source.isascii() and "\t" not in source:
        return range(0, max(1, len(source)), cells)
    if len(source) * 2 <= cells and "\t" not in source:
        return (0,)
    cuts, used, before = [0], 0, ""
    for at, char in enumerate(source):
        size = 0 if before == JOINER or "\U0001f3fb" <= char <= "\U0001f3ff" else cell_width(char)
        before = char
        if used + size > cells and size:
            cuts.append(at)
            used = 0
        used += size
    return cuts


def cell_width(char: str) -> int:
    """Cells a character takes: none for what joins the one before, two for wide ones."""
    if " " <= char < "\x7f":
        return 1
    if char == "\t":
        return TAB
    if unicodedata.combining(char) or char in (JOINER, "\ufe0f"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
