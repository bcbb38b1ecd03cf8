"""One selection through all rows: (row, offset) twice. Also moves the caret and collects what is copied."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextLayout

from placet.ui.models.transcript_answers import JOINED
from placet.ui.models.transcript_rows import AnyRow, CodeRow, ProseRow
from placet.ui.widgets.text.units import Units
from placet.ui.widgets.transcript.column import Column
from placet.ui.widgets.transcript.row_view import RowView


class Place(msgspec.Struct, order=True, frozen=True):
    """A position in the transcript's text."""

    row: int
    offset: int


class Selection:
    """From where a drag began to where the caret is."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self.start: Place | None = None
        self.end: Place | None = None

    @property
    def is_empty(self) -> bool:
        return self.start is None or self.start == self.end

    def set(self, start: Place | None, end: Place | None) -> None:
        self.start, self.end = start, end

    def splice(self, first: int, removed: int, added: int) -> None:
        """Rows were replaced: keep to the same text where it is still there."""
        self.start, self.end = (self._moved(place, first, removed, added) for place in (self.start, self.end))

    def _moved(self, place: Place | None, first: int, removed: int, added: int) -> Place | None:
        if place is None or place.row < first:
            return place
        if place.row >= first + removed:
            return Place(place.row + added - removed, place.offset)
        if not added and not self._column.rows:
            return None
        row = max(0, min(place.row, first + added - 1))
        return Place(row, place.offset if row == place.row else 0)

    def span(self, row: int, view: RowView) -> tuple[int, int] | None:
        """The selected part of a row, in its offsets; one more than its length where it goes on below."""
        if self.start is None or self.end is None or self.start == self.end:
            return None
        first, last = sorted((self.start, self.end))
        if not first.row <= row <= last.row:
            return None
        length = len(view.plain)
        begin = first.offset if row == first.row else 0
        end = last.offset if row == last.row else length + 1
        return (begin, end) if begin < end else None

    def everything(self) -> None:
        last = len(self._column.rows) - 1
        if last >= 0:
            self.set(Place(0, 0), Place(last, len(self._column.view(last).plain)))

    def word_at(self, place: Place) -> None:
        start, end = word_around(self._column.view(place.row).plain, place.offset)
        self.set(Place(place.row, start), Place(place.row, end))

    def paragraph_at(self, place: Place) -> None:
        plain = self._column.view(place.row).plain
        begin = plain.rfind("\n", 0, place.offset) + 1
        end = plain.find("\n", place.offset)
        self.set(Place(place.row, begin), Place(place.row, len(plain) if end < 0 else end))

    def rows(self, rows: range) -> None:
        """Select these rows whole."""
        if rows:
            self.set(Place(rows[0], 0), Place(rows[-1], len(self._column.view(rows[-1]).plain)))

    # ---- copying -----------------------------------------------------------------------------------------------

    def text(self, *, markdown: bool = False) -> str:
        """Rows selected whole give their source; a part of one gives what is seen: half a table is no Markdown."""
        if self.is_empty or self.start is None or self.end is None:
            return ""
        first, last = sorted((self.start, self.end))
        if markdown:
            return joined_sources(self._sources(first, last)).strip("\n")
        parts = []
        for index in range(first.row, last.row + 1):
            if first.row < index < last.row:
                parts.append(self._column.rows[index].plain())
            else:
                parts.append(self._part(index, first, last)[0])
        return "\n\n".join(part for part in parts if part)

    def _part(self, index: int, first: Place, last: Place) -> tuple[str, bool]:
        """The selected text of an edge row, and whether it is the whole row."""
        plain = self._column.view(index).plain
        begin = first.offset if index == first.row else 0
        end = last.offset if index == last.row else len(plain)
        return plain[begin:end], begin == 0 and end >= len(plain)

    def _sources(self, first: Place, last: Place) -> Iterator[tuple[AnyRow | None, str]]:
        for index in range(first.row, last.row + 1):
            row = self._column.rows[index]
            if first.row < index < last.row:
                yield row, row.markdown()
                continue
            part, is_whole = self._part(index, first, last)
            yield (row, row.markdown()) if is_whole else (None, part)

    # ---- the caret ---------------------------------------------------------------------------------------------

    def move(self, key: int, *, by_word: bool, extend: bool) -> Place | None:
        """Move the caret; returns where it is now."""
        if not self._column.rows:
            return None
        start = self.end or Place(self._column.anchor, 0)
        target = self._target(start, key, by_word=by_word)
        self.set(self.start if extend and self.start else start if extend else target, target)
        return target

    def _target(self, start: Place, key: int, *, by_word: bool) -> Place:
        view = self._column.view(start.row)
        match key:
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                return self._sideways(start, view.plain, -1 if key == Qt.Key.Key_Left else 1, by_word=by_word)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                return self._vertical(start, view, -1 if key == Qt.Key.Key_Up else 1)
            case _:
                x = -1e5 if key == Qt.Key.Key_Home else 1e5
                y = view.caret(start.offset).center().y()
                return Place(start.row, view.offset_at(QPointF(x, y)))

    def _sideways(self, start: Place, plain: str, step: int, *, by_word: bool) -> Place:
        offset = word(plain, start.offset, step) if by_word else start.offset + step
        if start.offset + step < 0 and start.row > 0:
            return Place(start.row - 1, len(self._column.view(start.row - 1).plain))
        if start.offset + step > len(plain) and start.row < len(self._column.rows) - 1:
            return Place(start.row + 1, 0)
        return Place(start.row, max(0, min(offset, len(plain))))

    def _vertical(self, start: Place, view: RowView, step: int) -> Place:
        rect = view.caret(start.offset)
        y = rect.center().y() + step * rect.height()
        if 0 <= y < view.height:
            return Place(start.row, view.offset_at(QPointF(rect.left(), y)))
        row = start.row + step
        if not 0 <= row < len(self._column.rows):
            return start
        other = self._column.view(row)
        return Place(row, other.offset_at(QPointF(rect.left(), 0 if step > 0 else other.height)))


def joined_sources(parts: Iterator[tuple[AnyRow | None, str]]) -> str:
    """Sources as one Markdown text. Blocks of an answer are slices of it and simply meet."""
    made = ""
    for row, source in parts:
        is_slice = isinstance(row, (ProseRow, CodeRow))
        if made and not (is_slice and (made.endswith("\n") or (row is not None and row.gap == JOINED))):
            made = made.rstrip("\n") + "\n\n"
        made += source
    return made


def word_around(plain: str, offset: int) -> tuple[int, int]:
    """The word that `offset` is in or beside; between words what stands there."""

    def is_word(at: int) -> bool:
        return plain[at].isalnum() or plain[at] == "_"

    if not plain:
        return 0, 0
    offset = min(offset, len(plain) - 1)
    if not is_word(offset) and offset > 0 and is_word(offset - 1):
        offset -= 1
    start, end = offset, offset + 1
    if is_word(offset):
        while start > 0 and is_word(start - 1):
            start -= 1
        while end < len(plain) and is_word(end):
            end += 1
    return start, end


def word(plain: str, offset: int, step: int) -> int:
    """Where the word before or after `offset` ends, by the rules of the text engine."""
    near = max(0, offset - 2000)
    piece = plain[near : offset + 2000]
    units = Units(piece)
    layout = QTextLayout(piece)
    mode = QTextLayout.CursorMode.SkipWords
    at = units.to_qt(offset - near)
    found = layout.nextCursorPosition(at, mode) if step > 0 else layout.previousCursorPosition(at, mode)
    return near + units.from_qt(found)
