"""What people and models say: bubbles, prose, code, reasoning."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from placet.ui.models.transcript_rows import CodeRow, ProseRow, ReasoningRow, UserRow
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, rounded, text, text_width
from placet.ui.widgets.text.blocks import language_of
from placet.ui.widgets.text.code import CodeFlow
from placet.ui.widgets.text.flow import Flow, Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView
from placet.ui.widgets.transcript.words import clock_time, duration

BUBBLE = 540
FOLD_CHARS = 2500
_UNDO = 32
FOLD_LINES = 30
LAID_OUT = 16_000
"""A longer message of a person is shown in code lines, which cost nothing until they are seen."""


class ProseView(RowView):
    def __init__(self, row: ProseRow, context: RowContext) -> None:
        super().__init__(row, context)
        flow = Prose(context.theme, row.lead + row.source.strip("\n"), context.width, references=row.references)
        self.height = 0.0 if flow.is_empty else self.add(flow, 0, 0).height


class UserView(RowView):
    """The bubble: text as it was typed, the files that came with it, Retry where nothing answered."""

    def __init__(self, row: UserRow, context: RowContext) -> None:
        super().__init__(row, context)
        fold = f"user {row.message_id}"
        shown, lines_left = row.source, 0
        if not context.is_open(fold):
            shown, lines_left = _folded(row.source)
        wide = min(BUBBLE, context.width - (_UNDO if row.has_changes else 0))
        body, need = self._body(shown, wide - 24)
        chips = [_chip_width(name) for name in row.attachments]
        need = max(need + 24, min(sum(chips) + 7 * len(chips) + 17, wide), 180 if lines_left else 0)
        self._box = QRectF(context.width - min(wide, need), 0, min(wide, need), 0)
        left = self._box.left() + 12
        self.add(body, left, 8)
        y = 8 + body.height
        if lines_left:
            rest = QRectF(left - 4, y, 200, 24)
            self.actions.append(Action(rest, ActionName.SHOW_ALL, fold, self.show_all(lines_left)))
            y += 24
        self._chips: list[tuple[QRectF, str]] = []
        y = self._place_chips(row.attachments, chips, left, y)
        self.height = y + 8
        self._box.setHeight(self.height)
        if row.failed:
            button = button_width(self.tr("Retry"), icon=True)
            place = QRectF(self._box.right() - button, self.height + 4, button, 24)
            self.actions.append(Action(place, ActionName.RETRY, row.message_id, self.tr("Retry")))
            self.height += 30
        if row.has_changes:
            place = QRectF(self._box.left() - _UNDO, 6, 24, 24)
            self.actions.append(
                Action(place, ActionName.UNDO_TURN, row.message_id, self.tr("Undo what followed"), self.tr("Undo …"))
            )
        self.failed = row.failed

    def _body(self, shown: str, width: float) -> tuple[Flow, float]:
        if len(shown) > LAID_OUT:
            return CodeFlow(self.theme, shown, width), width
        prose = Prose(self.theme, shown, width, style=TextStyle(pill="bg"), literal=True)
        need = prose.ideal_width
        prose.set_width(width)
        return prose, need

    def _place_chips(self, names: tuple[str, ...], widths: list[float], left: float, y: float) -> float:
        if not names:
            return y
        x, y = left, y + 8
        for name, natural in zip(names, widths, strict=True):
            width = min(natural, self._box.width() - 24)
            if x > left and x + width > self._box.right() - 12:
                x, y = left, y + 30
            self._chips.append((QRectF(x, y, width, 24), name))
            shown = elided(name, ui_font(12), width - 34)
            self.add(Line(self.theme, [Span(shown, ui_font(12), "text")], 24), x + 27, y)
            x += width + 7
        return y + 24

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme = self.theme
        rounded(p, self._box, 8, theme.color("surface-2"))
        for rect, name in self._chips:
            rounded(p, rect, 6, theme.color("bg"))
            frame(p, rect, 6, theme.color("hairline"))
            icon = "image" if name.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp")) else "file-text"
            theme.draw_icon(p, icon, QRectF(rect.left() + 8, rect.top(), 14, 24), "text-2", 14)

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        for action in self.actions:
            if action.name is ActionName.SHOW_ALL:
                text(p, action.rect.left() + 4, action.rect.top(), 24, action.label, ui_font(12, 500),
                     self.theme.color("accent-text"))  # fmt: skip
            elif action.name is ActionName.UNDO_TURN:
                if paint.hover == action:
                    rounded(p, action.rect, 6, self.theme.color("hover"))
                role = "text-2" if action in (paint.hover, paint.focus) else "text-3"
                self.theme.draw_icon(p, "undo-2", action.rect, role, 14)
            else:
                draw_button(p, self, action, paint, icon="refresh-cw")
        if self.failed:
            y = self._box.bottom() + 4
            retry = next(action for action in self.actions if action.name is ActionName.RETRY)
            text(p, retry.rect.left() - 8, y, 24, self.tr("Not answered"), ui_font(12), self.theme.color("danger-text"),
                 right=True)  # fmt: skip


def _folded(source: str) -> tuple[str, int]:
    """The beginning of a long message, and how many lines are left out."""
    lines = source.split("\n")
    if len(source) <= FOLD_CHARS and len(lines) <= FOLD_LINES:
        return source, 0
    kept = "\n".join(lines[: FOLD_LINES - 6])[: FOLD_CHARS - 500]
    return kept + " …", max(1, len(lines) - kept.count("\n") - 1)


def _chip_width(name: str) -> float:
    return 12 + 22 + text_width(name, ui_font(12))


class CodeView(RowView):
    """A fenced block: language, copy button, code in five colours that may come later."""

    OPEN_PLAIN = 1500

    def __init__(self, row: CodeRow, context: RowContext) -> None:
        super().__init__(row, context)
        fence = row.fence()
        self._language = language_of(fence.language)
        self._code = fence.code
        self._coloured = fence.is_closed or len(fence.code) <= self.OPEN_PLAIN
        self._flow = self.add(CodeFlow(context.theme, fence.code, context.width - 24), 12, 30)
        self.height = 30 + self._flow.height + 8
        self.actions.append(
            Action(
                QRectF(context.width - 30, 3, 24, 24),
                ActionName.COPY,
                fence.code,
                self.tr("Copy code"),
                self.tr("Copy"),
            )
        )

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        if self._coloured:
            lines = self.context.highlighter.lines(self._code, self._language)
            self.awaits_colours = lines is None
            if lines is not None:
                self._flow.colour(lines)
        box = QRectF(0, 0, self.width, self.height)
        rounded(p, box, 8, self.theme.color("surface"))
        frame(p, box, 8, self.theme.color("hairline"))
        text(p, 12, 3, 24, self._language, ui_font(11), self.theme.color("text-3"))
        button = self.actions[0]
        if paint.hover == button:
            rounded(p, button.rect, 6, self.theme.color("press"))
        self.theme.draw_icon(p, "check" if paint.copied == button else "copy", button.rect, "text-2", 14)


class ReasoningView(RowView):
    """One closed line of quiet text; open, the words behind a hairline."""

    def __init__(self, row: ReasoningRow, context: RowContext) -> None:
        super().__init__(row, context)
        self._fold = f"reasoning {row.key}"
        self._open = context.is_open(self._fold)
        self._time = clock_time(row.at)
        if row.live:
            label = self.tr("Reasoning …")
        else:
            seconds = round(row.duration_s or 0)
            told = self.tr("Reasoned for {}") if seconds else self.tr("Reasoned")
            label = told.format(duration(seconds * 1000))
        self.add(Line(context.theme, [Span(label, ui_font(12, tabular=True), "text-3")]), 20, 0)
        self.actions.append(Action(QRectF(0, 0, context.width, 20), ActionName.TOGGLE, self._fold, label))
        self.height = 20
        if self._open:
            words = row.source.strip("\n")
            body: Flow
            if len(words) > LAID_OUT:
                body = CodeFlow(context.theme, words, context.width - 20, font=mono_font(12), role="text-2")
            else:
                style = TextStyle(px=13, role="text-2")
                body = Prose(context.theme, words, context.width - 20, style=style, literal=True)
            self.add(body, 20, 26)
            self.height = 26 + body.height

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        theme = self.theme
        role = "text-2" if paint.hover is not None else "text-3"
        theme.draw_icon(p, "chevron-down" if self._open else "chevron-right", QRectF(0, 0, 14, 20), role, 14)
        text(p, self.width, 0, 20, self._time, ui_font(12, tabular=True), theme.color("text-3"), right=True)
        if self._open:
            p.fillRect(QRectF(6, 26, 1, self.height - 26), theme.color("hairline-2"))


def draw_button(p: QPainter, view: RowView, action: Action, paint: Paint, icon: str = "", kind: str = "plain") -> None:
    """A small painted button, in the look of `controls.Button`."""
    theme, box = view.theme, action.rect
    hovered = paint.hover == action
    if kind == "primary":
        rounded(p, box, 6, theme.color("accent-hover" if hovered else "accent"))
        ink = "on-accent"
    else:
        rounded(p, box, 6, theme.color("hover" if hovered else "raised"))
        frame(p, box, 6, theme.color("hairline-2"))
        ink = "text"
    x = box.left() + 10
    if icon:
        theme.draw_icon(p, icon, QRectF(x, box.top(), 12, box.height()), ink, 12)
        x += 17
    text(p, x, box.top(), box.height(), action.label, ui_font(12, 500), theme.color(ink))


def button_width(label: str, *, icon: bool = False) -> float:
    return round(text_width(label, ui_font(12, 500)) + 20 + (17 if icon else 0))
