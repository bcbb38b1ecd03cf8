"""A plain editor for code: monospaced, numbered lines, hidden characters by name, and exact."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.scroll_bars import LowerBar
from placet.ui.widgets.editor.colouring import Colouring
from placet.ui.widgets.editor.written_out import Spelling, trouble_with

_PARAGRAPH = "\u2029"  # what a document has between its lines


class _Numbers(QWidget):
    def __init__(self, editor: CodeEditor, theme: Theme) -> None:
        super().__init__(editor)
        self._editor, self._theme = editor, theme

    def paintEvent(self, event: QPaintEvent) -> None:
        p, editor = QPainter(self), self._editor
        p.fillRect(event.rect(), self._theme.color("surface"))
        for number, top, height in editor.lines_in_sight():
            grey = self._theme.color("text-3")
            text(p, self.width() - 8, top, height, str(number), mono_font(11), grey, right=True)


class CodeEditor(QPlainTextEdit):
    """Holds one text. Ctrl+Enter says that it is done, Esc that one leaves it; Shift+Tab goes to what is before."""

    done = Signal()
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("codeEditor")
        self._theme = theme
        self._indent = "    "
        self._numbers = _Numbers(self, theme)
        self._colouring = Colouring(self, theme)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(mono_font())
        self.setTabStopDistance(4 * text_width("0", mono_font()))
        self.document().setDocumentMargin(6)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)  # after the option, which brings its own
        LowerBar(self, theme)
        self.setCornerWidget(QWidget())
        self.blockCountChanged.connect(self._fit)
        self.updateRequest.connect(self._on_update)
        theme.changed.connect(self._tint)
        self._tint()

    # ---- the text ------------------------------------------------------------------------------------------------

    def set_content(self, content: str, line: int = 0, language: str = "") -> str:
        """Begin with a text, the caret at `line`. Returns why that cannot be, in words; the editor is empty then."""
        trouble = trouble_with(content)
        self._colouring.spelling = spelling = Spelling(content)
        self.setPlainText("" if trouble else spelling.written_out(content))
        if not trouble and self.content() != content:
            self.setPlainText("")
            trouble = self.tr("The text has characters that an editor would change.")
        self._indent = "\t" if any(part.startswith("\t") for part in content.split("\n")) else "    "
        cursor = QTextCursor(self.document().findBlockByNumber(line))
        self.setTextCursor(cursor)
        self.centerCursor()
        self._colouring.use(language)
        return trouble

    def content(self) -> str:
        """The text as it is, hidden characters included."""
        return self._colouring.spelling.read_back(self.document().toRawText().replace(_PARAGRAPH, "\n"))

    def hidden_names(self) -> str:
        """One of the names of hidden characters that stand in it, empty if there are none."""
        found = self._colouring.spelling.names.search(self.toPlainText())
        return found[0] if found is not None else ""

    # ---- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if control:
                if not event.isAutoRepeat():
                    self.done.emit()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case Qt.Key.Key_Tab if not event.modifiers():
                self.insertPlainText(self._indent)
            case Qt.Key.Key_Backtab:
                self.focusPreviousChild()
            case _:
                super().keyPressEvent(event)

    # ---- numbers -------------------------------------------------------------------------------------------------

    def lines_in_sight(self) -> list[tuple[int, int, int]]:
        """(number, top, height) of each."""
        return [(block.blockNumber() + 1, round(top), round(height)) for block, top, height in self._in_sight()]

    def blocks_in_sight(self) -> list[QTextBlock]:
        return [block for block, _, _ in self._in_sight()]

    def _in_sight(self) -> Iterator[tuple[QTextBlock, float, float]]:
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            height = self.blockBoundingRect(block).height()
            yield block, top, height
            top += height
            block = block.next()

    def _fit(self) -> None:
        width = round(text_width("0", mono_font(11)) * max(3, len(str(self.blockCount())))) + 20
        self.setViewportMargins(width, 0, 0, 0)
        box = self.contentsRect()
        self._numbers.setGeometry(QRect(box.left(), box.top(), width, box.height()))

    def _on_update(self, box: QRect, dy: int) -> None:
        if dy:
            self._numbers.scroll(0, dy)
        else:
            self._numbers.update(0, box.y(), self._numbers.width(), box.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self._colouring.look()

    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    def _tint(self) -> None:
        palette = self.palette()
        for role, name in (
            (palette.ColorRole.Base, "bg"),
            (palette.ColorRole.Text, "text"),
            (palette.ColorRole.Highlight, "selection"),
            (palette.ColorRole.HighlightedText, "text"),
        ):
            palette.setColor(role, self._theme.color(name))
        self.setPalette(palette)
        self.viewport().setPalette(palette)  # a style sheet in force has given it one of its own
        self._numbers.update()
