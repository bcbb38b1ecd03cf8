"""`read_notification`: what was told from the background, once more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import SessionId
from placet.core.domain.notifications import READ_NOTIFICATION
from placet.core.domain.tools import Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.places import Place
from placet.core.tools.tool import Tool, make_tool

ReadNotifications = Callable[[SessionId, int], Awaitable[str]]
"""The newest of a session, up to a number, as the JSON text of a list."""

MOST = 50

_SPEC = ToolSpec(
    name=READ_NOTIFICATION,
    description=(
        "Read again the newest notifications that this conversation got from the background (tasks, schedules). New "
        "ones come by themselves as results of this tool: no need to look for them."
    ),
    parameters={},
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(
        name="limit",
        kind=Kind.INTEGER,
        default=20,
        minimum=1,
        description=f"How many of the newest. Default 20, most {MOST}.",
    ),
)


def tool(read: ReadNotifications) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        limit = min(args["limit"], MOST)

        async def run(io: ToolIO) -> ToolResult:
            if io.session_id is None:
                raise ToolFailure("There is no conversation to read notifications of.")
            return ToolResult(text=await read(io.session_id, limit))

        return Execution(
            tool=READ_NOTIFICATION,
            category=_SPEC.category,
            label="",
            detail=f"the newest {limit}",
            replay=Replay.SAFE,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)
