"""`read_output`: a page of a result that was too long to be sent whole."""

from __future__ import annotations

import asyncio
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.ports import Remainders
from placet.core.domain.tools import Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.places import Place
from placet.core.tools.remainders import text_of
from placet.core.tools.tool import Tool, make_tool

NAME = "read_output"
_PAGE, _MOST = 20_000, 50_000

_SPEC = ToolSpec(
    name=NAME,
    description=(
        "Read a part of a result that was shortened. Its notice names the reference. Offsets count characters from "
        "the beginning of the whole text."
    ),
    parameters={},
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(name="ref", required=True, description="The reference, ref:output:…"),
    Param(name="offset", kind=Kind.INTEGER, default=0, minimum=0, description="Where to begin. Default 0."),
    Param(
        name="limit",
        kind=Kind.INTEGER,
        default=_PAGE,
        minimum=1,
        description=f"How many characters. Default {_PAGE:,}, most {_MOST:,}.",
    ),
)


def tool(remainders: Remainders) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        reference, offset, limit = args["ref"].strip(), args["offset"], min(args["limit"], _MOST)

        async def run(io: ToolIO) -> ToolResult:
            if io.session_id is None:
                raise ToolFailure("There is no conversation whose outputs could be read.")
            text = await asyncio.to_thread(text_of, await remainders.read(io.session_id, reference))
            return ToolResult(text=_page(text, offset, limit))

        return Execution(
            tool=NAME,
            category=_SPEC.category,
            label=f"from {offset:,}",
            detail=f"{reference} from {offset:,}, {limit:,} characters",
            replay=Replay.SAFE,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)


def _page(text: str, offset: int, limit: int) -> str:
    if offset >= len(text):
        raise ToolFailure(f"The text has {len(text):,} characters; there is nothing at {offset:,}.")
    end = min(offset + limit, len(text))
    more = f"; go on at {end}" if end < len(text) else "; this is the end"
    return f"{text[offset:end]}\n[characters {offset:,} to {end:,} of {len(text):,}{more}]"
