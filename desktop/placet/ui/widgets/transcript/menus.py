"""The context menu of the chat view: copying, what a call offers, going on from here. Each row says its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from placet.ui.widgets.menu import Menu
from placet.ui.widgets.transcript import keys
from placet.ui.widgets.transcript.acting import is_unfolded, perform
from placet.ui.widgets.transcript.jumping import calls_of, go_to_own, go_to_waiting
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.undo_menu import add_undo, new_menu

if TYPE_CHECKING:
    from placet.ui.models.transcript_rows import CallRow
    from placet.ui.widgets.transcript.view import TranscriptView


def context_menu(view: TranscriptView, row: int | None, link: str, call: CallRow | None = None) -> Menu:
    """What can be done at a place: `row` is the one that is meant, `call` the one in it, `link` what is pointed at."""
    menu = new_menu(view)
    if link:
        menu.add(_tr("Copy link"), lambda: QGuiApplication.clipboard().setText(link))
    has_selection = not view.selection.is_empty
    what = _tr("Copy") if has_selection else _tr("Copy the message")
    menu.add(what, lambda: view.copy(row=row), tail=keys.spelled(keys.COPY))
    menu.add(_tr("Copy as Markdown"), lambda: view.copy(markdown=True, row=row), tail=keys.spelled(keys.COPY_MARKDOWN))
    menu.add(_tr("Select all"), view.select_all, tail=keys.spelled(keys.ALL))
    if row is not None and call is not None:
        _add_call(view, menu, row, call)
    menu.addSeparator()
    menu.add(_tr("Previous message of mine"), lambda: go_to_own(view, -1), tail=keys.spelled(keys.PREVIOUS_OWN))
    menu.add(_tr("Next message of mine"), lambda: go_to_own(view, 1), tail=keys.spelled(keys.NEXT_OWN))
    menu.add(_tr("Next that waits for me"), lambda: go_to_waiting(view), tail=keys.spelled(keys.NEXT_WAITING))
    add_undo(view, menu, row)
    return menu


def call_at(view: TranscriptView, row: int | None, y: float | None) -> CallRow | None:
    """The call of a card at a height of its row; without one the call that has the ring."""
    if row is None or not (calls := calls_of(view.model.rows[row])):
        return None
    folding = [act for act in view.column.view(row).actions if act.name in (ActionName.TOGGLE, ActionName.UNFOLD)]
    if y is None and view.focus_action is not None:
        y = view.focus_action[1].rect.center().y()
    above = [number for number, act in enumerate(folding) if y is not None and act.rect.top() <= y]
    return calls[above[-1]] if above and above[-1] < len(calls) else None


def _add_call(view: TranscriptView, menu: Menu, row: int, call: CallRow) -> None:
    """What a card offers at the call, for who does not see its buttons."""
    menu.addSeparator()
    number = call.call_id
    folds = [act for act in view.column.view(row).actions if act.name in (ActionName.TOGGLE, ActionName.UNFOLD)]
    fold = next((act for act in folds if act.key in (number, f"call {number}")), None)
    if fold is not None:
        is_open = is_unfolded(view, row, fold)
        words, key = (_tr("Close"), keys.CLOSE) if is_open else (_tr("Open"), keys.OPEN)
        menu.add(words, lambda: perform(view, row, fold), tail=keys.spelled(key))
    if not call.has_proposal:
        return
    which = call.proposal is not None and call.proposal.written is not None
    menu.add(_tr("Copy as a patch"), lambda: view.proposal_copied.emit(number, which, True))
    menu.add(_tr("Copy the new text"), lambda: view.proposal_copied.emit(number, which, False))
    opened = view.review_requested if call.is_to_be_reviewed else view.proposal_opened
    menu.add(_tr("Open in the review"), lambda: opened.emit(number))
    if call.can_be_taken_up:
        menu.add(_tr("Propose again …"), lambda: view.take_up_requested.emit(number))


def _tr(words: str) -> str:
    return QCoreApplication.translate("TranscriptView", words)
