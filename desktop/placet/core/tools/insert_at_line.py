"""`insert_at_line`: put new lines between existing ones."""

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
    "insert_at_line",
    "Insert the lines of content into a file so that the first of them becomes line number `line` and what was "
    "there moves down. Lines count from 1; the number of lines plus 1 appends at the end.",
)
_PARAMS = (
    PATH,
    Param(name="line", kind=Kind.INTEGER, required=True, minimum=1, description="The number of the first new line."),
    Param(name="content", required=True, description="The new lines, without line numbers."),
)


def _prepare(args: dict[str, Any], place: Place) -> FileWrite:
    line, content = args["line"], args["content"]
    if not content:
        raise ToolFailure('insert_at_line did not run: content is empty. To insert a blank line send "\\n".')
    return file_write("insert_at_line", args, place, lambda path, label: _plan(path, label, line, content))


def _plan(path: Path, label: str, line: int, content: str) -> Plan:
    def plan(old: bytes | None) -> PlannedWrite:
        file = existing_text(old, path, label)
        total = len(file.lines)
        if line > total + 1:
            raise ToolFailure(
                f"Line {line} does not exist: '{label}' has {count_lines(total)}. "
                f"Use line {total + 1} to append. Nothing was changed."
            )
        new = content_lines(content)
        text = splice(file, line - 1, line - 1, new)
        shown = show_regions(split_lines(text), [(line - 1, line - 1 + len(new))])
        return planned(file, text, old or b"", f"Inserted {count_lines(len(new))} at line {line} of {label}.\n{shown}")

    return plan


TOOL = make_tool(_SPEC, _PARAMS, _prepare)
