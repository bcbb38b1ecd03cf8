"""The review pane. It shows what waits and asks; the model of it sends the answers. Never modal (`D-4`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.review import ReviewModel
from placet.ui.panels.review.content import RequestContent
from placet.ui.panels.review.decision_bar import DecisionBar
from placet.ui.panels.review.head import PagerHead, SubjectLine
from placet.ui.panels.review.reason import ReasonBlock
from placet.ui.theme.theme import Theme
from placet.ui.widgets.answer_form import AnswerForm
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of


class ReviewPane(Plane):
    """Takes the keyboard only when a person gives it. For half a second after a request appears nothing decides."""

    close_requested = Signal()

    def __init__(
        self,
        model: ReviewModel,
        theme: Theme,
        *,
        now_ms: Callable[[], int] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, lines="l", parent=parent)
        self.setObjectName("reviewPane")
        self.setAccessibleName(self.tr("Review"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMinimumWidth(360)
        self._model = model
        self._guard = AttentionGuard(now_ms)
        self._call: object = None
        self.head = PagerHead(theme)
        self.subject = SubjectLine(theme)
        self.content = RequestContent(theme)
        self.error = Banner(theme)
        self._reason = ReasonBlock(theme)
        self.bar = DecisionBar(theme, self._guard)
        self._subject_ground, self._foot = Plane(theme, lines="b"), Plane(theme, lines="t")
        column_of(self.subject, parent=self._subject_ground)
        self.form = AnswerForm(theme, self._guard)
        self._answering = Inset(self.form, (16, 14, 16, 14))
        column_of(self._reason, self.bar, self._answering, parent=self._foot)
        self._body = QWidget()  # all below the head
        self._column = column_of(self.head, self._body, parent=self, margins=(1, 0, 0, 0))
        self._column.setStretch(1, 1)
        column = column_of(self._subject_ground, parent=self._body)
        column.addWidget(self.content, 1)
        column.addWidget(Inset(self.error))
        column.addWidget(self._foot)
        self._connect()
        self._show_model()

    def _connect(self) -> None:
        model = self._model
        model.changed.connect(self._show_model)
        model.arrived.connect(self._announce)
        model.failed.connect(self.error.show_error)
        self.head.previous_requested.connect(model.previous)
        self.head.next_requested.connect(model.next)
        self.head.wrap_toggled.connect(self.content.diff_view.set_wrapped)
        self.content.diff_view.wrap_changed.connect(self.head.wrap.setChecked)
        self.head.close_requested.connect(self.close_requested)
        self.content.seen_changed.connect(self._show_answers)
        self.bar.approved.connect(model.approve)
        self.bar.rejected.connect(self._reject)
        self.form.answered.connect(model.answer)
        self.bar.note_closed.connect(self.setFocus)

    # ---- showing -------------------------------------------------------------------------------------------------

    def _show_model(self) -> None:
        model, request = self._model, self._model.current
        self.head.show_place(model.index, len(model.requests))
        for part in (self._subject_ground, self._foot):
            part.setVisible(request is not None)
        self.head.wrap.setVisible(request is not None and request.kind is RequestKind.WRITE)
        if (request.call_id if request else None) != self._call:
            self._call = request.call_id if request else None
            self.bar.close_note()  # a note belongs to the call it was written for
            self.error.hide()
        if request is None:
            self.content.show_nothing()
        else:
            self.subject.show_request(request, model.diff)
            self.content.show_request(request, model.diff)
            self._reason.show_words(request.reason, request.because)
            if model.error is not None:
                self.error.show_error(model.error)
        self._show_answers()

    def _show_answers(self) -> None:
        request, model = self._model.current, self._model
        is_question = request is not None and request.kind is RequestKind.QUESTION
        self.bar.setVisible(not is_question)
        self.form.setVisible(is_question)
        if request is None or is_question:
            self.bar.set_subject("", can_approve=False, hint="", enabled=False)
        if request is None:
            return
        if is_question:
            self.form.show_question(request.id, request.suggested_answers, busy=model.is_deciding)
            return
        ready = model.diff is not None or request.kind is not RequestKind.WRITE
        hint = ""
        if model.is_deciding:
            hint = self.tr("Sending…")
        elif ready and not self.content.is_seen:
            hint = self.tr("Scroll to the end to approve")
        self.bar.set_subject(
            f"{request.id} {ready}", can_approve=self.content.is_seen, hint=hint, enabled=not model.is_deciding
        )

    def _reject(self, note: str) -> None:
        self._model.reject(note)
        self.bar.close_note()

    def _announce(self, request: PendingRequest) -> None:
        """Tell a screen reader of a new request, in words that say what it is."""
        if QAccessible.isActive():
            words = self.tr("Waiting for you: {} {}").format(shown(request.tool), shown(request.label))
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def put_below_head(self, widget: QWidget, *, share: int = 0) -> QWidget:
        """Put a widget between the head, with what was put there before, and the rest; `share` of the free room is its.

        Returns the rest, which may be hidden for it and shown again.
        """
        self._column.insertWidget(self._column.indexOf(self._body), widget, share)
        return self._body

    def showEvent(self, event: QShowEvent) -> None:
        """Appearing counts as new: what is here was not seen before."""
        super().showEvent(event)
        self._guard.restart()

    # ---- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that no part of the pane took. A key held down decides nothing."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.isAutoRepeat() or not plain or self.bar.is_note_open:
            super().keyPressEvent(event)
            return
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._press_enter()
            case Qt.Key.Key_R:
                self.bar.press(self.bar.reject)
            case Qt.Key.Key_BracketLeft:
                self._model.previous()
            case Qt.Key.Key_BracketRight:
                self._model.next()
            case _:
                super().keyPressEvent(event)

    def _press_enter(self) -> None:
        """Enter presses the focused button if there is one, or else approves."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and self.isAncestorOf(focused):
            focused.click()
        else:
            self.bar.press(self.bar.approve)
