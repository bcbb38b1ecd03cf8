"""The steps of a file as a line one can walk along: all together, then each; undone ones are struck through."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from placet.core.domain.review import ChangeState
from placet.core.domain.undo import ChangeStep
from placet.ui.theme.fonts import ui_font
from placet.ui.theme.paint import focus_ring, hairline, keyboard_focus, rounded, text, text_width
from placet.ui.theme.theme import Theme

_LINE = 14
_PAD = 9


class StepBar(QWidget):
    """`chosen` gives a step from 1 on, 0 for all together. Left and right walk; one tab stop."""

    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._steps: Sequence[ChangeStep] = ()
        self.at = 0
        self.setFixedHeight(40)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Steps"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(320, 40)

    def show_steps(self, steps: Sequence[ChangeStep], at: int) -> None:
        self._steps, self.at = steps, at
        undone = [str(n) for n, step in enumerate(steps, 1) if _is_undone(step)]
        words = self.tr("{} steps").format(len(steps)) if len(steps) != 1 else self.tr("1 step")
        if undone:
            words += ", " + self.tr("undone: {}").format(", ".join(undone))
        self.setAccessibleName(words)
        self.setAccessibleDescription(self._label(at))
        self.update()

    def summary(self) -> str:
        """What stands at the right of the line."""
        return self.accessibleName()

    def _label(self, at: int) -> str:
        return self.tr("All steps") if at == 0 else str(at)

    def _places(self) -> list[tuple[int, QRectF]]:
        """Only a window of a long line is drawn, round the current step, with its ends."""
        found: list[tuple[int, QRectF]] = []
        x = 0.0
        for at in self._drawn():
            width = text_width(self._label(at), ui_font(12, 500)) + 2 * _PAD
            found.append((at, QRectF(x, 8, width, 24)))
            x += width + _LINE
        return found

    def _drawn(self) -> list[int]:
        count, room = len(self._steps), max(6, (self.width() - 240) // 40)
        if count <= room:
            return list(range(count + 1))
        first = max(1, min(self.at - room // 2, count - room + 1))
        return sorted({0, *range(first, first + room), count})

    def paintEvent(self, event: QPaintEvent) -> None:
        p, theme = QPainter(self), self._theme
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        end, last = 0.0, 0
        for at, box in self._places():
            if at > last + 1:
                text(p, box.left() - _LINE + 1, 8, 24, "…", ui_font(12), theme.color("text-3"))
            elif at:
                hairline(p, box.left() - _LINE, 20, _LINE, theme.color("hairline-2"))
            now = at == self.at
            if now:
                rounded(p, box, 6, theme.color("accent-bg"))
                if keyboard_focus(self):
                    focus_ring(p, box.adjusted(2, 2, -2, -2), 6, theme)
            undone = at > 0 and _is_undone(self._steps[at - 1])
            font = ui_font(12, 500 if now else 400)
            ink = theme.color("text-3" if undone else "accent-text" if now else "text")
            width = text(p, box.left() + _PAD, 8, 24, self._label(at), font, ink)
            if undone:
                p.fillRect(QRectF(box.left() + _PAD - 1, 20, width + 2, 1), theme.color("text-3"))
            end, last = box.right(), at
        words, room = self.summary(), self.width() - end - 24
        if text_width(words, ui_font(12)) <= room:
            text(p, self.width(), 8, 24, words, ui_font(12), theme.color("text-2"), right=True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for at, box in self._places():
            if box.contains(event.position()):
                self._choose(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._choose(self.at - 1)
            case Qt.Key.Key_Right:
                self._choose(self.at + 1)
            case Qt.Key.Key_Home:
                self._choose(0)
            case Qt.Key.Key_End:
                self._choose(len(self._steps))
            case _:
                super().keyPressEvent(event)

    def _choose(self, at: int) -> None:
        at = max(0, min(at, len(self._steps)))
        if at != self.at:
            self.at = at
            self.setAccessibleDescription(self._label(at))
            self.update()
            self.chosen.emit(at)


def _is_undone(step: ChangeStep) -> bool:
    return step.change.state is ChangeState.REVERTED
