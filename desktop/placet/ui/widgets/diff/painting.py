"""The rows of a diff that are no code: folds, heads, line numbers, the sentence where there are no hunks."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from placet.core.domain.diff import DiffLine, FileDiff
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW, cell_width
from placet.ui.widgets.diff.visible import shown

_tr = QCoreApplication.translate


def paint_fold(p: QPainter, theme: Theme, box: QRectF, code_x: int, count: int, *, first: bool) -> None:
    label = (
        _tr("DiffView", "1 unchanged line")
        if count == 1
        else _tr("DiffView", "{} unchanged lines").format(f"{count:,}")
    )
    paint_band(p, theme, box, code_x, label, first=first)


def paint_band(p: QPainter, theme: Theme, box: QRectF, code_x: int, label: str, *, first: bool) -> None:
    """A row that stands for rows which are not shown."""
    p.fillRect(box, theme.color("surface"))
    if not first:
        hairline(p, box.left(), box.top(), box.width(), theme.color("hairline"))
    hairline(p, box.left(), box.bottom() - 1, box.width(), theme.color("hairline"))
    theme.draw_icon(p, "ellipsis", QRectF(code_x - 30, box.top(), 14, box.height()), "text-3", 12)
    text(p, code_x, box.top(), box.height(), label, ui_font(11, tabular=True), theme.color("text-3"))


def paint_head(p: QPainter, theme: Theme, head: QRectF, label: str, symbol: str, *, now: bool, sticks: bool) -> None:
    p.fillRect(head, theme.color("bg"))
    if sticks:
        hairline(p, 0, head.bottom() - 1, head.width(), theme.color("hairline"))
    font, ink = ui_font(12, 500 if now else 400, True), theme.color("text" if now else "text-3")
    x = 16 + text(p, 16, head.top(), head.height(), label, font, ink) + 8
    name = elided(shown(symbol), mono_font(), max(0, head.width() - x - 16))
    text(p, x, head.top(), head.height(), name, mono_font(), theme.color("text-2"))


def paint_gutter(p: QPainter, theme: Theme, gutters: tuple[int, int], y: int, line: DiffLine, kind: str) -> None:
    """Numbers and sign. The sign is always drawn, so that colour is never the only one."""
    edge, font = sum(gutters), mono_font(11)
    cell, below = _digit(font)
    p.setFont(font)
    p.setPen(theme.color("text-3"))
    for number, right in ((line.old, gutters[0] - 8), (line.new, edge - 8)):
        if number is not None:
            digits = str(number)
            p.drawText(QPointF(right - cell * len(digits), y + below), digits)
    if kind:
        text(p, edge + 4.4, y, ROW, line.sign, mono_font(12, 500), theme.color(f"{kind}-text"))


@cache
def _digit(font: QFont) -> tuple[float, int]:
    """Width of a digit, and where its baseline is in a row."""
    metrics = QFontMetricsF(font)
    return cell_width(font), round((ROW - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent())


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
