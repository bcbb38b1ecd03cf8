"""Calls that are part of the flow and not lines of a ledger: plans, questions, sub-agents. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placet.core.domain.text import first_line
from placet.core.domain.tools import DELEGATING, PLAN_TOOL, QUESTION_TOOL, Todo, TodoState
from placet.ui.models.transcript_rows import AgentLine, AnyRow, CallRow, CallState, LedgerRow, PlanRow, QuestionRow

_STATES = {state.value: state for state in TodoState}
_TASK_CHARS = 200


def call_rows(calls: Sequence[CallRow]) -> Iterator[AnyRow]:
    """The rows of an answer's calls in order; what is no ledger line parts the ledger."""
    lines: list[CallRow] = []
    for call in calls:
        if (row := plan_row(call) or question_row(call)) is None:
            lines.append(call)
            continue
        if lines:
            yield ledger(lines)
        lines.clear()
        yield row
    if lines:
        yield ledger(lines)


def ledger(calls: Sequence[CallRow]) -> LedgerRow:
    lines = "\n".join(f"- `{call.name}` {call.target} ({call.word or call.state.value})" for call in calls)
    return LedgerRow(source=f"\n{lines}\n", calls=tuple(calls))


# ---- plans ---------------------------------------------------------------------------------------------------


def plan_row(call: CallRow) -> PlanRow | None:
    """The checklist that the call writes; None for other calls, and for one that failed or is asked about."""
    if call.name != PLAN_TOOL or call.state not in (CallState.PREPARING, CallState.RUNNING, CallState.DONE):
        return None
    items = tuple(_items(call.arguments.get("todos")))
    if not items and call.state is not CallState.PREPARING:
        return None
    marks = {TodoState.COMPLETED: "[x] ", TodoState.IN_PROGRESS: "[ ] **", TodoState.PENDING: "[ ] "}
    source = "".join(
        f"- {marks[item.status]}{item.content}{'**' if item.status is TodoState.IN_PROGRESS else ''}\n"
        for item in items
    )
    return PlanRow(source=source, call_id=call.call_id, items=items)


def _items(given: object) -> Iterator[Todo]:
    """What a model wrote, as far as it can be read."""
    for item in given if isinstance(given, (list, tuple)) else ():
        if isinstance(item, dict) and (content := first_line(str(item.get("content", "")), 500)):
            yield Todo(content=content, status=_STATES.get(str(item.get("status")), TodoState.PENDING))


# ---- questions -----------------------------------------------------------------------------------------------


def question_row(call: CallRow) -> QuestionRow | None:
    """A question with its end. One that waits is a line in the ledger, as all that waits."""
    if call.name != QUESTION_TOOL or call.state not in (CallState.DONE, CallState.CANCELLED):
        return None
    title, question = str(call.arguments.get("title", "")), str(call.arguments.get("question", ""))
    answer = call.result if call.state is CallState.DONE else None
    return QuestionRow(source=question, call_id=call.call_id, title=title or call.target, answer=answer)


# ---- sub-agents ----------------------------------------------------------------------------------------------


def is_agent(call: CallRow) -> bool:
    return call.name in DELEGATING and call.state is not CallState.PREPARING


def agent_name(call: CallRow) -> str:
    return str(call.arguments.get("agent") or call.target or call.name)


def agent_task(call: CallRow) -> str:
    """All that it was asked."""
    return str(call.arguments.get("task") or "")


def agent_line(call: CallRow) -> AgentLine:
    """What the call itself tells of its sub-agent."""
    return AgentLine(
        name=agent_name(call),
        task=first_line(agent_task(call), _TASK_CHARS),
        is_begun=call.started_at is not None or call.state.is_final,
        doing=readable_line(call.result) if call.state.is_final else "",
    )


def readable_line(text: str, limit: int = 160) -> str:
    """The first line of Markdown that says something, without its marks."""
    for line in text[:4000].split("\n"):
        if words := line.strip().lstrip("#>*+-|`~ ").replace("**", "").replace("`", "").strip():
            return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"
    return ""
