"""Two contents of a file as a patch that other programs can apply. Pure; meant for a worker thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placet.core.review.decoding import Content, read_content
from placet.core.review.diff_lines import CONTEXT, Block, changed_blocks, in_hunks

_NO_END = "\n\\ No newline at end of file\n"


def patch_text(name: str, old: bytes | None, new: bytes | None) -> str:
    """Return a unified patch, None being "no such file"; empty where a side is no text. Line ends are in it as they are."""
    a, b = read_content(old), read_content(new)
    if a.is_binary or b.is_binary:
        return ""
    before, after = _whole_lines(a), _whole_lines(b)
    blocks = changed_blocks(before, after)
    if not blocks:
        return ""
    name = name.lstrip("/")
    parts = [f"--- {f'a/{name}' if old is not None else '/dev/null'}\n"]
    parts.append(f"+++ {f'b/{name}' if new is not None else '/dev/null'}\n")
    for group in in_hunks(blocks):
        parts += _hunk(before, after, group)
    return "".join(parts)


def new_text(new: bytes | None) -> str:
    """The content as text, line ends as they are; empty where it is none."""
    content = read_content(new)
    return "" if content.is_binary else "".join(_whole_lines(content))


def _whole_lines(content: Content) -> list[str]:
    return [line + ending for line, ending in zip(content.lines, content.endings, strict=True)]


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Block]) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead, tail = min(CONTEXT, first.a1), min(CONTEXT, len(old) - last.a2)
    a1, a2, b1, b2 = first.a1 - lead, last.a2 + tail, first.b1 - lead, last.b2 + tail
    yield f"@@ -{_range(a1, a2)} +{_range(b1, b2)} @@\n"
    at = a1
    for block in group:
        yield from (_line(" ", line) for line in old[at : block.a1])
        yield from (_line("-", line) for line in old[block.a1 : block.a2])
        yield from (_line("+", line) for line in new[block.b1 : block.b2])
        at = block.a2
    yield from (_line(" ", line) for line in old[at:a2])


def _range(start: int, end: int) -> str:
    """Lines count from 1; of an empty range the line before it is named."""
    count = end - start
    return f"{start + 1 if count else start},{count}"


def _line(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else sign + line + _NO_END
