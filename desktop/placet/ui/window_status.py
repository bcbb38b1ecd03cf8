"""The line at the bottom: what is going on at the left, model and cost at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent

from placet.core.domain.events import Done
from placet.core.domain.messages import Mode, Session
from placet.ui.paths import from_home
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.measures import STATUS_HEIGHT
from placet.ui.theme.paint import elided, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.menu import Menu
from placet.ui.widgets.plane import Plane

_HINT_MS = 3000


class StatusBar(Plane):
    """Painted words; `text` has them all for tests and screen readers. What is not asked about is a button."""

    ask_again_requested = Signal(int)  # a bypass

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "t", "sidebar", STATUS_HEIGHT)
        self.setObjectName("statusBar")
        self._left: list[tuple[str, str]] = []
        self._right: list[str] = []
        self._hint = ""
        self._link = ""
        self._bypasses: Sequence[tuple[int, str]] = ()
        self.unasked = Button("", theme, kind="warn", icon="shield-alert", height=22, pad=6, px=11, parent=self)
        self.unasked.setObjectName("unaskedButton")
        self.unasked.setAccessibleName(self.tr("What is not asked about"))
        self.unasked.move(8, 1)
        self.unasked.hide()
        self.unasked.clicked.connect(self._open_bypasses)
        self._fade = QTimer(self)
        self._fade.setSingleShot(True)
        self._fade.setInterval(_HINT_MS)
        self._fade.timeout.connect(lambda: self.hint(""))

    def hint(self, words: str) -> None:
        """Say something for three seconds in place of the state."""
        self._hint = words
        if words:
            self._fade.start()
        self._tell()

    def show_link(self, target: str) -> None:
        """The real target of the link under the pointer, before anybody clicks it (`D-10`)."""
        self._link = target
        self._tell()

    def show_facts(self, session: Session | None, running: bool, model: str, turn: Done | None) -> None:
        """Show the state of one conversation. Numbers nobody knows are left out."""
        left: list[tuple[str, str]] = []
        if session is not None and session.waiting:
            left.append(("hand", self.tr("Waiting for you")))
        elif running:
            left.append(("activity", self.tr("Working")))
        else:
            left.append(("circle-check", self.tr("Ready")))
        if session is not None and session.context.mode is Mode.AUTO:
            left.append(("shield-alert", self.tr("Auto: calls that no rule denies are not asked")))
        if session is not None and session.context.workdir:
            left.append(("folder", from_home(session.context.workdir)))
        right = [model or self.tr("No model chosen")]
        if turn is not None and (turn.input_tokens or turn.output_tokens):
            words = self.tr("Turn {} in, {} out")
            right.append(words.format(_tokens(turn.input_tokens), _tokens(turn.output_tokens)))
        if session is not None and session.cost:  # none or nothing: there was no price
            right.append(f"${session.cost:.3f}")
        self._left, self._right = left, right
        self._tell()

    def show_bypasses(self, bypasses: Sequence[tuple[int, str]]) -> None:
        """Show what is not asked about, each as (id, words)."""
        self._bypasses = bypasses
        if bypasses:
            words = shown(bypasses[0][1]) if len(bypasses) == 1 else self.tr("{} kinds").format(len(bypasses))
            self.unasked.setText(self.tr("Not asked: {}").format(words))
            self.unasked.setAccessibleName(self.tr("{}. Choose what is to be asked again").format(self.unasked.text()))
            self.unasked.resize(self.unasked.sizeHint())
        self.unasked.setVisible(bool(bypasses))
        self.update()

    def _open_bypasses(self) -> None:
        menu = Menu(self._theme, self)
        menu.add_head(self.tr("Not asked about in this chat. Choose one to be asked again"))
        for number, words in self._bypasses:
            menu.add(shown(words), lambda number=number: self.ask_again_requested.emit(number))  # type: ignore[misc]
        menu.open_above(self.unasked)

    @property
    def text(self) -> str:
        left = [self._link or self._hint] if self._link or self._hint else [label for _, label in self._left]
        return "   ".join([*left, *self._right])

    def _tell(self) -> None:
        self.setAccessibleName(self.text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p = QPainter(self)
        font, color = ui_font(11, tabular=True), self._theme.color("text-2")
        right = self.width() - 12.0
        for part in reversed(self._right):
            right -= text(p, right, 1, 23, part, font, color, right=True) + 16
        x = 12.0 + (self.unasked.width() + 4 if self._bypasses else 0)
        if words := self._link or self._hint:
            text(p, x, 1, 23, elided(words, font, max(0, right - x)), font, color)
            return
        for icon, label in self._left:
            if x + 17 + text_width(label, font) > right:
                break
            warned = icon == "shield-alert"
            self._theme.draw_icon(p, icon, QRectF(x, 1, 12, 23), "warn-icon" if warned else "text-2", 12)
            ink = self._theme.color("warn-text") if warned else color
            x += 17 + text(p, x + 17, 1, 23, label, font, ink) + 16


def _tokens(count: int) -> str:
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)
