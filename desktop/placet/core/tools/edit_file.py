"""`edit_file`: replace a piece of text that is there exactly as the model says, line endings aside."""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path
from typing import Any

from placet.core.domain.errors import ToolFailure
from placet.core.domain.tools import FileWrite, PlannedWrite
from placet.core.tools.arguments import Kind, Param
from placet.core.tools.line_edits import adapt_endings
from placet.core.tools.near_misses import explain_miss
from placet.core.tools.places import Place
from placet.core.tools.regions import show_regions
from placet.core.tools.text_file import TextFile, ending, line_number, split_lines, to_lf
from placet.core.tools.tool import make_tool
from placet.core.tools.write_plans import MAX_BYTES, PATH, Plan, existing_text, file_write, planned, write_spec

_SPEC = write_spec(
    "edit_file",
    "Replace old_string by new_string in a file. old_string must be in the file exactly, with its indentation and "
    "without the line numbers that read_file shows, and only once; add lines around it to make it unique, or set "
    "replace_all. The file's line endings are kept.",
)
_PARAMS = (
    PATH,
    Param(name="old_string", required=True, description="The text to replace."),
    Param(name="new_string", required=True, description="The text to put in its place."),
    Param(name="replace_all", kind=Kind.FLAG, default=False, description="Replace every occurrence. Default false."),
)

Span = tuple[int, int]


def _prepare(args: dict[str, Any], place: Place) -> FileWrite:
    old_string, new_string, every = args["old_string"], args["new_string"], args["replace_all"]
    if old_string == new_string:
        raise ToolFailure("no change: old_string and new_string are the same. Nothing was written.")
    return file_write(
        "edit_file", args, place, lambda path, label: _plan(path, label, old_string, new_string, every=every)
    )


def _plan(path: Path, label: str, old_string: str, new_string: str, *, every: bool) -> Plan:
    def plan(old: bytes | None) -> PlannedWrite:
        file = existing_text(old, path, label)
        if not old_string:
            raise ToolFailure("old_string is empty. Use insert_at_line to add text, or write_file for a whole file.")
        spans = find(file.text, old_string)
        if not spans:
            raise ToolFailure(f"old_string was not found in '{label}'. {explain_miss(file.text, old_string)}")
        if len(spans) > 1 and not every:
            raise _ambiguous(file.text, spans, label)
        if len(spans) * len(new_string) > MAX_BYTES:
            raise ToolFailure(
                f"{len(spans):,} occurrences would become {len(spans) * len(new_string):,} characters; text tools "
                f"write up to {MAX_BYTES:,} bytes. Nothing was changed."
            )
        text, changed = _replaced(file, spans, old_string, new_string)
        count = f"{len(spans)} occurrences" if len(spans) > 1 else "1 occurrence"
        result = f"Edited {label}: replaced {count}.\n{show_regions(split_lines(text), changed)}"
        return planned(file, text, old or b"", result)

    return plan


def find(text: str, wanted: str) -> list[Span]:
    """Return where `wanted` is, left to right without overlap. An LF in it also stands for CRLF.

    A model sees no CR, so places that differ in it alone are the same to it; only when it sends a CR itself are
    exact places preferred.
    """
    exact = _exact(text, wanted)
    if "\n" not in wanted or "\r\n" not in text or (exact and "\r\n" in wanted):
        return exact if "\r\n" in text else _exact(text, to_lf(wanted))
    spans = _exact(to_lf(text), to_lf(wanted))
    if not spans:
        return exact
    # Found with LF alone, so moved by the CRs before: those whose LF comes before the place.
    crs = [found.start() - passed for passed, found in enumerate(re.finditer("\r\n", text))]
    return [(start + bisect_left(crs, start), end + bisect_left(crs, end)) for start, end in spans]


def _exact(text: str, wanted: str) -> list[Span]:
    """In linear time, which an expression with a choice at each line end would not be."""
    spans = []
    start = text.find(wanted)
    while start >= 0:
        spans.append((start, start + len(wanted)))
        start = text.find(wanted, start + len(wanted))
    return spans


def _ambiguous(text: str, spans: list[Span], label: str) -> ToolFailure:
    numbers = [str(line_number(text, start)) for start, _ in spans[:20]]
    shown = ", ".join(numbers) + (" …" if len(spans) > 20 else "")
    return ToolFailure(
        f"old_string has {len(spans)} matches in '{label}' (lines {shown}). Nothing was changed. "
        "Add lines around it until it is unique, or set replace_all."
    )


def _replaced(file: TextFile, spans: list[Span], old_string: str, new_string: str) -> tuple[str, list[Span]]:
    """Return the new text and the changed lines as spans of line indexes in it."""
    pieces: list[str] = []
    changed: list[Span] = []
    done = line = old_line = 0
    for start, end in spans:
        kept = file.text[done:start]
        old_line += kept.count("\n")
        matched = file.text[start:end]
        new = _fitting(file, old_line, matched, old_string, new_string)
        old_line += matched.count("\n")
        pieces += [kept, new]
        line += kept.count("\n")
        last = line + new.count("\n")
        changed.append((line, last if new.endswith("\n") else last + 1))
        line, done = last, end
    return "".join([*pieces, file.text[done:]]), changed


def _fitting(file: TextFile, index: int, matched: str, old_string: str, new_string: str) -> str:
    """Return `new_string` as sent, with the endings of the place where the model could not know them.

    `index` is that of the line in which `matched` begins.
    """
    if "\n" not in new_string or (matched == old_string and "\n" in old_string):
        return new_string
    if "\r\n" in new_string and "\n" not in old_string:
        return new_string
    return adapt_endings(new_string, matched, _ending_at(file, index))


def _ending_at(file: TextFile, index: int) -> str:
    """Return the ending of a line, of the one before where it is the last."""
    around = file.lines[index : index + 1] + file.lines[max(0, index - 1) : index]
    return next((found for line in around if (found := ending(line))), file.newline)


TOOL = make_tool(_SPEC, _PARAMS, _prepare)
