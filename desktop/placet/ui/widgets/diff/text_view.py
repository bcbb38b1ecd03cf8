"""Painted text in virtual rows that scrolls, can be selected and copied. What a row looks like is a subclass's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import frame, keyboard_focus
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import ROW, cell_width
from placet.ui.widgets.diff.colours import Colourist
from placet.ui.widgets.diff.late_colours import LateColours
from placet.ui.widgets.diff.margins import Margins
from placet.ui.widgets.diff.notices import NoticeStrip
from placet.ui.widgets.diff.rows import Column, RowLayout, Strip
from placet.ui.widgets.diff.scroll_bars import LowerBar
from placet.ui.widgets.diff.selecting import Selecting
from placet.ui.widgets.diff.strip_painter import Marks, StripPainter
from placet.ui.widgets.viewport import own_viewport

_MARGIN = 16  # air behind the longest line


class TextView(QAbstractScrollArea):
    """Base of the diff and of exact texts. `code_x` is where the text begins, right of gutters."""

    end_seen = Signal()  # the last row has been in sight, by scrolling or because everything fits

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.code_x = 16
        self.sticky = 0  # height of what stands still at the top while rows scroll under it
        self.selecting = Selecting(self)
        self.colourist = Colourist(self)
        self.notices = NoticeStrip(theme, self)
        self.margins = Margins(self)
        self.notices.height_changed.connect(self.margins.set_top)
        self.strips = StripPainter(theme, self.colourist)
        self._seen_end = False
        self._late = LateColours(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        own_viewport(self).setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        LowerBar(self, theme)
        self.setCornerWidget(QWidget())
        self.verticalScrollBar().setSingleStep(ROW)
        self.horizontalScrollBar().setSingleStep(ROW * 2)
        self.colourist.coloured.connect(self._late.add)
        theme.changed.connect(self._on_theme_changed)

    # ---- what a subclass says ------------------------------------------------------------------------------------

    @abstractmethod
    def rows(self) -> RowLayout:
        """The rows as they were laid out last."""

    @abstractmethod
    def lay_out(self, width: int) -> None:
        """Make the rows for `width` character cells."""

    @abstractmethod
    def paint_row(self, p: QPainter, row: int, y: int) -> None:
        """Paint one row whose top is at `y` of the viewport."""

    def covered(self) -> int:
        """How much of the top `paint_over` hides, so that no row need be painted there."""
        return 0

    def paint_over(self, p: QPainter) -> None:
        """Paint what stands on top of the rows."""

    def columns(self) -> Sequence[Column]:
        """Where text stands; the first column is side 0."""
        return (Column(0, self.code_x, self.viewport().width()),)

    def has_line(self, line: int, side: int) -> bool:
        """Whether a line stands on this side."""
        return True

    # ---- geometry ------------------------------------------------------------------------------------------------

    def content_changed(self) -> None:
        """Begin with another text: from the top, nothing selected, end not seen."""
        self.selecting.forget()
        self._seen_end = False
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        self.relayout()

    def relayout(self) -> None:
        """Make the rows anew, with the line that is on top staying there."""
        before, scroll = self.rows(), self.verticalScrollBar().value()
        row = before.heights.row_at(scroll + ROW) if scroll and len(before.heights) else None
        top = (before.strip(row) or before.strip(row, 1)) if row is not None else None
        self.strips.clear()
        self._late.forget()
        column = self.columns()[0]
        self.lay_out(int((column.right - column.code_x - _MARGIN) / cell_width(mono_font())))
        self._set_ranges()
        now = self.rows()
        if top is not None and top.line < now.line_count:
            self.verticalScrollBar().setValue(now.heights.top(now.rows_of(top.line).start) - ROW)
        self.viewport().update()

    def _set_ranges(self) -> None:
        page, heights = self.viewport().size(), self.rows().heights
        self.verticalScrollBar().setPageStep(page.height())
        self.verticalScrollBar().setRange(0, max(0, heights.total - page.height()))
        column = self.columns()[0]
        wide = round(self.rows().cells * cell_width(mono_font())) + _MARGIN
        self.horizontalScrollBar().setPageStep(column.right - column.left)
        self.horizontalScrollBar().setRange(0, max(0, wide - (column.right - column.code_x)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width() and self.rows().depends_on_width:
            self.relayout()
        else:
            self._set_ranges()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move the pixels that stay and paint the rest."""
        if dx:
            self.viewport().update()
        else:
            self.viewport().scroll(0, dy)
            self.viewport().update(0, 0, self.viewport().width(), self.sticky + max(dy, 0))

    def _note_end(self) -> None:
        """Notice that the end has been painted; a size that is not on the screen yet proves nothing."""
        bar, rows = self.verticalScrollBar(), self.rows().heights
        if not self._seen_end and len(rows) and bar.value() >= bar.maximum() and self.viewport().height() >= ROW:
            self._seen_end = True
            self.end_seen.emit()

    @property
    def is_end_seen(self) -> bool:
        return self._seen_end

    def row_y(self, row: int) -> int:
        """Where a row is now, relative to the viewport."""
        return self.rows().heights.top(row) - self.verticalScrollBar().value()

    # ---- painting ------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self.viewport())
        p.fillRect(event.rect(), self.theme.color("bg"))
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        heights, below = self.rows().heights, 0
        for part in cast(
            "Iterable[QRect]", event.region()
        ):  # after scrolling two thin parts, whose common box is the whole page
            scroll = self.verticalScrollBar().value()
            first = scroll + max(part.top(), self.covered())
            row = max(below, heights.row_at(first)) if len(heights) else 0
            while row < len(heights) and (y := heights.top(row) - scroll) <= part.bottom():
                self.paint_row(p, row, y)
                row += 1
            below = row
        self.paint_over(p)
        if keyboard_focus(self):
            frame(p, QRectF(self.viewport().rect()), 0, self.theme.color("focus"), 2)
        p.end()
        self._note_end()

    def paint_strip(self, p: QPainter, strip: Strip, y: int, marks: Marks, side: int = 0) -> None:
        """Draw one row's text in its column, cut off at the gutter when it is scrolled sideways."""
        aside, columns = self.horizontalScrollBar().value(), self.columns()
        column = columns[side]
        visible, room = self.rows().visible(strip.line), column.right - column.code_x
        cells = (strip.end - strip.start) * (1 if visible.shown.isascii() else 2)
        clips = aside > 0 or (len(columns) > 1 and cells * cell_width(mono_font()) > room)
        if clips:
            p.save()
            p.setClipRect(QRectF(column.code_x, y, room, ROW))
        at = QPointF(column.code_x - aside, y)
        selection = self.selecting.selection if side == self.selecting.side else None
        self.strips.paint(p, strip, visible, at, marks, selection)
        if clips:
            p.restore()

    def _on_theme_changed(self) -> None:
        self.strips.clear()
        self.viewport().update()

    # ---- input ---------------------------------------------------------------------------------------------------

    def viewportEvent(self, event: QEvent) -> bool:
        return self.selecting.handle(event) or super().viewportEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.selecting.menu().popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.selecting.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selecting.select_all()
        elif event.key() == Qt.Key.Key_L and self.notices.step(-1 if is_shifted else 1):
            return
        elif not self._scroll_by_key(event.key()):
            event.ignore()

    def _scroll_by_key(self, key: int) -> bool:
        bar, side = self.verticalScrollBar(), self.horizontalScrollBar()
        match key:
            case Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                step = bar.pageStep() - 2 * ROW
                bar.setValue(bar.value() + (step if key == Qt.Key.Key_PageDown else -step))
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                bar.setValue(0 if key == Qt.Key.Key_Home else bar.maximum())
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                bar.setValue(bar.value() + (3 * ROW if key == Qt.Key.Key_Down else -3 * ROW))
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                side.setValue(side.value() + (2 * ROW if key == Qt.Key.Key_Right else -2 * ROW))
            case _:
                return False
        return True

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
