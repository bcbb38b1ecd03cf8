"""A Markdown block laid out in a QTextDocument and painted by line boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTextBlock, QTextDocument, QTextOption

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.flow import Flow, Mark, x_of
from placet.ui.widgets.text.markdown import References, literal_tokens, tokens
from placet.ui.widgets.text.tables import TableBox, draw_table, measure_table
from placet.ui.widgets.text.units import Units
from placet.ui.widgets.text.writer import CODE_PAD, TextStyle, Writer

BODY = TextStyle()
_FRAME_START, _FRAME_END = "\ufdd0", "\ufdd1"


class Prose(Flow):
    """Line height is FixedHeight. Qt then puts the baseline at 4/5 of it, a browser at half the leading plus the
    ascent; `_lift` is that difference.
    """

    def __init__(
        self,
        theme: Theme,
        source: str,
        width: float,
        *,
        style: TextStyle = BODY,
        references: References = (),
        literal: bool = False,
    ) -> None:
        """`literal` shows what a person typed as they typed it, code apart."""
        self.document = QTextDocument()
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(ui_font(style.px))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document.setDefaultTextOption(option)
        writer = Writer(self.document, theme, style)
        writer.write(literal_tokens(source) if literal else tokens(source, references))
        self._extras, self._style = writer.extras, style
        self.plain = self._read()
        self._units = Units(self.plain)
        self._lift = style.line * 0.8 - round((style.line - 1.21 * style.px) / 2 + 0.96875 * style.px)
        self._tables: list[TableBox] = []
        self.set_width(width)

    def set_width(self, width: float) -> None:
        self.document.setTextWidth(width)
        self.width = width
        self.height = self.document.size().height()
        layout = self.document.documentLayout()
        self._tables = [measure_table(table, layout) for table in self._extras.tables]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to see, as of a link definition."""
        return not self.plain and not self._extras.rules

    @property
    def ideal_width(self) -> float:
        """The width of the longest line if nothing were wrapped. Changes the layout; set a width after it."""
        self.document.setTextWidth(-1)
        return self.document.idealWidth()

    def _read(self) -> str:
        """The document's text, with a tab between the cells of a table and a line a row. One character for one."""
        raw = self.document.toRawText().replace("\u2029", "\n").replace("\u2028", "\n")
        if not self._extras.tables:
            return raw
        units = Units(raw)
        firsts = {
            units.from_qt(table.cellAt(row, 0).firstPosition()) - 1
            for table in self._extras.tables
            for row in range(table.rows())
        }
        cut = {_FRAME_START: "\t", _FRAME_END: "\n"}
        return "".join("\n" if at in firsts else cut.get(char, char) for at, char in enumerate(raw))

    # ---- painting ----------------------------------------------------------------------------------------------

    def backgrounds(self) -> Sequence[Mark]:
        of = self._units.from_qt
        return [Mark(of(a), of(b), self._style.pill, 4, 1, CODE_PAD) for a, b in self._extras.pills]

    def draw_under(self, p: QPainter, at: QPointF, theme: Theme) -> None:
        for table in self._tables:
            draw_table(p, table, at, theme)
        for first, last in self._extras.boxes:
            area = self._span(first, last).translated(at)
            rounded(p, area.adjusted(-8, -4, 0, 4), 6, theme.color("surface"))
        for first, last, depth in self._extras.quotes:
            area = self._span(first, last).translated(at)
            p.fillRect(QRectF(at.x() + 14 * depth, area.top(), 2, area.height()), theme.color("hairline-2"))
        for position in self._extras.rules:
            area = self._span(position, position).translated(at)
            hairline(p, area.left(), round(area.center().y()), area.width(), theme.color("hairline"))

    def draw_text(self, p: QPainter, at: QPointF, clip: QRectF) -> None:
        p.save()
        p.translate(at - QPointF(0, self._lift))
        self.document.drawContents(p, clip.translated(0, self._lift))
        p.restore()

    def draw_ticks(self, p: QPainter, at: QPointF, theme: Theme) -> None:
        """The boxes of a task list, over the characters that stand for them."""
        for position, ticked in self._extras.ticks:
            line = next(self._qt_rects(position, position + 1), None)
            if line is None:
                continue
            box = QRectF(line.left(), line.top() + (line.height() - 14) / 2, 14, 14).translated(at)
            p.fillRect(box.adjusted(-1, -1, 1, 1), theme.color("bg"))
            frame(p, box, 3, theme.color("control"))
            if ticked:
                theme.draw_icon(p, "check", box, "text-2", 12)

    def draw(
        self, p: QPainter, at: QPointF, theme: Theme, marks: Sequence[Mark] = (), clip: QRectF | None = None
    ) -> None:
        super().draw(p, at, theme, marks, clip)
        self.draw_ticks(p, at, theme)

    def _span(self, first: int, last: int) -> QRectF:
        """The box of the paragraphs that start at these positions, from their indent to the right edge."""
        layout = self.document.documentLayout()
        top = self.document.findBlock(first)
        area = layout.blockBoundingRect(top).united(layout.blockBoundingRect(self.document.findBlock(last)))
        area.setLeft(top.blockFormat().leftMargin())
        area.setRight(self.width)
        return area

    # ---- offsets -----------------------------------------------------------------------------------------------

    def offset_at(self, point: QPointF) -> int:
        hit = self.document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
        return self._units.from_qt(max(0, hit))

    def link_at(self, point: QPointF) -> str | None:
        return self.document.documentLayout().anchorAt(point) or None

    def rects(self, start: int, end: int) -> Iterator[QRectF]:
        return self._qt_rects(self._units.to_qt(start), self._units.to_qt(end))

    def _qt_rects(self, start: int, end: int) -> Iterator[QRectF]:
        block = self.document.findBlock(start)
        if not block.isValid():
            block = self.document.begin()
        while block.isValid() and block.position() < end:
            yield from self._block_rects(block, start, end)
            block = block.next()

    def _block_rects(self, block: QTextBlock, start: int, end: int) -> Iterator[QRectF]:
        box = self.document.documentLayout().blockBoundingRect(block)
        height = block.blockFormat().lineHeight()
        layout, base = block.layout(), block.position()
        for index in range(layout.lineCount()):
            line = layout.lineAt(index)
            first, last = base + line.textStart(), base + line.textStart() + line.textLength()
            a, b = max(start, first), min(end, last)
            broken = index == layout.lineCount() - 1 and end > last  # the end of the paragraph is covered too
            if a > b or (a == b and not broken):
                continue
            left, right = x_of(line, a - base), x_of(line, b - base)
            if broken:
                right += 4  # a sliver for the line break
            yield QRectF(box.left() + left, box.top() + index * height, right - left, height)
