"""The few shapes every painter needs, sharp at every device ratio."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath
from PySide6.QtWidgets import QWidget

from placet.ui.theme.theme import Theme


def crisp(p: QPainter, rect: QRectF) -> QRectF:
    """`rect` with its edges on device pixels; a logical hairline at 125 % must be one device pixel, not 1.25."""
    dpr = p.device().devicePixelRatioF()
    left, top = round(rect.left() * dpr), round(rect.top() * dpr)
    width = max(1, int(rect.width() * dpr + 0.01)) if rect.width() <= 1 else round(rect.right() * dpr) - left
    height = max(1, int(rect.height() * dpr + 0.01)) if rect.height() <= 1 else round(rect.bottom() * dpr) - top
    return QRectF(left / dpr, top / dpr, width / dpr, height / dpr)


def hairline(p: QPainter, x: float, y: float, length: float, color: QColor, vertical: bool = False) -> None:
    rect = QRectF(x, y, 1, length) if vertical else QRectF(x, y, length, 1)
    p.fillRect(crisp(p, rect), color)


def rounded(p: QPainter, rect: QRectF, radius: float, fill: QColor) -> None:
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(fill)
    p.drawRoundedRect(rect, radius, radius)


def frame(p: QPainter, rect: QRectF, radius: float, line: QColor, width: float = 1) -> None:
    """An outline inside `rect` as the difference of two fills: sharp at every scale, unlike a pen at .5."""
    dpr = p.device().devicePixelRatioF()
    width = max(1, int(width * dpr + 0.01)) / dpr
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    inner = rect.adjusted(width, width, -width, -width)
    path.addRoundedRect(inner, max(0, radius - width), max(0, radius - width))
    p.fillPath(path, line)  # odd-even is the default rule


def focus_ring(p: QPainter, rect: QRectF, radius: float, theme: Theme) -> None:
    """The ring 1 px outside `rect`; the caller leaves 3 px of margin."""
    frame(p, rect.adjusted(-3, -3, 3, 3), radius + 3, theme.color("focus"), 2)


def spinner(p: QPainter, box: QRectF, theme: Theme, phase: float) -> None:
    ring(p, box, theme, 0.25, "text-2", start=90 - phase * 360, width=2, size=12)


def ring(
    p: QPainter,
    box: QRectF,
    theme: Theme,
    share: float,
    role: str,
    start: float = 90,
    width: float = 2.5,
    size: float = 16,
) -> None:
    """A track with an arc over it, clockwise from twelve: the gauge, and with a turning start the spinner."""
    side = size - width
    arc = QRectF(box.center().x() - side / 2, box.center().y() - side / 2, side, side)
    p.setBrush(Qt.BrushStyle.NoBrush)
    for color, span in ((theme.color("hairline-2"), 1.0), (theme.color(role), share)):
        pen = p.pen()
        pen.setStyle(Qt.PenStyle.SolidLine)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setWidthF(width)
        pen.setColor(color)
        p.setPen(pen)
        p.drawArc(arc, round(start * 16), round(-360 * 16 * span))


def text(
    p: QPainter, x: float, box_y: float, box_h: float, string: str, font: QFont, color: QColor, right: bool = False
) -> float:
    """One line of text, centred on its font's own height as a browser centres a line box. Returns its width."""
    metrics = _metrics(font)
    width = metrics.horizontalAdvance(string)
    p.setFont(font)
    p.setPen(color)
    baseline = box_y + (box_h - metrics.ascent() - metrics.descent()) / 2 + metrics.ascent()
    p.drawText(QPointF(x - width if right else x, round(baseline)), string)
    return width


def text_width(string: str, font: QFont) -> float:
    return _metrics(font).horizontalAdvance(string)


def elided(string: str, font: QFont, width: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> str:
    return _metrics(font).elidedText(string, mode, width)


@lru_cache(maxsize=64)
def _metrics(font: QFont) -> QFontMetricsF:
    return QFontMetricsF(font)


def keyboard_focus(widget: QWidget) -> bool:
    """Whether the focus came by the keyboard. Qt keeps this per window and clears it on the next mouse press."""
    return widget.hasFocus() and widget.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
