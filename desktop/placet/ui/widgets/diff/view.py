"""The diff of one file: hunks between folds, painted, walked by key, decided at their heads, read by a screen reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.diff import FileDiff, Sign
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.diff_painter import SIGN, DiffPainter
from placet.ui.widgets.diff.folds import opened
from placet.ui.widgets.diff.hunk_items import HunkItems
from placet.ui.widgets.diff.hunk_states import HunkStates
from placet.ui.widgets.diff.layout import FOLD, HEAD, DiffLayout
from placet.ui.widgets.diff.overview import WIDTH, Overview
from placet.ui.widgets.diff.painting import gutters_of
from placet.ui.widgets.diff.places import line_numbered, show_line
from placet.ui.widgets.diff.pressing import Pressing
from placet.ui.widgets.diff.rows import Column
from placet.ui.widgets.diff.text_view import TextView
from placet.ui.widgets.diff.visible import shown

SPLIT_FROM = 700  # px; in a narrower view the sides stand below each other whatever was chosen
_EMPTY = FileDiff(path="", hunks=(), unchanged_after=0, added=0, removed=0)
_PROSE = frozenset({"", "markdown", "md", "rst", "restructuredtext", "text", "tex", "latex"})
_NO_STATES = HunkStates()


class DiffView(TextView):
    """Shows one `FileDiff` and what is known of its hunks. Decides nothing: it tells what a person wants."""

    hunk_changed = Signal(int, int)  # from this one to that one
    wrap_changed = Signal(bool)
    decided = Signal(int, bool)  # a hunk, and whether it is wanted
    edit_requested = Signal()
    read = Signal(int)  # the end of this hunk has been in sight

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setObjectName("diffView")
        self.setAccessibleName(self.tr("Changes"))
        self.current = 0
        self.states = _NO_STATES
        self.own_hunks: frozenset[int] = frozenset()
        self._diff = _EMPTY
        self._wrap = self._wants_split = False
        self._wrap_chosen: bool | None = None
        self._read: set[int] = set()
        self._is_fitting = False
        self.gutters = gutters_of(_EMPTY, split=False)
        self.sticky = HEAD
        self._layout = DiffLayout(_EMPTY, 80, False)
        self._painter = DiffPainter(self, theme)
        self.overview = Overview(self, theme)
        self.pressing = Pressing(self)
        self.painted_items = HunkItems(self)
        self.selecting.pressed.connect(self._on_pressed)
        self.notices.line_requested.connect(lambda number: show_line(self, line_numbered(self, number)))
        self.viewport().setMouseTracking(True)
        self.viewport().installEventFilter(self.pressing)

    # ---- content -------------------------------------------------------------------------------------------------

    @property
    def diff(self) -> FileDiff:
        """What is shown, with the folds that were opened."""
        return self._diff

    @property
    def is_wrapped(self) -> bool:
        return self._wrap

    @property
    def is_split(self) -> bool:
        """Whether both sides stand beside each other now."""
        whole = self._diff.is_new or self._diff.is_deleted
        return self._wants_split and not whole and self.width() >= SPLIT_FROM

    def set_diff(self, diff: FileDiff, states: HunkStates = _NO_STATES, current: int = 0) -> None:
        """Show another diff from its top. Prose wraps, code does not, until `set_wrapped` says it for all."""
        self._diff, self._read = diff, set()
        self.current = max(0, min(current, len(diff.hunks) - 1))
        self._wrap = diff.language in _PROSE if self._wrap_chosen is None else self._wrap_chosen
        self.wrap_changed.emit(self._wrap)
        self.notices.set_notices(diff.notices)
        self.show_states(states)
        self.content_changed()
        if self.current:
            self.go_to(self.current)
        self.painted_items.announce()

    def clear(self) -> None:
        self.set_diff(_EMPTY)

    def show_states(self, states: HunkStates) -> None:
        """Show what is known of the hunks of the diff that is shown."""
        if states.yours != self.states.yours:
            self.overview.refresh()
        self.states = states
        self.own_hunks = frozenset(
            index
            for index, hunk in enumerate(self._diff.hunks)
            if states.yours and any((line.old, line.new) in states.yours for line in hunk.lines)
        )
        self.viewport().update()
        self.painted_items.announce()

    def set_wrapped(self, wrap: bool) -> None:
        """Wrap lines at the width of the view, or scroll sideways. Very long lines wrap always."""
        self._wrap_chosen = wrap
        if wrap != self._wrap:
            self._wrap = wrap
            self.wrap_changed.emit(wrap)
            self.horizontalScrollBar().setValue(0)
            self.relayout()

    def set_split(self, split: bool) -> None:
        """Show both sides beside each other where there is room, or below each other."""
        self._wants_split = split
        if self.is_split is not self._layout.is_split:
            self.selecting.forget()
            self.horizontalScrollBar().setValue(0)
            self.relayout()

    def open_fold(self, fold: int, lines: int) -> None:
        """Show more of what is folded above hunk `fold`, or below the last one."""
        more = opened(self._diff, fold, lines)
        if more is not self._diff:
            self._diff = more
            self.selecting.forget()
            self.relayout()

    def plain_text(self) -> str:
        """The diff as it is shown, hidden characters written out: no control but newline and tab."""
        signed = (f"{self._layout.line(n).sign}{self._layout.visible(n).plain}" for n in range(self._layout.line_count))
        return "\n".join((*(shown(notice.text) for notice in self._diff.notices), *signed))

    # ---- geometry ------------------------------------------------------------------------------------------------

    def rows(self) -> DiffLayout:
        return self._layout

    def lay_out(self, width: int) -> None:
        self._layout = DiffLayout(self._diff, width, self._wrap, split=self.is_split)
        self.colourist.use(self._layout, self._diff.language)
        self.overview.refresh()

    def columns(self) -> Sequence[Column]:
        width, (old, new) = self.viewport().width(), self.gutters
        if not self.is_split:
            return (Column(0, old + new + SIGN, width),)
        middle = width // 2
        return Column(0, old + SIGN, middle), Column(middle, middle + new + SIGN, width)

    def relayout(self) -> None:
        self.gutters = gutters_of(self._diff, split=self.is_split)
        wanted = self.overview.is_wanted
        self.overview.setVisible(wanted)
        self._is_fitting = True
        self.margins.set_right(WIDTH if wanted else 0)  # before rows are made for the width that is left
        self._is_fitting = False
        self.code_x = self.columns()[0].code_x
        super().relayout()

    def has_line(self, line: int, side: int) -> bool:
        sign = self._layout.line(line).sign
        return not self._layout.is_split or sign is Sign.SAME or (sign is Sign.ADDED) is bool(side)

    def heads(self) -> Iterator[tuple[int, QRectF]]:
        """Every head in sight, the first one where it sticks."""
        scroll, page = self.verticalScrollBar().value(), self.viewport().size()
        for hunk in range(self._layout.hunk_at(scroll), len(self._diff.hunks)):
            top, bottom = self._layout.hunk_span(hunk)
            y = top - scroll
            if y >= page.height():
                return
            if bottom - scroll <= page.height() and hunk not in self._read:
                self._read.add(hunk)
                self.read.emit(hunk)
            if y < 0:  # sticks until the end of its hunk pushes it out
                y = min(0, bottom - scroll - HEAD)
            if y > -HEAD:
                yield hunk, QRectF(0, y, page.width(), HEAD)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if not self._is_fitting:
            if self.is_split is not self._layout.is_split:
                self.relayout()
            super().resizeEvent(event)
        top = self.viewport().y()
        if self.overview.height() != self.height() - top:
            self.overview.refresh()
        self.overview.setGeometry(self.width() - WIDTH, top, WIDTH, self.height() - top)

    # ---- painting ------------------------------------------------------------------------------------------------

    def paint_row(self, p: QPainter, row: int, y: int) -> None:
        self._painter.row(p, row, y)

    def covered(self) -> int:
        scroll = self.verticalScrollBar().value()
        if not scroll or not self._diff.hunks:
            return 0
        top, bottom = self._layout.hunk_span(self._layout.hunk_at(scroll))
        return HEAD if top <= scroll <= bottom - HEAD else 0

    def paint_over(self, p: QPainter) -> None:
        self._painter.over(p)

    # ---- walking -------------------------------------------------------------------------------------------------

    def go_to(self, hunk: int) -> None:
        """Make a hunk the current one and bring it into sight."""
        if not self._diff.hunks:
            return
        self.make_current(max(0, min(hunk, len(self._diff.hunks) - 1)))
        top, bottom = self._layout.hunk_span(self.current)
        bar, page = self.verticalScrollBar(), self.viewport().height()
        if top < bar.value() or bottom > bar.value() + page:
            bar.setValue(min(top - FOLD, bottom - page) if bottom - top < page - FOLD and top > bar.value() else top)

    def make_current(self, hunk: int) -> None:
        if hunk != self.current:
            left, self.current = self.current, hunk
            self.hunk_changed.emit(left, hunk)
            self.painted_items.announce()
            self.viewport().update()

    def _on_pressed(self, point: QPointF) -> None:
        if self._diff.hunks:
            self.make_current(self._layout.hunk_at(self.verticalScrollBar().value() + point.y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.AltModifier and event.key() == Qt.Key.Key_O:
            self.pressing.open_near()
            return
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or event.key() == Qt.Key.Key_E:
            super().keyPressEvent(event)
            return
        match event.key():
            case Qt.Key.Key_N:
                self.go_to(self.current + 1)
            case Qt.Key.Key_P:
                self.go_to(self.current - 1)
            case Qt.Key.Key_Down if not reaches_beyond(self, down=True):
                self.go_to(self.current + 1)
            case Qt.Key.Key_Up if not reaches_beyond(self, down=False):
                self.go_to(self.current - 1)
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                self.make_current(0 if event.key() == Qt.Key.Key_Home else max(0, len(self._diff.hunks) - 1))
                super().keyPressEvent(event)
            case Qt.Key.Key_W:
                self.set_wrapped(not self._wrap)
            case key if not self.pressing.key(key):
                super().keyPressEvent(event)


def reaches_beyond(view: DiffView, *, down: bool) -> bool:
    """Whether the current hunk goes on past the edge, so that an arrow scrolls through it first."""
    if not view.diff.hunks:
        return True
    (top, bottom), scroll = view.rows().hunk_span(view.current), view.verticalScrollBar().value()
    page = view.viewport().height()
    in_sight = top < scroll + page and bottom > scroll
    return in_sight and (bottom > scroll + page if down else top < scroll)
