"""`grep_files`: lines that match a regular expression."""

from __future__ import annotations

from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import Category, Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools import own_search, ripgrep
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.globs import glob_filter
from placet.core.tools.places import Place, missing, need_same_place, one_line
from placet.core.tools.searching import MAX_FILES, MAX_MATCHES, Mode, Query
from placet.core.tools.tool import Tool, make_tool
from placet.core.tools.workers import Workers

_MAX_CONTEXT = 20

_SPEC = ToolSpec(
    name="grep_files",
    description=(
        "Search the text files below a folder (or one file) for a regular expression, line by line. A match is shown as "
        f"path:number:line, context as path-number-line. At most {MAX_MATCHES} matches or {MAX_FILES} files at once; "
        "continue with offset. What .gitignore names is left out."
    ),
    parameters={},
    category=Category.FS_READ,
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(name="pattern", required=True, description="The regular expression; (?i) at its start ignores case."),
    Param(name="path", default=".", description="The folder or file. Default: the working directory."),
    Param(name="glob", default="", description="Only files that fit, such as *.py or src/**/*.{ts,tsx}."),
    Param(
        name="output_mode",
        default=Mode.CONTENT.value,
        choices=tuple(mode.value for mode in Mode),
        description="Lines (default), names of files, or the number of matching lines in each.",
    ),
    Param(
        name="context_lines",
        kind=Kind.INTEGER,
        default=0,
        minimum=0,
        maximum=_MAX_CONTEXT,
        description="Lines to show before and after each match. Default 0.",
    ),
    Param(name="offset", kind=Kind.INTEGER, default=0, minimum=0, description="How many results to skip. Default 0."),
)
_MAX_PATTERN = 5_000


def tool(workers: Workers) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        path = place.resolve(args["path"])
        if len(args["pattern"]) > _MAX_PATTERN or "\0" in args["pattern"]:
            raise ToolFailure(f"A pattern has at most {_MAX_PATTERN:,} characters, and no NUL among them.")
        glob_filter(args["glob"])  # a glob that is not understood fails before anything else happens
        query = Query(
            pattern=args["pattern"],
            root=path,
            label=place.label(path),
            glob=args["glob"],
            mode=Mode(args["output_mode"]),
            context=args["context_lines"],
            offset=args["offset"],
        )

        async def run(io: ToolIO) -> ToolResult:
            return await _run(query, workers, io)

        return Execution(
            tool="grep_files",
            category=Category.FS_READ,
            label=one_line(f"{query.pattern} in {query.label}"),
            detail=f"{query.pattern} in {path} {query.glob}".strip(),
            path=path,
            replay=Replay.SAFE,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)


async def _run(query: Query, workers: Workers, io: ToolIO) -> ToolResult:
    need_same_place(query.root, query.label)
    if not query.root.exists():
        raise missing(query.root, query.label, io.is_denied)
    if not (query.root.is_dir() or query.root.is_file()):
        raise ToolFailure(f"'{query.label}' is neither a file nor a folder; it cannot be searched.")
    findings = None
    if program := ripgrep.ripgrep():
        findings = await ripgrep.search(program, query, io.is_denied)
    if findings is None:
        findings = await workers.run(lambda check: own_search.search(query, check, io.is_denied))
    text, count = findings.text()
    return ToolResult(text=text, facts={"results": count})
