"""First start: where models come from, a folder, how careful to be. Each step can be skipped (`D-11`)."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from placet.core.domain.messages import Mode
from placet.ui.models.settings import CatalogueModel
from placet.ui.panels.first_start.care_step import CareStep
from placet.ui.panels.first_start.folder_step import FolderStep
from placet.ui.panels.first_start.models_step import ModelsStep
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.plane import Plane, column_of, row_of
from placet.ui.widgets.rows import Card

_WIDTH = 720


class _Steps(QWidget):
    """Which step of three; a mark, not a control."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._at = theme, 0
        self._words = (self.tr("Models"), self.tr("Folder"), self.tr("Care"))
        self.setFixedHeight(22)
        theme.changed.connect(self.update)

    def show_step(self, at: int) -> None:
        self._at = at
        self.setAccessibleName(self.tr("Step {} of 3: {}").format(at + 1, self._words[at]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, x = self._theme, 0.0
        for number, words in enumerate(self._words):
            circle = QRectF(x, 1, 20, 20)
            here = number <= self._at
            rounded(p, circle, 10, theme.color("accent" if here else "bg"))
            if not here:
                frame(p, circle, 10, theme.color("hairline-2"))
            digit = str(number + 1)
            ink = theme.color("on-accent" if here else "text-2")
            text(p, circle.center().x() - text_width(digit, ui_font(11, 500)) / 2, 1, 20, digit, ui_font(11, 500), ink)
            font = ui_font(13, 500 if number == self._at else 400)
            x += 28 + text(p, x + 28, 0, 22, words, font, theme.color("text" if number == self._at else "text-2")) + 8
            if number < 2:
                hairline(p, x, 11, 32, theme.color("hairline-2"))
                x += 40
        note = self.tr("Everything here can be changed later")
        if self.width() - x > text_width(note, ui_font(12)) + 16:
            text(p, self.width(), 0, 22, note, ui_font(12), theme.color("text-2"), right=True)


class FirstStart(Plane):
    """A page over the whole window. `finished` when it was walked through or skipped."""

    finished = Signal()
    demo_requested = Signal()
    folder_chosen = Signal(str)
    mode_chosen = Signal(object)

    def __init__(self, catalogue: CatalogueModel, theme: Theme) -> None:
        super().__init__(theme, fill="sidebar")
        self.setObjectName("firstStart")
        self.models = ModelsStep(catalogue, theme)
        self.folder = FolderStep(theme)
        self.care = CareStep(theme)
        self._steps = _Steps(theme)
        self._stack = QStackedWidget()
        for step in (self.models, self.folder, self.care):
            self._stack.addWidget(step)
        card = Card(theme)
        card.setFixedWidth(_WIDTH)
        card.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)
        column_of(self._steps, 26, self._stack, margins=(41, 32, 41, 24), parent=card)
        ground = Plane(theme, fill="sidebar")
        column_of(None, row_of(None, card, None), None, margins=(16, 24, 16, 24), parent=ground)
        area = QScrollArea()
        area.setAccessibleName(self.tr("First start"))
        area.setWidget(ground)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        row_of(area, parent=self)
        self.models.finished.connect(lambda: self._go(1))
        self.models.demo_requested.connect(self.demo_requested)
        self.folder.chosen.connect(self._on_folder)
        self.folder.skipped.connect(lambda: self._go(2))
        self.care.chosen.connect(self._on_mode)
        self.care.skipped.connect(self.finished)
        self._go(0)

    def begin(self, folder: str) -> None:
        """Start at the first step; `folder` is proposed in the second."""
        self.folder.propose(folder)
        self._go(0)
        self.models.look_around()

    def _go(self, step: int) -> None:
        self._stack.setCurrentIndex(step)
        self._steps.show_step(step)
        steps = (self.models, self.folder, self.care)
        for index, widget in enumerate(steps):  # the card is as high as the step shown, not as the highest
            policy = QSizePolicy.Policy.Preferred if index == step else QSizePolicy.Policy.Ignored
            widget.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self._stack.adjustSize()

    def _on_folder(self, folder: str) -> None:
        self.folder_chosen.emit(folder)
        self._go(2)

    def _on_mode(self, mode: Mode) -> None:
        self.mode_chosen.emit(mode)
        self.finished.emit()
