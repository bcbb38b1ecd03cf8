"""Who changed a file: its steps, newest first, each with the message that asked for it; other sessions below."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from placet.core.domain.review import ChangeState
from placet.core.domain.undo import ChangeStep
from placet.ui.models.changes import FileStory
from placet.ui.panels.changes.two_lines import when
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import elided, frame, hairline, text
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.plane import Plane, column_of, row_of

WIDTH = 262
_MOST = 60
_TEXT = WIDTH - 32


class WhoChanged(Plane):
    """`step_chosen` gives a step of the story from 1 on; the others what a person wants of a change."""

    step_chosen = Signal(int)
    undo_requested = Signal(object)  # a Change
    again_requested = Signal(object)  # a Change that was undone
    place_requested = Signal(object)  # a ChangeStep, to see where it was asked for

    def __init__(self, story: FileStory, theme: Theme) -> None:
        super().__init__(theme, lines="l")
        self._story, self._theme = story, theme
        self.setFixedWidth(WIDTH)
        head = Plane(theme, lines="b", height=48)
        row_of(Label(self.tr("Who changed it"), theme, "text", 14, 600), None, margins=(16, 0, 16, 1), parent=head)
        self._area = QScrollArea()
        self._area.setAccessibleName(self.tr("Who changed it"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = column_of(head, parent=self, margins=(1, 0, 0, 0))
        column.addWidget(self._area, 1)
        self.show_story()

    def show_story(self) -> None:
        """Draw the story anew."""
        ground = Plane(self._theme)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        steps = list(enumerate(self._story.steps, 1))
        cards = [self._card(number, step) for number, step in reversed(steps[-_MOST:])]
        for card in cards:
            column.addWidget(card)
        if len(steps) > _MOST:
            earlier = self.tr("{} earlier steps are on the line above.").format(len(steps) - _MOST)
            column.addLayout(row_of(self._note(earlier), margins=(16, 8, 16, 8)))
        self._add_others(column)
        column.addStretch(1)
        self._area.setWidget(ground)
        current = next((card for card in cards if card.is_current), None)
        if current is not None:
            ground.adjustSize()
            self._area.ensureWidgetVisible(current)

    def _card(self, number: int, step: ChangeStep) -> _Card:
        words = decision_words(step)
        if self._story.session_id is None and step.change.session_title:
            words = ", ".join(filter(None, (step.change.session_title, words)))
        card = _Card(number, step, self._theme, words=words, is_current=number == self._story.at)
        card.pressed.connect(lambda: self.step_chosen.emit(number))
        if card.is_current:
            change = step.change
            if change.state is ChangeState.REVERTED:
                card.add_button(self.tr("Apply again"), "redo-2", lambda: self.again_requested.emit(change))
            else:
                card.add_button(self.tr("Undo step"), "undo-2", lambda: self.undo_requested.emit(change))
            card.add_button(self.tr("Go to message"), "", lambda: self.place_requested.emit(step))
        return card

    def _add_others(self, column: QVBoxLayout) -> None:
        others = self._story.others
        if not others or self._story.session_id is None:
            return
        column.addLayout(row_of(self._note(self.tr("Other sessions"), 500), margins=(16, 12, 16, 4)))
        every = self._story.every
        for newest in others[:_MOST]:
            count = sum(step.change.session_id == newest.change.session_id for step in every)
            words = self.tr("1 change") if count == 1 else self.tr("{} changes").format(count)
            title = newest.change.session_title or self.tr("Untitled chat")
            card = _Card(0, newest, self._theme, title=title, words=words)
            card.pressed.connect(lambda step=newest: self.place_requested.emit(step))
            column.addWidget(card)

    def _note(self, words: str, weight: int = 400) -> Label:
        label = Label(words, self._theme, "text-3", 11, weight)
        label.setWordWrap(True)
        return label


class _Card(QWidget):
    """One step; the whole of it is the hit area, Enter presses it too."""

    pressed = Signal()

    def __init__(
        self, number: int, step: ChangeStep, theme: Theme, *, title: str = "", words: str = "", is_current: bool = False
    ) -> None:
        super().__init__()
        self._theme, self._number, self._change = theme, number, step.change
        self._title = shown(" ".join((title or step.said or step.change.session_title or "").split()))
        self._words = shown(words)
        self.is_current = is_current
        self.setMinimumHeight(53)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(", ".join(filter(None, (str(number or ""), self._title, self._words))))
        self.setToolTip(self._title)
        self._buttons = row_of(margins=(15, 0, 12, 8))
        self._buttons.addStretch(1)
        column_of(48, self._buttons, parent=self)
        theme.changed.connect(self.update)

    def add_button(self, words: str, icon: str, act: Callable[[], object]) -> None:
        kind = "plain" if icon else "ghost"
        button = Button(words, self._theme, icon=icon, kind=kind, height=24, pad=8, px=12, weight=500 if icon else 400)
        button.clicked.connect(act)
        at = self._buttons.count() - 1
        if at:
            self._buttons.insertSpacing(at, 6)
        self._buttons.insertWidget(self._buttons.count() - 1, button)

    def paintEvent(self, event: QPaintEvent) -> None:
        p, theme = QPainter(self), self._theme
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.is_current or self.underMouse():
            p.fillRect(self.rect(), theme.color("surface" if self.is_current else "hover"))
        undone = self._change.state is ChangeState.REVERTED and self._number > 0
        x, ink = 15.0, theme.color("text-3" if undone else "text")
        if self._number:
            number = str(self._number)
            box = QRectF(x, 11, 9 + 7 * len(number), 16)
            frame(p, box, 4, theme.color("hairline-2"))
            text(p, box.left() + 5, box.top(), 16, number, ui_font(11, 400, True), ink)
            if undone:
                p.fillRect(QRectF(box.left() + 3, box.center().y(), box.width() - 6, 1), theme.color("text-3"))
            x = box.right() + 8
        right = self.width() - 15.0
        moment = when(self._change.created_at)
        right -= text(p, right, 9, 20, moment, ui_font(12, 400, True), theme.color("text-3"), True) + 8
        title = elided(self._title or self._change.tool, ui_font(12, 500), right - x)
        text(p, x, 9, 20, title, ui_font(12, 500), ink)
        words = elided(self._words, ui_font(12), _TEXT)
        text(p, 15, 28, 18, words, ui_font(12), theme.color("text-2"))
        hairline(p, 0, self.height() - 1, self.width(), theme.color("hairline"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


def decision_words(step: ChangeStep) -> str:
    """How a step was let through, and what became of it."""
    tr = QCoreApplication.translate
    parts = [step.decision]
    if step.change.conflict:
        parts.insert(0, tr("ChangesPage", "conflict"))
    if step.change.state is ChangeState.REVERTED:
        parts.insert(0, tr("ChangesPage", "undone"))
    return ", ".join(part for part in parts if part)
