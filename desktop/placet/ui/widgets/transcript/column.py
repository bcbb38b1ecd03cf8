"""Where rows stand: which are seen, how far one has scrolled, what is measured and what estimated.

The truth about the scroll position is an anchor, (row, pixels into it), and not the scroll bar: heights above the
window are estimates, and replacing an estimate must not move what is being read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from placet.ui.models.transcript_rows import AnyRow
from placet.ui.widgets.transcript.heights import Heights
from placet.ui.widgets.transcript.row_view import RowContext, RowView
from placet.ui.widgets.transcript.views import build_view, estimate

BOTTOM = 12
KEPT_VIEWS = 160


class Column:
    """`rows` is the model's own list. An extent is a row with the gap above it. `follow` sticks to the end."""

    def __init__(self, rows: Sequence[AnyRow], context: RowContext) -> None:
        self.rows, self.context = rows, context
        self.heights = Heights()
        self.port = 0
        self.anchor, self.into = 0, 0.0
        self.follow = True
        self._views: OrderedDict[int, RowView] = OrderedDict()  # by the row's identity, which the view keeps alive
        self.heights.splice(0, 0, self._estimates(0, len(rows)))

    def _estimates(self, first: int, last: int) -> list[float]:
        return [estimate(row, self.context) + row.gap for row in self.rows[first:last]]

    # ---- views -------------------------------------------------------------------------------------------------

    def view(self, index: int) -> RowView:
        """The laid-out row; building it also measures it."""
        row = self.rows[index]
        view = self._views.get(id(row))
        if view is None:
            view = self._views[id(row)] = build_view(row, self.context)
            while len(self._views) > KEPT_VIEWS:
                self._views.popitem(last=False)
        else:
            self._views.move_to_end(id(row))
        extent = self._extent(view)
        if not self.heights.is_measured(index) or self.heights[index] != extent:
            self.heights.set(index, extent)
        return view

    @staticmethod
    def _extent(view: RowView) -> float:
        return view.height + view.row.gap if view.height else 0.0

    def visible(self) -> Iterator[tuple[int, float, RowView]]:
        """(row, y in the viewport, view) from the anchor down; measures what it meets."""
        index, y = self.anchor, -self.into
        while index < len(self.rows) and y < self.port:
            view = self.view(index)
            if view.height:
                yield index, y + view.row.gap, view
            y += self._extent(view)
            index += 1

    def y_of(self, index: int) -> float:
        """Where the row's top stands in the viewport; an estimate where rows between are not measured."""
        gap = self.rows[index].gap if index < len(self.rows) else 0
        return self.heights.top(index) - self.heights.top(self.anchor) - self.into + gap

    def rebuild(self, index: int) -> None:
        """Lay this row out anew: a fold has changed."""
        self._views.pop(id(self.rows[index]), None)

    def forget(self, *, heights: bool) -> None:
        """Lay everything out anew, with `heights` for another width."""
        self._views.clear()
        if heights:
            self.heights.forget()

    # ---- changes -----------------------------------------------------------------------------------------------

    def splice(self, first: int, removed: int, added: int) -> None:
        """Rows were replaced. What is read stays where it is, whatever happened above it."""
        self.heights.splice(first, removed, self._estimates(first, first + added))
        if self.anchor >= first + removed:
            self.anchor += added - removed
        elif self.anchor >= first + added and self.anchor > first:
            self.anchor, self.into = max(first, first + added - 1), 0.0
        self.anchor = max(0, min(self.anchor, len(self.rows) - 1))

    # ---- scrolling ---------------------------------------------------------------------------------------------

    @property
    def total(self) -> float:
        return self.heights.total + BOTTOM

    @property
    def value(self) -> float:
        """The anchor as a scroll bar has it."""
        return self.heights.top(self.anchor) + self.into

    def settle(self) -> None:
        """Measure what is visible and keep to the end if that is where one is."""
        if self.follow or self._is_past_end():
            self._anchor_from_bottom()

    def _is_past_end(self) -> bool:
        bottom = 0.0
        for _index, y, view in self.visible():
            bottom = y + view.height
        return bottom + 1 < self.port - BOTTOM and (self.anchor > 0 or self.into > 0)

    def _anchor_from_bottom(self) -> None:
        """Walk up from the last row until the window is full: exact, whatever the estimates above say."""
        room = self.port - float(BOTTOM)
        index = len(self.rows)
        while index > 0 and room > 0:
            index -= 1
            room -= self._extent(self.view(index))
        self.anchor, self.into = min(index, max(0, len(self.rows) - 1)), max(0.0, -room)

    def scroll_to(self, value: float, is_end: bool) -> None:
        """Follow the scroll bar: by exact pixels for a short way, by estimates for a long one."""
        delta = value - self.value
        if abs(delta) > 2 * self.port:
            self.anchor, self.into = self.heights.find(value)
        else:
            self.walk(delta)
        self.follow = is_end

    def walk(self, delta: float) -> None:
        """Move by exact pixels, measuring rows on the way: an estimate above never makes the text jump."""
        self.into += delta
        while self.into < 0 and self.anchor > 0:
            self.anchor -= 1
            self.into += self._extent(self.view(self.anchor))
        while self.anchor < len(self.rows) - 1 and self.into >= self._extent(self.view(self.anchor)):
            self.into -= self._extent(self.view(self.anchor))
            self.anchor += 1
        self.into = max(0.0, self.into)

    def show(self, index: int) -> None:
        """Bring a row into the upper third."""
        self.follow = False
        self.anchor, self.into = index, 0.0
        self.walk(-self.port / 3)

    def last_visible(self) -> int:
        last = self.anchor
        for index, _y, _view in self.visible():
            last = index
        return last
