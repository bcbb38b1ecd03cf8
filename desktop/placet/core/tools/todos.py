"""`write_todos`: the plan of an agent, the whole list each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import PLAN_TOOL, Category, Replay, Todo, TodoList, TodoState, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.places import Place
from placet.core.tools.tool import make_tool

MOST = 100
_STATES = [state.value for state in TodoState]
_ITEM = {
    "type": "object",
    "properties": {"content": {"type": "string"}, "status": {"type": "string", "enum": _STATES}},
    "required": ["content", "status"],
    "additionalProperties": False,
}
_PARAMS = (
    Param(name="todos", kind=Kind.LIST, required=True, items=_ITEM, description="All steps, in order."),
)  # fmt: skip


def _prepare(args: dict[str, Any], place: Place) -> TodoList:
    todos = _todos(args["todos"])
    if len(todos) > MOST:
        raise ToolFailure(f"{len(todos)} steps are no plan; at most {MOST} are kept. Nothing was changed.")
    done = sum(todo.status is TodoState.COMPLETED for todo in todos)
    return TodoList(
        tool=PLAN_TOOL,
        category=Category.OTHER,
        label=f"{done} of {len(todos)} done",
        detail="\n".join(f"{todo.status.value}: {todo.content}" for todo in todos),
        replay=Replay.SAFE,
        todos=todos,
    )


def _todos(given: Sequence[Any]) -> tuple[Todo, ...]:
    """Lenient where nothing can be misread: a plain text is a step that is open."""
    try:
        return tuple(Todo(content=item) if isinstance(item, str) else msgspec.convert(item, Todo) for item in given)
    except msgspec.ValidationError as error:
        raise ToolFailure(
            f'Each step is an object {{"content": text, "status": one of {", ".join(_STATES)}}} ({error}). '
            "Nothing was changed."
        ) from None


WRITE_TODOS = make_tool(
    ToolSpec(
        name=PLAN_TOOL,
        description=(
            "Show the person your plan as a checklist: the whole list each time, with one step in progress. For work "
            "of three steps or more; update it when a step is done."
        ),
        parameters={},
        replay=Replay.SAFE,
    ),
    _PARAMS,
    _prepare,
)
