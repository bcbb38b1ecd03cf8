"""Of a difference only some hunks: the bytes that result (`R-5`, `R-7`). Pure; meant for a worker thread.

A hunk is what `diff_contents` shows as one. Lines that no chosen hunk touches keep the bytes they had. What no hunk
shows, other line endings or a byte order mark, comes with the whole only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from placet.core.review.decoding import Content, encode_content, read_content
from placet.core.review.diff_lines import Block, changed_blocks, in_hunks

Lines = Iterator[tuple[str, str]]  # text and ending


def can_choose(a: Content, b: Content, hunks: int) -> bool:
    """Whether the hunks between two contents of a file can be told apart; of one alone nothing is to be chosen."""
    return hunks > 1 and not (a.is_binary or b.is_binary) and a.encoding == b.encoding


def with_hunks(old: bytes, new: bytes, chosen: Collection[int]) -> bytes:
    """Return `old` with the chosen hunks of its difference to `new`; all of them give `new` exactly.

    Raises: ValueError where there is nothing to choose, or no such hunk.
    """
    a, b = read_content(old), read_content(new)
    hunks = list(in_hunks(changed_blocks(a.lines, b.lines)))
    if not can_choose(a, b, len(hunks)) or not set(chosen) <= set(range(len(hunks))):
        raise ValueError("these hunks cannot be chosen")
    if len(set(chosen)) == len(hunks):
        return new
    blocks = [block for index in sorted(set(chosen)) for block in hunks[index]]
    return encode_content(a, _joined(_lines(a, b, blocks), common_ending(a)))


def with_text(content: Content, text: str) -> bytes:
    """Return `content` with its text made `text` (LF alone): what stayed keeps its ending, new lines get that of theirs.

    Raises: UnicodeEncodeError where the encoding has no such character.
    """
    edited = text.split("\n")
    ends_with_newline = edited[-1] == ""
    if ends_with_newline:
        edited.pop()
    usual = common_ending(content)
    endings = _endings_for(content, edited, usual)
    if endings:
        endings[-1] = (endings[-1] or usual) if ends_with_newline else ""
    return encode_content(content, _joined(zip(edited, endings, strict=True), usual))


def common_ending(content: Content) -> str:
    """The most frequent line ending; LF where there is none."""
    kinds = Counter(content.endings)
    del kinds[""]
    return kinds.most_common(1)[0][0] if kinds else "\n"


def _lines(a: Content, b: Content, blocks: list[Block]) -> Lines:
    adapted = _adapted_ending(a, b)
    at = 0
    for block in blocks:
        yield from zip(a.lines[at : block.a1], a.endings[at : block.a1], strict=True)
        for line in range(block.b1, block.b2):
            ending = b.endings[line]
            yield b.lines[line], adapted if adapted and ending else ending
        at = block.a2
    yield from zip(a.lines[at:], a.endings[at:], strict=True)


def _adapted_ending(a: Content, b: Content) -> str:
    """Where every line of the file would get another ending, the chosen ones get that of their neighbours."""
    of_a, of_b = set(a.endings) - {""}, set(b.endings) - {""}
    return of_a.pop() if len(of_a) == 1 and len(of_b) == 1 and of_a != of_b else ""


def _joined(lines: Lines, usual: str) -> str:
    """One text; a line that is not the last any more gets an ending."""
    pieces: list[str] = []
    missing = False
    for text, ending in lines:
        if missing:  # behind a bare CR an LF alone would be read as one ending with it
            pieces.append("\r\n" if pieces[-2].endswith("\r") else usual)
        pieces += (text, ending)
        missing = not ending
    return "".join(pieces)


def _endings_for(content: Content, edited: list[str], usual: str) -> list[str]:
    endings: list[str] = []
    at = 0
    for block in changed_blocks(content.lines, edited):
        endings += content.endings[at : block.a1]
        last = endings[-1] if endings else ""
        like = content.endings[block.a1 : block.a2] or ([last] if last else [])
        endings += [(like[min(n, len(like) - 1)] if like else usual) or usual for n in range(block.b2 - block.b1)]
        at = block.a2
    return endings + content.endings[at:]
