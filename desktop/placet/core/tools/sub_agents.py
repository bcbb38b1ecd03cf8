"""`execute_task` and `execute_subtask`: a task for another agent. The engine runs it."""

from __future__ import annotations

from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.text import first_line
from placet.core.domain.tools import SUBTASK_TOOL, TASK_TOOL, Category, Replay, SubAgentTask, ToolSpec
from placet.core.tools.arguments import Param
from placet.core.tools.places import Place
from placet.core.tools.tool import Tool, make_tool

_LABEL_LIMIT = 80
_PARAMS = (
    Param(name="agent", required=True, description="The agent that does it, by its id."),
    Param(
        name="task",
        required=True,
        description=(
            "The whole task: what to find out or do, what is known already with paths, and what to report back. "
            "The agent sees nothing of this conversation."
        ),
    ),
)


def _tool(name: str, description: str) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> SubAgentTask:
        agent, task = args["agent"].strip(), args["task"].strip()
        if not agent or not task:
            raise ToolFailure(f"{name} needs the id of an agent and a task for it. Nothing was started.")
        return SubAgentTask(
            tool=name,
            category=Category.OTHER,
            label=f"{agent}: {first_line(task, _LABEL_LIMIT)}",
            detail=f"{agent}: {task}",
            replay=Replay.NEVER,
            agent=agent,
            prompt=task,
        )

    return make_tool(ToolSpec(name=name, description=description, parameters={}), _PARAMS, prepare)


EXECUTE_TASK = _tool(
    TASK_TOOL,
    "Give a task to another agent and wait for its report. It works with the same files and permissions, in a context "
    "of its own, so that long reading does not fill this one. Several such calls in one answer, and nothing else in it, "
    "run at the same time: use that for independent work.",
)
EXECUTE_SUBTASK = _tool(
    SUBTASK_TOOL,
    "Give a part of your task to another agent and wait for its report. Several such calls in one answer, and nothing "
    "else in it, run at the same time.",
)
