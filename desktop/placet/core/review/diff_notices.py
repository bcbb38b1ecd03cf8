"""What the lines of a difference do not show, in words. No change is silent: each one has a line or a notice."""

from __future__ import annotations

import hashlib
from collections import Counter

from placet.core.domain.diff import DiffNotice, NoticeLevel
from placet.core.domain.hidden import find_hidden, find_hidden_in_name, find_odd_spaces, token
from placet.core.review.decoding import Content

_LONG_LINE = 2_000
_REINDENTED = 50


def notices(path: str, old: bytes | None, new: bytes | None, a: Content, b: Content) -> tuple[DiffNotice, ...]:
    """Return warnings first, then facts. `a` and `b` are the decoded `old` and `new`."""
    warnings = _hidden("The path contains", found) if (found := find_hidden_in_name(path)) else []
    if a.is_binary or b.is_binary:
        warnings += _became_binary(a, b, new)
        return (*warnings, *_facts(_binary(old, new)))
    warnings += _hidden_in_lines(a, b)
    if b.is_guess:
        warnings.append(_warning("The new content is not valid UTF-8; it is shown as Latin-1"))
    facts: list[str] = []
    if old is not None and new is not None:
        facts += _encoding(a, b) + _endings(a, b) + _final_newline(a, b) + _indentation(a, b)
    elif new is not None:
        facts += _new_file(b)
    elif old is not None and not a.lines:
        facts.append("An empty file is deleted")
    facts += _odd_spaces(a, b)
    facts += _long_lines(b if new is not None else a)
    return (*warnings, *_facts(facts))


def _warning(text: str) -> DiffNotice:
    return DiffNotice(NoticeLevel.WARNING, text)


def _facts(texts: list[str]) -> list[DiffNotice]:
    return [DiffNotice(NoticeLevel.FACT, text) for text in texts]


def _hidden(begin: str, found: list[tuple[int, str]]) -> list[DiffNotice]:
    counts = Counter(character for _, character in found)
    total = sum(counts.values())
    names = ", ".join(f"{token(character)} × {count}" for character, count in sorted(counts.items())[:8])
    what = "character that is hidden or changes" if total == 1 else "characters that are hidden or change"
    return [_warning(f"{begin} {total:,} {what} the order of text: {names}")]


def _hidden_in_lines(a: Content, b: Content) -> list[DiffNotice]:
    """Warn of what the new lines bring in, also of what they keep: it is read wrongly either way."""
    if not find_hidden("\n".join(b.lines)):
        return []
    known = set(a.lines)
    fresh = "\n".join(line for line in b.lines if line not in known)
    found = _hidden("The new lines contain", hidden) if (hidden := find_hidden(fresh)) else []
    kept = sum(len(find_hidden(line)) for line in b.lines if line in known)
    if kept:
        found.append(DiffNotice(NoticeLevel.FACT, f"Unchanged lines contain {kept:,} hidden characters"))
    return found


def _odd_spaces(a: Content, b: Content) -> list[str]:
    known = set(a.lines)
    counts = Counter(space for line in b.lines if line not in known for space in find_odd_spaces(line))
    if not counts:
        return []
    names = ", ".join(f"{token(space)} × {count}" for space, count in sorted(counts.items())[:8])
    return [f"The new lines contain blanks that are no ordinary spaces: {names}"]


def _became_binary(a: Content, b: Content, new: bytes | None) -> list[DiffNotice]:
    """Text whose lines can no longer be shown is told loudly: it may be hidden on purpose."""
    if a.is_binary or not b.is_binary or not new:
        return []
    count = new.count(0)
    many = f"{count:,} NUL character" + ("" if count == 1 else "s")
    return [_warning(f"The new content is binary: it has {many}, and its lines cannot be shown")]


def _binary(old: bytes | None, new: bytes | None) -> list[str]:
    def describe(data: bytes | None) -> str:
        if data is None:
            return "no file"
        return f"{len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}…"

    return [f"Binary content. Before: {describe(old)}. After: {describe(new)}"]


def _encoding(a: Content, b: Content) -> list[str]:
    said = []
    if a.encoding != b.encoding and a.lines and b.lines:
        said.append(f"The encoding changes from {a.encoding} to {b.encoding}")
    if a.has_mark != b.has_mark:
        said.append(f"The byte order mark is {'added' if b.has_mark else 'removed'}")
    return said


def _endings(a: Content, b: Content) -> list[str]:
    if a.newline != b.newline and "none" not in (a.newline, b.newline):
        return [f"The line endings change from {a.newline} to {b.newline}"]
    if a.newline != "mixed" or len(a.lines) != len(b.lines):
        return [f"The line endings are mixed: {_count_endings(b)}"] if b.newline == "mixed" else []
    changed = [i + 1 for i, (x, y) in enumerate(zip(a.endings, b.endings, strict=True)) if x != y and x and y]
    if changed:
        return [f"The endings of {len(changed):,} lines change, first in line {changed[0]}"]
    return [f"The line endings are mixed and stay as they are: {_count_endings(b)}"]


def _count_endings(content: Content) -> str:
    counts = Counter(content.endings)
    crlf, lf = counts["\r\n"], counts["\n"]
    return f"{crlf:,} CRLF, {lf:,} LF"


def _final_newline(a: Content, b: Content) -> list[str]:
    if not a.lines or not b.lines or a.ends_with_newline == b.ends_with_newline:
        return []
    return [f"The newline at the end of the file is {'added' if b.ends_with_newline else 'removed'}"]


def _indentation(a: Content, b: Content) -> list[str]:
    if len(a.lines) != len(b.lines) or a.lines == b.lines or len(a.lines) < _REINDENTED:
        return []
    changed = [(x, y) for x, y in zip(a.lines, b.lines, strict=True) if x != y]
    if len(changed) < _REINDENTED or any(x.strip() != y.strip() for x, y in changed):
        return []
    return [f"Only blanks at the ends of lines change, in {len(changed):,} lines"]


def _new_file(b: Content) -> list[str]:
    said = ["The new file is empty"] if not b.lines else []
    if b.lines and not b.ends_with_newline:
        said.append("The new file has no newline at its end")
    if b.has_mark or b.encoding != "UTF-8":
        said.append(f"The new file is {b.encoding}{' with a byte order mark' if b.has_mark else ''}")
    if b.newline in ("CRLF", "mixed"):
        said.append(f"The new file has {b.newline} line endings")
    return said


def _long_lines(content: Content) -> list[str]:
    long = [(len(line), number) for number, line in enumerate(content.lines, 1) if len(line) > _LONG_LINE]
    if not long:
        return []
    length, number = max(long)
    more = f", and {len(long) - 1:,} more are long" if len(long) > 1 else ""
    return [f"Line {number} has {length:,} characters{more}"]
