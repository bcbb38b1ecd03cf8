"""A question of a model that waits: what is asked, likely answers to press, and a line for another one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.ui.theme.paint import frame, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.fields import TextField
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.text.markdown import plain_text

_LONGEST = 1200
_BUTTON_LONGEST = 60
_IN_A_ROW = 3
_AIR = 8  # below the card, to the composer


class QuestionStrip(QWidget):
    """Stands above the composer while a question of the shown chat waits, the oldest first. Never takes the focus.

    The answer that is being written stays with its question.
    """

    answered = Signal(object, str)  # a RequestId, the answer

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: RequestId | None = None
        self._begun: dict[RequestId, str] = {}
        self.setObjectName("questionStrip")
        self.title = Label("", theme, px=13, weight=600)
        self.title.setWordWrap(True)
        self.question = Label("", theme, "text-2", 13)
        self.question.setWordWrap(True)
        self.more = Label("", theme, "text-3", 12)
        self.suggestions: list[Button] = []
        self._rows = column_of()
        self.answer = TextField(self.tr("Your answer"), hint=self.tr("Your answer. Enter sends it."))
        self.answer.setObjectName("questionAnswer")
        self.send = Button(self.tr("Send"), theme, kind="primary", hint_icon="corner-down-left", height=28)
        self.send.setObjectName("questionSend")
        line = row_of(self.answer, 8, self.send)
        column_of(
            row_of(self.title, None, self.more), 2, self.question, 8, self._rows, line, margins=(14, 10, 14, 12 + _AIR),
            parent=self,
        )  # fmt: skip
        self.answer.returnPressed.connect(self._send)
        self.send.clicked.connect(self._send)
        self.setVisible(False)
        theme.changed.connect(self.update)

    def show_questions(self, waiting: Sequence[PendingRequest]) -> None:
        """Show the oldest of them; none hides the strip."""
        request = waiting[0] if waiting else None
        self.more.setText(self.tr("and %n more", "", len(waiting) - 1) if len(waiting) > 1 else "")
        if request is not None and request.id == self._shown:
            return
        self._keep()
        self._shown = request.id if request is not None else None
        if request is not None:
            self._show(request)
        self.setVisible(request is not None)

    def take_focus(self) -> None:
        """A person asked for it: to the first likely answer, else to the line."""
        if self.isVisible():
            (self.suggestions[0] if self.suggestions else self.answer).setFocus()

    def _show(self, request: PendingRequest) -> None:
        self.title.setText(request.label)
        said = plain_text(request.detail).strip()
        self.question.setText(said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…")
        self.setAccessibleName(self.tr("Question: {}").format(f"{request.label}. {said}"))
        self.answer.setText(self._begun.pop(request.id, ""))
        self._suggest(request.suggested_answers)

    def _suggest(self, answers: Sequence[str]) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.suggestions = []
        for start in range(0, len(answers), _IN_A_ROW):
            holder = QWidget()
            row = row_of(margins=(0, 0, 0, 8), parent=holder)
            for text in answers[start : start + _IN_A_ROW]:
                short = text if len(text) <= _BUTTON_LONGEST else f"{text[: _BUTTON_LONGEST - 1]}…"
                button = Button(short, self._theme, height=28)
                button.setAccessibleName(self.tr("Answer: {}").format(text))
                button.setToolTip(text if short != text else "")
                button.clicked.connect(lambda _=False, answer=text: self._give(answer))
                self.suggestions.append(button)
                row.addWidget(button)
                row.addSpacing(8)
            row.addStretch(1)
            self._rows.addWidget(holder)

    def _send(self) -> None:
        if self.answer.text().strip():
            self._give(self.answer.text())

    def _give(self, answer: str) -> None:
        if self._shown is not None:
            self.answered.emit(self._shown, answer)

    def _keep(self) -> None:
        if self._shown is not None and self.answer.text().strip():
            self._begun[self._shown] = self.answer.text()
        self.answer.clear()

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5 - _AIR)
        rounded(p, box, 8, self._theme.color("raised"))
        frame(p, box, 8, self._theme.color("accent"))
