"""What a model asks, above the composer until it is answered. Never modal, never takes the focus by itself (`D-4`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from placet.core.domain.review import PendingRequest
from placet.ui.models.review import ReviewModel
from placet.ui.theme.paint import frame, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce
from placet.ui.widgets.answer_form import AnswerForm
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import IconButton, Label
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.widgets.prose_box import ProseArea

_HIGHEST = 180  # px of the question; a longer one scrolls


class QuestionCard(QWidget):
    """One question of those that wait. Hidden while there is none; `left` when it goes while it had the focus."""

    left = Signal()
    link_activated = Signal(str)

    def __init__(self, model: ReviewModel, theme: Theme, *, now_ms: Callable[[], int] | None = None) -> None:
        super().__init__()
        self.setObjectName("questionCard")
        self._model, self._theme = model, theme
        self._shown = ""
        self.title = Label("", theme, "text", 13, 600)
        self.title.setWordWrap(True)
        self.place = Label("", theme, "text-3", 12)
        self.previous = IconButton("chevron-up", self.tr("Previous question"), theme, size=24, icon_size=14)
        self.next = IconButton("chevron-down", self.tr("Next question"), theme, size=24, icon_size=14)
        self.question = ProseArea(theme, _HIGHEST)
        self.error = Banner(theme)
        self.form = AnswerForm(theme, AttentionGuard(now_ms))
        head = row_of(self.title, 8, self.place, 4, self.previous, self.next)
        head.setStretchFactor(self.title, 1)
        head.setAlignment(self.title, Qt.AlignmentFlag.AlignTop)
        parts = (head, 2, self.question, 10, self.error, self.form)
        column_of(*parts, margins=(37, 9, 13, 12), parent=self)
        self._connect()
        self.hide()

    def _connect(self) -> None:
        model = self._model
        model.changed.connect(self._show_model)
        model.asked.connect(self._announce)
        self.form.answered.connect(model.answer)
        self.previous.clicked.connect(model.previous)
        self.next.clicked.connect(model.next)
        self.question.box.link_activated.connect(self.link_activated)
        self._theme.changed.connect(self.update)

    def answer(self, call_id: int) -> bool:
        """Go to the question of a call and to the field below it; says whether it waits here."""
        for request in self._model.requests:
            if request.call_id == call_id:
                self._model.show(request.id)
                self.form.field.setFocus(Qt.FocusReason.OtherFocusReason)
                return True
        return False

    def _show_model(self) -> None:
        model, request = self._model, self._model.current
        if self._shown and self._shown not in [item.id for item in model.requests]:
            self.form.forget(self._shown)
        if request is None:
            self._shown = ""
            self._leave()
            return
        if request.id != self._shown:
            self._shown = request.id
            self.title.setText(request.label)
            self.question.show_source(request.detail)
            self.question.setVisible(bool(request.detail.strip()))
            self.form.field.setAccessibleDescription(f"{request.label}\n{self.question.box.plain}")
            self.error.hide()
        count = len(model.requests)
        self.place.setText(self.tr("{} of {}").format(model.index + 1, count) if count > 1 else "")
        self.previous.setVisible(count > 1)
        self.next.setVisible(count > 1)
        self.previous.setEnabled(model.index > 0)
        self.next.setEnabled(model.index + 1 < count)
        if model.error is not None:
            self.error.show_error(model.error)
        self.form.show_question(request.id, request.suggested_answers, busy=model.is_deciding)
        self.setAccessibleName(self.tr("Question: {}").format(request.label))
        self.show()

    def _leave(self) -> None:
        if self.isHidden():
            return
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            self.left.emit()  # before it goes: Qt would pass the focus on to anything
        self.hide()

    def _announce(self, request: PendingRequest) -> None:
        announce(self, self.tr("A question for you: {}").format(request.label))

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, theme = QRectF(self.rect()), self._theme
        rounded(p, box, 8, theme.color("raised"))
        frame(p, box, 8, theme.color("accent-line"))
        theme.draw_icon(p, "message-circle-question-mark", QRectF(13, 9, 16, 20), "accent-text", 16)
