"""Past calls that an edit of the rules would change, each with what it was and would be."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from placet.core.domain.explaining import Effect
from placet.core.domain.hidden import visible
from placet.core.domain.review import Action
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, hairline, text
from placet.ui.theme.theme import Theme
from placet.ui.widgets import verdicts

_ROW = 30
_MOST = 8
_TIME, _TOOL = 74, 104


class EffectsList(QWidget):
    """Changed calls first, then those that the rule fits in vain; a last line counts what is not shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.effects: Sequence[Effect] = ()
        self._more = 0
        theme.changed.connect(self.update)
        self.show_effects(())

    def show_effects(self, effects: Sequence[Effect]) -> None:
        ordered = sorted(effects, key=lambda effect: not effect.changes)
        self.effects, self._more = ordered[:_MOST], max(0, len(ordered) - _MOST)
        self.setFixedHeight(_ROW * (len(self.effects) + bool(self._more)))
        self.setVisible(bool(self.effects))
        self.setAccessibleName("\n".join(self._spoken(effect) for effect in self.effects))
        self.update()

    def words(self, effect: Effect) -> str:
        """What becomes of a call, as it stands at the end of its row."""
        before, after = verdicts.word(effect.before.action), verdicts.word(effect.after.action)
        if effect.changes:
            return f"{before} → {after}"
        return self.tr("stays {}, {}").format(after, effect.stays_because)

    def _spoken(self, effect: Effect) -> str:
        return f"{_when(effect.created_at)} {effect.tool} {effect.label}: {self.words(effect)}"

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, width = self._theme, self.width()
        for at, effect in enumerate(self.effects):
            y = at * _ROW
            hairline(p, 1, y, width - 2, theme.color("hairline"))
            text(p, 13, y, _ROW, _when(effect.created_at), ui_font(12, tabular=True), theme.color("text-2"))
            end = self._draw_outcome(p, effect, QRectF(0, y, width - 13, _ROW))
            tool = elided(visible(effect.tool), mono_font(12), _TOOL - 8)
            text(p, 13 + _TIME, y, _ROW, tool, mono_font(12), theme.color("text"))
            left = 13 + _TIME + _TOOL
            label = elided(visible(effect.label), mono_font(12), width - 13 - end - 16 - left)
            text(p, left, y, _ROW, label, mono_font(12), theme.color("text"))
        if self._more:
            y = len(self.effects) * _ROW
            hairline(p, 1, y, width - 2, theme.color("hairline"))
            words = self.tr("and {} more").format(self._more)
            text(p, 13, y, _ROW, words, ui_font(12), theme.color("text-2"))

    def _draw_outcome(self, p: QPainter, effect: Effect, box: QRectF) -> float:
        """From the right; returns its width."""
        theme, after = self._theme, effect.after.action
        color = theme.color(verdicts.role(after))
        if not effect.changes:
            ink = color if after is Action.DENY else theme.color("text-2")
            return text(p, box.right(), box.top(), _ROW, self.words(effect), ui_font(12, 500), ink, right=True)
        used = text(p, box.right(), box.top(), _ROW, verdicts.word(after), ui_font(12, 500), color, right=True) + 5
        theme.draw_icon(p, "arrow-right", QRectF(box.right() - used - 12, box.top(), 12, _ROW), "text-2", 12)
        used += 12 + 5
        before = verdicts.word(effect.before.action)
        used += text(p, box.right() - used, box.top(), _ROW, before, ui_font(12), theme.color("text-2"), right=True)
        return used


def _when(at: float) -> str:
    """The time of today, else the day."""
    then = time.localtime(at)
    now = time.localtime()
    if then[:3] == now[:3]:
        return time.strftime("%H:%M", then)
    day = f"{then.tm_mday} {time.strftime('%b', then)}"
    return day if then.tm_year == now.tm_year else f"{day} {then.tm_year % 100:02}"
