"""All calls of one answer in one card: a ledger, not a pile of boxes. Times and states stand in common columns."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from placet.core.domain.tools import QUESTION_TOOL
from placet.ui.models.transcript_calls import LIVE_LINES, icon_of
from placet.ui.models.transcript_rows import AgentLine, CallRow, CallState, LedgerRow
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.widgets.text.code import CodeFlow
from placet.ui.widgets.text.flow import Line, Span
from placet.ui.widgets.transcript.agent_lines import DOING, doing_spans, head_spans, question_spans
from placet.ui.widgets.transcript.proposal_block import ProposalBlock
from placet.ui.widgets.transcript.row_view import Action, ActionName, Paint, RowContext, RowView
from placet.ui.widgets.transcript.words import duration, stopwatch

LINE = 28
PAD = 8.0
BODY_LEFT = 44.0
HEAD_LINES = 12
FAILED_LINES = 3
_HIDDEN = 10
"""How far the outline of a parted card goes past the part, so that its corners are not seen there."""
NARROW = 520
"""Below this width the actions that show on hovering get no room of their own and cover what is under them."""

_STATE_ICON = {
    CallState.DONE: ("check", "text-2"),
    CallState.FAILED: ("octagon-alert", "danger-icon"),
    CallState.REJECTED: ("ban", "text-2"),
    CallState.CANCELLED: ("ban", "text-2"),
    CallState.WAITING: ("hand", "accent-text"),
}
_ALWAYS = (ActionName.REVIEW, ActionName.ANSWER, ActionName.STOP)
_TURNING = (CallState.RUNNING, CallState.PREPARING)


def fold_of(call: CallRow) -> str:
    """The name under which it is remembered that a call is open."""
    return f"call {call.call_id}"


class _Box(msgspec.Struct, frozen=True):
    """One call's line; `tools` are the painted actions at its right."""

    call: CallRow
    top: float
    height: float
    area: int
    is_open: bool
    toggle: Action
    tools: tuple[Action, ...]


class LedgerView(RowView):
    def __init__(self, row: LedgerRow, context: RowContext) -> None:
        super().__init__(row, context)
        self._boxes: list[_Box] = []
        self._lines: list[float] = []
        self._insets: list[QRectF] = []
        self._proposals: list[ProposalBlock] = []
        y = 1.0
        for index, call in enumerate(row.calls):
            if index:
                self._lines.append(y)
                y += 1
            y = self._place(call, y)
        self.height = y if row.joins_below or row.is_bare else y + 1
        self._outline = QRectF(0, 0, self.width, self.height)
        self._outline.adjust(0, -_HIDDEN if row.joins_above else 0, 0, _HIDDEN if row.joins_below else 0)
        self._is_bare, self._joins_above = row.is_bare, row.joins_above

    def _place(self, call: CallRow, y: float) -> float:
        """Lay out one call and what hangs below it; returns the y under it."""
        if call.agent is not None:
            return self._place_agent(call, call.agent, y)
        fold = fold_of(call)
        if call.output and call.state is CallState.RUNNING:
            self.context.folds.setdefault(fold, True)  # it stays open when it ends: nothing jumps
        is_open = self.context.is_open(fold, otherwise=call.state is CallState.FAILED and bool(call.result))
        tools = self._tools(call, y)
        shown = [tool for tool in tools if tool.name in _ALWAYS or self.width > NARROW]
        self._title(call, y, sum(tool.rect.width() + 8 for tool in shown))
        tip = call.decision
        row = QRectF(1, y, self.width - 2, LINE)
        label = self.tr("Close {}") if is_open else self.tr("Open {}")
        toggle = Action(row, ActionName.TOGGLE, fold, label.format(call.plain()), tip)
        self._boxes.append(_Box(call, y, LINE, len(self.areas) - 1, is_open, toggle, tools))
        self.actions += [toggle, *tools]
        self._animate(call, y)
        y += LINE
        return self._body(call, fold, y) if is_open else y

    def _place_agent(self, call: CallRow, agent: AgentLine, y: float) -> float:
        """A sub-agent opens into rows of its own, which are not part of this one."""
        tools = self._tools(call, y)
        taken = sum(tool.rect.width() + 8 for tool in tools if tool.name in _ALWAYS or self.width > NARROW)
        left = 1 + PAD + 42
        head = head_spans(call, agent, self._room() - taken)
        self.add(Line(self.theme, head, LINE, gap=8), left, y)
        height = LINE if agent.is_open else LINE + DOING
        if not agent.is_open:
            doing = doing_spans(call, agent, self.width - left - 37, self.tr)
            self.add(Line(self.theme, doing, DOING, gap=8), left, y + LINE - 4)
        label = self.tr("Close {}") if agent.is_open else self.tr("Open {}")
        row = QRectF(1, y, self.width - 2, height)
        toggle = Action(row, ActionName.UNFOLD, call.call_id, label.format(call.plain()), call.decision)
        self._boxes.append(_Box(call, y, height, len(self.areas) - 1, agent.is_open, toggle, tools))
        self.actions += [toggle, *tools]
        if agent.is_begun:
            self._animate(call, y)
        return y + height

    def _animate(self, call: CallRow, y: float) -> None:
        if call.word:
            return
        if call.state in _TURNING:
            self.spinners.append(QRectF(self.width - 29, y, 16, LINE))
        if call.state is CallState.RUNNING:
            self.clocks.append(QRectF(self.width - 37 - 52, y, 52, LINE))

    def _room(self) -> float:
        """For the words of a line, between its icon and the column of times."""
        return self.width - PAD - 43 - 37 - 52 - 17

    def _title(self, call: CallRow, y: float, taken: float) -> None:
        room = self._room() - taken
        if (asked := question_spans(call, room, self.tr)) is not None:
            self.add(Line(self.theme, asked, LINE, gap=8), 1 + PAD + 42, y)
            return
        quiet = call.state in (CallState.REJECTED, CallState.CANCELLED)
        spans = [
            Span(call.name, mono_font(), "text-2"),
            Span(call.target, mono_font(), "text-2" if quiet else "text"),
        ]
        if call.counts:
            spans.append(Span(f"+{call.counts[0]}", ui_font(12, 500, True), "add-text", 4))
            spans.append(Span(f"−{call.counts[1]}", ui_font(12, 500, True), "del-text"))
        taken_up = self.tr("then applied by you") if call.is_taken_up else ""
        details = (call.detail, call.note, taken_up, self.tr("undone") if call.undone else "")
        spans += [Span(part, ui_font(12, tabular=True), "text-3") for part in details if part]
        fixed = sum(text_width(s.text, s.font) + 8 for s in spans if s is not spans[1])
        left = max(60.0, room - fixed)
        told = call.target if call.target != call.name else ""
        target = elided(_one_line(told), mono_font(), left, Qt.TextElideMode.ElideMiddle)
        spans[1] = Span(target, spans[1].font, spans[1].role)
        over = text_width(target, mono_font()) + fixed - room
        if over > 0 and len(spans) > 2:
            last = spans[-1]
            spans[-1] = Span(elided(last.text, last.font, max(0, text_width(last.text, last.font) - over)), last.font,
                             last.role)  # fmt: skip
        self.add(Line(self.theme, [span for span in spans if span.text], LINE, gap=8), 1 + PAD + 42, y)

    def _tools(self, call: CallRow, y: float) -> tuple[Action, ...]:
        """Painted actions left of the time, from the right: the state's own one first."""
        made: list[Action] = []
        right = self.width - 37 - 52 - 17
        if call.is_to_be_reviewed:
            asks = call.agent.asks if call.agent is not None else call.name == QUESTION_TOOL
            label = self.tr("Answer") if asks else self.tr("Review")
            width = text_width(label, ui_font(12, 500)) + 18
            key = (call.agent.waits if call.agent is not None else 0) or call.call_id
            name = ActionName.ANSWER if asks else ActionName.REVIEW
            made.append(Action(QRectF(right - width, y, width, LINE), name, key, label))
        elif call.agent is None and _can_be_stopped(call):
            width = text_width(self.tr("Stop"), ui_font(12)) + 17
            made.append(Action(QRectF(right - width, y, width, LINE), ActionName.STOP, call.call_id, self.tr("Stop")))
        elif call.state.is_final and call.change_id is not None:
            name, label = (
                (ActionName.REDO, self.tr("Apply again")) if call.undone else (ActionName.UNDO, self.tr("Undo"))
            )
            width = text_width(label, ui_font(12)) + 17
            made.append(Action(QRectF(right - width, y, width, LINE), name, call.change_id, label))
        if call.state.is_final:
            edge = made[-1].rect.left() - 8 if made else right
            copied = "\n".join(part for part in (call.target, call.result) if part)
            made.append(
                Action(
                    QRectF(edge - 22, y + 3, 22, 22),
                    ActionName.COPY,
                    copied,
                    self.tr("Copy call and result"),
                    self.tr("Copy"),
                )
            )
        return tuple(made)

    def _body(self, call: CallRow, fold: str, y: float) -> float:
        if call.state is CallState.RUNNING and call.output:
            return self._inset("\n".join(call.output[-LIVE_LINES:]), 0, y=y)
        if call.proposal is not None and call.has_proposal:
            self._proposals.append(ProposalBlock(self, call, call.proposal, y))
            y = self._proposals[-1].bottom
            if call.proposal.proposed is not None:
                return y
        all_open = self.context.is_open(f"{fold} all")
        told = call.result.strip("\n")
        if call.state is CallState.FAILED and not self.context.is_open(fold):
            return self._failure(told, y)
        arguments = "\n".join(_argument_lines(call))
        if arguments:
            y = self._inset(*self._cut(arguments, all_open, tail=False), y=y, fold=fold, role="text-2")
        if told or not arguments:
            tail = call.name.startswith("execute")
            y = self._inset(*self._cut(told or self.tr("No result yet."), all_open, tail=tail), y=y, fold=fold)
        return y

    def _cut(self, told: str, all_open: bool, *, tail: bool) -> tuple[str, int]:
        """What is shown at first, and how many lines are left out."""
        lines = told.split("\n")
        limit = LIVE_LINES if tail else HEAD_LINES
        if all_open or len(lines) <= limit + 1:
            return (told, 0) if all_open or len(told) < 4000 else (told[:4000] + " …", 1)
        kept = "\n".join(lines[-limit:] if tail else lines[:limit])
        return kept[:4000], len(lines) - limit

    def _inset(self, shown: str, left_out: int, *, y: float, fold: str = "", role: str = "text") -> float:
        """A box with monospaced lines and the way to see those that are left out; returns the y under it."""
        flow = CodeFlow(self.theme, shown, self.width - BODY_LEFT - 33, line=18, role=role)
        box = QRectF(BODY_LEFT, y - 1, self.width - 13 - BODY_LEFT, 12 + flow.height + (20 if left_out else 0))
        self._insets.append(box)
        self.add(flow, box.left() + 10, box.top() + 6)
        if left_out:
            bottom = QRectF(box.left() + 6, box.bottom() - 24, 200, 22)
            self.actions.append(Action(bottom, ActionName.SHOW_ALL, f"{fold} all", self.show_all(left_out)))
        return box.bottom() + 9

    def _failure(self, told: str, y: float) -> float:
        """The few lines that say why, without a box, until a person asks for more."""
        lines = [line for line in told.split("\n") if line.strip() and not line.startswith("[")]
        shown = lines[-FAILED_LINES:] if len(lines) > FAILED_LINES else lines
        if not shown:
            return y
        for line in shown:
            short = elided(line, mono_font(12), self.width - 48 - 20)
            self.add(Line(self.theme, [Span(short, mono_font(12), "text-2")], 18), 49, y - 1)
            y += 18
        return y + 7

    # ---- painting ----------------------------------------------------------------------------------------------

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        theme = self.theme
        card = QPainterPath()
        card.addRoundedRect(self._outline, 0 if self._is_bare else 8, 0 if self._is_bare else 8)
        p.save()
        p.setClipRect(QRectF(0, 0, self.width, self.height), Qt.ClipOperation.IntersectClip)
        p.setClipPath(card, Qt.ClipOperation.IntersectClip)
        for box in self._boxes:
            line = QRectF(0, box.top, self.width, box.height)
            if box.call.state is CallState.WAITING:
                p.fillRect(line.adjusted(0, -1, 0, 1), theme.color("accent-bg"))
                p.fillRect(QRectF(0, box.top - 1, 2, box.height + 2), theme.color("accent-mark"))
            elif _is_over(box, paint.hover):
                p.fillRect(line, theme.color("hover"))
        for y in (0.0, *self._lines) if self._is_bare or self._joins_above else self._lines:
            hairline(p, 0 if self._is_bare else 1, y, self.width - 1, theme.color("hairline"))
        for inset in self._insets:
            rounded(p, inset, 6, theme.color("surface"))
        waiting = [proposal.draw_under(p) for proposal in self._proposals]
        self.awaits_colours = any(waiting)
        if not self._is_bare:
            frame(p, self._outline, 8, theme.color("hairline"))
        p.restore()

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        for box in self._boxes:
            self._draw_call(p, box, paint)
        for proposal in self._proposals:
            proposal.draw_over(p, paint)
        for action in self.actions:
            if action.name is ActionName.SHOW_ALL:
                text(p, action.rect.left() + 4, action.rect.top(), 22, action.label, ui_font(12, 500),
                     self.theme.color("accent-text"))  # fmt: skip

    def _draw_call(self, p: QPainter, box: _Box, paint: Paint) -> None:
        theme, call, y = self.theme, box.call, box.top
        theme.draw_icon(
            p, "chevron-down" if box.is_open else "chevron-right", QRectF(1 + PAD, y, 14, LINE), "text-3", 14
        )
        theme.draw_icon(p, icon_of(call.name), QRectF(1 + PAD + 18, y, 16, LINE), "text-2")
        waiting = call.state is CallState.WAITING
        role = {CallState.WAITING: "accent-text", CallState.FAILED: "danger-text"}.get(call.state, "text-3")
        font = ui_font(12, 500 if waiting else 400, True)
        text(p, self.width - 37, y, LINE, self._time_word(call, paint.now), font, theme.color(role), right=True)
        if call.state in _STATE_ICON:
            icon, tint = _STATE_ICON[call.state]
            theme.draw_icon(p, icon, QRectF(self.width - 29, y, 16, LINE), tint, 14)
        for tool in box.tools:
            self._draw_tool(p, tool, _is_over(box, paint.hover) or _is_over(box, paint.focus), paint)

    def _time_word(self, call: CallRow, now: float) -> str:
        """What stands in the column of times: a word where there is one to say, else how long it took."""
        if call.word:
            return call.word
        match call.state:
            case CallState.RUNNING if call.agent is not None and not call.agent.is_begun:
                return self.tr("queued")
            case CallState.RUNNING:
                return stopwatch(now - call.started_at) if call.started_at else ""
            case CallState.WAITING:
                return self.tr("waiting")
            case CallState.REJECTED:
                return self.tr("rejected")
            case CallState.CANCELLED:
                return self.tr("stopped")
            case CallState.FAILED:
                return self.tr("failed")
            case CallState.PREPARING:
                return self.tr("writing")
            case CallState.DONE:
                return duration(call.duration_ms)

    def _draw_tool(self, p: QPainter, tool: Action, is_over: bool, paint: Paint) -> None:
        theme, rect = self.theme, tool.rect
        if is_over and tool.name not in _ALWAYS and self.width <= NARROW:
            p.fillRect(rect.adjusted(-6, 0, 6, 0), theme.color("hover"))
        if paint.hover == tool and tool.name not in (ActionName.REVIEW, ActionName.ANSWER):
            rounded(
                p, rect.adjusted(-5, 3, 5, -3) if tool.name is not ActionName.COPY else rect, 6, theme.color("press")
            )
        match tool.name:
            case ActionName.REVIEW | ActionName.ANSWER:
                theme.draw_icon(p, "arrow-right", QRectF(rect.right() - 14, rect.top(), 14, LINE), "accent-text", 14)
                text(p, rect.left(), rect.top(), LINE, tool.label, ui_font(12, 500), theme.color("accent-text"))
            case ActionName.STOP:
                theme.draw_icon(p, "square", QRectF(rect.left(), rect.top(), 12, LINE), "text-2", 12)
                text(p, rect.left() + 17, rect.top(), LINE, tool.label, ui_font(12), theme.color("text-2"))
            case ActionName.UNDO | ActionName.REDO if is_over:
                icon = "undo-2" if tool.name is ActionName.UNDO else "redo-2"
                theme.draw_icon(p, icon, QRectF(rect.left(), rect.top(), 12, LINE), "text-2", 12)
                text(p, rect.left() + 17, rect.top(), LINE, tool.label, ui_font(12), theme.color("text-2"))
            case ActionName.COPY if is_over:
                theme.draw_icon(p, "check" if paint.copied == tool else "copy", rect, "text-3", 14)


def _is_over(box: _Box, action: Action | None) -> bool:
    return action is not None and (action == box.toggle or action in box.tools)


def _can_be_stopped(call: CallRow) -> bool:
    return call.state is CallState.RUNNING and not call.word and bool(call.output or call.name.startswith("execute"))


def _one_line(target: str) -> str:
    return " ⏎ ".join(target.split("\n")) if "\n" in target else target


def _argument_lines(call: CallRow) -> Iterator[str]:
    """The model's own arguments, without what the line above says already."""
    for key, value in call.arguments.items():
        told = value if isinstance(value, str) else str(value)
        if told.strip() == call.target.strip() or (key == "path" and told.endswith(call.target)):
            continue
        yield f"{key}:\n{told}" if "\n" in told else f"{key}: {told}"
