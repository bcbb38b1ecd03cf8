"""Approve and Reject, and the note that goes with a rejection. Decides only what a person saw when they began to act."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import column_of, row_of

_NARROW = 440  # px


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """What can be answered now. `approve` is what that button says; `hint` why it cannot be pressed, or what it does.

    `short` is what it says where there is little room, `reason` what was written for a rejection.
    """

    approve: str = ""
    short: str = ""
    can_approve: bool = False
    can_edit: bool = False
    can_grant: bool = True  # others like it may be let pass with it
    enabled: bool = False
    hint: str = ""
    reason: str = ""


class DecisionBar(QWidget):
    """The action bar. `approved` and `rejected` come only while the guard is open, from start to end of a press."""

    approved = Signal()
    approved_for = Signal(object)  # a BypassGrant: this one, and others like it for a while
    rejected = Signal(str)
    reason_written = Signal(str)  # as it is typed
    edit_requested = Signal()
    more_requested = Signal()
    note_closed = Signal()

    def __init__(self, theme: Theme, guard: AttentionGuard) -> None:
        super().__init__()
        self._guard = guard
        self._subject = ""  # what is being looked at
        self._answers = Answers()
        self._armed = ""  # what was being looked at when a button went down
        self.approve = Button(self.tr("Approve"), theme, kind="primary", hint_icon="corner-down-left", height=32)
        self.approve.setObjectName("approveButton")
        self.reject = Button(self.tr("Reject…"), theme, hint="R", height=32)
        self.reject.setObjectName("rejectButton")
        self.edit = Button(self.tr("Edit"), theme, hint="E", height=32)
        self.edit.setObjectName("editButton")
        self.more = IconButton("chevron-down", self.tr("Approve and do not ask again…, Shift+Enter"), theme, size=32)
        self.more.setObjectName("moreButton")
        self.hint = Label("", theme, "text-3", 12)
        self.hint.setWordWrap(True)
        self.note = QLineEdit()
        self.note.setObjectName("rejectNote")
        self.note.setPlaceholderText(self.tr("Why not? The model is told. Enter sends, Esc closes."))
        self.note.setAccessibleName(self.tr("Reason for rejecting, may be empty"))
        self.note.installEventFilter(self)
        self.note.textEdited.connect(self.reason_written)
        self.send = Button(self.tr("Reject"), theme, hint_icon="corner-down-left", height=32)
        self._buttons, self._answering = QWidget(), QWidget()
        row_of(self.approve, 2, self.more, 6, self.reject, 8, self.edit, None, parent=self._buttons)
        row_of(self.note, 8, self.send, parent=self._answering)
        self._answering.hide()
        column_of(self.hint, self._buttons, self._answering, margins=(16, 8, 16, 14), parent=self).setSpacing(6)
        self.hint.hide()
        self.edit.clicked.connect(self.edit_requested)
        acts: tuple[tuple[QAbstractButton, Callable[[], None]], ...] = (
            (self.approve, self.approved.emit),
            (self.reject, self.open_note),
            (self.send, self._send),
            (self.more, self.more_requested.emit),
        )
        for button, act in acts:
            button.pressed.connect(self._arm)
            button.clicked.connect(self._when_armed(act))

    def set_subject(self, subject: str, answers: Answers) -> None:
        """Say what is looked at; another subject restarts the guard, so that what is under way does not hit it."""
        if subject != self._subject:
            self._subject = subject
            self._guard.restart()
        self._answers = answers
        self._name_approve()
        self.approve.setEnabled(answers.enabled and answers.can_approve)
        self.more.setEnabled(self.approve.isEnabled() and answers.can_grant)
        self.reject.setEnabled(answers.enabled)
        self.send.setEnabled(answers.enabled)
        self.edit.setVisible(answers.can_edit)
        self.edit.setEnabled(answers.enabled)
        self.hint.setText(answers.hint)
        self.hint.setVisible(bool(answers.hint))

    def _name_approve(self) -> None:
        words = self._answers.approve or self.tr("Approve")
        is_narrow = self.width() < _NARROW and self._answers.short
        self.approve.setText(self._answers.short if is_narrow else words)
        self.approve.setAccessibleName(words)
        self.approve.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_approve()

    def grant_chooser(self) -> Callable[[object], None]:
        """Return what a menu that is opened now calls: it approves only what is looked at now."""
        subject = self._subject

        def choose(grant: object) -> None:
            if subject == self._subject and self._guard.is_open and self.approve.isEnabled():
                self.approved_for.emit(grant)

        return choose

    def _arm(self) -> None:
        self._armed = self._subject if self._guard.is_open else ""

    def _when_armed(self, act: Callable[[], None]) -> Callable[[], None]:
        def clicked() -> None:
            if self._armed and self._armed == self._subject and self._guard.is_open:
                act()
            self._armed = ""

        return clicked

    def press(self, button: QAbstractButton) -> None:
        """What a key does: the same as pressing the button."""
        if button.isEnabled() and not self.is_note_open:
            button.click()

    # ---- the note ------------------------------------------------------------------------------------------------

    @property
    def is_note_open(self) -> bool:
        return not self._answering.isHidden()

    def open_note(self) -> None:
        self.note.setText(self._answers.reason)
        self._buttons.hide()
        self._answering.show()
        self.note.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_note(self) -> None:
        """Put the note away; what was written is with whoever was told of it."""
        if not self.is_note_open:
            return
        had_focus = self.note.hasFocus() or self.send.hasFocus()
        self.note.clear()
        self._buttons.show()
        if had_focus:
            self.note_closed.emit()  # before the field goes: Qt would pass the focus on to anything
        self._answering.hide()

    def _send(self) -> None:
        self.rejected.emit(self.note.text())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter and Esc belong to the note; neither may reach the pane, where Enter approves."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat() and self.send.isEnabled():
                self.send.click()
            return True
        if event.key() == Qt.Key.Key_Escape:
            self.close_note()
            return True
        return False
