"""`list_files`: what is in a folder, without what is ignored or denied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import Category, Execution, Replay, ToolIO, ToolResult, ToolSpec
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.folders import MAX_DEPTH, FolderWalk
from placet.core.tools.globs import glob_filter
from placet.core.tools.places import Place, missing, need_same_place, one_line
from placet.core.tools.tool import Tool, make_tool
from placet.core.tools.workers import Workers

MAX_ENTRIES = 1_000
_DEFAULT_DEPTH = 2

_SPEC = ToolSpec(
    name="list_files",
    description=(
        "List files and folders (these end in /), sorted, relative to the folder. With a pattern the files that fit it "
        "at any depth, else two levels. What .gitignore names is left out unless the folder itself is named."
    ),
    parameters={},
    category=Category.FS_READ,
    replay=Replay.SAFE,
)
_PARAMS = (
    Param(name="path", default=".", description="The folder. Default: the working directory."),
    Param(name="pattern", default="", description="A glob such as *.py, src/**/*.ts or *.{yml,yaml}."),
    Param(name="depth", kind=Kind.INTEGER, minimum=1, description="How many levels down."),
)


def tool(workers: Workers) -> Tool:
    def prepare(args: dict[str, Any], place: Place) -> Execution:
        path = place.resolve(args["path"])
        label, pattern = place.label(path), args["pattern"]
        glob_filter(pattern)  # one that is not understood fails before anything else happens
        depth = args["depth"] or (MAX_DEPTH if pattern else _DEFAULT_DEPTH)

        async def run(io: ToolIO) -> ToolResult:
            def work(check: Callable[[], None]) -> ToolResult:
                _need_folder(path, label, io.is_denied)
                return _list(label, pattern, depth, FolderWalk(path, check, io.is_denied))

            return await workers.run(work)

        return Execution(
            tool="list_files",
            category=Category.FS_READ,
            label=one_line(f"{label} {pattern}".strip()),
            detail=f"{path} {pattern}".strip(),
            path=path,
            replay=Replay.SAFE,
            run=run,
        )

    return make_tool(_SPEC, _PARAMS, prepare)


def _need_folder(path: Path, label: str, is_denied: Callable[[Path], bool]) -> None:
    need_same_place(path, label)
    if not path.exists():
        raise missing(path, label, is_denied)
    if not path.is_dir():
        raise ToolFailure(f"'{label}' is a file; use read_file to see its content.")


def _list(label: str, pattern: str, depth: int, walk: FolderWalk) -> ToolResult:
    fits = glob_filter(pattern)
    shown: list[str] = []
    for entry in walk.entries(depth):
        if pattern and (entry.is_folder or not fits(entry.relative)):
            continue
        if len(shown) == MAX_ENTRIES:
            shown.append(f"[More than {MAX_ENTRIES} entries. Name a folder below, a pattern or a smaller depth.]")
            break
        shown.append(entry.relative + "/" * entry.is_folder)
    count = len(shown)
    if not shown:
        shown.append(f"[Nothing in '{label}' fits {pattern}.]" if pattern else f"[The folder '{label}' is empty.]")
    if notice := walk.left_out():
        shown.append(notice)
    return ToolResult(text="\n".join(shown), facts={"entries": count})
