"""Puts parser tokens into a QTextDocument through one cursor: no HTML is made, so nothing can be fetched (`D-10`).

Beside the document it keeps what the painter draws itself: code pills, boxes, quotation bars, rules and ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from markdown_it.token import Token
from PySide6.QtGui import (
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QTextTable,
)

from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.links import LinkKind, bare_links, host_of, misleads, read_link
from placet.ui.widgets.text.markdown import list_marker, placeholder, task_state
from placet.ui.widgets.text.tables import write_table

CODE_PAD = 4.0
INDENT = 20
DEEPEST = 12
"""Indents after which deeper lists stay where they are: fifty of them must still leave room for words."""


class TextStyle(msgspec.Struct, frozen=True):
    """How a document is set: body size and line, the colour of code pills, whether it is a quiet text."""

    px: float = 14
    line: int = 20
    pill: str = "surface-2"
    role: str = "text"
    weight: int = 400


class Heading(msgspec.Struct, frozen=True):
    px: float
    line: int
    weight: int
    role: str
    above: int


HEADINGS = {
    "h1": Heading(20, 28, 600, "text", 20),
    "h2": Heading(14, 20, 600, "text", 20),
    "h3": Heading(14, 20, 600, "text", 12),
    "h4": Heading(13, 20, 600, "text", 12),
    "h5": Heading(13, 20, 500, "text-2", 10),
    "h6": Heading(13, 20, 500, "text-3", 10),
}


class Extras(msgspec.Struct):
    """What is painted beside the letters; positions are the document's."""

    pills: list[tuple[int, int]] = msgspec.field(default_factory=list)
    boxes: list[tuple[int, int]] = msgspec.field(default_factory=list)  # first and last block of nested code
    quotes: list[tuple[int, int, int]] = msgspec.field(default_factory=list)  # first and last block, depth
    rules: list[int] = msgspec.field(default_factory=list)
    ticks: list[tuple[int, bool]] = msgspec.field(default_factory=list)
    tables: list[QTextTable] = msgspec.field(default_factory=list)


class Writer:
    """Writes once. `cursor` is where it writes; tables move it in and out of their cells."""

    def __init__(self, document: QTextDocument, theme: Theme, style: TextStyle) -> None:
        self.cursor = QTextCursor(document)
        self.theme, self.style, self.extras = theme, style, Extras()
        self._plain = QTextCharFormat()
        self._plain.setFont(ui_font(style.px, style.weight))
        self._plain.setForeground(theme.color(style.role))
        self._first = True
        self._markers: list[Callable[[], str]] = []
        self._pending = ""
        self._quotes: list[int] = []
        self._heading: Heading | None = None
        self._loose = True
        self._label = self._href = ""  # of the link that is being written

    def write(self, made: Sequence[Token]) -> None:
        at = 0
        while at < len(made):
            token = made[at]
            if token.type == "table_open":
                at = write_table(self, made, at)
            elif token.type == "inline":
                self._paragraph(token)
            else:
                self._structure(token)
            at += 1

    def _structure(self, token: Token) -> None:
        if "list" in token.type:
            self._lists(token)
            return
        match token.type:
            case "heading_open":
                self._heading = HEADINGS[token.tag]
            case "heading_close":
                self._heading = None
            case "blockquote_open":
                self._quotes.append(-1)
            case "blockquote_close":
                if (start := self._quotes.pop()) >= 0:
                    self.extras.quotes.append((start, self.cursor.block().position(), len(self._quotes)))
            case "paragraph_open":
                self._loose = not token.hidden
            case "hr":
                self.begin_block()
                self.extras.rules.append(self.cursor.position())
            case "fence" | "code_block":
                self._nested_code(token.content.rstrip("\n"))

    def _lists(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._flush_item()
                self._markers.append(list_marker(token))
            case "bullet_list_close" | "ordered_list_close":
                self._markers.pop()
            case "list_item_open":
                self._pending = self._markers[-1]() + "\t"
            case "list_item_close":
                self._flush_item()

    def _flush_item(self) -> None:
        """An item without text still shows its mark."""
        if self._pending:
            self.begin_block()

    def _paragraph(self, inline: Token) -> None:
        ticked = task_state(inline) if self._pending.startswith("•") else None
        if ticked is not None:
            self._pending = ("☑" if ticked else "☐") + "\t"
        self.begin_block()
        if ticked is not None:
            self.extras.ticks.append((self.cursor.position() - 2, ticked))
        self.inline(inline.children or [], skip=4 if ticked is not None else 0)

    def _nested_code(self, content: str) -> None:
        first = -1
        for line in content.split("\n"):
            self.begin_block(inset=8, above=None if first < 0 else 0)
            first = self.cursor.block().position() if first < 0 else first
            self.cursor.insertText(line, self._mono())
        self.extras.boxes.append((first, self.cursor.block().position()))

    def begin_block(self, *, inset: int = 0, above: int | None = None) -> None:
        """Start a paragraph with the indents of the lists and quotations it is in."""
        style, heading = self.style, self._heading
        fmt = QTextBlockFormat()
        fmt.setLineHeight(heading.line if heading else style.line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        lists = min(len(self._markers), DEEPEST)
        fmt.setLeftMargin(lists * INDENT + min(len(self._quotes), DEEPEST) * 14 + inset)
        if lists:
            fmt.setTabPositions([QTextOption.Tab(float(INDENT), QTextOption.TabType.LeftTab)])
            if self._pending:
                fmt.setTextIndent(-INDENT)
        if not self._first:
            tight = lists and not (self._loose and not self._pending)
            usual = heading.above if heading else 2 if tight else 10
            fmt.setTopMargin(usual if above is None else above)
        if self._first:
            self.cursor.setBlockFormat(fmt)
        else:
            self.cursor.insertBlock(fmt)
        self._first = False
        self._quotes = [start if start >= 0 else self.cursor.block().position() for start in self._quotes]
        if self._pending:
            marker = QTextCharFormat(self._plain)
            if self._pending[0] in "☑☐":
                marker.setForeground(self.theme.color("bg"))
            self.cursor.insertText(self._pending, marker)
            self._pending = ""

    # ---- inside a paragraph ------------------------------------------------------------------------------------

    def inline(self, children: Sequence[Token], *, skip: int = 0, weight: int = 0) -> None:
        """Write one paragraph's tokens, leaving out its first `skip` characters."""
        base = QTextCharFormat(self._plain)
        if self._heading is not None:
            base.setFont(ui_font(self._heading.px, self._heading.weight))
            base.setForeground(self.theme.color(self._heading.role))
        elif self._quotes:
            base.setForeground(self.theme.color("text-2"))
        if weight:
            base.setFontWeight(QFont.Weight(weight))
        stack = [base]
        self._href = self._label = ""
        for child in children:
            fmt = QTextCharFormat(stack[-1])
            match child.type:
                case "text":
                    content, skip = child.content[skip:], max(0, skip - len(child.content))
                    self._label += content
                    self._text(content, fmt, linkify=not self._href)
                case "softbreak":
                    self.cursor.insertText(" ", fmt)
                case "hardbreak":
                    self.cursor.insertText("\u2028", fmt)
                case "code_inline":
                    self._label += child.content
                    self._pill(child.content, fmt)
                case "image":
                    self._image(child, fmt)
                case _:
                    self._edge(child, fmt, stack)

    def _edge(self, child: Token, fmt: QTextCharFormat, stack: list[QTextCharFormat]) -> None:
        """The begin or the end of a stretch in another style."""
        match child.type:
            case "strong_open":
                fmt.setFontWeight(QFont.Weight.DemiBold)
            case "em_open":
                fmt.setFontItalic(True)
            case "s_open":
                fmt.setFontStrikeOut(True)
            case "link_open":
                self._label, self._href = "", str(child.attrGet("href") or "")
                self._link(fmt, self._href)
        if child.nesting > 0:
            stack.append(fmt)
        elif child.nesting < 0:
            stack.pop()
        if child.type == "link_close":
            self._warn_of(self._label, self._href, stack[-1])
            self._href = ""

    def _text(self, content: str, fmt: QTextCharFormat, *, linkify: bool) -> None:
        at = 0
        for start, end in bare_links(content) if linkify else ():
            self.cursor.insertText(content[at:start], fmt)
            link = QTextCharFormat(fmt)
            self._link(link, content[start:end])
            self.cursor.insertText(content[start:end], link)
            at = end
        self.cursor.insertText(content[at:], fmt)

    def _link(self, fmt: QTextCharFormat, href: str) -> None:
        if read_link(href).kind is not LinkKind.INERT:
            fmt.setAnchor(True)
            fmt.setAnchorHref(href)
            fmt.setForeground(self.theme.color("accent-text"))

    def _warn_of(self, label: str, href: str, fmt: QTextCharFormat) -> None:
        """Say where it goes when the label says otherwise, and what the target is when it goes nowhere."""
        kind = read_link(href).kind
        note = href if kind is LinkKind.INERT else host_of(href) if misleads(label, href) else ""
        if note:
            quiet = QTextCharFormat(fmt)
            quiet.setForeground(self.theme.color("text-3"))
            self.cursor.insertText(f" ({note})", quiet)

    def _image(self, image: Token, fmt: QTextCharFormat) -> None:
        href = str(image.attrGet("src") or "")
        fmt.setForeground(self.theme.color("text-2"))
        fmt.setFontItalic(True)
        self._link(fmt, href)
        self.cursor.insertText(placeholder(image), fmt)

    def _pill(self, content: str, fmt: QTextCharFormat) -> None:
        """Inline code with 4 px of air. Qt has no inline padding; letter spacing on the neighbours is exact."""
        start = self.cursor.position()
        if start == self.cursor.block().position():
            block = self.cursor.blockFormat()
            block.setTextIndent(block.textIndent() + CODE_PAD)
            self.cursor.setBlockFormat(block)
        else:
            self._air(start - 1)
        code = self._mono()
        if fmt.isAnchor():
            code.setAnchor(True)
            code.setAnchorHref(fmt.anchorHref())
            code.setForeground(self.theme.color("accent-text"))
        self.cursor.insertText(content, code)
        if content:
            self._air(self.cursor.position() - 1)
        self.extras.pills.append((start, self.cursor.position()))

    def _air(self, position: int) -> None:
        cursor = QTextCursor(self.cursor)
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        fmt = QTextCharFormat()
        fmt.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
        fmt.setFontLetterSpacing(CODE_PAD)
        cursor.mergeCharFormat(fmt)

    def _mono(self) -> QTextCharFormat:
        fmt = QTextCharFormat(self._plain)
        fmt.setFont(mono_font(self.style.px - 2))
        return fmt
