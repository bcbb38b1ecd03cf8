"""A built-in tool as the toolbox holds it: what is offered, and how a call becomes an operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from placet.core.domain.tools import Operation, ToolSpec
from placet.core.tools.arguments import Param, schema
from placet.core.tools.places import Place

Prepare = Callable[[dict[str, Any], Place], Operation]


class Tool(msgspec.Struct, frozen=True):
    """`prepare` gets checked arguments, one value for every parameter. Raises: ToolFailure."""

    spec: ToolSpec
    params: Sequence[Param]
    prepare: Prepare


def make_tool(spec: ToolSpec, params: Sequence[Param], prepare: Prepare) -> Tool:
    """Return the tool with the schema of its parameters filled into `spec`."""
    filled = ToolSpec(
        name=spec.name,
        description=spec.description,
        parameters=schema(params),
        category=spec.category,
        replay=spec.replay,
        timeout_s=spec.timeout_s,
    )
    return Tool(filled, params, prepare)
