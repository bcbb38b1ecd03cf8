"""`update_scratchpad`: a note that all agents of a session share."""

from __future__ import annotations

from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.text import first_line
from placet.core.domain.tools import Category, Replay, ScratchpadUpdate, ToolSpec
from placet.core.tools.arguments import Param
from placet.core.tools.places import Place
from placet.core.tools.tool import make_tool

KEY_LIMIT = 100
VALUE_LIMIT = 20_000
_NAME = "update_scratchpad"
_PARAMS = (
    Param(name="key", required=True, description="The name of the note."),
    Param(name="value", required=True, description="Its whole new text; empty removes the note."),
)


def _prepare(args: dict[str, Any], place: Place) -> ScratchpadUpdate:
    key, value = " ".join(args["key"].split()), args["value"].strip()
    if not key or len(key) > KEY_LIMIT or ":" in key:
        raise ToolFailure(f"The key of a note is 1 to {KEY_LIMIT} characters without a colon. Nothing was noted.")
    if len(value) > VALUE_LIMIT:
        raise ToolFailure(
            f"The note has {len(value):,} characters; at most {VALUE_LIMIT:,} fit. Nothing was noted.",
            hint="Write long texts to a file and note its path.",
        )
    return ScratchpadUpdate(
        tool=_NAME,
        category=Category.OTHER,
        label=f"{key}: {first_line(value, 80)}" if value else f"{key} removed",
        detail=f"{key}: {value}",
        replay=Replay.SAFE,  # the same note again
        key=key,
        value=value,
    )


UPDATE_SCRATCHPAD = make_tool(
    ToolSpec(
        name=_NAME,
        description=(
            "Keep a short note under a key, for yourself and for all agents that work in this conversation: findings, "
            "decisions, names. The same key replaces the note; an empty value removes it."
        ),
        parameters={},
        replay=Replay.SAFE,
    ),
    _PARAMS,
    _prepare,
)
