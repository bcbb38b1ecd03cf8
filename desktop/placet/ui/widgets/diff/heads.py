"""A hunk's head: number, function, tags, and at its right end what can be pressed. Painted; geometry is known here only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import elided, frame, hairline, rounded, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.hunk_states import HunkStates
from placet.ui.widgets.diff.visible import shown

_tr = QCoreApplication.translate
_BUTTON, _EDGE = 24, 12


class Control(NamedTuple):
    """Something that can be pressed in the head of a hunk: `accept`, `skip` or `edit`."""

    name: str
    label: str
    rect: QRectF


class HeadFacts(NamedTuple):
    """What one head says. `hovered` is the control under the pointer."""

    hunk: int
    symbol: str
    is_current: bool
    sticks: bool
    is_yours: bool
    hovered: str


def controls(head: QRectF, states: HunkStates, hunk: int) -> Sequence[Control]:
    """For painting, for the mouse and for a screen reader."""
    found: list[Control] = []
    right, y = head.right() - _EDGE, head.top() + 4
    if states.can_edit:
        found.append(Control("edit", _tr("DiffView", "Edit"), QRectF(right - _BUTTON, y, _BUTTON, _BUTTON)))
        right -= _BUTTON + 4
    if states.can_choose:
        skipped = states.is_skipped(hunk)
        skip = _tr("DiffView", "Skipped") if skipped else _tr("DiffView", "Skip")
        accept = _tr("DiffView", "Accept")
        wide, narrow = _half(skip, skipped), _half(accept, not skipped)
        found.append(Control("skip", skip, QRectF(right - wide, y, wide, _BUTTON)))
        found.append(Control("accept", accept, QRectF(right - wide - narrow, y, narrow, _BUTTON)))
    return found[::-1]


def _half(label: str, chosen: bool) -> int:
    return round(text_width(label, ui_font(12, 500 if chosen else 400)) + (38 if chosen else 18))


def paint_head(p: QPainter, theme: Theme, head: QRectF, facts: HeadFacts, states: HunkStates) -> None:
    p.fillRect(head, theme.color("bg"))
    if facts.sticks:
        hairline(p, 0, head.bottom() - 1, head.width(), theme.color("hairline"))
    parts = controls(head, states, facts.hunk)
    room = (parts[0].rect.left() if parts else head.right()) - 8
    if facts.hunk in states.seen:
        room -= 28
        theme.draw_icon(p, "eye", QRectF(room + 6, head.top(), 16, head.height()), "text-2", 14)
    _paint_words(p, theme, head, facts, states, room)
    if states.can_choose:
        _paint_choice(p, theme, (parts[0], parts[1]), facts, is_skipped=states.is_skipped(facts.hunk))
    for part in parts:
        if part.name == "edit":
            if facts.hovered == "edit":
                rounded(p, part.rect, 6, theme.color("hover"))
            theme.draw_icon(p, "pencil", part.rect, "text-2", 14)


def _paint_words(p: QPainter, theme: Theme, head: QRectF, facts: HeadFacts, states: HunkStates, room: float) -> None:
    label = _tr("DiffView", "Hunk {}").format(facts.hunk + 1)
    font, ink = ui_font(12, 500 if facts.is_current else 400, True), "text" if facts.is_current else "text-3"
    x = 16 + text(p, 16, head.top(), head.height(), label, font, theme.color(ink)) + 8
    tags: list[str] = []
    if facts.is_yours:
        tags.append(_tr("DiffView", "edited by you"))
    if facts.hunk in states.changed:
        tags.append(_tr("DiffView", "changed since you looked"))
    needed = sum(tag_width(words) + 8 for words in tags)
    name = elided(shown(facts.symbol), mono_font(), max(0, room - x - needed))
    x += text(p, x, head.top(), head.height(), name, mono_font(), theme.color("text-2"))
    for words in tags:
        box = QRectF(x + (8 if name else 0), head.top() + 7, min(tag_width(words), max(0, room - x - 8)), 18)
        paint_tag(p, theme, box, words, "accent")
        x = box.right()


def tag_width(words: str) -> float:
    return text_width(words, ui_font(11, 500)) + 12


def paint_tag(p: QPainter, theme: Theme, box: QRectF, words: str, family: str) -> None:
    """A fact about one thing in a small box; `family` is the beginning of its colour roles."""
    if box.width() < 24:
        return
    rounded(p, box, 4, theme.color(f"{family}-bg"))
    frame(p, box, 4, theme.color(f"{family}-line"))
    font = ui_font(11, 500)
    words = elided(words, font, box.width() - 11)
    text(p, box.left() + 6, box.top(), box.height(), words, font, theme.color(f"{family}-text"))


def _paint_choice(
    p: QPainter, theme: Theme, pair: tuple[Control, Control], facts: HeadFacts, *, is_skipped: bool
) -> None:
    """Accept and Skip as one outlined pair; the chosen half is filled to the outline."""
    accept, skip = pair
    group = accept.rect.united(skip.rect)
    rounded(p, group, 6, theme.color("raised"))
    for control, chosen, fill in ((accept, not is_skipped, "accent-bg"), (skip, is_skipped, "surface-2")):
        if chosen or facts.hovered == control.name:
            p.save()
            p.setClipRect(control.rect)
            rounded(p, group, 6, theme.color(fill if chosen else "hover"))
            p.restore()
        ink = ("accent-text" if control is accept else "text") if chosen else "text-2"
        x = control.rect.left() + 10
        if chosen:
            icon = "check" if control is accept else "x"
            theme.draw_icon(p, icon, QRectF(x - 2, control.rect.top(), 16, _BUTTON), ink, 14)
            x += 18
        font = ui_font(12, 500 if chosen else 400)
        text(p, x, control.rect.top(), _BUTTON, control.label, font, theme.color(ink))
    frame(p, group, 6, theme.color("hairline-2"))
