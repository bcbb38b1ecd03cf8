"""Lines that notices are about, brought into sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.ui.widgets.diff.folds import place_of

if TYPE_CHECKING:
    from placet.ui.widgets.diff.text_view import TextView
    from placet.ui.widgets.diff.view import DiffView


def show_line(view: TextView, line: int | None) -> None:
    """Scroll to a line and select it; None and what is not there are nowhere to go."""
    rows = view.rows()
    if line is None or not 0 <= line < rows.line_count:
        return
    view.horizontalScrollBar().setValue(0)
    view.verticalScrollBar().setValue(rows.heights.top(rows.rows_of(line).start) - view.viewport().height() // 3)
    view.selecting.select_line(line, len(view.columns()) - 1)


def line_numbered(view: DiffView, number: int) -> int | None:
    """The line of a diff that has this number on the new side, unfolded where it was folded, its hunk the current one."""
    hunk, at = place_of(view.diff, number)
    if at is None:
        view.open_fold(hunk, len(view.diff.old_lines))
        hunk, at = place_of(view.diff, number)
    if at is None:
        return None
    view.make_current(hunk)
    return view.rows().lines_of(hunk).start + at
