"""What happened beside the talking: thin notes, errors with their remedies, interrupted turns."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from placet.ui.models.transcript_rows import ErrorRow, InterruptedRow, NoteRow, Remedy
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, rounded, text_width
from placet.ui.widgets.text.code import CodeFlow
from placet.ui.widgets.text.flow import Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.message_views import button_width, draw_button
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView


class NoteView(RowView):
    """One line between hairlines; wrapped, and without them, where there is no room."""

    def __init__(self, row: NoteRow, context: RowContext) -> None:
        super().__init__(row, context)
        self._gap = 0.0
        if text_width(row.source, ui_font(12)) > context.width - 80:
            words = Prose(context.theme, row.source, context.width, style=TextStyle(px=12, role="text-3"), literal=True)
            self.height = self.add(words, 0, 0).height
            return
        line = Line(context.theme, [Span(row.source, ui_font(12), "text-3")])
        self._gap = line.width / 2 + 12
        self.add(line, round((context.width - line.width) / 2), 0)
        self.height = 20

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        if not self._gap:
            return
        half = self.width / 2
        hairline(p, 0, 10, half - self._gap, self.theme.color("hairline"))
        hairline(p, half + self._gap, 10, half - self._gap, self.theme.color("hairline"))


class InterruptedView(RowView):
    """Where a turn was cut, with Resume at the last one."""

    def __init__(self, row: InterruptedRow, context: RowContext) -> None:
        super().__init__(row, context)
        self.add(Line(context.theme, [Span(self.tr("Interrupted"), ui_font(12, 500), "text-2")], 24), 22, 0)
        self.height = 24
        if row.resumable:
            resume = self.tr("Resume")
            wide = button_width(resume, icon=True)
            self.actions.append(Action(QRectF(context.width - wide, 0, wide, 24), ActionName.RESUME, 0, resume))

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        self.theme.draw_icon(p, "pause", QRectF(0, 0, 16, 24), "text-2", 14)
        start = 22 + self.areas[0].flow.width + 12
        end = self.actions[0].rect.left() - 12 if self.actions else self.width
        hairline(p, start, 12, end - start, self.theme.color("hairline"))
        for action in self.actions:
            draw_button(p, self, action, paint, "play")


class ErrorView(RowView):
    """What happened in bold, what it means and what to do, the remedy first, details last (`D-12`).

    Retry goes on with the turn: what was said is in it already, and must not be said twice.
    """

    def __init__(self, row: ErrorRow, context: RowContext) -> None:
        super().__init__(row, context)
        theme, wide = context.theme, context.width - 56
        self._buttons: list[tuple[Action, str, str]] = []
        title = Prose(theme, row.title, wide, style=TextStyle(px=13, weight=600), literal=True)
        y = 10 + self.add(title, 40, 10).height
        if row.meaning:
            meaning = Prose(theme, row.meaning, wide, style=TextStyle(px=13, role="text-2"), literal=True)
            y += 2 + self.add(meaning, 40, y + 2).height
        fold = f"error {row.message_id} {row.title}"
        is_open = context.is_open(fold)
        if row.detail and is_open:
            detail = CodeFlow(theme, row.detail[:20_000], wide - 20, line=18, role="text-2")
            self._detail = QRectF(40, y + 8, wide, detail.height + 12)
            self.add(detail, 50, y + 14)
            y += 8 + detail.height + 12
        else:
            self._detail = QRectF()
        self._place_buttons(row, fold, is_open, y + 8)
        self.height = y + (44 if self._buttons else 12)

    def _label(self, remedy: Remedy) -> tuple[str, str]:
        """What stands on its button, and the icon before it."""
        match remedy:
            case Remedy.RETRY:
                return self.tr("Retry"), "refresh-cw"
            case Remedy.MODELS:
                return self.tr("Model settings"), "settings"
            case Remedy.NEW_CHAT:
                return self.tr("New chat"), "square-pen"
            case Remedy.CONTINUE:
                return self.tr("Continue"), "play"

    def _place_buttons(self, row: ErrorRow, fold: str, is_open: bool, y: float) -> None:
        wanted = [(ActionName.REMEDY, str(remedy.value), *self._label(remedy)) for remedy in row.remedies]
        wanted = [
            (ActionName.RESUME if key == Remedy.RETRY else name, key, label, icon) for name, key, label, icon in wanted
        ]
        if row.detail:
            wanted.append((ActionName.TOGGLE, fold, self.tr("Hide details") if is_open else self.tr("Details"), ""))
            if is_open:
                wanted.append((ActionName.COPY, row.plain(), self.tr("Copy"), "copy"))
        x = 40.0
        for number, (name, key, label, icon) in enumerate(wanted):
            wide = button_width(label, icon=bool(icon))
            action = Action(QRectF(x, y, wide, 24), name, key, label)
            self.actions.append(action)
            kind = "primary" if number == 0 and name is not ActionName.TOGGLE else "plain"
            self._buttons.append((action, icon, kind))
            x += wide + 8

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme, box = self.theme, QRectF(0, 0, self.width, self.height)
        rounded(p, box, 8, theme.color("danger-bg"))
        frame(p, box, 8, theme.color("danger-line"))
        theme.draw_icon(p, "octagon-alert", QRectF(14, 10, 16, 20), "danger-icon", 16)
        if not self._detail.isEmpty():
            rounded(p, self._detail, 6, theme.color("bg"))

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        for action, icon, kind in self._buttons:
            shown = "check" if paint.copied == action else icon
            draw_button(p, self, action, paint, shown, kind)
