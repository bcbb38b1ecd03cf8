"""Going through a transcript by what matters in it: what a person said, and what waits for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from placet.ui.models.transcript_rows import AnyRow, CallRow, CallState, LedgerRow, NestedRow, UserRow
from placet.ui.widgets.transcript.row_view import Action
from placet.ui.widgets.transcript.selection import Place

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView


def cursor_row(view: TranscriptView) -> int | None:
    """The row one is at: that of the keyboard's ring, else of the caret; None where neither is."""
    if view.focus_action is not None:
        return view.focus_action[0]
    return view.selection.end.row if view.selection.end is not None else None


def go_to_own(view: TranscriptView, step: int) -> bool:
    """Go to the next message of the person, or with -1 to the previous one; False where there is none."""
    rows = view.model.rows
    found = next(_from(view, step, lambda row: isinstance(row, UserRow)), None)
    if found is None:
        if step > 0 and rows:
            view.to_bottom()
        elif view.model.has_older:
            view.older_wanted.emit()
        return False
    view.set_focus_action(None)
    view.selection.set(Place(found, 0), Place(found, 0))
    view.show_row(found)
    return True


def go_to_waiting(view: TranscriptView) -> bool:
    """Go to the next call that waits for the person, after the last one to the first; False where none waits."""
    rows = view.model.rows
    here, ring = cursor_row(view), view.focus_action
    onward = [
        number for row in _from(view, 1, _waits) for number in _waiting_in(rows[row], ring if row == here else None)
    ]
    again = (number for row in rows for number in _waiting_in(row))
    return any(view.show_call(number) for number in (*onward, *again))


def calls_of(row: AnyRow) -> tuple[CallRow, ...]:
    """The calls of a card, also of one inside a sub-agent."""
    inner = row.inner if isinstance(row, NestedRow) else row
    return inner.calls if isinstance(inner, LedgerRow) else ()


def waiting_call(call: CallRow) -> int:
    """The call that waits with this one: itself, or one below it; 0 where none does."""
    if call.agent is not None:
        return call.agent.waits
    return call.call_id if call.state is CallState.WAITING or call.waits_again else 0


def _waiting_in(row: AnyRow, ring: tuple[int, Action] | None = None) -> list[int]:
    """The calls of a card that wait; where one of them has the ring, those behind it."""
    numbers = [number for call in calls_of(row) if (number := waiting_call(call))]
    return numbers[numbers.index(int(ring[1].key)) + 1 :] if ring is not None and ring[1].key in numbers else numbers


def _waits(row: AnyRow) -> bool:
    return any(map(waiting_call, calls_of(row)))


def _from(view: TranscriptView, step: int, fits: Callable[[AnyRow], bool]) -> Iterator[int]:
    """The rows that fit, from where one is in one direction."""
    rows = view.model.rows
    seen = [index for index, _y, _view in view.column.visible()]
    at = cursor_row(view)
    if at is None or at not in seen:  # one has scrolled away from it, or never was anywhere
        at = (seen[0] - 1 if step > 0 else seen[-1] + 1) if seen else -1 if step > 0 else len(rows)
    elif step > 0 and fits is _waits:
        at -= 1  # another call of the same card may wait
    way = range(at + 1, len(rows)) if step > 0 else range(min(at, len(rows)) - 1, -1, -1)
    return (index for index in way if fits(rows[index]))
