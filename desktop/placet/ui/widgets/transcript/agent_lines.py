"""The words of a sub-agent's call in a ledger: who, what it was asked, and below it what it does now."""

from __future__ import annotations

from collections.abc import Callable

from placet.core.domain.tools import QUESTION_TOOL
from placet.ui.models.transcript_rows import AgentLine, CallRow, CallState
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, text_width
from placet.ui.widgets.text.flow import Span

DOING = 20
"""How much higher the line of a folded sub-agent is than that of another call."""

Translate = Callable[[str], str]


def head_spans(call: CallRow, agent: AgentLine, room: float) -> list[Span]:
    """Its name, and as much of its task as there is room for."""
    name = Span(agent.name, ui_font(12, 500), "text")
    detail = [Span(call.detail, ui_font(12, tabular=True), "text-3")] if call.detail else []
    left = room - sum(text_width(span.text, span.font) + 8 for span in (name, *detail))
    task = elided(agent.task, ui_font(12), max(40.0, left))
    return [span for span in (name, Span(task, ui_font(12), "text-3"), *detail) if span.text]


def doing_spans(call: CallRow, agent: AgentLine, room: float, tr: Translate) -> list[Span]:
    """The round and what happens in it; the beginning of the result once that is there."""
    made = []
    if not call.state.is_final and agent.rounds:
        made.append(Span(tr("Round {}").format(agent.rounds), ui_font(12, tabular=True), "text-3"))
    if agent.tool:
        made.append(Span(agent.tool, mono_font(), "text-3"))
    taken = sum(text_width(span.text, span.font) + 8 for span in made)
    font = mono_font() if agent.tool else ui_font(12)
    words = agent.doing or ("" if agent.tool else _without_words(call, agent, tr))
    if words := elided(" ".join(words.split()), font, max(40.0, room - taken)):
        made.append(Span(words, font, "text-2"))
    return made


def _without_words(call: CallRow, agent: AgentLine, tr: Translate) -> str:
    if call.state.is_final:
        return tr("Without a result")
    if agent.rounds:
        return tr("Reasoning …")
    return tr("Starting") if agent.is_begun else tr("Waits until another one is done")


def question_spans(call: CallRow, room: float, tr: Translate) -> list[Span] | None:
    """A question that waits, in words; None for other calls."""
    if call.name != QUESTION_TOOL or call.state is not CallState.WAITING:
        return None
    head = Span(tr("Question"), ui_font(12, 500), "text")
    title = str(call.arguments.get("title") or call.target)
    left = room - text_width(head.text, head.font) - 8
    return [head, Span(elided(title, ui_font(12), max(40.0, left)), ui_font(12), "text")]
