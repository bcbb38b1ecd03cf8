"""Where a person writes their own new side of a file, or another command, before approving it."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.review import PendingRequest
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.editor.code_editor import CodeEditor
from placet.ui.widgets.plane import Plane, column_of, row_of

_REST_MS = 1000  # without a key: what was typed is kept for the next run of the program


class EditPage(QWidget):
    """An editor below a line that says what it holds. `done` and `left` give its text; what it cannot hold is told."""

    done = Signal(str)
    left = Signal(str)
    kept = Signal(object, str)  # of which request, and what stands in it: one rests, or something else is shown now

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._request: PendingRequest | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self.keep)
        self.editor = CodeEditor(theme)
        self._words = Label("", theme, "accent-text", 12, 500)
        self._hint = Label("", theme, "text-3", 12)
        head = Plane(theme, lines="b", fill="accent-bg", height=32)
        row_of(self._words, 12, self._hint, None, margins=(16, 0, 16, 1), parent=head)
        column = column_of(head, parent=self)
        column.addWidget(self.editor, 1)
        self.editor.done.connect(lambda: self.done.emit(self.editor.content()))
        self.editor.textChanged.connect(self._rest.start)
        self.editor.left.connect(lambda: self.left.emit(self.editor.content()))

    @property
    def is_busy(self) -> bool:
        """Whether a text is in it."""
        return self._request is not None

    def begin(self, request: PendingRequest, text: str, *, title: str, line: int, language: str = "") -> str:
        """Show a text for a request, unless it is what is shown already. Returns why it cannot be edited, in words."""
        if self._request is not None and request.call_id == self._request.call_id:
            self._request = request  # it may have been made anew
            return ""
        self.end()
        trouble = self.editor.set_content(text, line, language)
        self._request = None if trouble else request
        self._words.setText(title)
        self.editor.setAccessibleName(title)
        name = self.editor.hidden_names()
        self._hint.setText(self.tr("Hidden characters are written out, like {}.").format(name) if name else "")
        return trouble

    def end(self) -> None:
        """Something else is shown."""
        self.keep()
        self._request = None

    def keep(self) -> None:
        """Tell what stands in it, so that it outlives the program."""
        self._rest.stop()
        if self._request is not None:
            self.kept.emit(self._request, self.editor.content())

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.editor.setFocus(event.reason())


class EditBar(QWidget):
    """What one can do while the editor is open."""

    def __init__(self, theme: Theme, page: EditPage) -> None:
        super().__init__()
        self.show_change = Button(self.tr("Show the difference"), theme, kind="primary", hint="Ctrl ⏎", height=32)
        self.show_change.setObjectName("editDoneButton")
        self.back = Button(self.tr("Back"), theme, hint="Esc", height=32)
        self.back.setObjectName("editBackButton")
        words = Label(self.tr("Nothing is approved yet. Your text is kept when you go back."), theme, "text-3", 12)
        words.setWordWrap(True)
        buttons = QWidget()
        row_of(self.show_change, 8, self.back, None, parent=buttons)
        column_of(words, 8, buttons, margins=(16, 10, 16, 14), parent=self)
        self.show_change.clicked.connect(page.editor.done)
        self.back.clicked.connect(page.editor.left)
