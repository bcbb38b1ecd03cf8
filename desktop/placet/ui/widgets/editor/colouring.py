"""Colours of a text that is being edited: of the lines in sight only, a few at a time, so that a key never waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextLayout

from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.code_line import Run
from placet.ui.widgets.diff.visible import LONG_LINE
from placet.ui.widgets.editor.written_out import Spelling

if TYPE_CHECKING:
    from placet.ui.widgets.editor.code_editor import CodeEditor

_NAME = "warn-text"  # the colour of a hidden character's name
_MOST_KNOWN = 2_000
_REST_MS = 150  # after a key
_WINDOW = 10  # lines that are coloured together: what a key may cost


class Colouring(QObject):
    """Syntax as in the difference, and the names of hidden characters, which stand out.

    Colours are formats of the lines' layouts, not of the text: undoing knows nothing of them. A line's user state says
    under which look it was coloured.
    """

    def __init__(self, editor: CodeEditor, theme: Theme) -> None:
        super().__init__(editor)
        self._editor, self._theme = editor, theme
        self._language = ""
        self._look = 0
        self._is_colouring = False
        self._lines = 0
        self._known: dict[int, tuple[int, list[Run]]] = {}  # by line: its length and its colours as they are
        self._formats: dict[str, QTextCharFormat] = {}
        self.spelling = Spelling()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._colour_some)
        editor.document().contentsChange.connect(self._on_change)
        editor.verticalScrollBar().valueChanged.connect(self.look)
        theme.changed.connect(self._begin)

    def use(self, language: str) -> None:
        """The language of the text that is in the editor now; an empty one is left plain."""
        self._language = language
        self._begin()

    def _begin(self) -> None:
        self._look += 1
        self._known.clear()
        self._formats.clear()
        self.look()

    def look(self) -> None:
        """See to it that what is in sight gets its colours soon."""
        self._timer.start(0)

    def _on_change(self, at: int, _removed: int, added: int) -> None:
        """A line that was typed in has its colours before it is painted; many are coloured when they are seen."""
        if self._is_colouring:
            return
        document = self._editor.document()
        if document.blockCount() != self._lines:
            self._lines = document.blockCount()
            self._known.clear()
        first, last = document.findBlock(at), document.findBlock(at + added)
        if last.blockNumber() - first.blockNumber() >= _WINDOW:
            block = first
            while block.isValid() and block.blockNumber() <= last.blockNumber():
                block.setUserState(-1)
                block = block.next()
            self.look()
        elif first.userState() == self._look:
            for block in {first.blockNumber() // _WINDOW: first, last.blockNumber() // _WINDOW: last}.values():
                self._colour(block, last)
            last.next().setUserState(-1)  # what follows may read otherwise now: a string was opened
            self._timer.start(_REST_MS)
        else:
            self.look()

    def _colour_some(self) -> None:
        for block in self._editor.blocks_in_sight():
            if block.userState() != self._look:
                self._colour(block)
                self._timer.start(0)
                return

    def _colour(self, block: QTextBlock, last: QTextBlock | None = None) -> None:
        """Colour the lines of the window that `block` is in, those behind `last` not now."""
        from placet.ui.widgets.text.syntax import safe_runs  # lexers are loaded when the first text is on the screen

        document = self._editor.document()
        first = document.findBlockByNumber(block.blockNumber() - block.blockNumber() % _WINDOW)
        blocks = [first]
        while len(blocks) < _WINDOW and blocks[-1] != last and blocks[-1].next().isValid():
            blocks.append(blocks[-1].next())
        texts = [each.text() for each in blocks]
        source = "\n".join(text if len(text) <= LONG_LINE else "" for text in texts)
        lines: Sequence[Sequence[tuple[str, str]]] = safe_runs(source, self._language) or [() for _ in blocks]
        self._is_colouring = True
        try:
            for each, text, runs in zip(blocks, texts, lines, strict=False):
                self._apply(each, [*_syntax(runs), *self._names(text)])
        finally:
            self._is_colouring = False

    def _apply(self, block: QTextBlock, spans: list[Run]) -> None:
        """A line that has these colours already is left alone: most of a window, while one types in it."""
        number = block.blockNumber()
        known = self._known.get(number)
        if block.userState() == self._look and known == (block.length(), spans):
            return
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known[number] = block.length(), spans
        block.layout().setFormats([self._format(span) for span in spans])
        block.setUserState(self._look)
        block.document().markContentsDirty(block.position(), block.length())

    def _names(self, text: str) -> Iterator[Run]:
        if "U+" in text:
            for found in self.spelling.names.finditer(text):
                at = _units(text[: found.start()])
                yield Run(at, at + len(found[0]), _NAME)

    def _format(self, span: Run) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        made.start, made.length, made.format = span.start, span.end - span.start, self._char_format(span.role)
        return made

    def _char_format(self, role: str) -> QTextCharFormat:
        look = self._formats.get(role)
        if look is None:
            look = self._formats[role] = QTextCharFormat()
            look.setForeground(self._theme.color(role))
            if role == _NAME:
                look.setBackground(self._theme.color("warn-bg"))
        return look


def _syntax(runs: Sequence[tuple[str, str]]) -> Iterator[Run]:
    at = 0
    for part, role in runs:
        end = at + _units(part)
        if role != "text":
            yield Run(at, end, role)
        at = end


def _units(text: str) -> int:
    """How many UTF-16 units Qt counts for it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
