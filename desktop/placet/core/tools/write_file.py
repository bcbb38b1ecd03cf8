"""`write_file`: a new file, or the whole new content of one."""

from __future__ import annotations

from typing import Any

from placet.core.domain.tools import FileWrite, PlannedWrite
from placet.core.tools.arguments import Param
from placet.core.tools.line_edits import adapt_by_alignment
from placet.core.tools.places import Place
from placet.core.tools.regions import count_lines
from placet.core.tools.text_file import NotText, TextFile, decode, encode, split_lines, to_crlf
from placet.core.tools.tool import make_tool
from placet.core.tools.write_plans import PATH, Plan, file_write, need_moderate, no_change, write_spec

_SPEC = write_spec(
    "write_file",
    "Create a file, or replace the whole content of one. Missing folders are made. To change a part of a file "
    "use edit_file. An existing file keeps its encoding and its CRLF line endings.",
)
_PARAMS = (PATH, Param(name="content", required=True, description="The complete content, exactly."))


def _prepare(args: dict[str, Any], place: Place) -> FileWrite:
    content = args["content"]
    return file_write("write_file", args, place, lambda _path, label: _plan(label, content))


def _plan(label: str, content: str) -> Plan:
    def plan(old: bytes | None) -> PlannedWrite:
        size = count_lines(len(split_lines(content)))
        if old is None:
            return PlannedWrite(new=encode(content), result=f"Created {label} ({size}).")
        need_moderate(old, label)
        try:
            file = decode(old)
        except NotText:
            notice = f"The file was no UTF-8 or UTF-16 text ({len(old):,} bytes); it becomes UTF-8 text."
            result = f"Replaced {label} ({size}). {notice}"
            new, kept = encode(content), ""
        else:
            new, kept = _as_before(file, content)
            notice = f"Kept of the old file: {kept}." if kept else ""
            result = f"Replaced the content of {label} ({size}, before {count_lines(len(file.lines))}). {notice}"
        if new == old:
            raise no_change()
        return PlannedWrite(new=new, result=result.strip(), notice=notice)

    return plan


def _as_before(file: TextFile, content: str) -> tuple[bytes, str]:
    """Return the content in the file's encoding and endings (`R-7`), and in words what was kept beside UTF-8 and LF.

    A content that has CRLF itself decides about its endings.
    """
    kept = [] if file.encoding == "UTF-8" else [file.encoding]
    text = content
    if "\r\n" in file.text and "\n" in content and "\r\n" not in content:
        kept.append(f"{file.newline_name} line endings")
        is_mixed = file.newline_name != "CRLF"
        text = adapt_by_alignment(content, file) if is_mixed else to_crlf(content)
    text = text.removeprefix("\ufeff") if file.bom else text
    return file.encode(text), " and ".join(kept)


TOOL = make_tool(_SPEC, _PARAMS, _prepare)
