"""Questions with their answers, and the quiet words round the rows of a sub-agent."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from placet.ui.models.transcript_rows import AsideKind, AsideRow, QuestionRow
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, text
from placet.ui.widgets.text.flow import Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView

_TEXT = 36.0
_ASIDE_LINES = 6
_ASIDE_CHARS = 600


class QuestionView(RowView):
    """What was asked, and below a hairline what came of it."""

    def __init__(self, row: QuestionRow, context: RowContext) -> None:
        super().__init__(row, context)
        wide = self.width - _TEXT - 13
        title = Prose(self.theme, row.title, wide, style=TextStyle(px=13, weight=600), literal=True)
        y = 10 + self.add(title, _TEXT, 10).height
        if row.source.strip():
            y += 2 + self.add(Prose(self.theme, row.source, wide, style=TextStyle(px=13)), _TEXT, y + 2).height
        self._line = y + 9
        self._is_answered = row.answer is not None
        if row.answer is not None:
            answer = Prose(self.theme, row.answer.strip() or "–", wide, style=TextStyle(px=13), literal=True)
            y = self._line + 9 + self.add(answer, _TEXT, self._line + 9).height
        else:
            words = self.tr("Not answered: the turn was stopped")
            self.add(Line(self.theme, [Span(words, ui_font(13), "text-2")]), _TEXT, self._line + 9)
            y = self._line + 29
        self.height = y + 10

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme = self.theme
        frame(p, QRectF(0, 0, self.width, self.height), 8, theme.color("hairline"))
        theme.draw_icon(p, "message-circle-question-mark", QRectF(13, 10, 16, 20), "text-2", 16)
        hairline(p, 1, self._line, self.width - 2, theme.color("hairline"))
        icon = "corner-down-right" if self._is_answered else "ban"
        theme.draw_icon(p, icon, QRectF(13, self._line + 9, 16, 20), "text-2", 14)


class AsideView(RowView):
    """What a sub-agent was asked, or what its caller got: as it is, the beginning of what is long."""

    def __init__(self, row: AsideRow, context: RowContext) -> None:
        super().__init__(row, context)
        self._icon = "corner-down-right" if row.kind is AsideKind.TASK else "corner-left-up"
        fold = f"aside {row.kind} {row.key}"
        lines = row.source.split("\n")
        shown, left_out = row.source, 0
        if (len(lines) > _ASIDE_LINES + 1 or len(row.source) > _ASIDE_CHARS + 200) and not context.is_open(fold):
            shown = "\n".join(lines[:_ASIDE_LINES])[:_ASIDE_CHARS] + " …"
            left_out = max(1, len(lines) - shown.count("\n") - 1)
        style = TextStyle(px=13, role="text-2")
        self.height = self.add(Prose(self.theme, shown, self.width - 22, style=style, literal=True), 22, 0).height
        if left_out:
            rest = QRectF(18, self.height, 200, 24)
            self.actions.append(Action(rest, ActionName.SHOW_ALL, fold, self.show_all(left_out)))
            self.height += 24

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        self.theme.draw_icon(p, self._icon, QRectF(0, 0, 14, 20), "text-3", 14)
        for action in self.actions:
            text(p, action.rect.left() + 4, action.rect.top(), 24, action.label, ui_font(12, 500),
                 self.theme.color("accent-text"))  # fmt: skip
