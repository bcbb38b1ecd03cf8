"""What an open call shows of the write it proposed: the difference, the ways to copy it, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPainterPath

from placet.core.domain.diff import NoticeLevel
from placet.core.domain.proposals import Basis
from placet.ui.models.transcript_proposals import ProposalPart, ShownProposal
from placet.ui.models.transcript_rows import CallRow
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, rounded, text, text_width
from placet.ui.widgets.text.flow import Line, Span
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.writer import TextStyle
from placet.ui.widgets.transcript.diff_flow import DiffFlow
from placet.ui.widgets.transcript.message_views import button_width, draw_button
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowView

LEFT, RIGHT = 44.0, 13.0
_HEAD = 26
_BUTTON = 24
_TINTS = {NoticeLevel.WARNING: "warn-text", NoticeLevel.FACT: "text-3"}


class ProposalBlock:
    """Lays itself out below `y` in a row's view, whose areas and actions it adds to; `bottom` is where it ends."""

    def __init__(self, view: RowView, call: CallRow, proposal: ShownProposal, y: float) -> None:
        self._view, self._call = view, call
        self._boxes: list[tuple[QRectF, DiffFlow]] = []
        self._links: list[Action] = []
        self._buttons: list[tuple[Action, str, str]] = []
        self._icons: list[tuple[float, str, str]] = []
        self._width = view.width - LEFT - RIGHT
        if proposal.note:
            y = self._say(proposal.note, y, "text-2", "")
        for part in proposal.parts():
            y = self._place(part, proposal, y)
        self.bottom = self._place_buttons(y) + 10

    # ---- laying out ----------------------------------------------------------------------------------------------

    def _say(self, words: str, y: float, role: str, icon: str) -> float:
        left = LEFT + (22 if icon else 0)
        style = TextStyle(px=12, role=role)
        prose = self._view.add(
            Prose(self._view.theme, words, self._width - (left - LEFT), style=style, literal=True), left, y
        )
        if icon:
            self._icons.append((y, icon, "warn-icon"))
        return y + prose.height + 4

    def _place(self, part: ProposalPart, proposal: ShownProposal, y: float) -> float:
        is_written = part is proposal.written
        y = self._place_head(self._title(proposal, is_written=is_written), y, is_written=is_written)
        for notice in part.diff.notices:
            icon = "triangle-alert" if notice.level is NoticeLevel.WARNING else ""
            y = self._say(notice.text, y, _TINTS[notice.level], icon)
        y = float(round(y))  # numbers and grounds stand on whole pixels
        if part.diff.hunks:
            flow = DiffFlow(self._view.theme, part.diff, self._width, self._view.context.highlighter)
            self._boxes.append((QRectF(LEFT, y, self._width, flow.height), flow))
            self._view.add(flow, LEFT, y)
            y += flow.height
        else:
            y = self._say(self._nothing(part), y, "text-2", "")
        if part.left_out:
            words = self._tr("{} more lines: open the whole difference").format(f"{part.left_out:,}")
            box = QRectF(LEFT - 4, y, text_width(words, ui_font(12, 500)) + 8, _BUTTON)
            self._link(Action(box, ActionName.OPEN_PROPOSAL, self._call.call_id, words))
            y += _BUTTON
        return y + 8

    def _place_head(self, title: str, y: float, *, is_written: bool) -> float:
        """The title where there is one to tell apart, and at the right the two ways to copy, below it if need be."""
        ways = (
            (ActionName.COPY_NEW_TEXT, self._tr("Copy the new text")),
            (ActionName.COPY_PATCH, self._tr("Copy as a patch")),
        )
        taken = sum(text_width(words, ui_font(12)) + 16 for _, words in ways)
        if title:
            self._view.add(Line(self._view.theme, [Span(title, ui_font(12, 500), "text-2")], _HEAD), LEFT, y)
            y += _HEAD if text_width(title, ui_font(12, 500)) + taken > self._width else 0
        right = self._view.width - RIGHT
        wanted = f"{self._call.call_id} {'written' if is_written else 'proposed'}"
        for name, words in ways:
            width = text_width(words, ui_font(12)) + 8
            self._link(Action(QRectF(right - width, y + 1, width, _BUTTON), name, wanted, words))
            right -= width + 8
        return y + _HEAD

    def _title(self, proposal: ShownProposal, *, is_written: bool) -> str:
        if is_written:
            return self._tr("As you changed it")
        if proposal.written is not None:
            return self._tr("As it was proposed")
        return self._tr("On the file as it is now") if proposal.basis is Basis.NOW else ""

    def _nothing(self, part: ProposalPart) -> str:
        if part.diff.is_binary:
            return self._tr("Binary content is not shown.")
        return self._tr("An empty file.") if part.diff.is_new else self._tr("No line differs.")

    def _link(self, action: Action) -> None:
        self._links.append(action)
        self._view.actions.append(action)

    def _place_buttons(self, y: float) -> float:
        call = self._call
        name = ActionName.REVIEW if call.is_to_be_reviewed else ActionName.OPEN_PROPOSAL
        wanted = [(name, call.call_id, self._tr("Open in the review"), "arrow-right")] if self._boxes else []
        if call.can_be_taken_up:
            wanted.append((ActionName.TAKE_UP, call.call_id, self._tr("Propose again …"), "redo-2"))
        elif call.undone and call.change_id is not None:
            wanted.append((ActionName.REDO, call.change_id, self._tr("Apply again …"), "redo-2"))
        x = LEFT
        for which, key, label, icon in wanted:
            width = button_width(label, icon=True)
            action = Action(QRectF(x, y, width, _BUTTON), which, key, label)
            self._view.actions.append(action)
            self._buttons.append((action, icon, "plain"))
            x += width + 8
        return y + _BUTTON

    def _tr(self, words: str) -> str:
        return self._view.tr(words)

    # ---- painting ------------------------------------------------------------------------------------------------

    def draw_under(self, p: QPainter) -> bool:
        """The ground of each difference; whether some of its colours are still to come."""
        waits = False
        for box, flow in self._boxes:
            waits = flow.take_colours() or waits
            rounded(p, box, 6, self._view.theme.color("bg"))
        return waits

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        theme = self._view.theme
        for box, _ in self._boxes:
            self._round_corners(p, box)
            frame(p, box, 6, theme.color("hairline"))
        for y, icon, role in self._icons:
            theme.draw_icon(p, icon, QRectF(LEFT, y, 16, 20), role, 14)
        for link in self._links:
            is_more = link.name is ActionName.OPEN_PROPOSAL
            is_over = link in (paint.hover, paint.focus)
            role = "accent-text" if is_more else "text" if is_over else "text-3"
            font = ui_font(12, 500 if is_more else 400)
            words = self._tr("Copied") if paint.copied == link else link.label
            text(p, link.rect.left() + 4, link.rect.top(), _BUTTON, words, font, theme.color(role))
        for action, icon, kind in self._buttons:
            draw_button(p, self._view, action, paint, icon, kind)

    def _round_corners(self, p: QPainter, box: QRectF) -> None:
        """Lines were painted up to the corners of the box: give these back to the card."""
        outside = QPainterPath()
        outside.addRect(box)
        inside = QPainterPath()
        inside.addRoundedRect(box, 6, 6)
        p.fillPath(outside - inside, self._view.theme.color("bg"))
