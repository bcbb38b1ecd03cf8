"""Markdown tables as QTextTable: cells are real text, lines and head are painted by us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from markdown_it.token import Token
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QTextBlockFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
    QTextTableFormat,
)

from placet.ui.theme.paint import frame, hairline, rounded
from placet.ui.theme.theme import Theme

if TYPE_CHECKING:
    from placet.ui.widgets.text.writer import Writer

PAD_X, PAD_Y = 12, 5


def write_table(writer: Writer, made: Sequence[Token], at: int) -> int:
    """Write the table that opens at `at`; returns the index of the token that closes it."""
    end = next(index for index in range(at, len(made)) if made[index].type == "table_close")
    rows: list[list[tuple[Token, str]]] = []
    align = ""
    for token in made[at:end]:
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            align = str(token.attrGet("style") or "").removeprefix("text-align:")
        elif token.type == "inline":
            rows[-1].append((token, align))
    writer.begin_block()
    outside = QTextCursor(writer.cursor)
    table = writer.cursor.insertTable(len(rows), max(map(len, rows)), _format())
    for r, row in enumerate(rows):
        for c, (inline, alignment) in enumerate(row):
            writer.cursor = table.cellAt(r, c).firstCursorPosition()
            _align(writer.cursor, alignment, writer.style.line)
            writer.inline(inline.children or [], weight=500 if r == 0 else 0)
            _count_indent(writer.cursor)
    writer.extras.tables.append(table)
    outside.setPosition(table.lastPosition() + 1)
    writer.cursor = outside
    _shrink(writer.cursor)
    return end


def _format() -> QTextTableFormat:
    fmt = QTextTableFormat()
    fmt.setBorder(0)
    fmt.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
    fmt.setCellSpacing(0)
    fmt.setCellPadding(PAD_Y)
    fmt.setTopMargin(0)
    fmt.setBottomMargin(0)
    return fmt


def _align(cursor: QTextCursor, alignment: str, line: int) -> None:
    fmt = QTextBlockFormat()
    fmt.setLineHeight(line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    fmt.setAlignment({"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}.get(
        alignment, Qt.AlignmentFlag.AlignLeft
    ))  # fmt: skip
    fmt.setLeftMargin(PAD_X - PAD_Y)
    fmt.setRightMargin(PAD_X - PAD_Y)
    cursor.setBlockFormat(fmt)


def _count_indent(cursor: QTextCursor) -> None:
    """The layout's natural width leaves out an indent, as of the air before a cell's first code pill, but no margin."""
    fmt = cursor.blockFormat()
    if indent := fmt.textIndent():
        fmt.setTextIndent(0)
        fmt.setLeftMargin(fmt.leftMargin() + indent)
        cursor.setBlockFormat(fmt)


def _shrink(cursor: QTextCursor) -> None:
    """A document needs a paragraph after a table; make it as good as invisible."""
    fmt = QTextBlockFormat()
    fmt.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    cursor.setBlockFormat(fmt)
    tiny = cursor.charFormat()
    tiny.setProperty(QTextFormat.Property.FontPixelSize, 1)
    cursor.setBlockCharFormat(tiny)


class TableBox(msgspec.Struct, frozen=True):
    """Where a table lies: its right edge, the tops of its rows and the bottom of the last."""

    right: float
    edges: tuple[float, ...]


def measure_table(table: QTextTable, layout: QAbstractTextDocumentLayout) -> TableBox:
    """In the document's coordinates; a table starts at the left edge."""
    edges, bottom = [], 0.0
    for r in range(table.rows()):
        top = float("inf")
        for c in range(table.columns()):
            block = table.cellAt(r, c).firstCursorPosition().block()
            box = layout.blockBoundingRect(block)
            top = min(top, box.top() - PAD_Y)
            height = block.layout().lineCount() * block.blockFormat().lineHeight()
            bottom = max(bottom, box.top() + height + PAD_Y)
        edges.append(top)
    # The layout counts the padding of the first cell into the frame's place, but not out of its width.
    return TableBox(layout.frameBoundingRect(table).right() - PAD_Y, (*edges, bottom))


def draw_table(p: QPainter, box: TableBox, at: QPointF, theme: Theme) -> None:
    """The card round a table, its head and the lines between its rows."""
    edges = box.edges
    outline = QRectF(0, edges[0], box.right, edges[-1] - edges[0]).translated(at)
    rounded(p, QRectF(outline.left(), outline.top(), outline.width(), edges[1] - edges[0]), 8, theme.color("surface"))
    for edge in edges[1:-1]:
        hairline(p, outline.left() + 1, at.y() + edge, outline.width() - 2, theme.color("hairline"))
    frame(p, outline, 8, theme.color("hairline"))
