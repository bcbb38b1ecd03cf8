"""A sentence that wants to be read: what happened, what it means, what to do; details one click away (`D-12`)."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from placet.core.domain.errors import PlacetError
from placet.ui.theme.fonts import mono_font
from placet.ui.theme.paint import frame, rounded
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, IconButton, Label
from placet.ui.widgets.plane import column_of, row_of

_ICONS = {"danger": "octagon-alert", "warn": "triangle-alert", "info": "circle-check"}


class _Icon(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.level = "danger"
        self._theme = theme
        self.setFixedSize(20, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._theme.draw_icon(QPainter(self), _ICONS[self.level], QRectF(0, 3, 16, 20), f"{self.level}-icon")


class Banner(QWidget):
    """Hidden until something is shown. Level is "danger", "warn" or "info"."""

    closed = Signal()
    offered = Signal()  # what the button of `show_offer` stands for is wanted

    def __init__(self, theme: Theme, *, closable: bool = True) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._theme = theme
        self._level = "danger"
        self._icon = _Icon(theme)
        self.title = self._label("text", 600)
        self.sentence = self._label("text-2", 400)
        self.details = Button(self.tr("Details"), theme, kind="ghost", height=24, pad=8, weight=400)
        self.offer = Button(self.tr("Undo"), theme, height=24, pad=10)
        self.copy = Button(self.tr("Copy"), theme, height=24, pad=8, weight=400)
        self.close_button = IconButton("x", self.tr("Dismiss"), theme, size=24, icon_size=14)
        if not closable:
            self.close_button.hide()
        self.detail = QPlainTextEdit()
        self.detail.setAccessibleName(self.tr("Details"))
        self.detail.setReadOnly(True)
        self.detail.setFont(mono_font(12))
        self.detail.setFrameShape(QFrame.Shape.NoFrame)
        self.detail.setFixedHeight(84)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._lay_out()
        self.details.clicked.connect(self._toggle_details)
        self.copy.clicked.connect(self.copy_all)
        self.offer.clicked.connect(self._take_offer)
        self.close_button.clicked.connect(self.dismiss)
        theme.changed.connect(self.update)
        self.hide()

    def _label(self, role: str, weight: int) -> Label:
        label = Label("", self._theme, role, 13, weight)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        return label

    def _lay_out(self) -> None:
        words = column_of(self.title, 2, self.sentence, margins=(0, 2, 0, 2))
        buttons = row_of(self.offer, 6, self.details, 6, self.copy, 6, self.close_button)
        buttons.setAlignment(Qt.AlignmentFlag.AlignTop)
        icon = QVBoxLayout()
        icon.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        head = row_of(icon, 8, words, 12, buttons)
        head.setStretchFactor(words, 1)
        column_of(head, 6, self.detail, margins=(14, 7, 10, 7), parent=self)

    def show_words(self, level: str, title: str, sentence: str = "", detail: str = "") -> None:
        self._level = self._icon.level = level
        self.title.setText(title)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.detail.setPlainText(detail)
        self.detail.hide()
        self.copy.hide()
        self.details.setVisible(bool(detail))
        self.offer.hide()
        self.setAccessibleName(f"{title} {sentence}".strip())
        self.show()
        self.update()

    def show_offer(self, title: str, label: str) -> None:
        """Tell what was done, with a button that takes it back or goes on from it."""
        self.show_words("info", title)
        self.offer.setText(label)
        self.offer.setAccessibleName(label)
        self.offer.updateGeometry()
        self.offer.show()

    def _take_offer(self) -> None:
        self.dismiss()
        self.offered.emit()

    def show_error(self, error: PlacetError) -> None:
        self.show_words("danger", error.message, error.hint, error.detail)

    def fit(self, width: int) -> None:
        """Take `width` and the height that the words need at it; for a banner outside of a layout."""
        self.setFixedWidth(width)
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.resize(width, layout.heightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height())

    def copy_all(self) -> None:
        parts = (self.title.text(), self.sentence.text(), self.detail.toPlainText())
        QGuiApplication.clipboard().setText("\n".join(part for part in parts if part))

    def dismiss(self) -> None:
        self.hide()
        self.closed.emit()

    def _toggle_details(self) -> None:
        opens = not self.detail.isVisible()
        self.detail.setVisible(opens)
        self.copy.setVisible(opens)

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        rounded(p, box, 8, self._theme.color(f"{self._level}-bg"))
        frame(p, box, 8, self._theme.color(f"{self._level}-line"))
