"""One painted row of code: spans of colour, no wrapping, offsets in code points.

Always laid out from left to right: a row that begins with Hebrew stays where its number is. Qt counts UTF-16 units;
an emoji is two of them, so offsets are translated where a row has any.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextOption

from placet.ui.theme.paint import text_width
from placet.ui.theme.theme import Theme

ROW = 20


class Run(NamedTuple):
    """A stretch in one colour role."""

    start: int
    end: int
    role: str


class Line(Protocol):
    """A row's text, measured and ready to draw. Offsets are code points of it, x counts from where it is drawn."""

    def draw(self, p: QPainter, at: QPointF) -> None: ...

    def x_of(self, offset: int) -> float: ...

    def offset_at(self, x: float) -> int: ...

    def box(self, start: int, end: int, at: QPointF) -> QRectF: ...


class PlainLine:
    """A row of printable ASCII in a monospaced font: every character in its cell, nothing to lay out."""

    def __init__(self, text: str, runs: Sequence[Run], theme: Theme, font: QFont, role: str = "text") -> None:
        self._length, self._theme, self._font = len(text), theme, font
        self._cell, self._baseline = cell_width(font), baseline(font)
        roles: dict[str, str] = {}  # each role's characters in their cells, so that one call draws them all
        at = 0
        for run in (*runs, Run(len(text), len(text), role)):
            start = max(at, run.start)
            for first, last, kind in ((at, start, role), (start, run.end, run.role)):
                if first < last and not text[first:last].isspace():
                    roles[kind] = roles.get(kind, "").ljust(first) + text[first:last]
            at = max(at, run.end)
        self._parts = [(kind, len(part) - len(part.lstrip()), part.lstrip()) for kind, part in roles.items()]

    def draw(self, p: QPainter, at: QPointF) -> None:
        p.setFont(self._font)
        x, y = at.x(), at.y() + self._baseline
        for role, first, part in self._parts:
            p.setPen(self._theme.color(role))
            p.drawText(QPointF(x + first * self._cell, y), part)

    def x_of(self, offset: int) -> float:
        return self._cell * max(0, min(offset, self._length))

    def offset_at(self, x: float) -> int:
        return max(0, min(round(x / self._cell), self._length))

    def box(self, start: int, end: int, at: QPointF) -> QRectF:
        left, right = sorted((self.x_of(start), self.x_of(end)))
        return QRectF(at.x() + left, at.y(), right - left, ROW)


class CodeLine:
    """A row of any text, laid out by Qt."""

    def __init__(self, text: str, runs: Sequence[Run], theme: Theme, font: QFont, role: str = "text") -> None:
        self.text = text
        self._units = None if not text or max(text) < "\U00010000" else _unit_offsets(text)
        self._layout = QTextLayout(text, font)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self._layout.setTextOption(option)
        self._layout.setFormats([self._format(run, theme) for run in (Run(0, len(text), role), *runs)])
        self._layout.beginLayout()
        self._line = self._layout.createLine()
        if self._line.isValid():
            self._line.setLineWidth(1e6)
            ascent, descent = self._line.ascent(), self._line.descent()
            # Half the leading above, the baseline on a whole pixel: rows look alike whatever fonts they fall back to.
            self._line.setPosition(QPointF(0, round((ROW - ascent - descent) / 2 + ascent) - ascent))
        self._layout.endLayout()

    def _format(self, run: Run, theme: Theme) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        look = QTextCharFormat()
        look.setForeground(theme.color(run.role))
        made.start = self._unit(run.start)
        made.length = self._unit(run.end) - made.start
        made.format = look
        return made

    def _unit(self, offset: int) -> int:
        return offset if self._units is None else self._units[max(0, min(offset, len(self._units) - 1))]

    def draw(self, p: QPainter, at: QPointF) -> None:
        self._layout.draw(p, at)

    def x_of(self, offset: int) -> float:
        if not self.text:
            return 0.0
        return float(self._line.cursorToX(self._unit(offset))[0])  # type: ignore[index]

    def offset_at(self, x: float) -> int:
        if not self.text:
            return 0
        unit = self._line.xToCursor(x)
        return unit if self._units is None else min(bisect_left(self._units, unit), len(self.text))

    def box(self, start: int, end: int, at: QPointF) -> QRectF:
        """The rectangle behind a stretch, as high as the row."""
        left, right = sorted((self.x_of(start), self.x_of(end)))
        return QRectF(at.x() + left, at.y(), right - left, ROW)


def _unit_offsets(text: str) -> list[int]:
    offsets, at = [0], 0
    for char in text:
        at += 2 if char >= "\U00010000" else 1
        offsets.append(at)
    return offsets


@cache
def cell_width(font: QFont) -> float:
    """The width of one character of a monospaced font."""
    return text_width("0" * 64, font) / 64


@cache
def baseline(font: QFont) -> int:
    """Where the baseline of a row is: half the leading above."""
    metrics = QFontMetricsF(font)
    return round((ROW - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent())
