"""Draws the rows of a diff, one column or two, and the heads that stand on top of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from placet.core.domain.diff import DiffLine, Sign
from placet.ui.theme.paint import crisp, hairline
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.folds import can_open
from placet.ui.widgets.diff.heads import HeadFacts, paint_head
from placet.ui.widgets.diff.layout import FOLD, DiffRow, RowKind
from placet.ui.widgets.diff.painting import (
    paint_fold,
    paint_ground,
    paint_nothing,
    paint_numbers,
    paint_sign,
)
from placet.ui.widgets.diff.rows import Column
from placet.ui.widgets.diff.strip_painter import Marks

if TYPE_CHECKING:
    from placet.ui.widgets.diff.view import DiffView

SIGN = 16
_KINDS = {Sign.REMOVED: "del", Sign.ADDED: "add", Sign.SAME: ""}
_BAR, _OWN_BAR = 2, 4  # the current hunk's, and the thicker one of what a person wrote
_tr = QCoreApplication.translate


class DiffPainter:
    """One view's painter; holds nothing but what it paints for."""

    def __init__(self, view: DiffView, theme: Theme) -> None:
        self._view, self._theme = view, theme

    def row(self, p: QPainter, row: int, y: int) -> None:
        layout = self._view.rows()
        place = layout.row(row)
        if place.kind is RowKind.FOLD:
            self._fold(p, place, y, first=row == 0)
        elif place.kind is RowKind.LINE:
            for side, column in enumerate(self._view.columns()):
                self._line(p, row, place, y, side, column)
            if layout.is_split:
                hairline(p, column.left, y, ROW, self._theme.color("hairline"), vertical=True)

    def _fold(self, p: QPainter, place: DiffRow, y: int, *, first: bool) -> None:
        diff, width = self._view.diff, self._view.viewport().width()
        last = place.hunk == len(diff.hunks)
        count = diff.unchanged_after if last else diff.hunks[place.hunk].unchanged_before
        box, opens = QRectF(0, y, width, FOLD), can_open(diff)
        paint_fold(p, self._theme, box, self._view.code_x, count, first=first, opens=opens)

    def _line(self, p: QPainter, row: int, place: DiffRow, y: int, side: int, column: Column) -> None:
        view, layout = self._view, self._view.rows()
        inside = layout.line_in(place, side)
        box = QRectF(column.left, y, column.right - column.left, ROW)
        if inside < 0:
            p.fillRect(box, self._theme.color("surface"))
            return
        line = view.diff.hunks[place.hunk].lines[inside]
        kind, grey = _KINDS[line.sign], view.states.is_skipped(place.hunk)
        gutter = column.code_x - SIGN - column.left
        if kind:
            paint_ground(p, self._theme, box, gutter, kind, grey=grey)
        strip = layout.strip_of(row, place, side)
        if strip is None:  # the other side of a wrapped pair goes on
            return
        marks = line.marks if kind and not grey else ()
        view.paint_strip(p, strip, y, Marks(marks, f"{kind}-mark", grey), side)
        if not strip.start:  # a row further down of a wrapped line has no number
            paint_numbers(p, self._theme, y, self._numbers(line, side, column.left + gutter))
            if kind:
                role = "text-2" if grey else f"{kind}-text"
                paint_sign(p, self._theme, column.left + gutter, y, line.sign, role)
        if view.states.yours and (line.old, line.new) in view.states.yours and (not side or kind != "del"):
            bar = QRectF(column.left, y, _OWN_BAR, ROW)
            p.fillRect(crisp(p, bar), self._theme.color("accent-mark"))

    def _numbers(self, line: DiffLine, side: int, edge: int) -> tuple[tuple[int | None, int], ...]:
        if self._view.rows().is_split:
            return ((line.new if side else line.old, edge - 8),)
        return (line.old, edge - self._view.gutters.new - 8), (line.new, edge - 8)

    def over(self, p: QPainter) -> None:
        """Heads, the current hunk's bar, or why there is nothing."""
        view, theme = self._view, self._theme
        if not view.diff.hunks:
            paint_nothing(p, theme, view.viewport().width(), view.diff)
            return
        scroll = view.verticalScrollBar().value()
        for hunk, head in view.heads():
            facts = HeadFacts(
                hunk=hunk,
                symbol=view.diff.hunks[hunk].symbol,
                is_current=hunk == view.current,
                sticks=head.top() <= 0 < scroll,
                is_yours=hunk in view.own_hunks,
                hovered=view.pressing.hovered[1] if view.pressing.hovered[0] == hunk else "",
            )
            paint_head(p, theme, head, facts, view.states)
        top, bottom = view.rows().hunk_span(view.current)
        bar = QRectF(0, max(0, top - scroll), _BAR, bottom - scroll - max(0, top - scroll))
        if bar.height() > 0:
            role = "accent-mark" if view.isActiveWindow() else "control"
            p.fillRect(crisp(p, bar), theme.color(role))
