"""A row of a sub-agent inside the card of the call that started it: indented behind a hairline for each level."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from placet.ui.models.transcript_rows import LedgerRow, NestedRow
from placet.ui.theme.paint import frame, hairline
from placet.ui.widgets.transcript.ledger import NARROW
from placet.ui.widgets.transcript.row_view import Action, Area, Paint, RowContext, RowView

RAIL = 16.0
_STEP, _NARROW_STEP = 17.0, 11.0
_PAD_LEFT, _PAD_RIGHT = 11.0, 13.0
_HIDDEN = 10


def rails(depth: int, width: int) -> Iterator[float]:
    """Where the hairlines of all levels stand."""
    step = _STEP if width > NARROW else _NARROW_STEP
    return (RAIL + level * step for level in range(depth))


def inner_context(row: NestedRow, context: RowContext) -> RowContext:
    """What the row inside is laid out with: less width, the same folds."""
    left, right = _sides(row, context.width)
    return msgspec.structs.replace(context, width=max(120, int(context.width - left - right)))


def _sides(row: NestedRow, width: int) -> tuple[float, float]:
    """Calls begin at the hairline and end with the card, so that times and states stay in their columns."""
    rail = list(rails(row.depth, width))[-1] + 1
    return (rail, 0.0) if isinstance(row.inner, LedgerRow) else (rail + _PAD_LEFT, _PAD_RIGHT)


class NestedView(RowView):
    """Everything of the row inside, moved; text and actions are found through this one."""

    def __init__(self, row: NestedRow, context: RowContext, inner: RowView) -> None:
        super().__init__(row, context)
        self._inner = inner
        self._offset = QPointF(_sides(row, context.width)[0], row.air)
        self._rails = list(rails(row.depth, context.width))
        self._is_last = row.is_last
        if inner.height or row.foot or row.is_last:
            self.height = row.air + inner.height + row.foot + (1 if row.is_last else 0)
        self.areas = [Area(area.flow, area.at + self._offset, area.start) for area in inner.areas]
        self.actions = [_moved(action, self._offset) for action in inner.actions]
        self.spinners = [box.translated(self._offset) for box in inner.spinners]
        self.clocks = [box.translated(self._offset) for box in inner.clocks]

    def paint(self, p: QPainter, paint: Paint) -> None:
        back = -self._offset
        p.save()
        self._draw_card(p)
        p.translate(self._offset)
        self._inner.paint(
            p,
            msgspec.structs.replace(
                paint,
                dirty=paint.dirty.translated(back),
                hover=_moved(paint.hover, back) if paint.hover is not None else None,
                focus=_moved(paint.focus, back) if paint.focus is not None else None,
                copied=_moved(paint.copied, back) if paint.copied is not None else None,
            ),
        )
        p.restore()
        self.awaits_colours = self._inner.awaits_colours

    def _draw_card(self, p: QPainter) -> None:
        """The sides, the lower end if the card ends here, the hairlines. Leaves the painter clipped to the card."""
        line = self.theme.color("hairline")
        own = QRectF(0, 0, self.width, self.height)
        outline = own.adjusted(0, -_HIDDEN, 0, 0 if self._is_last else _HIDDEN)
        p.setClipRect(own, Qt.ClipOperation.IntersectClip)
        frame(p, outline, 8, line)
        if self._is_last:
            card = QPainterPath()
            card.addRoundedRect(outline.adjusted(1, 0, -1, -1), 7, 7)
            p.setClipPath(card, Qt.ClipOperation.IntersectClip)
        for rail in self._rails:
            hairline(p, rail, 0, self.height, self.theme.color("hairline-2"), vertical=True)


def _moved(action: Action, by: QPointF) -> Action:
    return msgspec.structs.replace(action, rect=action.rect.translated(by))
