"""Why it is asked: the model's own words, and what decided that a person should see it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Label
from placet.ui.widgets.diff.visible import make_visible, shown
from placet.ui.widgets.plane import column_of
from placet.ui.widgets.text.markdown import plain_text

_HIGHEST = 80  # four lines; more scrolls


class ReasonBlock(QWidget):
    """Hidden while there is neither a reason nor a rule to name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._title = Label(self.tr("Why"), theme, "text-3", 11, 500)
        self._words = Label("", theme, "text-2", 13)
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._words)
        self._asked = Label("", theme, "text-3", 11)
        self._asked.setWordWrap(True)
        column_of(self._title, 4, self._scroll, 4, self._asked, margins=(16, 14, 16, 4), parent=self)

    def show_words(self, reason: str, because: str) -> None:
        read = "\n".join(line for line in plain_text(reason).replace("\t", " ").split("\n") if line.strip())
        words = "\n".join(make_visible(line).plain for line in read.split("\n"))
        self._words.setText(f"“{words}”" if words else "")
        self._title.setVisible(bool(words))
        self._scroll.setVisible(bool(words))
        self._asked.setText(self.tr("Asked by {}").format(shown(because)) if because else "")
        self._asked.setVisible(bool(because))
        self.setVisible(bool(words or because))
        self._fit()

    def _fit(self) -> None:
        width = max(self.width() - 32, 100)
        self._scroll.setFixedHeight(max(18, min(self._words.heightForWidth(width), _HIGHEST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
