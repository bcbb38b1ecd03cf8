"""A checklist: the latest one at length, an earlier one as a thin line that can be opened."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from placet.core.domain.tools import Todo, TodoState
from placet.ui.models.transcript_rows import PlanRow
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, text_width
from placet.ui.widgets.text.flow import Flow, Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.ledger import NARROW
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView

_LINE = 20
_TEXT = 36.0
_LOOKS = {
    TodoState.COMPLETED: ("circle-check", "text-2", "text-3", 400),
    TodoState.IN_PROGRESS: ("circle-dot", "accent-text", "text", 500),
    TodoState.PENDING: ("circle", "text-2", "text", 400),
}
"""Icon, its colour, colour and weight of the words."""


class PlanView(RowView):
    """One card. Where there is little room also the latest one is a line at first."""

    def __init__(self, row: PlanRow, context: RowContext) -> None:
        super().__init__(row, context)
        fold = f"plan {row.call_id}"
        self._icons: list[tuple[TodoState, float]] = []
        by_itself = row.is_latest and self.width > NARROW
        self._is_open = bool(row.items) and context.is_open(fold, otherwise=by_itself)
        head = [Span(self._head(row), ui_font(12, tabular=True), "text-2")]
        if self._is_open:
            self._top = 8.0
            self.add(Line(self.theme, head, _LINE), _TEXT, self._top)
            y = self._top + _LINE
            for item in row.items:
                y = self._place(item, y)
            self.height = y + 8
        else:
            self._top = 0.0
            room = self.width - 22 - 22 - text_width(head[0].text, head[0].font)
            if row.current and room > 60:
                head.append(Span(elided(row.current, ui_font(12), room), ui_font(12), "text-3"))
            self.add(Line(self.theme, head, _LINE, gap=8), 22, 0)
            self.height = _LINE
        area = QRectF(0, 0, self.width, self._top + _LINE)
        label = self.tr("Close {}") if self._is_open else self.tr("Open {}")
        if row.items:
            self.actions.append(Action(area, ActionName.TOGGLE, fold, label.format(head[0].text)))

    def _head(self, row: PlanRow) -> str:
        if not row.items:
            return self.tr("Plan is being written")
        told = self.tr("Plan {} of {}") if row.is_latest else self.tr("Earlier plan, {} of {}")
        return told.format(row.done, len(row.items))

    def _place(self, item: Todo, y: float) -> float:
        _, _, role, weight = _LOOKS[item.status]
        font, room = ui_font(13, weight), self.width - _TEXT - 13
        flow: Flow
        if text_width(item.content, font) <= room:
            flow = Line(self.theme, [Span(item.content, font, role)], _LINE)
        else:
            style = TextStyle(px=13, role=role, weight=weight)
            flow = Prose(self.theme, item.content, room, style=style, literal=True)
        self.add(flow, _TEXT, y)
        self._icons.append((item.status, y))
        return y + flow.height

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme = self.theme
        if self._is_open:
            frame(p, QRectF(0, 0, self.width, self.height), 8, theme.color("hairline"))
            theme.draw_icon(p, "list-checks", QRectF(13, self._top, 16, _LINE), "text-2", 14)
            for state, y in self._icons:
                icon, tint, *_ = _LOOKS[state]
                theme.draw_icon(p, icon, QRectF(13, y, 16, _LINE), tint, 14)
        else:
            theme.draw_icon(p, "list-checks", QRectF(0, 0, 14, _LINE), "text-2", 14)
        if self.actions and (not self._is_open or paint.hover is not None):
            right = self.width - 29 if self._is_open else self.areas[0].rect.right() + 6
            icon = "chevron-down" if self._is_open else "chevron-right"
            theme.draw_icon(p, icon, QRectF(right, self._top, 14, _LINE), "text-3", 14)
