"""Draws rows of text: colours, intraline marks, hidden characters' boxes, the selection. Keeps what it laid out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import msgspec
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW, CodeLine, Line, PlainLine, Run
from placet.ui.widgets.diff.rows import Strip
from placet.ui.widgets.diff.selection import Selection
from placet.ui.widgets.diff.visible import Kind, VisibleLine

_KEPT_LINES = 600


class Marks(msgspec.Struct, frozen=True):
    """Raw stretches of one line with a background in one colour role; `grey` if the line has lost its colours."""

    stretches: Sequence[tuple[int, int]] = ()
    role: str = "match"
    grey: bool = False


class Colours(Protocol):
    """Knows the colours of lines by their raw offsets, None as long as they are not known."""

    def runs(self, line: int) -> Sequence[Run] | None: ...


class StripPainter:
    """One view's rows as laid-out text. Rows drawn before their colours were known are laid out once more."""

    def __init__(self, theme: Theme, colourist: Colours) -> None:
        self._theme, self._colourist = theme, colourist
        self._lines: OrderedDict[Strip, Line] = OrderedDict()
        self._grey_lines: OrderedDict[Strip, Line] = OrderedDict()

    def clear(self) -> None:
        self._lines.clear()
        self._grey_lines.clear()

    def code(self, strip: Strip, visible: VisibleLine, *, grey: bool = False) -> Line:
        """The row's text, laid out; `grey` leaves out all colours but those that warn."""
        lines = self._grey_lines if grey else self._lines
        found = lines.get(strip)
        if found is not None:
            return found
        colours = () if grey else self._colourist.runs(strip.line)
        runs = [Run(visible.to_shown(a), visible.to_shown(b), role) for a, b, role in colours or ()]
        ordered = len(runs)
        runs += [Run(start, end, "warn-text") for start, end in visible.marked(Kind.TOKEN)]
        runs += [Run(start, end, "text-3") for kind in (Kind.SPACE, Kind.CUT) for start, end in visible.marked(kind)]
        inside = [
            Run(max(a, strip.start) - strip.start, min(b, strip.end) - strip.start, role)
            for a, b, role in runs
            if a < strip.end and b > strip.start
        ]
        shown, role = visible.shown[strip.start : strip.end], "text-2" if grey else "text"
        is_plain = len(runs) == ordered and shown.isascii() and shown.isprintable()
        line = (PlainLine if is_plain else CodeLine)(shown, inside, self._theme, mono_font(), role)
        if colours is not None:
            lines[strip] = line
            if len(lines) > _KEPT_LINES:
                lines.popitem(last=False)
        return line

    def paint(
        self, p: QPainter, strip: Strip, visible: VisibleLine, at: QPointF, marks: Marks, selection: Selection | None
    ) -> None:
        line = self.code(strip, visible, grey=marks.grey)
        for start, end in marks.stretches:
            if (box := _box(line, strip, visible.to_shown(start), visible.to_shown(end), at)) is not None:
                rounded(p, box.adjusted(0, 2, 0, -2), 2, self._theme.color(marks.role))
        for start, end in visible.marked(Kind.TOKEN):
            if (box := _box(line, strip, start, end, at)) is not None:
                rounded(p, box.adjusted(0, 2, 0, -2), 3, self._theme.color("warn-icon"))
                rounded(p, box.adjusted(1, 3, -1, -3), 2, self._theme.color("warn-bg"))
        selected = selection.in_line(strip.line, len(visible.raw)) if selection is not None else None
        if selected is not None:
            self._paint_selection(p, line, strip, visible, at, selected)
        line.draw(p, at)

    def _paint_selection(
        self, p: QPainter, line: Line, strip: Strip, visible: VisibleLine, at: QPointF, part: tuple[int, int]
    ) -> None:
        color = self._theme.color("selection")
        start, end = part
        if (box := _box(line, strip, visible.to_shown(start), visible.to_shown(end), at)) is not None:
            p.fillRect(box, color)
        if end > len(visible.raw) and strip.end == len(visible.shown):  # a sliver for the line break
            p.fillRect(QRectF(at.x() + line.x_of(strip.end - strip.start), at.y(), 4, ROW), color)


def _box(line: Line, strip: Strip, start: int, end: int, at: QPointF) -> QRectF | None:
    first, last = max(start, strip.start) - strip.start, min(end, strip.end) - strip.start
    return line.box(first, last, at) if first < last else None
