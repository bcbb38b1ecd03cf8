"""Which row is drawn by which view, and how high it will be before anybody laid it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placet.ui.models.transcript_rows import (
    AnyRow,
    AsideRow,
    CodeRow,
    ErrorRow,
    InterruptedRow,
    LedgerRow,
    NestedRow,
    NoteRow,
    PlanRow,
    ProseRow,
    QuestionRow,
    ReasoningRow,
    UserRow,
)
from placet.ui.widgets.transcript.agent_lines import DOING
from placet.ui.widgets.transcript.flow_views import AsideView, QuestionView
from placet.ui.widgets.transcript.ledger import LedgerView
from placet.ui.widgets.transcript.message_views import CodeView, ProseView, ReasoningView, UserView
from placet.ui.widgets.transcript.nested_view import NestedView, inner_context
from placet.ui.widgets.transcript.notice_views import ErrorView, InterruptedView, NoteView
from placet.ui.widgets.transcript.plan_view import PlanView
from placet.ui.widgets.transcript.row_view import RowContext, RowView

_VIEWS: Mapping[type, Callable[[Any, RowContext], RowView]] = {
    UserRow: UserView,
    ProseRow: ProseView,
    CodeRow: CodeView,
    ReasoningRow: ReasoningView,
    LedgerRow: LedgerView,
    NoteRow: NoteView,
    ErrorRow: ErrorView,
    InterruptedRow: InterruptedView,
    PlanRow: PlanView,
    QuestionRow: QuestionView,
    AsideRow: AsideView,
}


def build_view(row: AnyRow, context: RowContext) -> RowView:
    if isinstance(row, NestedRow):
        return NestedView(row, context, build_view(row.inner, inner_context(row, context)))
    return _VIEWS[type(row)](row, context)


def estimate(row: AnyRow, context: RowContext) -> float:
    """Good enough for a scroll bar."""
    match row:
        case LedgerRow(calls=calls):
            folded = sum(call.agent is not None and not call.agent.is_open for call in calls)
            return 29.0 * len(calls) + DOING * folded + 1
        case NestedRow(inner=inner):
            return estimate(inner, inner_context(row, context)) + row.air + row.foot
        case PlanRow(items=items, is_latest=True):
            return 36.0 + 20 * len(items)
        case QuestionRow(source=source):
            return 80.0 + 20 * max(1 + source.count("\n") // 2, len(source) * 7 // max(context.width, 1))
        case CodeRow(source=source):
            return 38.0 + 20 * max(1, source.count("\n") - 1)
        case ProseRow(source=source):
            return 20.0 * max(1 + source.count("\n") // 2, len(source) * 7 // max(context.width, 1))
        case UserRow(source=source):
            return 36.0 + 20 * min(30, source.count("\n") + len(source) * 7 // 500)
        case ErrorRow():
            return 96.0
        case _:
            return 20.0
