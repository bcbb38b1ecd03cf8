"""The text one writes: grows to twelve lines, sends on Enter, recalls with Up."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit

from placet.ui.theme.fonts import ui_font
from placet.ui.theme.theme import Theme

LINE = 20
MAX_LINES = 12
_CARET_RESTS_MS = 10_000
_DOUBLE_ESCAPE_MS = 800
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class CaretRest(QObject):
    """Stops the caret's blink after ten seconds without input: a blink a second is an idle window's whole cost."""

    def __init__(self, parent: QObject, rests_ms: int = _CARET_RESTS_MS) -> None:
        super().__init__(parent)
        self._flash_ms = QGuiApplication.styleHints().cursorFlashTime()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(rests_ms)
        self._timer.timeout.connect(self._rest)

    def wake(self) -> None:
        """Blink again; called on every input."""
        if QGuiApplication.styleHints().cursorFlashTime() != self._flash_ms:
            QGuiApplication.styleHints().setCursorFlashTime(self._flash_ms)
        self._timer.start()

    def leave(self) -> None:
        """The field lost the focus: nothing blinks, so nothing needs to stop."""
        self._timer.stop()
        QGuiApplication.styleHints().setCursorFlashTime(self._flash_ms)

    def _rest(self) -> None:
        QGuiApplication.styleHints().setCursorFlashTime(0)


class MessageField(QTextEdit):
    """Plain text. Enter sends unless an input method is composing, Shift+Enter breaks the line. Ctrl+Enter sends
    at once, in front of all else.

    Up in an empty field brings back what was sent before. Escape twice asks to stop.
    """

    sent = Signal(str)
    sent_at_once = Signal(str)
    edited = Signal()  # a person changed the text
    replaced = Signal()  # the program did
    escaped = Signal(bool)  # True for the second of two quick ones
    focus_moved = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("composer")
        self.is_composing = False  # by an input method
        self._is_told = False  # the text is being changed by the program
        self._recall: list[str] = []
        self._recalled: int | None = None
        self._caret = CaretRest(self)
        self._escape = QTimer(self)
        self._escape.setSingleShot(True)
        self._escape.setInterval(_DOUBLE_ESCAPE_MS)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(ui_font(14))
        self.document().setDocumentMargin(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setPlaceholderText(self.tr("Write a message, / for commands"))
        self.setAccessibleName(self.tr("Message"))
        self.textChanged.connect(self._fit)
        self.textChanged.connect(self._tell_change)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    @property
    def is_escape_fresh(self) -> bool:
        """Whether another Escape now would be the second of two."""
        return self._escape.isActive()

    def set_recall(self, texts: Sequence[str]) -> None:
        """What Up walks through, oldest first."""
        self._recall, self._recalled = list(texts), None

    def remember(self, text: str) -> None:
        self._recall.append(text)
        self._recalled = None

    def replace(self, text: str) -> None:
        """Put `text` in place of everything, undoable, with the caret at its end."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        self._insert(cursor, text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def empty(self) -> None:
        """Begin anew, with nothing to undo."""
        self._is_told = True
        self.clear()
        self._is_told = False

    def before_caret(self) -> str:
        """The text from its beginning to the caret; nothing while something is selected."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            return ""
        cursor.setPosition(0, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n")

    def complete(self, typed: str) -> None:
        """Put `typed` in the place of all before the caret and of the rest of the word there, undoable."""
        cursor = self.textCursor()
        cursor.setPosition(0)
        cursor.setPosition(self.textCursor().position(), QTextCursor.MoveMode.KeepAnchor)
        if " " not in cursor.selectedText():
            text, end = self.toPlainText(), cursor.position()  # a word of a command is ASCII: no unit differs
            while end < len(text) and (text[end].isalnum() or text[end] == "-"):
                end += 1
            end += typed.endswith(" ") and text[end : end + 1] == " "
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._insert(cursor, typed)
        self.setTextCursor(cursor)

    def _insert(self, cursor: QTextCursor, text: str) -> None:
        self._is_told = True
        cursor.insertText(text)
        self._is_told = False

    def _tell_change(self) -> None:
        (self.replaced if self._is_told else self.edited).emit()

    def _fit(self) -> None:
        """Clearing or pasting loses the block format, so it is put back wherever it is missing."""
        if self.document().firstBlock().blockFormat().lineHeight() != LINE:
            fixed = QTextBlockFormat()
            fixed.setLineHeight(LINE, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeBlockFormat(fixed)
        lines = max(1, round(self.document().size().height() / LINE))
        if self.height() != LINE * min(lines, MAX_LINES):
            self.setFixedHeight(LINE * min(lines, MAX_LINES))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._caret.wake()
        key, plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.is_composing
        if is_enter and plain:
            self.sent.emit(self.toPlainText())
        elif (
            is_enter and event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.ControlModifier
        ):
            self.sent_at_once.emit(self.toPlainText())
        elif key == Qt.Key.Key_Escape and not self.is_composing:
            self.escaped.emit(self.is_escape_fresh)
            self._escape.start()
        elif plain and key in _STEPS and self._walk(_STEPS[Qt.Key(key)]):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> bool:
        """Bring back an older or newer text. Only from an empty field or an unchanged recalled text."""
        text = self.toPlainText()
        at = self._recalled
        if at is not None and text != self._recall[at]:
            at = None
        if at is None and (text or step > 0 or not self._recall):
            return False
        at = len(self._recall) + step if at is None else at + step
        if at >= len(self._recall):
            self._recalled = None
            self.replace("")
        else:
            self._recalled = max(0, at)
            self.replace(self._recall[self._recalled])
        return True

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._caret.wake()
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Text as it is; dropped or pasted files as their paths."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        self.textCursor().insertText(" ".join(paths) if paths else source.text())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._caret.wake()
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._caret.leave()
        self.focus_moved.emit()
