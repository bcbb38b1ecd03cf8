"""`notify`: tell the person of an event. Only the background agent has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from placet.core.domain.background import NOTIFY
from placet.core.domain.errors import ToolFailure
from placet.core.domain.ids import SessionId
from placet.core.domain.tools import Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.places import Place
from placet.core.tools.tool import Tool, make_tool

Tell = Callable[[SessionId, str, str, Sequence[int]], Awaitable[str]]
"""Takes the session, a title, a text and the ids of events; returns what the model is told. Raises: ToolFailure."""

MOST_TITLE, MOST_TEXT = 200, 2_000

_SPEC = ToolSpec(
    name=NOTIFY,
    description="Tell the person of an event that is worth it. Once for each story, never for nothing.",
    parameters={},
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(name="title", required=True, description="What happened, in at most ten words."),
    Param(
        name="text",
        required=True,
        description="What it means for the person and what they can do, in one or two sentences.",
    ),
    Param(
        name="events",
        kind=Kind.LIST,
        required=True,
        items={"type": "integer"},
        description="The ids of the events that it is about.",
    ),
)


def tool(tell: Tell) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        title, text = " ".join(args["title"].split()), args["text"].strip()
        if not title or not text:
            raise ToolFailure("A notification needs a title and a text. Nothing was told.")
        if len(title) > MOST_TITLE or len(text) > MOST_TEXT:
            raise ToolFailure(
                f"A title has at most {MOST_TITLE} characters and a text {MOST_TEXT:,}. Nothing was told; say it in fewer words."
            )
        events = args["events"]
        if not events or not all(isinstance(each, int) and not isinstance(each, bool) for each in events):
            raise ToolFailure("events is the list of the ids of the events that it is about. Nothing was told.")

        async def run(io: ToolIO) -> ToolResult:
            if io.session_id is None:
                raise ToolFailure("There is nobody to tell.")
            return ToolResult(text=await tell(io.session_id, title, text, events))

        return Execution(
            tool=NOTIFY, category=_SPEC.category, label=title, detail=f"{title}\n{text}", replay=Replay.SAFE, run=run
        )

    return make_tool(_SPEC, _PARAMS, prepare)
