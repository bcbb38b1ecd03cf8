"""Geometry and painting of one row. A row view belongs to one row, width, theme and set of folds; it is built when its
row comes into sight and dropped from a small cache later.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

import msgspec
from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from placet.ui.models.transcript_rows import AnyRow
from placet.ui.theme.paint import frame, spinner
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.flow import Flow, Mark
from placet.ui.widgets.text.syntax import Highlighter

FlowT = TypeVar("FlowT", bound=Flow)


class ActionName(StrEnum):
    TOGGLE = "toggle"
    COPY = "copy"
    SHOW_ALL = "show all"
    UNFOLD = "unfold"
    REVIEW = "review"
    ANSWER = "answer"
    STOP = "stop"
    UNDO = "undo"
    REDO = "redo"
    OPEN_PROPOSAL = "open proposal"  # the whole difference, in the review pane
    TAKE_UP = "take up"  # propose again what was not written
    COPY_PATCH = "copy patch"
    COPY_NEW_TEXT = "copy new text"
    UNDO_TURN = "undo turn"  # opens a menu: the turn, or all since
    RESUME = "resume"
    RETRY = "retry"
    REMEDY = "remedy"


class Action(msgspec.Struct, frozen=True):
    """Something in a row that can be pressed. `key` is the fold, the text to copy, the id or the remedy it is about;
    `label` is what a screen reader says, `tip` what hovering shows.
    """

    rect: QRectF
    name: ActionName
    key: str | int = ""
    label: str = ""
    tip: str = ""


class RowContext(msgspec.Struct):
    """What rows share: theme, width, colours, and which folds a person opened or closed."""

    theme: Theme
    highlighter: Highlighter
    width: int = 600
    folds: dict[str, bool] = msgspec.field(default_factory=dict)

    def is_open(self, fold: str, *, otherwise: bool = False) -> bool:
        return self.folds.get(fold, otherwise)


class Paint(msgspec.Struct, frozen=True):
    """The moment of one painting. `dirty` is in the row's coordinates: a turning arc must not cost the text beside it."""

    dirty: QRectF
    marks: Sequence[Mark] = ()
    hover: Action | None = None
    focus: Action | None = None
    copied: Action | None = None
    phase: float = 0.0
    now: float = 0.0


class Area(msgspec.Struct, frozen=True):
    """A flow inside a row; `start` is where its text begins in the row's text."""

    flow: Flow
    at: QPointF
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.flow.plain)

    @property
    def rect(self) -> QRectF:
        return QRectF(self.at.x(), self.at.y(), self.flow.width, self.flow.height)


class RowView:
    """One row with its top left at the origin. `spinners` turn while seen, `clocks` count seconds.

    `awaits_colours` says that it was painted plain and looks different once the highlighter is ready.
    """

    def __init__(self, row: AnyRow, context: RowContext) -> None:
        self.row, self.context = row, context
        self.theme, self.width = context.theme, context.width
        self.height = 0.0
        self.areas: list[Area] = []
        self.actions: list[Action] = []
        self.spinners: list[QRectF] = []
        self.clocks: list[QRectF] = []
        self.awaits_colours = False

    def add(self, flow: FlowT, x: float, y: float) -> FlowT:
        start = self.areas[-1].end + 1 if self.areas else 0
        self.areas.append(Area(flow, QPointF(x, y), start))
        return flow

    def tr(self, words: str) -> str:
        """Visible words in the person's language; the context is the class, as for widgets (`D-14`)."""
        return QCoreApplication.translate(type(self).__name__, words)

    def show_all(self, lines: int) -> str:
        """The label of what unfolds the rest."""
        if lines < 2:
            return QCoreApplication.translate("RowView", "Show all")
        return QCoreApplication.translate("RowView", "Show all, {} more lines").format(f"{lines:,}")

    @property
    def plain(self) -> str:
        return "\n".join(area.flow.plain for area in self.areas)

    def offset_at(self, point: QPointF) -> int:
        """The nearest place in the text, as a drag beside or below it expects."""
        if not self.areas:
            return 0

        def distance(area: Area) -> tuple[float, float]:
            r = area.rect
            down = max(r.top() - point.y(), point.y() - r.bottom(), 0)
            return down, max(r.left() - point.x(), point.x() - r.right(), 0)

        area = min(self.areas, key=distance)
        return area.start + area.flow.offset_at(point - area.at)

    def caret(self, offset: int) -> QRectF:
        """Where a caret before that character would stand."""
        for area in self.areas:
            if area.start <= offset <= area.end:
                local = offset - area.start
                span = (local, local + 1) if local < len(area.flow.plain) else (max(0, local - 1), local)
                for rect in area.flow.rects(*span):
                    x = rect.left() if span[0] == local else rect.right()
                    return QRectF(x, rect.top(), 1, rect.height()).translated(area.at)
                return QRectF(area.at.x(), area.at.y(), 1, min(20.0, area.flow.height))
        return QRectF(0, 0, 1, 20)

    def link_at(self, point: QPointF) -> str | None:
        for area in self.areas:
            if area.rect.contains(point):
                return area.flow.link_at(point - area.at)
        return None

    def action_at(self, point: QPointF) -> Action | None:
        return next((action for action in reversed(self.actions) if action.rect.contains(point)), None)

    def is_text_at(self, point: QPointF) -> bool:
        return any(area.rect.contains(point) for area in self.areas)

    def paint(self, p: QPainter, paint: Paint) -> None:
        self.draw_under(p, paint)
        for area in self.areas:
            if not area.rect.intersects(paint.dirty):
                continue
            clip = paint.dirty.translated(-area.at).intersected(QRectF(0, 0, self.width, area.flow.height))
            area.flow.draw(p, area.at, self.theme, _own(area, paint.marks), clip)
        self.draw_over(p, paint)
        for box in self.spinners:
            spinner(p, box, self.theme, paint.phase)
        if paint.focus is not None:
            frame(p, paint.focus.rect, 6, self.theme.color("focus"), 2)

    def draw_under(self, p: QPainter, paint: Paint) -> None:
        """Paint boxes and fills."""

    def draw_over(self, p: QPainter, paint: Paint) -> None:
        """Paint icons and labels that are not text."""


def _own(area: Area, marks: Sequence[Mark]) -> list[Mark]:
    """The part of the marks that lies in this area, in its offsets."""
    return [
        Mark(
            max(mark.start, area.start) - area.start,
            min(mark.end, area.end) - area.start + (mark.end > area.end),
            mark.role,
            mark.radius,
        )
        for mark in marks
        if mark.start < area.end and mark.end > area.start
    ]
