"""The review pane in a window beside a field that has the keyboard, as the composer has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.review import ReviewModel
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button
from placet.ui.widgets.diff.exact import ExactText
from placet.ui.widgets.diff.view import DiffView
from placet.ui.widgets.editor.code_editor import CodeEditor
from support.fake_hub import FakeHub
from support.review_samples import file_diff


class Desk:
    """The pane beside a field that has the keyboard, as the composer has."""

    def __init__(self, qtbot: QtBot, model: ReviewModel, theme: Theme, clock: Callable[[], int]) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.composer = QLineEdit()
        self.pane = ReviewPane(model, theme, now_ms=clock)
        layout = QVBoxLayout(self.window)
        layout.addWidget(self.composer)
        layout.addWidget(self.pane)
        self.window.resize(520, 760)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.composer.setFocus()

    def button(self, name: str) -> Button:
        found = self.pane.findChild(Button, name)
        assert isinstance(found, Button)
        return found

    @property
    def note(self) -> QLineEdit:
        found = self.pane.findChild(QLineEdit, "rejectNote")
        assert isinstance(found, QLineEdit)
        return found

    @property
    def exact(self) -> ExactText:
        found = self.pane.findChild(ExactText)
        assert isinstance(found, ExactText)
        return found

    @property
    def diff(self) -> DiffView:
        found = self.pane.findChild(DiffView, "diffView")
        assert isinstance(found, DiffView)
        return found

    @property
    def editor(self) -> CodeEditor:
        found = self.pane.findChild(CodeEditor, "codeEditor")
        assert isinstance(found, CodeEditor)
        return found

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the keyboard is now, as a person does."""
        QTest.keyClick(self.window.focusWidget() or self.window, key, modifiers)

    def click(self, button: QWidget) -> None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def waiting(
    hub: FakeHub, model: ReviewModel, settle: Callable[[], Awaitable[None]], *requests: PendingRequest
) -> None:
    """Let requests wait and be shown; a write with a small diff."""
    for request in requests:
        hub.ask(request, file_diff() if request.kind is RequestKind.WRITE else None)
    model.refresh()
    await settle()
