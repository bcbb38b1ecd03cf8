"""How a question is answered: by one of the suggested answers, or in one's own words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button
from placet.ui.widgets.fields import TextField
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.wrapping import Choice, Wrapping


class AnswerForm(QWidget):
    """Suggestions, a field, Send. A suggestion counts only while the guard is open: what was meant for the question
    before must not answer the one that took its place.

    What was written is kept by question until it is answered.
    """

    answered = Signal(str)

    def __init__(self, theme: Theme, guard: AttentionGuard) -> None:
        super().__init__()
        self._theme, self.guard = theme, guard
        self._question = ""
        self._armed = ""
        self._is_busy = False
        self._drafts: dict[str, str] = {}
        self.suggestions = Wrapping()
        self.field = TextField(self.tr("Answer"), hint=self.tr("Answer in your own words"))
        self.field.setObjectName("answerField")
        self.send = Button(self.tr("Send"), theme, hint_icon="corner-down-left")
        self.send.setObjectName("answerSend")
        line = row_of(self.field, 8, self.send)
        line.setStretchFactor(self.field, 1)
        column_of(self.suggestions, line, parent=self).setSpacing(8)
        self.field.returnPressed.connect(self._send)
        self.send.clicked.connect(self._send)

    def show_question(self, question: str, suggestions: Sequence[str], *, busy: bool = False) -> None:
        """Offer the answers to the question of that id; the same one again changes only whether one is on its way."""
        self._is_busy = busy
        self.send.setText(self.tr("Sending…") if busy else self.tr("Send"))
        self.send.updateGeometry()
        if question == self._question:
            return
        had_focus = any(choice.hasFocus() for choice in self.suggestions.choices)
        self._drafts[self._question] = self.field.text()
        self._question = question
        self.guard.restart()
        self.field.setText(self._drafts.pop(question, ""))
        choices = [Choice(words, self._theme) for words in suggestions if words.strip()]
        for choice in choices:
            choice.pressed.connect(self._arm)
            choice.clicked.connect(lambda _=False, words=choice.whole: self._choose(words))
        if had_focus:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)  # its button goes away
        self.suggestions.show_choices(choices)
        stops: list[QWidget] = [*choices, self.field, self.send]
        for one, next_one in pairwise(stops):
            QWidget.setTabOrder(one, next_one)

    def forget(self, question: str) -> None:
        """The question is gone, and what was written for it."""
        self._drafts.pop(question, None)
        if question == self._question:
            self.field.clear()

    def _arm(self) -> None:
        self._armed = self._question if self.guard.is_open else ""

    def _choose(self, words: str) -> None:
        if self._armed and self._armed == self._question and not self._is_busy:
            self.answered.emit(words)
        self._armed = ""

    def _send(self) -> None:
        if self.field.text().strip() and not self._is_busy:
            self.answered.emit(self.field.text().strip())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter belongs to the form: it presses the suggestion that has the focus, and goes no further."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        focused = self.focusWidget()
        if isinstance(focused, Button) and not event.isAutoRepeat():
            focused.click()
