"""Approve and Reject, and the note that goes with a rejection. Decides only what a person saw when they began to act."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.plane import column_of, row_of


class DecisionBar(QWidget):
    """The action bar. `approved` and `rejected` come only while the guard is open, from start to end of a press."""

    approved = Signal()
    rejected = Signal(str)
    note_closed = Signal()

    def __init__(self, theme: Theme, guard: AttentionGuard) -> None:
        super().__init__()
        self._guard = guard
        self._subject = ""  # what is being looked at
        self._armed = ""  # what was being looked at when a button went down
        self.approve = Button(self.tr("Approve"), theme, kind="primary", hint_icon="corner-down-left", height=32)
        self.approve.setObjectName("approveButton")
        self.reject = Button(self.tr("Reject…"), theme, hint="R", height=32)
        self.reject.setObjectName("rejectButton")
        self.edit = Button(self.tr("Edit"), theme, hint="E", height=32)
        self.edit.setObjectName("editButton")
        self.edit.hide()
        self.hint = Label("", theme, "text-3", 12)
        self.note = QLineEdit()
        self.note.setObjectName("rejectNote")
        self.note.setPlaceholderText(self.tr("Why not? The model is told. Enter sends, Esc closes."))
        self.note.setAccessibleName(self.tr("Reason for rejecting, may be empty"))
        self.note.installEventFilter(self)
        self.send = Button(self.tr("Reject"), theme, hint_icon="corner-down-left", height=32)
        self._buttons, self._answering = QWidget(), QWidget()
        row_of(self.approve, 8, self.reject, 8, self.edit, 12, self.hint, None, parent=self._buttons)
        row_of(self.note, 8, self.send, parent=self._answering)
        self._answering.hide()
        column_of(self._buttons, self._answering, margins=(16, 8, 16, 14), parent=self)
        for button, act in ((self.approve, self.approved.emit), (self.reject, self.open_note), (self.send, self._send)):
            button.pressed.connect(self._arm)
            button.clicked.connect(self._when_armed(act))

    def set_subject(self, subject: str, *, can_approve: bool, hint: str, enabled: bool) -> None:
        """Say what is looked at; another subject restarts the guard, so that what is under way does not hit it."""
        if subject != self._subject:
            self._subject = subject
            self._guard.restart()
        self.approve.setEnabled(enabled and can_approve)
        self.reject.setEnabled(enabled)
        self.send.setEnabled(enabled)
        self.hint.setText(hint)

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
        self._buttons.hide()
        self._answering.show()
        self.note.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_note(self) -> None:
        """Put the note away; what was written is forgotten."""
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
