"""The parts of a diff that are no code: folds, fills, line numbers, signs, the sentence where there are no hunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from placet.core.domain.diff import FileDiff
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import hairline, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW, baseline, cell_width
from placet.ui.widgets.diff.folds import STEP

_tr = QCoreApplication.translate


def paint_fold(p: QPainter, theme: Theme, box: QRectF, code_x: int, count: int, *, first: bool, opens: bool) -> None:
    label = (
        _tr("DiffView", "1 unchanged line")
        if count == 1
        else _tr("DiffView", "{} unchanged lines").format(f"{count:,}")
    )
    paint_band(p, theme, box, code_x, label, first=first, icon="chevrons-up-down" if opens else "ellipsis")


def paint_band(
    p: QPainter, theme: Theme, box: QRectF, code_x: int, label: str, *, first: bool, icon: str = "ellipsis"
) -> None:
    """A row that stands for rows which are not shown."""
    p.fillRect(box, theme.color("surface"))
    if not first:
        hairline(p, box.left(), box.top(), box.width(), theme.color("hairline"))
    hairline(p, box.left(), box.bottom() - 1, box.width(), theme.color("hairline"))
    theme.draw_icon(p, icon, QRectF(code_x - 30, box.top(), 14, box.height()), "text-3", 12)
    text(p, code_x, box.top(), box.height(), label, ui_font(11, tabular=True), theme.color("text-3"))


class Gutters(NamedTuple):
    """Widths of the columns of line numbers. A side that does not exist has none."""

    old: int
    new: int

    @property
    def width(self) -> int:
        return self.old + self.new


def gutters_of(diff: FileDiff, *, split: bool) -> Gutters:
    last = diff.hunks[-1].lines if diff.hunks else ()
    old = next((line.old for line in reversed(last) if line.old), 0)
    new = next((line.new for line in reversed(last) if line.new), 0)
    left, right = max(36, 15 + 7 * len(str(old + STEP))), max(32, 11 + 7 * len(str(new + STEP)))
    if split:
        return Gutters(max(44, left), max(44, right + 8))
    if diff.is_new or not old:
        return Gutters(0, max(44, right + 8))
    return Gutters(max(44, left), 0) if diff.is_deleted else Gutters(left, right)


def paint_ground(p: QPainter, theme: Theme, box: QRectF, gutter: int, kind: str, *, grey: bool) -> None:
    """The fill of a changed line, stronger in its gutter."""
    code, edge = ("surface", "surface-2") if grey else (f"{kind}-bg", f"{kind}-gutter")
    p.fillRect(box.adjusted(gutter, 0, 0, 0), theme.color(code))
    p.fillRect(QRectF(box.left(), box.top(), gutter, box.height()), theme.color(edge))


def paint_numbers(p: QPainter, theme: Theme, y: int, numbers: Sequence[tuple[int | None, int]]) -> None:
    """Line numbers, each with its right edge."""
    font = mono_font(11)
    cell, below = cell_width(font), baseline(font)
    p.setFont(font)
    p.setPen(theme.color("text-3"))
    for number, right in numbers:
        if number is not None:
            digits = str(number)
            p.drawText(QPointF(right - cell * len(digits), y + below), digits)


def paint_sign(p: QPainter, theme: Theme, x: float, y: int, sign: str, role: str) -> None:
    """The sign is always drawn, so that colour is never the only one."""
    text(p, x + 4.4, y, ROW, sign, mono_font(12, 500), theme.color(role))


def paint_nothing(p: QPainter, theme: Theme, width: int, diff: FileDiff) -> None:
    """Say why there are no lines; a view without a file stays empty."""
    if not diff.path:
        return
    if diff.is_binary:
        sentence = _tr("DiffView", "Binary content is not shown.")
    else:
        is_whole = diff.is_new or diff.is_deleted
        sentence = _tr("DiffView", "An empty file.") if is_whole else _tr("DiffView", "No line differs.")
    x = max(16.0, (width - text_width(sentence, ui_font(13))) / 2)
    text(p, x, 24, ROW, sentence, ui_font(13), theme.color("text-2"))
