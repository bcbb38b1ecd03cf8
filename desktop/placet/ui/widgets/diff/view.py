"""The diff of one file: hunks between folds, painted, walked by key and read by a screen reader.

A hunk is not yet something one decides; heads keep their right end free for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from placet.core.domain.diff import FileDiff, Sign
from placet.ui.theme.paint import crisp
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce_current, viewport_rect
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.layout import FOLD, HEAD, DiffLayout, RowKind
from placet.ui.widgets.diff.painting import paint_fold, paint_gutter, paint_head, paint_nothing
from placet.ui.widgets.diff.strip_painter import Marks
from placet.ui.widgets.diff.text_view import TextView
from placet.ui.widgets.diff.visible import shown

_SIGN = 16
_KINDS = {Sign.REMOVED: "del", Sign.ADDED: "add", Sign.SAME: ""}
_EMPTY = FileDiff(path="", hunks=(), unchanged_after=0, added=0, removed=0)
_PROSE = frozenset({"", "markdown", "md", "rst", "restructuredtext", "text", "tex", "latex"})


class DiffView(TextView):
    """Shows one `FileDiff`. Nothing in it can be changed or decided."""

    hunk_changed = Signal(int)
    wrap_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("diffView")
        self.setAccessibleName(self.tr("Changes"))
        self.current = 0
        self._diff = _EMPTY
        self._wrap = False
        self._wrap_chosen: bool | None = None
        self._gutters = (36, 32)
        self.sticky = HEAD
        self._layout = DiffLayout(_EMPTY, 80, False)
        self.selecting.pressed.connect(self._on_pressed)

    # ---- content -------------------------------------------------------------------------------------------------

    @property
    def diff(self) -> FileDiff:
        return self._diff

    @property
    def is_wrapped(self) -> bool:
        return self._wrap

    def set_diff(self, diff: FileDiff) -> None:
        """Show another diff from its top. Prose wraps, code does not, until `set_wrapped` says it for all."""
        self._diff, self.current = diff, 0
        self._wrap = diff.language in _PROSE if self._wrap_chosen is None else self._wrap_chosen
        self.wrap_changed.emit(self._wrap)
        self._gutters = _gutters(diff)
        self.code_x = sum(self._gutters) + _SIGN
        self.notices.set_notices(diff.notices)
        self.content_changed()
        announce_current(self, self)

    def clear(self) -> None:
        self.set_diff(_EMPTY)

    def set_wrapped(self, wrap: bool) -> None:
        """Wrap lines at the width of the view, or scroll sideways. Very long lines wrap always."""
        self._wrap_chosen = wrap
        if wrap != self._wrap:
            self._wrap = wrap
            self.wrap_changed.emit(wrap)
            self.horizontalScrollBar().setValue(0)
            self.relayout()

    def plain_text(self) -> str:
        """The diff as it is shown, hidden characters written out: no control but newline and tab."""
        signed = (f"{self._layout.line(n).sign}{self._layout.visible(n).plain}" for n in range(self._layout.line_count))
        return "\n".join((*(shown(notice.text) for notice in self._diff.notices), *signed))

    def rows(self) -> DiffLayout:
        return self._layout

    def lay_out(self, width: int) -> None:
        self._layout = DiffLayout(self._diff, width, self._wrap)
        self.colourist.use(self._layout, self._diff.language)

    # ---- painting ------------------------------------------------------------------------------------------------

    def paint_row(self, p: QPainter, row: int, y: int) -> None:
        place, width = self._layout.row(row), self.viewport().width()
        if place.kind is RowKind.FOLD:
            last = place.hunk == len(self._diff.hunks)
            count = self._diff.unchanged_after if last else self._diff.hunks[place.hunk].unchanged_before
            paint_fold(p, self.theme, QRectF(0, y, width, FOLD), self.code_x, count, first=row == 0)
        elif place.kind is RowKind.LINE and (strip := self._layout.strip_of(row, place)):
            line, gutter = self._diff.hunks[place.hunk].lines[place.line], sum(self._gutters)
            kind = _KINDS[line.sign]
            if kind:
                p.fillRect(QRectF(gutter, y, width - gutter, ROW), self.theme.color(f"{kind}-bg"))
                p.fillRect(QRectF(0, y, gutter, ROW), self.theme.color(f"{kind}-gutter"))
            self.paint_strip(p, strip, y, Marks(line.marks if kind else (), f"{kind}-mark"))
            if not strip.start:  # a row further down of a wrapped line has no number
                paint_gutter(p, self.theme, self._gutters, y, line, kind)

    def paint_over(self, p: QPainter) -> None:
        if not self._diff.hunks:
            paint_nothing(p, self.theme, self.viewport().width(), self._diff)
            return
        scroll = self.verticalScrollBar().value()
        for hunk, head in self._heads():
            label, sticks = self.tr("Hunk {}").format(hunk + 1), head.top() <= 0 < scroll
            symbol = self._diff.hunks[hunk].symbol
            paint_head(p, self.theme, head, label, symbol, now=hunk == self.current, sticks=sticks)
        top, bottom = self._layout.hunk_span(self.current)
        bar = QRectF(0, max(0, top - scroll), 2, bottom - scroll - max(0, top - scroll))
        if bar.height() > 0:
            role = "accent-mark" if self.isActiveWindow() else "control"
            p.fillRect(crisp(p, bar), self.theme.color(role))

    def _heads(self) -> Iterator[tuple[int, QRectF]]:
        """Every head in sight, the first one where it sticks."""
        scroll, page = self.verticalScrollBar().value(), self.viewport().size()
        for hunk in range(self._layout.hunk_at(scroll), len(self._diff.hunks)):
            top, bottom = self._layout.hunk_span(hunk)
            y = top - scroll
            if y >= page.height():
                return
            if y < 0:  # sticks until the end of its hunk pushes it out
                y = min(0, bottom - scroll - HEAD)
            if y > -HEAD:
                yield hunk, QRectF(0, y, page.width(), HEAD)

    # ---- walking -------------------------------------------------------------------------------------------------

    def go_to(self, hunk: int) -> None:
        """Make a hunk the current one and bring it into sight."""
        if not self._diff.hunks:
            return
        self._set_current(max(0, min(hunk, len(self._diff.hunks) - 1)))
        top, bottom = self._layout.hunk_span(self.current)
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if top < bar.value() or bottom > bar.value() + page:
            bar.setValue(min(top - FOLD, bottom - page) if bottom - top < page - FOLD and top > bar.value() else top)

    def _set_current(self, hunk: int) -> None:
        if hunk != self.current:
            self.current = hunk
            self.hunk_changed.emit(hunk)
            announce_current(self, self)
            self.viewport().update()

    def _on_pressed(self, point: QPointF) -> None:
        if self._diff.hunks:
            self._set_current(self._layout.hunk_at(self.verticalScrollBar().value() + point.y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
            return
        match event.key():
            case Qt.Key.Key_N:
                self.go_to(self.current + 1)
            case Qt.Key.Key_P:
                self.go_to(self.current - 1)
            case Qt.Key.Key_Down if not self._reaches_beyond(down=True):
                self.go_to(self.current + 1)
            case Qt.Key.Key_Up if not self._reaches_beyond(down=False):
                self.go_to(self.current - 1)
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                self._set_current(0 if event.key() == Qt.Key.Key_Home else max(0, len(self._diff.hunks) - 1))
                super().keyPressEvent(event)
            case Qt.Key.Key_W:
                self.set_wrapped(not self._wrap)
            case _:
                super().keyPressEvent(event)

    def _reaches_beyond(self, *, down: bool) -> bool:
        """Whether the current hunk goes on past the edge, so that an arrow scrolls through it first."""
        if not self._diff.hunks:
            return True
        (top, bottom), scroll = self._layout.hunk_span(self.current), self.verticalScrollBar().value()
        page = self.viewport().height()
        in_sight = top < scroll + page and bottom > scroll
        return in_sight and (bottom > scroll + page if down else top < scroll)

    # ---- what a screen reader sees -------------------------------------------------------------------------------

    def item_count(self) -> int:
        return len(self._diff.hunks)

    def item_text(self, index: int) -> str:
        """The change itself, without context, hidden characters by name (`D-8`)."""
        words = {Sign.REMOVED: self.tr("removed"), Sign.ADDED: self.tr("added")}
        hunk, lines = self._diff.hunks[index], self._layout.lines_of(index)
        said = "; ".join(
            f"{words[line.sign]}: {self._layout.visible(number).plain.strip()}"
            for number, line in zip(lines, hunk.lines, strict=True)
            if line.sign in words
        )
        return self.tr("Hunk {}, {}: {}").format(index + 1, shown(hunk.symbol), said)

    def item_rect(self, index: int) -> QRect:
        top, bottom = self._layout.hunk_span(index)
        y = top - self.verticalScrollBar().value()
        return viewport_rect(self.viewport(), 0, y, self.viewport().width(), bottom - top)

    def item_checked(self, index: int) -> bool | None:
        return None

    def item_widgets(self) -> Sequence[QWidget]:
        return ()

    def item_current(self) -> int:
        return self.current


def _gutters(diff: FileDiff) -> tuple[int, int]:
    """Room for the numbers of each side; a side that does not exist has none."""
    last = diff.hunks[-1].lines if diff.hunks else ()
    old = next((line.old for line in reversed(last) if line.old), 0)
    new = next((line.new for line in reversed(last) if line.new), 0)
    left, right = max(36, 15 + 7 * len(str(old))), max(32, 11 + 7 * len(str(new)))
    if diff.is_new or not old:
        return 0, max(44, right + 8)
    return (max(44, left), 0) if diff.is_deleted else (left, right)
