"""What the painted actions of a transcript do: fold, copy, or tell the window what a person asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from placet.ui.models.transcript_rows import CallRow, CallState
from placet.ui.widgets.transcript.jumping import calls_of
from placet.ui.widgets.transcript.ledger import fold_of
from placet.ui.widgets.transcript.row_view import Action, ActionName
from placet.ui.widgets.transcript.undo_menu import undo_menu

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView


def perform(view: TranscriptView, index: int, action: Action) -> None:
    """Do what a painted action of a row stands for."""
    match action.name:
        case ActionName.TOGGLE:
            _toggle(view, index, str(action.key))
        case ActionName.UNFOLD:
            view.model.toggle_agent(int(action.key))
        case ActionName.SHOW_ALL:
            view.context.folds[str(action.key)] = True
            view.relayout(index)
        case ActionName.UNDO_TURN:
            at = view.rect_of(index, action.rect).bottomLeft().toPoint()
            undo_menu(view, index).popup(view.viewport().mapToGlobal(at))
        case ActionName.COPY:
            QGuiApplication.clipboard().setText(str(action.key))
            _show_copied(view, action)
        case ActionName.COPY_PATCH | ActionName.COPY_NEW_TEXT:
            call_id, _, which = str(action.key).partition(" ")
            view.proposal_copied.emit(int(call_id), which == "written", action.name is ActionName.COPY_PATCH)
            _show_copied(view, action)
        case _:
            _request(view, action)


def is_unfolded(view: TranscriptView, index: int, action: Action) -> bool:
    """Whether what this action opens and closes is open."""
    if action.name is ActionName.UNFOLD:
        calls = calls_of(view.model.rows[index])
        return any(call.agent is not None and call.agent.is_open for call in calls if call.call_id == action.key)
    call = _call_of(view, index, str(action.key))
    is_told = call is not None and call.state is CallState.FAILED and bool(call.result)
    return view.context.is_open(str(action.key), otherwise=is_told)


def _toggle(view: TranscriptView, index: int, fold: str) -> None:
    """Open or close; a call that proposed something opens when that is known."""
    is_open = not view.context.folds.get(fold, False)
    view.context.folds[fold] = is_open
    call = _call_of(view, index, fold)
    if call is not None and call.has_proposal and is_open:
        view.proposal_wanted.emit(call.call_id)
        return
    if call is not None and call.proposal is not None:
        view.model.set_proposal(call.call_id, None)
    view.relayout(index)


def _call_of(view: TranscriptView, index: int, fold: str) -> CallRow | None:
    """The call that this fold is of, None for others."""
    return next((call for call in calls_of(view.model.rows[index]) if fold == fold_of(call)), None)


def _show_copied(view: TranscriptView, action: Action) -> None:
    view.copied = action
    view.viewport().update()


def _request(view: TranscriptView, action: Action) -> None:
    """Tell what was asked for; the window carries it out."""
    match action.name:
        case ActionName.REMEDY:
            view.remedy_requested.emit(str(action.key))
        case ActionName.STOP:
            view.stop_requested.emit()
        case ActionName.RESUME:
            view.resume_requested.emit()
        case name:
            by_number = {
                ActionName.REVIEW: view.review_requested,
                ActionName.ANSWER: view.answer_requested,
                ActionName.UNDO: view.undo_requested,
                ActionName.REDO: view.redo_requested,
                ActionName.RETRY: view.retry_requested,
                ActionName.OPEN_PROPOSAL: view.proposal_opened,
                ActionName.TAKE_UP: view.take_up_requested,
            }
            by_number[name].emit(int(action.key))
