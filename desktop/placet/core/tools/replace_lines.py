"""`replace_lines`: put other lines in the place of a range of lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import FileWrite, PlannedWrite
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.line_edits import splice
from placet.core.tools.places import Place
from placet.core.tools.regions import count_lines, show_regions
from placet.core.tools.text_file import content_lines, split_lines
from placet.core.tools.tool import make_tool
from placet.core.tools.write_plans import PATH, Plan, existing_text, file_write, planned, write_spec

_SPEC = write_spec(
    "replace_lines",
    "Replace the lines start to end (both included, counted from 1 as read_file and grep_files show them) by the "
    "lines of content. Empty content deletes the lines. The file's line endings are kept.",
)
_PARAMS = (
    PATH,
    Param(name="start", kind=Kind.INTEGER, required=True, minimum=1, description="The first line to replace."),
    Param(name="end", kind=Kind.INTEGER, required=True, minimum=1, description="The last line to replace."),
    Param(name="content", required=True, description="The new lines, without line numbers."),
)


def _prepare(args: dict[str, Any], place: Place) -> FileWrite:
    start, end, content = args["start"], args["end"], args["content"]
    return file_write(
        "replace_lines", args, place, lambda path, label: _plan(path, label, start=start, end=end, content=content)
    )


def _plan(path: Path, label: str, *, start: int, end: int, content: str) -> Plan:
    def plan(old: bytes | None) -> PlannedWrite:
        file = existing_text(old, path, label)
        total = len(file.lines)
        if start > end:
            raise ToolFailure(f"start ({start}) is greater than end ({end}); name the first line first.")
        if end > total:
            raise ToolFailure(f"Line {end} does not exist: '{label}' has {count_lines(total)}. Nothing was changed.")
        new = content_lines(content)
        text = splice(file, start - 1, end, new)
        what = f"Replaced lines {start}-{end} of {label} by {count_lines(len(new))}."
        if not new:
            what = f"Deleted lines {start}-{end} of {label}."
        shown = show_regions(split_lines(text), [(start - 1, start - 1 + len(new))])
        return planned(file, text, old or b"", f"{what}\n{shown}")

    return plan


TOOL = make_tool(_SPEC, _PARAMS, _prepare)
