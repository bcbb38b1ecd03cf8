"""The options of `config.toml`: name, type, limits, default and meaning in one place."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from placet.core.domain.model_calls import Strength


class Compaction(msgspec.Struct, frozen=True, kw_only=True):
    """`[llm.compaction]`"""

    keep_recent: Annotated[int, Meta(ge=1, le=1000, description="How many newest messages stay as they are.")] = 6
    strength: Annotated[Strength, Meta(description="How strong a model writes the summary.")] = "low"


class Llm(msgspec.Struct, frozen=True, kw_only=True):
    """`[llm]`"""

    max_tool_rounds: Annotated[
        int, Meta(ge=0, le=100_000, description="Model calls in one turn before it stops; 0: no limit.")
    ] = 20
    max_parallel_subagents: Annotated[int, Meta(ge=1, le=64, description="Sub-agents that run at once.")] = 4
    max_tool_result_chars: Annotated[
        int, Meta(ge=0, le=10_000_000, description="Characters of one tool result that the model gets; 0: all.")
    ] = 20_000
    compaction: Compaction = Compaction()


class Inbox(msgspec.Struct, frozen=True, kw_only=True):
    """`[hub]`"""

    coalesce_debounce_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=60_000,
            description="How long nothing may arrive before a turn begins, so that messages sent together are read "
            "together; 0: it begins at once.",
        ),
    ] = 0


class Tic(msgspec.Struct, frozen=True, kw_only=True):
    """`[tic]`"""

    enabled: Annotated[bool, Meta(description="Whether the background agent looks at pending events.")] = True
    interval_minutes: Annotated[int, Meta(ge=1, le=10_080, description="How often it does.")] = 15
    batch_size: Annotated[int, Meta(ge=1, le=500, description="How many events it looks through at once.")] = 50


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """`[review]`"""

    keep_contents_days: Annotated[
        int,
        Meta(
            ge=0,
            le=36_500,
            description="How long the contents of changed files are kept for undoing; 0: as long as the database.",
        ),
    ] = 30


class McpServer(msgspec.Struct, frozen=True, kw_only=True):
    """`[mcp.servers.<name>]`: a program to start, or the address of a running one."""

    command: Annotated[str, Meta(description="The program to start.")] = ""
    args: Annotated[tuple[str, ...], Meta(description="Its arguments.")] = ()
    env: Annotated[dict[str, str], Meta(description="Environment variables added for it.")] = {}
    cwd: Annotated[str, Meta(description="The folder it starts in.")] = ""
    url: Annotated[str, Meta(description="The address of a server reached over HTTP.")] = ""
    headers: Annotated[dict[str, str], Meta(description="HTTP headers sent with each request.")] = {}
    enabled: Annotated[bool, Meta(description="Whether it is connected at start.")] = True


class Mcp(msgspec.Struct, frozen=True, kw_only=True):
    """`[mcp]`"""

    servers: dict[str, McpServer] = {}


def described(cls: type[msgspec.Struct]) -> list[tuple[str, Any, str]]:
    """Return name, default and meaning of each option of a section, for the settings page and the reference."""
    found = []
    for field in msgspec.structs.fields(cls):
        inner = msgspec.inspect.type_info(field.type)
        meaning = (getattr(inner, "extra_json_schema", None) or {}).get("description", "")
        made = field.default_factory() if callable(field.default_factory) else None
        default = field.default if field.default is not msgspec.NODEFAULT else made
        found.append((field.name, default, meaning))
    return found
