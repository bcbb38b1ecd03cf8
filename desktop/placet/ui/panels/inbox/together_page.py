"""Several edits of one file as one diff, approved or rejected as one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QStackedWidget, QWidget

from placet.ui.models.together import TogetherModel
from placet.ui.panels.review.decision_bar import Answers, DecisionBar
from placet.ui.panels.review.head import SubjectLine
from placet.ui.theme.theme import Theme
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.controls import Label
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.inset import Inset
from placet.ui.widgets.plane import Plane, column_of


class TogetherPage(QWidget):
    """Stands in the place of the pane's own content while its model is open."""

    def __init__(
        self,
        model: TogetherModel,
        theme: Theme,
        now_ms: Callable[[], int] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("togetherPage")
        self._model = model
        self._shown: object = None
        self.subject = SubjectLine(theme)
        self.diff_view = DiffView(theme)
        self.error = Banner(theme, closable=False)
        self.bar = DecisionBar(theme, AttentionGuard(now_ms))
        self._waiting = Label(self.tr("The changes are being worked out…"), theme, "text-3", 13)
        self._content = QStackedWidget()
        loading = QWidget()
        column_of(self._waiting, None, margins=(16, 16, 16, 16), parent=loading)
        self._content.addWidget(loading)
        self._content.addWidget(self.diff_view)
        ground, foot = Plane(theme, lines="b"), Plane(theme, lines="t")
        column_of(self.subject, parent=ground)
        column_of(self.bar, margins=(0, 6, 0, 0), parent=foot)
        column = column_of(ground, parent=self)
        column.addWidget(self._content, 1)
        column.addWidget(Inset(self.error))
        column.addWidget(foot)
        self.bar.more.hide()  # what is let pass for a while is chosen for one call
        model.changed.connect(self._show)
        self.bar.approved.connect(model.approve)
        self.bar.rejected.connect(self._reject)
        self.bar.note_closed.connect(self.diff_view.setFocus)
        self._show()

    def _show(self) -> None:
        model, row = self._model, self._model.row
        self.setVisible(model.is_open)
        count = len(model.ids)
        if model.ids != self._shown and (self._shown or model.ids):
            self._shown = model.ids
            self.bar.close_note()
        self.bar.reject.setText(self.tr("Reject {}…").format(count))
        ready = model.diff is not None
        self.bar.set_subject(
            f"{model.ids} {ready}" if model.is_open else "",
            Answers(
                approve=self.tr("Approve {} edits").format(count),
                can_approve=ready,
                enabled=model.is_open and row is not None and row.waits,
            ),
        )
        self._waiting.setVisible(model.error is None)
        self.error.setVisible(model.error is not None)
        if model.error is not None:
            self.error.show_error(model.error)
        self._content.setCurrentIndex(1 if ready else 0)
        if row is not None and model.diff is not None:
            request, diff = row.request, model.diff
            tags = [(self.tr("{} edits together").format(count), "info")]
            self.subject.show_file(request.label or request.path, request.path, diff.added, diff.removed, tags)
            if self.diff_view.diff is not diff:
                self.diff_view.set_diff(diff)

    def _reject(self, note: str) -> None:
        self._model.reject(note)
        self.bar.close_note()

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key of the pane stands for here; says whether it was one."""
        if event.isAutoRepeat() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or self.bar.is_note_open:
            return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_R)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                focused = QApplication.focusWidget()
                button = focused if isinstance(focused, QAbstractButton) else self.bar.approve
                button.click() if button is focused else self.bar.press(button)
            case Qt.Key.Key_R:
                self.bar.press(self.bar.reject)
            case _:
                return False
        return True
