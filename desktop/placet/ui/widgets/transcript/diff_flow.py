"""A difference as a flow of the transcript: the diff view's rows, painted without a widget, selected like any text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from placet.core.domain.diff import DiffLine, FileDiff, Sign
from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW, Run, cell_width
from placet.ui.widgets.diff.lines import DiffLines
from placet.ui.widgets.diff.painting import gutters_of, paint_fold, paint_ground, paint_numbers, paint_sign
from placet.ui.widgets.diff.rows import Heights, Strip
from placet.ui.widgets.diff.strip_painter import Marks, StripPainter
from placet.ui.widgets.diff.visible import wrapped
from placet.ui.widgets.text.flow import Flow, Mark
from placet.ui.widgets.text.syntax import Highlighter

SIGN = 16
FOLD = 24
ROWS_OF_LINE = 12
"""A wrapped line takes no more rows than this; what is beyond is seen in the review pane."""
_KINDS = {Sign.REMOVED: "del", Sign.ADDED: "add", Sign.SAME: ""}


class _Row(NamedTuple):
    """One row: a part of a line, or where `strip` is None the fold before a hunk (behind the last one: their count)."""

    strip: Strip | None
    hunk: int = 0


class DiffFlow(Flow):
    """`plain` has the lines with their signs, as they are: hidden characters are named only in the painting."""

    def __init__(self, theme: Theme, diff: FileDiff, width: float, highlighter: Highlighter) -> None:
        self.width, self._diff, self._theme, self._highlighter = width, diff, theme, highlighter
        self._lines = DiffLines(diff)
        self._gutters = gutters_of(diff, split=False)
        self._code_x = self._gutters.width + SIGN
        self._colours: dict[int, Sequence[Run]] = {}
        self._waits_for = set(range(len(diff.hunks))) if diff.language else set()  # hunks without colours
        self._painter = StripPainter(theme, self)
        self._rows = list(self._laid_out(max(8, int((width - self._code_x - 8) / cell_width(mono_font())))))
        self._heights = Heights([FOLD if row.strip is None else ROW for row in self._rows])
        self.height = float(self._heights.total)
        texts = [f"{line.sign}{line.text}" for hunk in diff.hunks for line in hunk.lines]
        self.plain = "\n".join(texts)
        self._starts = list(accumulate((len(text) + 1 for text in texts), initial=0))
        self._first_rows = {row.strip.line: at for at, row in reversed(list(enumerate(self._rows))) if row.strip}

    def _laid_out(self, cells: int) -> Iterator[_Row]:
        for number, hunk in enumerate(self._diff.hunks):
            if hunk.unchanged_before:
                yield _Row(None, number)
            for line in self._lines.lines_of(number):
                for start, end in wrapped(self._lines.visible(line), cells)[:ROWS_OF_LINE]:
                    yield _Row(Strip(line, start, end), number)
        if self._diff.unchanged_after and self._diff.hunks:
            yield _Row(None, len(self._diff.hunks))

    # ---- colours -------------------------------------------------------------------------------------------------

    def runs(self, line: int) -> Sequence[Run] | None:
        """For the painter of strips: the colours of a line, None while they are not known."""
        if not self._diff.language:
            return ()
        return self._colours.get(line)

    def take_colours(self) -> bool:
        """Ask for the colours that are missing; whether some still are."""
        for number in list(self._waits_for):
            if self._take_hunk(number):
                self._waits_for.discard(number)
        return bool(self._waits_for)

    def _take_hunk(self, number: int) -> bool:
        """Each side is code by itself; what is the same on both is coloured as the new one has it."""
        made: dict[int, Sequence[Run]] = {}
        lines = self._lines.lines_of(number)
        for without in (Sign.ADDED, Sign.REMOVED):
            side = [line for line in lines if self._lines.line(line).sign is not without]
            code = "\n".join(self._lines.line(line).text for line in side)
            if not code:
                continue
            found = self._highlighter.lines(code, self._diff.language)
            if found is None:
                return False
            made.update((line, list(_runs(parts))) for line, parts in zip(side, found, strict=False))
        self._colours.update(made)
        return True

    # ---- painting ------------------------------------------------------------------------------------------------

    def draw(
        self, p: QPainter, at: QPointF, theme: Theme, marks: Sequence[Mark] = (), clip: QRectF | None = None
    ) -> None:
        seen = self._seen(clip if clip is not None else QRectF(0, 0, self.width, self.height))
        for index in seen:
            self._draw_ground(p, index, at)
        for mark in marks:
            for rect in self.rects(mark.start, mark.end):
                rounded(p, rect.translated(at), mark.radius, theme.color(mark.role))
        for index in seen:
            self._draw_row(p, index, at)

    def draw_text(self, p: QPainter, at: QPointF, clip: QRectF) -> None:
        for index in self._seen(clip):
            self._draw_row(p, index, at)

    def _seen(self, clip: QRectF) -> range:
        if not self._rows:
            return range(0)
        return range(self._heights.row_at(clip.top()), self._heights.row_at(clip.bottom()) + 1)

    def _draw_ground(self, p: QPainter, index: int, at: QPointF) -> None:
        row, y = self._rows[index], at.y() + self._heights.top(index)
        if row.strip is None:
            is_last = row.hunk == len(self._diff.hunks)
            count = self._diff.unchanged_after if is_last else self._diff.hunks[row.hunk].unchanged_before
            box = QRectF(at.x(), y, self.width, FOLD)
            paint_fold(p, self._theme, box, int(at.x()) + self._code_x, count, first=index == 0, opens=False)
        elif kind := _KINDS[self._line(row.strip).sign]:
            box = QRectF(at.x(), y, self.width, ROW)
            paint_ground(p, self._theme, box, self._gutters.width, kind, grey=False)

    def _draw_row(self, p: QPainter, index: int, at: QPointF) -> None:
        strip = self._rows[index].strip
        if strip is None:
            return
        line, y = self._line(strip), int(at.y()) + self._heights.top(index)
        kind = _KINDS[line.sign]
        marks = Marks(line.marks if kind else (), f"{kind}-mark")
        place = QPointF(at.x() + self._code_x, y)
        self._painter.paint(p, strip, self._lines.visible(strip.line), place, marks, None)
        if strip.start:
            return
        edge = int(at.x()) + self._gutters.width - 8
        numbers = ((line.old if self._gutters.old else None, edge - self._gutters.new), (line.new, edge))
        if not self._gutters.new:
            numbers = ((line.old, edge), (None, edge))
        paint_numbers(p, self._theme, y, numbers)
        if kind:
            paint_sign(p, self._theme, at.x() + self._gutters.width, y, line.sign, f"{kind}-text")

    def _line(self, strip: Strip) -> DiffLine:
        return self._lines.line(strip.line)

    # ---- places in the text --------------------------------------------------------------------------------------

    def offset_at(self, point: QPointF) -> int:
        if not self._rows:
            return 0
        index = self._heights.row_at(point.y())
        strip = self._rows[index].strip
        if strip is None:
            following = next((row.strip for row in self._rows[index:] if row.strip is not None), None)
            return self._starts[following.line] if following is not None else len(self.plain)
        if point.x() < self._code_x:
            return self._starts[strip.line]
        visible = self._lines.visible(strip.line)
        shown = strip.start + self._painter.code(strip, visible).offset_at(point.x() - self._code_x)
        return self._starts[strip.line] + 1 + visible.to_raw(shown)

    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        if not self.plain or start >= end:
            return
        first = bisect_right(self._starts, start) - 1
        for index in range(self._first_rows.get(first, 0), len(self._rows)):
            strip = self._rows[index].strip
            if strip is None:
                continue
            if self._starts[strip.line] >= end:
                return
            left, right = self._x_of(strip, start), self._x_of(strip, end)
            if end > self._starts[strip.line + 1] - 1 and strip.end == len(self._lines.visible(strip.line).shown):
                right += 4  # a sliver for the line break
            if right > left:
                yield QRectF(left, self._heights.top(index), right - left, ROW)

    def _x_of(self, strip: Strip, offset: int) -> float:
        """Where a place of the text stands in a row; at an end of the row where it is not in it."""
        raw = offset - self._starts[strip.line] - 1
        if raw < 0:
            return float(self._code_x - (SIGN if raw < 0 and not strip.start else 0))
        visible = self._lines.visible(strip.line)
        shown = max(strip.start, min(strip.end, visible.to_shown(min(raw, len(visible.raw)))))
        return self._code_x + self._painter.code(strip, visible).x_of(shown - strip.start)


def _runs(parts: Sequence[tuple[str, str]]) -> Iterator[Run]:
    at = 0
    for part, role in parts:
        if role != "text":
            yield Run(at, at + len(part), role)
        at += len(part)
