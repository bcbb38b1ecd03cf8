"""Three sides of a file that moved on: as Placet left it, as it is now, as it was before. Conflicts are decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import east_asian_width

from msgspec import structs
from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from placet.core.domain.undo import Keep, Region, RegionKind, ThreeWay
from placet.ui.theme.fonts import mono_font, ui_font
from placet.ui.theme.paint import hairline, text, text_width
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label, Segmented
from placet.ui.widgets.diff.visible import shown
from placet.ui.widgets.plane import Plane, column_of, row_of

_ROW = 20
_FOLD = 24
_MOST_LINES = 1_000  # of a side in one region; the result shows all of them
_MOST_CHARS = 4_000
_PAGE = 60  # regions
_OPEN = "open"


class ThreeWayView(QWidget):
    """`decided` gives a conflict, counted from 0, and which side is kept, None where it is open again."""

    decided = Signal(int, object)
    all_decided = Signal(object)  # a `Keep`

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("threeWay")
        self._theme = theme
        self._head = _Titles(theme)
        self._note = Label("", theme, "text-2", 12)
        self._note.setWordWrap(True)
        self._note.setContentsMargins(16, 8, 16, 8)
        self._area = QScrollArea()
        self._area.setAccessibleName(self.tr("Three versions beside each other"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._choices: list[Segmented] = []
        self._again = False
        self._told: tuple[bool, str, str, list[Region]] | None = None  # what is drawn, but for the choices
        column = column_of(self._head, self._note, parent=self)
        column.addWidget(self._area, 1)

    @property
    def choices(self) -> Sequence[Segmented]:
        """What decides each conflict, in order."""
        return self._choices

    def show_sides(self, sides: ThreeWay, *, again: bool = False) -> None:
        """Draw the sides anew; the place that is looked at stays. `again`: of a change that is applied again."""
        told = (again, sides.path, sides.note, [structs.replace(region, choice=None) for region in sides.regions])
        if told == self._told:  # only decided anew: what has the focus stays
            self._show_choices(sides)
            return
        self._told, self._again = told, again
        self._head.show_titles(_titles(again))
        self._note.setText(sides.note)
        self._note.setVisible(bool(sides.note))
        self._draw(sides, _PAGE)

    def _draw(self, sides: ThreeWay, most: int) -> None:
        """Only so many places are drawn at once: each is a widget, and a person asks for more."""
        at = self._area.verticalScrollBar().value()
        self._choices = []
        ground = Plane(self._theme)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        conflicts = sum(region.kind is RegionKind.CONFLICT for region in sides.regions)
        if conflicts > 1:
            column.addWidget(self._all(conflicts))
        width = self._area.viewport().width()
        for region in sides.regions[:most]:
            if region.kind is RegionKind.CONFLICT:
                column.addWidget(self._question(region, conflicts, sides.is_whole))
            column.addWidget(_Sides(region, _titles(self._again), self._theme, width))
        if (left := len(sides.regions) - most) > 0:
            more = Button(self.tr("Show more, {} places are left").format(f"{left:,}"), self._theme, kind="ghost")
            more.clicked.connect(lambda: self._draw(sides, most + _PAGE))
            column.addWidget(more)
        column.addStretch(1)
        self._area.setWidget(ground)
        ground.adjustSize()
        self._area.verticalScrollBar().setValue(at)

    def _all(self, conflicts: int) -> QWidget:
        """Every conflict at once; each can still be decided on its own."""
        bar = Plane(self._theme, lines="b", height=36)
        words = Label(self.tr("All {} conflicts:").format(f"{conflicts:,}"), self._theme, "text-2", 12)
        row = row_of(words, 8, margins=(16, 0, 16, 0), parent=bar)
        for keep in (Keep.THEIRS, Keep.UNDONE):
            button = Button(_way(keep, self._again)[0], self._theme, height=24, pad=8, px=12, weight=400)
            button.clicked.connect(lambda _=False, keep=keep: self.all_decided.emit(keep))
            row.addWidget(button)
            row.addSpacing(6)
        row.addStretch(1)
        return bar

    def _show_choices(self, sides: ThreeWay) -> None:
        conflicts = (region for region in sides.regions if region.kind is RegionKind.CONFLICT)
        for choice, region in zip(self._choices, conflicts, strict=False):
            choice.choose(region.choice.value if region.choice is not None else _OPEN)

    def _question(self, region: Region, of: int, is_whole: bool) -> QWidget:
        number = len(self._choices)
        bar = Plane(self._theme, lines="tb", fill="warn-bg", height=40)
        words = self.tr("Conflict {} of {}").format(number + 1, of)
        ways = [(self.tr("Undecided"), "", _OPEN), *(_way(keep, self._again) for keep in Keep)]
        if is_whole:
            ways = [way for way in ways if way[2] != Keep.BOTH]
        choice = Segmented(ways, self._theme)
        choice.setAccessibleName(words)
        choice.choose(region.choice.value if region.choice is not None else _OPEN)
        choice.chosen.connect(lambda name: self.decided.emit(number, None if name == _OPEN else Keep(name)))
        self._choices.append(choice)
        row_of(Label(words, self._theme, "warn-text", 12, 500), 12, choice, None, margins=(16, 0, 16, 0), parent=bar)
        return bar


def _way(keep: Keep, again: bool) -> tuple[str, str, str]:
    tr = QCoreApplication.translate
    words = {
        Keep.THEIRS: tr("ThreeWayView", "Keep the file as it is"),
        Keep.UNDONE: tr("ThreeWayView", "Apply again") if again else tr("ThreeWayView", "Take the undone"),
        Keep.BOTH: tr("ThreeWayView", "Both"),
    }
    return words[keep], "", keep.value


def _titles(again: bool) -> tuple[str, str, str]:
    tr = QCoreApplication.translate
    return (
        tr("ThreeWayView", "As Placet left it"),
        tr("ThreeWayView", "The file now"),
        tr("ThreeWayView", "Applied again") if again else tr("ThreeWayView", "Undone"),
    )


class _Titles(Plane):
    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, lines="b", fill="surface", height=28)
        self._titles = _titles(again=False)

    def show_titles(self, titles: tuple[str, str, str]) -> None:
        self._titles = titles
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        p, third = QPainter(self), self.width() / 3
        for at, title in enumerate(self._titles):
            text(p, at * third + 16, 0, 28, title, ui_font(11, 500), self._theme.color("text-3"))
            if at:
                hairline(p, round(at * third), 0, 28, self._theme.color("hairline"), vertical=True)


class _Sides(QWidget):
    """The lines of one region, a column for each side, long ones wrapped; only what is in sight is painted."""

    def __init__(self, region: Region, titles: tuple[str, str, str], theme: Theme, width: int) -> None:
        super().__init__()
        self._titles = titles
        self._theme, self._region = theme, region
        same = region.kind is RegionKind.SAME
        sides = (region.base,) * 3 if same else (region.base, region.theirs, region.undone)
        self._columns = tuple(self._cut(lines) for lines in sides)
        self._fills = _FILLS[region.kind]
        self._rows: list[list[_Row]] = []
        self._fold = 0  # the row before which lines are left out
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(240)
        self.setAccessibleName(self._spoken())
        self._wrapped = 0  # the width that the rows fit
        self._wrap(width)
        theme.changed.connect(self.update)

    def _spoken(self) -> str:
        if self._region.kind is RegionKind.SAME:
            return ""
        return "; ".join(
            f"{title}: {' / '.join(shown(line) for line in lines[:50]) or self.tr('nothing')}"
            for title, lines in zip(self._titles, self._columns, strict=True)
        )

    def _cut(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        more = len(lines) - _MOST_LINES
        if more <= 0:
            return lines
        return (*lines[:_MOST_LINES], self.tr("… and {} more lines, all of which the result shows").format(f"{more:,}"))

    def _wrap(self, width: int) -> None:
        if width == self._wrapped:
            return
        self._wrapped = width
        room = max(int((width / 3 - 24) / text_width("0", mono_font())), 10)
        self._rows = [list(_rows(lines, room)) for lines in self._columns]
        before = self._region.before_hidden if self._region.hidden else 0
        self._fold = sum(1 for _ in _rows(self._columns[0][:before], room))
        count = max(map(len, self._rows))
        self.setFixedHeight(max(count, 1) * _ROW + (_FOLD if self._region.hidden else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wrap(event.size().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        p, theme, dirty = QPainter(self), self._theme, event.rect()
        third, has_fold = self.width() / 3, self._region.hidden > 0
        for at, (rows, fill) in enumerate(zip(self._rows, self._fills, strict=True)):
            left = round(at * third)
            for number in range(max(0, (dirty.top() - _FOLD) // _ROW), min(len(rows), dirty.bottom() // _ROW + 1)):
                row, y = rows[number], number * _ROW + (_FOLD if has_fold and number >= self._fold else 0)
                if fill:
                    p.fillRect(QRectF(left, y, third, _ROW), theme.color(f"{fill}-bg"))
                if fill and row.is_first:
                    text(p, left + 5, y, _ROW, "+" if fill == "add" else "−", mono_font(), theme.color(f"{fill}-text"))
                text(p, left + 16, y, _ROW, row.text, mono_font(), theme.color("text" if fill else "text-2"))
            if at:
                hairline(p, left, 0, self.height(), theme.color("hairline"), vertical=True)
        if has_fold:
            y = self._fold * _ROW
            p.fillRect(QRectF(0, y, self.width(), _FOLD), theme.color("surface"))
            words = self.tr("{} unchanged lines").format(f"{self._region.hidden:,}")
            text(p, 16, y, _FOLD, words, ui_font(11), theme.color("text-3"))


class _Row(NamedTuple):
    text: str
    is_first: bool


def _rows(lines: Sequence[str], room: int) -> Iterator[_Row]:
    """Lines cut into pieces of `room` columns; a very long one is shown by its beginning."""
    for line in lines:
        visible = shown(line[:_MOST_CHARS]).expandtabs(4) + (" …" if len(line) > _MOST_CHARS else "")
        if visible.isascii():
            for start in range(0, max(len(visible), 1), room):
                yield _Row(visible[start : start + room], start == 0)
            continue
        start, used, is_first = 0, 0, True
        for at, char in enumerate(visible):
            width = 2 if east_asian_width(char) in "WF" else 1
            if used + width > room:
                yield _Row(visible[start:at], is_first)
                start, used, is_first = at, 0, False
            used += width
        yield _Row(visible[start:], is_first)


_FILLS = {
    RegionKind.SAME: ("", "", ""),
    RegionKind.THEIRS: ("del", "add", ""),
    RegionKind.UNDONE: ("del", "", "add"),
    RegionKind.CONFLICT: ("del", "add", "add"),
}
