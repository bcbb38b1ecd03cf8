"""The function, class or heading that a line lies in, told by its looks: cheap, and good enough to find one's way."""

from __future__ import annotations

import re

_DEFINES = re.compile(
    r"""\s*(?:(?:export|default|async|pub(?:\([^)]*\))?|public|private|protected|internal|static|abstract|final|
    unsafe|inline|virtual|override|const)\s+)*
    (?:def|class|func|fn|function|impl|struct|enum|trait|interface|type|module|namespace|sub|macro)\b[\s*(]\S""",
    re.VERBOSE,
)
_MAY_DEFINE = re.compile(
    r"\b(?:def|class|func|fn|function|impl|struct|enum|trait|interface|type|module|namespace|sub|macro)\b"
)
_C_FUNCTION = re.compile(r"[A-Za-z_][\w\s*&:<>,~]*\([^;]*\)?\s*\{?\s*$")
_HEADING = re.compile(r"#{1,6} \S|\[\[?[\w.\"-]+\]\]?\s*$")
_NOT_ONE = re.compile(r"(?:if|for|while|switch|return|else|elif|with|try|catch)\b")
_WITH_HEADINGS = ("markdown", "toml", "ini")
_LONGEST = 300
_SHOWN = 80
_FAR = 300  # lines looked back


def enclosing_symbol(lines: list[str], index: int, language: str = "") -> str:
    """Return the nearest definition at or before line `index` (from 0) that encloses it; empty where none is near.

    Going back, only lines indented less than all between can enclose; lines at the margin always may (headings).
    """
    if not lines:
        return ""
    index = min(index, len(lines) - 1)
    near = next((line for line in lines[index : index + _FAR] if line.strip()), "")
    inside = near[: _indent(near)]
    for line in reversed(lines[max(index - _FAR, 0) : index]):
        if not line or (inside and line.startswith(inside)) or not line.strip():
            continue
        if line[0].isspace() and _indent(line) >= len(inside):
            continue
        if len(line) < _LONGEST and _defines(line, language in _WITH_HEADINGS):
            return line.strip().rstrip("{:").rstrip()[:_SHOWN]
        inside = inside[: _indent(line)]
    return ""


def _defines(line: str, may_be_heading: bool) -> bool:
    first = line[0]
    if first in "#[":
        return may_be_heading and bool(_HEADING.match(line))
    if _MAY_DEFINE.search(line) and _DEFINES.match(line):
        return True
    return first.isalpha() and "(" in line and bool(_C_FUNCTION.match(line)) and not _NOT_ONE.match(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
