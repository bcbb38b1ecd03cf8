"""Two contents of a file to the difference a person reviews. Pure; meant for a worker thread.

Lines are compared without their endings; what they do not show is said in words by `diff_notices`.
"""

from __future__ import annotations

from collections.abc import Iterator

from placet.core.domain.diff import DiffLine, DiffNotice, FileDiff, Hunk, NoticeLevel, Sign
from placet.core.domain.hidden import visible, visible_name
from placet.core.review.choosing import can_choose
from placet.core.review.decoding import Content, read_content
from placet.core.review.diff_lines import CONTEXT, Block, changed_blocks, in_hunks
from placet.core.review.diff_marks import LineMarks, Marks, pairs
from placet.core.review.diff_notices import notices
from placet.core.review.languages import language_of
from placet.core.review.symbols import enclosing_symbol

_MARKED_BLOCK = 400  # lines of a block on one side up to which changes inside lines are looked for


def diff_contents(path: str, old: bytes | None, new: bytes | None) -> FileDiff:
    """Return the difference. None is "no such file". Never quadratic in lines or in the length of a line."""
    a, b = read_content(old), read_content(new)
    said = notices(path, old, new, a, b)
    language = language_of(path)
    if a.is_binary or b.is_binary:
        return FileDiff(
            path=path, hunks=(), unchanged_after=0, added=0, removed=0, is_new=old is None, is_deleted=new is None,
            is_binary=True, encoding="binary", newline="none", language=language, notices=said,
        )  # fmt: skip
    blocks = changed_blocks(a.lines, b.lines)
    drawing = _Drawing(a, b, language)
    hunks = tuple(drawing.hunks(blocks))
    shown = b if new is not None else a
    unchanged_after = max(len(a.lines) - drawing.shown_to, 0)
    has_folds = unchanged_after or any(hunk.unchanged_before for hunk in hunks)
    return FileDiff(
        path=path,
        hunks=hunks,
        unchanged_after=unchanged_after,
        added=sum(block.b2 - block.b1 for block in blocks),
        removed=sum(block.a2 - block.a1 for block in blocks),
        is_new=old is None,
        is_deleted=new is None,
        encoding=shown.encoding,
        newline=shown.newline,
        language=language,
        notices=said + drawing.notices(),
        can_choose=old is not None and new is not None and can_choose(a, b, len(hunks)),
        old_lines=tuple(a.lines) if has_folds else (),
    )


def unified_text(diff: FileDiff, colour: bool) -> str:
    """Return the difference for a terminal, every control or hidden character as a token such as `<U+202E>`."""
    paint = _paint if colour else _plain
    old_name = "/dev/null" if diff.is_new else f"a/{visible_name(diff.path)}"
    new_name = "/dev/null" if diff.is_deleted else f"b/{visible_name(diff.path)}"
    lines = [paint("1", f"--- {old_name}"), paint("1", f"+++ {new_name}")]
    lines += [paint("33", f"! {visible(notice.text)}") for notice in diff.notices]
    for hunk in diff.hunks:
        lines.append(paint("36", f"{_ranges(hunk)} {visible(hunk.symbol)}".rstrip()))
        for line in hunk.lines:
            text = f"{line.sign}{visible(line.text, spaces=True)}"
            lines.append(paint(_COLOURS[line.sign], text) if line.sign in _COLOURS else text)
    return "\n".join(lines) + "\n"


_COLOURS = {Sign.ADDED: "32", Sign.REMOVED: "31"}


def _paint(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _plain(_code: str, text: str) -> str:
    return text


def _ranges(hunk: Hunk) -> str:
    olds = [line.old for line in hunk.lines if line.old is not None]
    news = [line.new for line in hunk.lines if line.new is not None]
    return f"@@ -{olds[0] if olds else 0},{len(olds)} +{news[0] if news else 0},{len(news)} @@"


class _Drawing:
    """Turns blocks into hunks; `shown_to` is how many lines of the old side lie before the end of the last one."""

    def __init__(self, old: Content, new: Content, language: str) -> None:
        self._old, self._new = old.lines, new.lines
        self._language = language
        self._line_marks = LineMarks()
        self._unmarked = 0
        self.shown_to = 0

    def hunks(self, blocks: list[Block]) -> Iterator[Hunk]:
        for group in in_hunks(blocks):
            first, last = group[0], group[-1]
            start = max(first.a1 - CONTEXT, self.shown_to)
            end = min(last.a2 + CONTEXT, len(self._old))
            lines = tuple(self._lines(group, start, end))
            symbol = enclosing_symbol(self._old, first.a1, self._language)
            yield Hunk(lines=lines, unchanged_before=start - self.shown_to, symbol=symbol)
            self.shown_to = end

    def notices(self) -> tuple[DiffNotice, ...]:
        if not self._unmarked:
            return ()
        text = f"A block of {self._unmarked:,} lines is shown as replaced as a whole, without marks inside its lines"
        return (DiffNotice(NoticeLevel.FACT, text),)

    def _lines(self, group: list[Block], start: int, end: int) -> Iterator[DiffLine]:
        at = start
        for block in group:
            yield from self._same(at, block.a1, block.b1 - block.a1)
            yield from self._changed(block)
            at = block.a2
        yield from self._same(at, end, group[-1].b2 - group[-1].a2)

    def _same(self, start: int, end: int, shift: int) -> Iterator[DiffLine]:
        for i in range(start, end):
            yield DiffLine(Sign.SAME, i + 1, i + shift + 1, self._old[i])

    def _changed(self, block: Block) -> Iterator[DiffLine]:
        removed, added = self._marks(block)
        for i in range(block.a1, block.a2):
            yield DiffLine(Sign.REMOVED, i + 1, None, self._old[i], removed.get(i, ()))
        for j in range(block.b1, block.b2):
            yield DiffLine(Sign.ADDED, None, j + 1, self._new[j], added.get(j, ()))

    def _marks(self, block: Block) -> tuple[dict[int, Marks], dict[int, Marks]]:
        """Compare the lines that became one another."""
        removed: dict[int, Marks] = {}
        added: dict[int, Marks] = {}
        if block.a1 == block.a2 or block.b1 == block.b2:
            return removed, added
        if max(block.a2 - block.a1, block.b2 - block.b1) > _MARKED_BLOCK:
            self._unmarked = max(self._unmarked, block.a2 - block.a1)
            return removed, added
        for m, n in pairs(self._old[block.a1 : block.a2], self._new[block.b1 : block.b2]):
            i, j = block.a1 + m, block.b1 + n
            removed[i], added[j] = self._line_marks.between(self._old[i], self._new[j])
        return removed, added
