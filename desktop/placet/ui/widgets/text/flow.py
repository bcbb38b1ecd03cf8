"""Text that can be painted, hit, selected and searched without being a widget.

`Line` is one line with spans of different fonts; `code.CodeFlow` is many lines of one font, `prose.Prose` a laid-out
Markdown block. All speak offsets into their own plain text, so the transcript can hold one selection that runs
through any number of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextLine, QTextOption

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import rounded, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.units import Units, qt_length

TAB = 4


class Mark(msgspec.Struct, frozen=True):
    """A stretch of text with a background: selection, search match. `lead` reaches out before its first character."""

    start: int
    end: int
    role: str
    radius: float = 0
    inset: float = 0
    lead: float = 0


class Flow(ABC):
    """Offsets count characters of `plain`; points are relative to the flow's own top left."""

    plain: str
    width: float
    height: float

    @abstractmethod
    def draw_text(self, p: QPainter, at: QPointF, clip: QRectF) -> None:
        """Paint the letters; what lies outside `clip`, which is relative to the flow, may be left out."""

    @abstractmethod
    def offset_at(self, point: QPointF) -> int: ...

    @abstractmethod
    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        """One box a line, as high as the line and not only as its glyphs."""

    def link_at(self, point: QPointF) -> str | None:
        """The target of the link under `point`, as the Markdown has it."""
        return None

    def backgrounds(self) -> Sequence[Mark]:
        return ()

    def draw_under(self, p: QPainter, at: QPointF, theme: Theme) -> None:  # noqa: B027 - most flows have nothing there
        """Paint what lies below backgrounds and letters."""

    def draw(
        self, p: QPainter, at: QPointF, theme: Theme, marks: Sequence[Mark] = (), clip: QRectF | None = None
    ) -> None:
        self.draw_under(p, at, theme)
        for mark in (*self.backgrounds(), *marks):
            lead = mark.lead
            for rect in self.rects(mark.start, mark.end):
                box = rect.adjusted(-min(lead, rect.left()), mark.inset, 0, -mark.inset)
                rounded(p, box.translated(at), mark.radius, theme.color(mark.role))
                lead = 0
        self.draw_text(p, at, clip if clip is not None else QRectF(0, 0, self.width, self.height))


class Span(msgspec.Struct, frozen=True):
    """Text in one font. `gap` is the air behind it, where it differs from the line's."""

    text: str
    font: QFont
    role: str
    gap: float | None = None


class Line(Flow):
    """One unwrapped line. Cheap: a QTextLayout, no document."""

    def __init__(self, theme: Theme, spans: Sequence[Span], height: float = 20, gap: float = 0) -> None:
        """Spans stand `gap` pixels apart: a real space, so that copying has one, spaced to that exact width."""
        self.plain = (" " if gap else "").join(span.text for span in spans)
        self.height = height
        self._units = Units(self.plain)
        formats = []
        start = 0
        for index, span in enumerate(spans):
            made = _format(span.font, theme.color(span.role).rgba())
            length = qt_length(span.text)
            formats.append(format_range(start, length, made))
            start += length
            if gap and index < len(spans) - 1:
                space = QTextCharFormat(made)
                space.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
                air = gap if span.gap is None else span.gap
                space.setFontLetterSpacing(air - text_width(" ", _unspaced(span.font)))
                formats.append(format_range(start, 1, space))
                start += 1
        self._layout = QTextLayout(self.plain, spans[0].font if spans else ui_font())
        self._layout.setFormats(formats)
        if "\t" in self.plain:
            option = QTextOption()
            option.setTabStopDistance(TAB * text_width("0", spans[0].font))
            self._layout.setTextOption(option)
        self._layout.beginLayout()
        self._line = self._layout.createLine()
        if self._line.isValid():
            self._line.setLineWidth(1e6)
            self._line.setPosition(QPointF(0, line_top(self._line, height)))
        self._layout.endLayout()
        self.width = self._line.naturalTextWidth() if self.plain else 0.0

    def draw_text(self, p: QPainter, at: QPointF, clip: QRectF) -> None:
        self._layout.draw(p, at)

    def offset_at(self, point: QPointF) -> int:
        return self._units.from_qt(self._line.xToCursor(point.x())) if self.plain else 0

    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        if self.plain and start < end:
            left, right = self.x_of(start), self.x_of(end)
            yield QRectF(left, 0, right - left, self.height)

    def x_of(self, offset: int) -> float:
        return x_of(self._line, self._units.to_qt(offset)) if self.plain else 0.0


@lru_cache(maxsize=256)
def _format(font: QFont, rgba: int) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(QColor.fromRgba(rgba))
    return made


def x_of(line: QTextLine, position: int) -> float:
    """Where a cursor at `position` (in Qt's units) stands in the line."""
    found: Any = line.cursorToX(position)  # the stubs know nothing of the second value that comes back
    return float(found[0])


def format_range(start: int, length: int, fmt: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, fmt
    return made


def line_top(line: QTextLine, height: float) -> float:
    """Where the line must start so that its baseline is where a browser puts it: half the leading above."""
    return round((height - line.ascent() - line.descent()) / 2 + line.ascent()) - line.ascent()


def _unspaced(font: QFont) -> QFont:
    """Letter spacing of a format replaces the font's own, so the width without it is the one to start from."""
    if not font.letterSpacing():
        return font
    plain = QFont(font)
    plain.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 0)
    return plain
