"""A proposal that nobody waits for any more, whole: it is read and copied here, or taken up again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from placet.core.domain.proposals import ProposedText, ProposedWrite
from placet.ui.panels.review.head import SubjectLine
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label, Segmented
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.plane import Plane, column_of, row_of


class PastProposal(QWidget):
    """Stands in the place of the pane's own content. Nothing here decides anything."""

    copied = Signal(int, bool, bool)  # call id; as it was written, else as proposed; a patch, else the new text
    take_up_requested = Signal(int)  # call id
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pastProposal")
        self._write: ProposedWrite | None = None
        self._state = ""
        self.subject = SubjectLine(theme)
        self._proposed, self._written = self.tr("Proposed"), self.tr("Written")
        self.sides = Segmented([("", "", self._proposed), ("", "", self._written)], theme)
        self.note = Label("", theme, "text-2", 12)
        self.note.setWordWrap(True)
        self.diff_view = DiffView(theme)
        self.take_up = Button(
            self.tr("Propose again …"), theme, kind="primary", hint_icon="corner-down-left", height=32
        )
        self.copy_patch = IconButton("file-diff", self.tr("Copy as a patch, C"), theme, size=32)
        self.copy_text = IconButton("copy", self.tr("Copy the new text, T"), theme, size=32)
        self.close_button = Button(self.tr("Close"), theme, kind="ghost", hint="Esc", height=32)
        ground, foot = Plane(theme, lines="b"), Plane(theme, lines="t")
        column_of(self.subject, parent=ground)
        told = QWidget()
        row_of(self.note, None, self.sides, margins=(16, 6, 16, 6), parent=told)
        buttons = QWidget()
        row_of(self.take_up, 8, self.copy_patch, 4, self.copy_text, None, self.close_button, parent=buttons)
        column_of(buttons, margins=(16, 12, 16, 14), parent=foot)
        self._told = told
        column = column_of(ground, told, parent=self)
        column.addWidget(self.diff_view, 1)
        column.addWidget(foot)
        self.sides.chosen.connect(lambda _: self._show_side())
        self.take_up.clicked.connect(lambda: self._with_call(self.take_up_requested.emit))
        self.copy_patch.clicked.connect(lambda: self._copy(is_patch=True))
        self.copy_text.clicked.connect(lambda: self._copy(is_patch=False))
        self.close_button.clicked.connect(self.left)

    def show_write(self, write: ProposedWrite, state: str, *, can_be_taken_up: bool) -> None:
        """`state` is what became of it, in a word or two."""
        self._write = write
        self.take_up.setVisible(can_be_taken_up)
        self.sides.setVisible(write.written is not None)
        self.sides.choose(self._written if write.written is not None else self._proposed)
        self.note.setText(write.note)
        self._told.setVisible(bool(write.note) or write.written is not None)
        self._state = state
        self._show_side()

    def name_way_back(self, *, has_waiting: bool) -> None:
        """Say what is behind this page."""
        self.close_button.setText(self.tr("To what waits") if has_waiting else self.tr("Close"))
        self.close_button.updateGeometry()

    @property
    def _is_written(self) -> bool:
        return self._write is not None and self._write.written is not None and self.sides.current() == self._written

    @property
    def _text(self) -> ProposedText | None:
        if self._write is None:
            return None
        return self._write.written if self._is_written else self._write.proposed

    def _show_side(self) -> None:
        text, write = self._text, self._write
        if text is None or write is None:
            return
        self.subject.show_file(
            write.label, write.path, text.diff.added, text.diff.removed, [(self._state, "info")] if self._state else []
        )
        self.copy_patch.setEnabled(bool(text.patch))
        self.copy_text.setEnabled(bool(text.new_text))
        self.diff_view.set_diff(text.diff)

    def _copy(self, *, is_patch: bool) -> None:
        self._with_call(lambda call_id: self.copied.emit(call_id, self._is_written, is_patch))

    def _with_call(self, act: Callable[[int], None]) -> None:
        if self._write is not None:
            act(self._write.call_id)

    def press(self, event: QKeyEvent) -> bool:
        """A key that the pane got; all are taken, for what the pane does with them is about what waits."""
        if event.isAutoRepeat() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        view = self.diff_view
        match event.key():
            case Qt.Key.Key_Escape:
                self.left.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._press_enter()
            case Qt.Key.Key_C:
                self.copy_patch.click()
            case Qt.Key.Key_T:
                self.copy_text.click()
            case Qt.Key.Key_N | Qt.Key.Key_P:
                view.go_to(view.current + (1 if event.key() == Qt.Key.Key_N else -1))
            case key:
                view.pressing.key(key)
        return True

    def _press_enter(self) -> None:
        """The focused button if there is one, or else what may be proposed again."""
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and self.isAncestorOf(focused):
            focused.click()
        elif self.take_up.isVisible():
            self.take_up.click()
