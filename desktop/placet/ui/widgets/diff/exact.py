"""A text shown exactly and completely: a command or arguments, wrapped, line ends marked, nothing hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import text
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import viewport_rect
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.painting import paint_band
from placet.ui.widgets.diff.places import show_line
from placet.ui.widgets.diff.rows import Heights, Strip
from placet.ui.widgets.diff.strip_painter import Marks
from placet.ui.widgets.diff.text_view import TextView
from placet.ui.widgets.diff.visible import VisibleLine, make_visible, wrapped

_FOLD, _FOLDED_FROM = 24, 4
_CODE_X = 40


class ExactLayout:
    """Rows of a text at one width. Runs of blank lines are one row, unless their first line is in `opened`."""

    def __init__(self, content: str, width: int, opened: Collection[int]) -> None:
        self._lines = content.split("\n")
        self.visible = lru_cache(maxsize=2048)(self._visible)
        self._rows: list[Strip] = []  # a fold has its number of lines as a negative end
        self._first_rows: list[int] = []
        width, line = max(width, 16), 0
        while line < len(self._lines):
            blank = self._blank_run(line)
            if blank >= _FOLDED_FROM and line not in opened:
                self._first_rows += [len(self._rows)] * blank
                self._rows.append(Strip(line, 0, -blank))
                line += blank
                continue
            for index in range(line, line + max(blank, 1)):
                self._first_rows.append(len(self._rows))
                self._rows += [Strip(index, *part) for part in wrapped(make_visible(self._lines[index]), width)]
            line += max(blank, 1)
        self.heights = Heights([_FOLD if strip.end < 0 else ROW for strip in self._rows])

    def _blank_run(self, line: int) -> int:
        end = line
        while end < len(self._lines) and not self._lines[end].strip(" \t"):
            end += 1
        return end - line

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def cells(self) -> int:
        return 0  # always wrapped

    @property
    def depends_on_width(self) -> bool:
        return True

    def fold(self, row: int) -> tuple[int, int] | None:
        """First line and number of lines of a row that stands for blank ones."""
        strip = self._rows[row]
        return (strip.line, -strip.end) if strip.end < 0 else None

    def strip(self, row: int, side: int = 0) -> Strip | None:
        return None if self._rows[row].end < 0 else self._rows[row]

    def rows_of(self, line: int) -> range:
        first = self._first_rows[line]
        last = self._first_rows[line + 1] if line + 1 < len(self._lines) else len(self._rows)
        return range(first, max(last, first + 1))

    def _visible(self, line: int) -> VisibleLine:
        return make_visible(self._lines[line])

    def sides(self, line: int, window: int) -> tuple[int, Iterator[Sequence[int]]]:
        start = line - line % window
        return start, iter([range(start, min(start + window, len(self._lines)))])


class ExactText(TextView):
    """Shows one text. `end_seen` says that a person has had all of it in sight."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.code_x = _CODE_X
        self._content = self._language = ""
        self._opened: set[int] = set()
        self._layout = ExactLayout("", 80, ())
        self.selecting.pressed.connect(self._on_pressed)
        self.notices.line_requested.connect(lambda number: show_line(self, number - 1))

    @property
    def content(self) -> str:
        return self._content

    def set_content(self, content: str, language: str = "") -> None:
        """Show a text from its beginning; `language` is a pygments alias."""
        self._content, self._language = content, language
        self._opened.clear()
        self.setAccessibleDescription(self.plain_text())
        self.content_changed()

    def plain_text(self) -> str:
        """The text as it is shown, hidden characters written out: no control but newline and tab."""
        return "\n".join(make_visible(line).plain for line in self._content.split("\n"))

    def rows(self) -> ExactLayout:
        return self._layout

    def lay_out(self, width: int) -> None:
        self._layout = ExactLayout(self._content, width - 2, self._opened)  # two cells for the line end's mark
        self.colourist.use(self._layout, self._language)

    def paint_row(self, p: QPainter, row: int, y: int) -> None:
        fold = self._layout.fold(row)
        if fold is not None:
            label = self.tr("{} blank lines").format(f"{fold[1]:,}")
            paint_band(p, self.theme, QRectF(0, y, self.viewport().width(), _FOLD), self.code_x, label, first=row == 0)
        elif (strip := self._layout.strip(row)) is not None:
            self.paint_strip(p, strip, y, Marks())
            visible, grey = self._layout.visible(strip.line), self.theme.color("text-3")
            if not strip.start:
                text(p, self.code_x - 12, y, ROW, str(strip.line + 1), mono_font(11), grey, right=True)
            if strip.end == len(visible.shown) and strip.line + 1 < self._layout.line_count:
                x = self.code_x + self.strips.code(strip, visible).x_of(strip.end - strip.start) + 4
                text(p, x, y, ROW, "⏎", ui_font(11), grey)

    def _on_pressed(self, point: QPointF) -> None:
        """Open a run of blank lines."""
        row = self._layout.heights.row_at(self.verticalScrollBar().value() + point.y())
        fold = self._layout.fold(row)
        if fold is not None:
            self._opened.add(fold[0])
            self.relayout()

    # ---- what a screen reader sees -------------------------------------------------------------------------------

    def item_count(self) -> int:
        return 1

    def item_text(self, index: int) -> str:
        return self.plain_text()

    def item_rect(self, index: int) -> QRect:
        return viewport_rect(self.viewport(), 0, 0, self.viewport().width(), self.viewport().height())

    def item_checked(self, index: int) -> bool | None:
        return None

    def item_widgets(self) -> Sequence[QWidget]:
        return ()

    def item_current(self) -> int:
        return 0
