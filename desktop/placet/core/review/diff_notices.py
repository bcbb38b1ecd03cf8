"""What the lines of a difference do not show, in words. No change is silent: each one has a line or a notice."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from placet.core.domain.diff import DiffNotice, NoticeLevel
from placet.core.domain.hidden import find_hidden, find_hidden_in_name, find_odd_spaces, token, visible_name
from placet.core.review.decoding import Content
from placet.core.review.diff_lines import Block, changed_blocks
from placet.core.review.look_alikes import look_alikes

_LONG_LINE = 2_000
_MOST_PLACES = 1_000  # lines that a notice names for whoever walks through them
_ASCII_RUN = re.compile(rb"[\t\n\r\x20-\x7e]{4,}")
_LONG_RUN = 24  # bytes; not even long texts in Chinese have that many by chance


def notices(path: str, old: bytes | None, new: bytes | None, a: Content, b: Content) -> tuple[DiffNotice, ...]:
    """Return warnings first, then facts. `a` and `b` are the decoded `old` and `new`."""
    warnings = _hidden("The path contains", found) if (found := find_hidden_in_name(path)) else []
    if a.is_binary or b.is_binary:
        warnings += _became_binary(a, b, new)
        return (*warnings, *_facts(_binary(old, new)))
    warnings += _hidden_in_lines(a, b)
    if b.is_guess:
        warnings.append(_warning("The new content is not valid UTF-8; it is shown as Latin-1"))
    if new is not None and b.has_mark and b.encoding != "UTF-8" and _reads_as_ascii(new[4:]):
        warnings.append(
            _warning(f"The new content is marked as {b.encoding}, but its bytes read as other text: {_begin(new)}")
        )
    facts: list[DiffNotice] = []
    if old is not None and new is not None:
        facts += [*_facts(_encoding(a, b)), *_endings(a, b), *_final_newline(a, b)]
    elif new is not None:
        facts += _facts(_new_file(b))
    elif old is not None and not a.lines:
        facts.append(_fact("An empty file is deleted"))
    facts += _facts(look_alikes(a, b))
    facts += _odd_spaces(a, b)
    facts += _long_lines(b) if new is not None else [_fact(each.text) for each in _long_lines(a)]
    return (*warnings, *facts)


def _warning(text: str, lines: Iterable[int] = ()) -> DiffNotice:
    return DiffNotice(NoticeLevel.WARNING, text, tuple(islice(lines, _MOST_PLACES)))


def _fact(text: str, lines: Iterable[int] = ()) -> DiffNotice:
    return DiffNotice(NoticeLevel.FACT, text, tuple(islice(lines, _MOST_PLACES)))


def _facts(texts: list[str]) -> list[DiffNotice]:
    return [_fact(text) for text in texts]


def _hidden(begin: str, found: list[tuple[int, str]], lines: Iterable[int] = ()) -> list[DiffNotice]:
    counts = Counter(character for _, character in found)
    total = sum(counts.values())
    names = ", ".join(f"{token(character)} × {count}" for character, count in sorted(counts.items())[:8])
    what = "character that is hidden or changes" if total == 1 else "characters that are hidden or change"
    return [_warning(f"{begin} {total:,} {what} the order of text: {names}", lines)]


def _hidden_in_lines(a: Content, b: Content) -> list[DiffNotice]:
    """Warn of what the new lines bring in, also of what they keep: it is read wrongly either way."""
    if not find_hidden("\n".join(b.lines)):
        return []
    known = set(a.lines)
    fresh = "\n".join(line for line in b.lines if line not in known)
    places = [(n, line in known, len(found)) for n, line in enumerate(b.lines, 1) if (found := find_hidden(line))]
    said: list[DiffNotice] = []
    if hidden := find_hidden(fresh):
        said += _hidden("The new lines contain", hidden, (n for n, is_kept, _ in places if not is_kept))
    if kept := sum(count for _, is_kept, count in places if is_kept):
        lines = (n for n, is_kept, _ in places if is_kept)
        said.append(_fact(f"Unchanged lines contain {kept:,} hidden characters", lines))
    return said


def _odd_spaces(a: Content, b: Content) -> list[DiffNotice]:
    known = set(a.lines)
    places = {
        n: found for n, line in enumerate(b.lines, 1) if line not in known and (found := list(find_odd_spaces(line)))
    }
    counts = Counter(space for found in places.values() for space in found)
    if not counts:
        return []
    names = ", ".join(f"{token(space)} × {count}" for space, count in sorted(counts.items())[:8])
    return [_fact(f"The new lines contain blanks that are no ordinary spaces: {names}", places)]


def _became_binary(a: Content, b: Content, new: bytes | None) -> list[DiffNotice]:
    """Text whose lines can no longer be shown is told loudly: it may be hidden on purpose."""
    if a.is_binary or not b.is_binary or not new:
        return []
    count = new.count(0)
    many = f"{count:,} NUL character" + ("" if count == 1 else "s")
    return [_warning(f"The new content is binary: it has {many}, and its lines cannot be shown")]


def _reads_as_ascii(body: bytes) -> bool:
    """Whether a program that does not look at the mark would read another text than is shown."""
    plain = sum(map(len, _ASCII_RUN.findall(body)))
    return plain > 0.8 * len(body) > 0 or any(len(run) >= _LONG_RUN for run in _ASCII_RUN.findall(body))


def _begin(data: bytes) -> str:
    return "“" + visible_name(data[:60].decode("ascii", "replace").replace("\ufffd", "·")) + "”"


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


def _endings(a: Content, b: Content) -> list[DiffNotice]:
    if a.newline != b.newline and "none" not in (a.newline, b.newline):
        some = _changed_endings(a, b) if b.newline == "mixed" else []
        return [_fact(f"The line endings change from {a.newline} to {b.newline}", some)]
    if b.newline != "mixed":
        return []
    changed = _changed_endings(a, b)
    if changed:
        of_lines = "ending of 1 line changes" if len(changed) == 1 else f"endings of {len(changed):,} lines change"
        return [_fact(f"The {of_lines}, first in line {changed[0]}", changed)]
    stay = " and stay as they are" if len(a.lines) == len(b.lines) else ""
    return [_fact(f"The line endings are mixed{stay}: {_count_endings(b)}")]


def _changed_endings(a: Content, b: Content) -> list[int]:
    """The lines (of the new side, from 1) that are in both and end otherwise; also those that other lines moved."""
    found = []
    at_a = at_b = 0
    ends = Block(len(a.lines), len(a.lines), len(b.lines), len(b.lines))
    for block in [*changed_blocks(a.lines, b.lines), ends]:
        pairs = zip(a.endings[at_a : block.a1], b.endings[at_b : block.b1], strict=True)
        found += [at_b + n for n, (x, y) in enumerate(pairs, 1) if x != y and x and y]
        if block.a2 - block.a1 == block.b2 - block.b1:  # lines that became one another
            pairs = zip(a.endings[block.a1 : block.a2], b.endings[block.b1 : block.b2], strict=True)
            found += [block.b1 + n for n, (x, y) in enumerate(pairs, 1) if x != y and x and y]
        at_a, at_b = block.a2, block.b2
    return found


def _count_endings(content: Content) -> str:
    counts = Counter(content.endings)
    crlf, lf = counts["\r\n"], counts["\n"]
    return f"{crlf:,} CRLF, {lf:,} LF"


def _final_newline(a: Content, b: Content) -> list[DiffNotice]:
    if not a.lines or not b.lines or a.ends_with_newline == b.ends_with_newline:
        return []
    said = f"The newline at the end of the file is {'added' if b.ends_with_newline else 'removed'}"
    return [_fact(said, [len(b.lines)])]


def _new_file(b: Content) -> list[str]:
    said = ["The new file is empty"] if not b.lines else []
    if b.lines and not b.ends_with_newline:
        said.append("The new file has no newline at its end")
    if b.has_mark or b.encoding != "UTF-8":
        said.append(f"The new file is {b.encoding}{' with a byte order mark' if b.has_mark else ''}")
    if b.newline in ("CRLF", "mixed"):
        said.append(f"The new file has {b.newline} line endings")
    return said


def _long_lines(content: Content) -> list[DiffNotice]:
    long = [(len(line), number) for number, line in enumerate(content.lines, 1) if len(line) > _LONG_LINE]
    if not long:
        return []
    length, number = max(long)
    more = f", and {len(long) - 1:,} more are long" if len(long) > 1 else ""
    return [_fact(f"Line {number} has {length:,} characters{more}", (n for _, n in long))]
