"""The review pane. It shows what waits and asks; the model of it sends the answers. Never modal (`D-4`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from placet.core.domain.errors import UsageError
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.review import ReviewModel
from placet.ui.panels.review.answers import answers_to
from placet.ui.panels.review.bypass_menu import open_bypass_menu
from placet.ui.panels.review.content import RequestContent
from placet.ui.panels.review.decision_bar import Answers, DecisionBar
from placet.ui.panels.review.edit_page import EditBar
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
    wide_toggled = Signal(bool)  # over the whole window, or beside the chat

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
        self.edit_bar = EditBar(theme, self.content.edit_page)
        column_of(self._reason, self.bar, self.edit_bar, self._answering, parent=self._foot)
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
        self.head.split_chosen.connect(self.content.diff_view.set_split)
        self.head.wide_toggled.connect(self.wide_toggled)
        self.head.close_requested.connect(self.close_requested)
        self._connect_content()
        self.bar.approved.connect(model.approve)
        self.bar.approved_for.connect(model.approve)
        self.bar.rejected.connect(self._reject)
        self.bar.reason_written.connect(self._on_reason_written)
        self.bar.edit_requested.connect(self._edit)
        self.bar.more_requested.connect(self._open_more)
        self.subject.back_requested.connect(lambda: self._with_current(model.drafts.drop_own))
        self.form.answered.connect(model.answer)
        self.bar.note_closed.connect(self.setFocus)

    def _connect_content(self) -> None:
        content, view, drafts = self.content, self.content.diff_view, self._model.drafts
        content.seen_changed.connect(self._show_answers)
        content.cannot_edit.connect(self._on_cannot_edit)
        content.edit_page.done.connect(lambda text: self._with_current(drafts.finish_edit, text))
        content.edit_page.kept.connect(drafts.keep_text)
        content.edit_page.left.connect(lambda text: self._with_current(drafts.leave_edit, text))
        view.decided.connect(lambda hunk, accepted: self._with_current(drafts.decide, hunk, accepted))
        view.hunk_changed.connect(lambda left, hunk: self._with_current(drafts.walk_on, left, hunk))
        view.read.connect(lambda hunk: self._with_current(drafts.note_sight, hunk))
        view.edit_requested.connect(self._edit)

    # ---- showing -------------------------------------------------------------------------------------------------

    def _show_model(self) -> None:
        model, request = self._model, self._model.current
        self.head.show_place(model.index, len(model.requests))
        for part in (self._subject_ground, self._foot):
            part.setVisible(request is not None)
        self.head.show_tools(self._has_sides())
        if (request.call_id if request else None) != self._call:
            self._call = request.call_id if request else None
            self.bar.close_note()  # a note belongs to the call it was written for
            self.error.hide()
        if request is None:
            self.content.show_nothing()
        else:
            self._show_request(request)
        self._show_answers()

    def _show_request(self, request: PendingRequest) -> None:
        model, focused = self._model, QApplication.focusWidget()
        was_writing = focused is not None and self.content.edit_page.isAncestorOf(focused)
        self.subject.show_request(request, model.diff, is_own=model.draft.own is not None)
        self.content.show_request(request, model.diff, model.draft)
        self._reason.show_words(request.reason, request.because)
        if model.error is not None:
            self.error.show_error(model.error)
        if was_writing and not model.draft.is_editing:
            self.content.focus_page()

    def _show_answers(self) -> None:
        request, model = self._model.current, self._model
        is_question = request is not None and request.kind is RequestKind.QUESTION
        is_editing = request is not None and model.draft.is_editing
        self.bar.setVisible(not is_question and not is_editing)
        self.edit_bar.setVisible(is_editing)
        self.form.setVisible(is_question)
        if request is None or is_question or is_editing:
            self.bar.set_subject("", Answers())
        if request is not None and is_question:
            self.form.show_question(request.id, request.suggested_answers, busy=model.is_deciding)
        elif request is not None and not is_editing:
            is_ready = model.diff is not None or request.kind is not RequestKind.WRITE
            subject = f"{request.id} {is_ready} {model.draft.version}"
            self.bar.more.setVisible(not request.is_own)  # there is no model that would ask for more
            is_busy = model.is_deciding or model.drafts.is_busy(request)
            self.bar.set_subject(subject, answers_to(request, model.draft, model.diff, self.content, is_busy=is_busy))

    @property
    def is_split(self) -> bool:
        """Whether both sides are to stand beside each other where there is room."""
        return self.head.sides.current() == self.head.beside

    def choose_split(self, split: bool) -> None:
        self.head.choose_split(split)
        self.content.diff_view.set_split(split)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.head.show_tools(self._has_sides())

    def _has_sides(self) -> bool:
        request = self._model.current
        return request is not None and request.kind is RequestKind.WRITE and not self._model.draft.is_editing

    def _reject(self, note: str) -> None:
        self._model.reject(note)
        self.bar.close_note()

    def _with_current(self, act: Callable[..., None], *values: object) -> None:
        if self._model.current is not None:
            act(self._model.current, *values)

    def _edit(self) -> None:
        self._with_current(self._model.drafts.begin_edit)

    def _on_cannot_edit(self, trouble: str) -> None:
        self._with_current(self._model.drafts.drop_own)
        self.error.show_error(
            UsageError(trouble, hint=self.tr("Approve it, choose hunks, or reject it with a reason."))
        )

    def _on_reason_written(self, reason: str) -> None:
        self._with_current(self._model.drafts.write_reason, reason)
        self._show_answers()

    def _open_more(self) -> None:
        if self._model.current is not None:
            open_bypass_menu(self._model.current, self._theme, self.bar.more, self.bar.grant_chooser())

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

    def keep(self) -> None:
        """The window closes: what was written or looked at a moment ago is there next time, too."""
        self.content.edit_page.keep()
        self._with_current(self._model.drafts.save)
        self._model.drafts.save_rest()

    # ---- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that no part of the pane took. A key held down decides nothing."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.isAutoRepeat() or self.bar.is_note_open or self._model.draft.is_editing:
            super().keyPressEvent(event)
        elif modifiers == Qt.KeyboardModifier.ShiftModifier and is_enter:
            self.bar.press(self.bar.more)
        elif modifiers or not self._press(event.key()):
            super().keyPressEvent(event)

    def _press(self, key: int) -> bool:
        """What a key does in the whole pane; says whether it does anything."""
        view = self.content.diff_view
        match key:
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._press_enter()
            case Qt.Key.Key_R:
                self.bar.press(self.bar.reject)
            case Qt.Key.Key_E:
                self.bar.press(self.bar.edit)
            case Qt.Key.Key_V:
                self.choose_split(not self.is_split)
            case Qt.Key.Key_F:
                self.head.wide.click()
            case Qt.Key.Key_BracketLeft:
                self._model.previous()
            case Qt.Key.Key_BracketRight:
                self._model.next()
            case Qt.Key.Key_N | Qt.Key.Key_P if view.isVisible():
                view.go_to(view.current + (1 if key == Qt.Key.Key_N else -1))
            case _:
                return view.isVisible() and view.pressing.key(key)
        return True

    def _press_enter(self) -> None:
        """Enter presses the focused button if there is one, or else approves."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and self.isAncestorOf(focused):
            focused.click()
        else:
            self.bar.press(self.bar.approve)
