"""What a command answered: a quiet block that can be selected and copied."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from placet.ui.models.transcript_rows import CommandRow
from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.widgets.text.flow import Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView

_PAD = 12
_HEAD = 30
_NARROW = 420  # px; below it what is said about a name stands under it


class CommandView(RowView):
    """The command above, then its sentence, then names with what is said about them in two columns."""

    def __init__(self, row: CommandRow, context: RowContext) -> None:
        super().__init__(row, context)
        self._command = f"/{row.command}"
        self._inner = context.width - 2 * _PAD
        y = float(_HEAD)
        if row.words:
            y += self._prose(row.words, _PAD, y, self._inner).height + (8 if row.pairs else 0)
        names = max((text_width(name, mono_font(12)) for name, _ in row.pairs), default=0.0) + 1
        self._names = min(names, self._inner * 0.45)
        for name, about in row.pairs:
            y = self._add_pair(name, about, y)
        self.height = y + 8
        copy = QRectF(context.width - 30, 3, 24, 24)
        self.actions.append(Action(copy, ActionName.COPY, row.plain(), self.tr("Copy the answer"), self.tr("Copy")))

    def _prose(self, words: str, x: float, y: float, width: float) -> Prose:
        return self.add(Prose(self.theme, words, width, style=TextStyle(px=13, role="text-2"), literal=True), x, y)

    def _add_pair(self, name: str, about: str, y: float) -> float:
        """Returns where the next one begins."""
        is_narrow = self._inner < _NARROW
        shown = elided(name, mono_font(12), self._inner if is_narrow else self._names)
        self.add(Line(self.theme, [Span(shown, mono_font(12), "text")]), _PAD, y)
        if is_narrow:
            return y + 20 + self._prose(about, _PAD, y + 20, self._inner).height + 4
        left = _PAD + self._names + 20
        return y + max(20.0, self._prose(about, left, y, self._inner + _PAD - left).height)

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme, box = self.theme, QRectF(0, 0, self.width, self.height)
        rounded(p, box, 8, theme.color("surface"))
        frame(p, box, 8, theme.color("hairline"))
        text(p, _PAD, 3, 24, self._command, mono_font(11), theme.color("text-3"))
        button = self.actions[0]
        if paint.hover == button:
            rounded(p, button.rect, 6, theme.color("press"))
        theme.draw_icon(p, "check" if paint.copied == button else "copy", button.rect, "text-2", 14)
