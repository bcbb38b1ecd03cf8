"""`read_file`: the lines of a text file, numbered as every other tool counts them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import Category, Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.file_reading import kind_of, read_regular
from placet.core.tools.places import Place, missing
from placet.core.tools.regions import numbered
from placet.core.tools.text_file import NotText, TextFile, decode_for_reading
from placet.core.tools.tool import Tool, make_tool
from placet.core.tools.workers import Workers

MAX_LINES = 2_000
MAX_BYTES = 100_000
_MAX_WIDTH = 10_000

_SPEC = ToolSpec(
    name="read_file",
    description=(
        "Read a text file. Each line comes as its number, a tab, and its text; the number and the tab are not in the "
        f"file. At most {MAX_LINES} lines or {MAX_BYTES // 1000} KB at once; continue with offset."
    ),
    parameters={},
    category=Category.FS_READ,
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(name="path", required=True, description="The file, absolute or relative to the working directory."),
    Param(name="offset", kind=Kind.INTEGER, default=1, minimum=1, description="The first line, from 1. Default 1."),
    Param(
        name="limit",
        kind=Kind.INTEGER,
        default=MAX_LINES,
        minimum=1,
        description=f"How many lines. Default and most: {MAX_LINES}.",
    ),
)


def tool(workers: Workers) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        path = place.resolve(args["path"])
        label = place.label(path)
        offset, limit = args["offset"], min(args["limit"], MAX_LINES)

        async def run(io: ToolIO) -> ToolResult:
            return await workers.run(lambda _check: read_lines(path, label, offset, limit, io.is_denied))

        return Execution(
            tool="read_file",
            category=Category.FS_READ,
            label=label,
            detail=f"{path} from line {offset}",
            path=path,
            replay=Replay.SAFE,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)


def read_lines(path: Path, label: str, offset: int, limit: int, is_denied: Callable[[Path], bool]) -> ToolResult:
    """Blocking. Raises: ToolFailure."""
    if not path.exists():
        raise missing(path, label, is_denied)
    data = read_regular(path, label)
    try:
        file = decode_for_reading(data)
    except NotText as error:
        raise ToolFailure(f"'{label}' is binary, {kind_of(data)}, {len(data):,} bytes; it is not shown.") from error
    total = len(file.lines)
    if offset > max(total, 1):
        raise ToolFailure(f"Line {offset} does not exist: '{label}' has {total} lines.")
    shown = _page(file, offset, limit)
    last = offset + len(shown) - 1
    text = "\n".join([_header(file, label, offset, last), *shown])
    if last < total:
        text += f"\n[{total - last} more lines. Continue with offset={last + 1}.]"
    return ToolResult(text=text, facts={"lines": len(shown), "total_lines": total})


def _page(file: TextFile, offset: int, limit: int) -> list[str]:
    """Return the numbered lines that fit, at least one."""
    shown: list[str] = []
    size = 0
    for number in range(offset, min(offset + limit, len(file.lines) + 1)):
        line = numbered(number, file.lines[number - 1], _MAX_WIDTH)
        size += len(line.encode("utf-8", "replace")) + 1
        if shown and size > MAX_BYTES:
            break
        shown.append(line)
    return shown


def _header(file: TextFile, label: str, first: int, last: int) -> str:
    if not file.lines:
        return f"[{label} is empty]"
    notes = [f"{label}: lines {first}-{last} of {len(file.lines)}"]
    if file.newline_name != "LF":
        notes.append(f"{file.newline_name} line endings")
    if file.encoding != "UTF-8":
        notes.append(file.encoding)
    if not file.text.endswith("\n"):
        notes.append("no newline at the end")
    return f"[{'; '.join(notes)}]"
