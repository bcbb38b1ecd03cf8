"""The keyboard in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from placet.ui.widgets.transcript.acting import is_unfolded, perform
from placet.ui.widgets.transcript.jumping import cursor_row
from placet.ui.widgets.transcript.row_view import Action, ActionName

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView

COPY, COPY_MARKDOWN, ALL = "Ctrl+C", "Ctrl+Shift+C", "Ctrl+A"
OPEN, CLOSE = "Right", "Left"
PREVIOUS_OWN, NEXT_OWN, NEXT_WAITING = "Ctrl+PgUp", "Ctrl+PgDown", "F7"

_CARET = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_FOLDING = (ActionName.TOGGLE, ActionName.UNFOLD)
_tr = QCoreApplication.translate


def chat_keys() -> list[tuple[str, str]]:
    """What can be done in the conversation by key, each as (what it does, the key), for whoever lists them."""
    return [
        (_tr("ChatKeys", "Copy what is selected, or the message one is at"), spelled(COPY)),
        (_tr("ChatKeys", "The same as Markdown"), spelled(COPY_MARKDOWN)),
        (_tr("ChatKeys", "Open and close a call, in the conversation"), f"{spelled(OPEN)}, {spelled(CLOSE)}"),
        (_tr("ChatKeys", "Press what has the ring; Tab moves it"), _tr("ChatKeys", "Enter")),
        (_tr("ChatKeys", "To the beginning and the end of the conversation"), _tr("ChatKeys", "Home, End")),
    ]


def spelled(keys: str) -> str:
    """Keys as this system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def handle_key(view: TranscriptView, event: QKeyEvent) -> bool:
    """Do what the key stands for; False leaves it to scrolling and the window."""
    shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    if event.matches(QKeySequence.StandardKey.SelectAll):
        view.select_all()
    elif event.key() == Qt.Key.Key_C and control:
        view.copy(markdown=shift)
    elif event.key() in _CARET and shift:
        place = view.selection.move(event.key(), by_word=control, extend=True)
        if place is not None:
            view.reveal(place)
        view.viewport().update()
    elif event.key() in _ENTER and view.focus_action is not None:
        _press(view)
    elif event.key() == Qt.Key.Key_Escape and (view.focus_action is not None or not view.selection.is_empty):
        view.set_focus_action(None)
        view.selection.set(None, None)
        view.viewport().update()
    elif event.key() in (Qt.Key.Key_Right, Qt.Key.Key_Left) and not control:
        return fold_at_cursor(view, is_open=event.key() == Qt.Key.Key_Right)
    else:
        return _go_to_end(view, event.key())
    return True


def _go_to_end(view: TranscriptView, key: int) -> bool:
    if key == Qt.Key.Key_End:
        view.to_bottom()
    elif key == Qt.Key.Key_Home:
        view.column.follow = False
        view.column.anchor, view.column.into = 0, 0.0
        view.settle()
    else:
        return False
    return True


def fold_at_cursor(view: TranscriptView, *, is_open: bool) -> bool:
    """Open or close what the ring or the caret is at; False where there is nothing of the kind."""
    row = cursor_row(view)
    if row is None or row >= len(view.model.rows):
        return False
    action = _folding_at(view, row)
    if action is None:
        return False
    if is_unfolded(view, row, action) != is_open:
        view.set_focus_action((row, action))
        _press(view)
    return True


def _folding_at(view: TranscriptView, row: int) -> Action | None:
    """Of a card with several calls the one that the ring, or the caret, is in."""
    folding = [action for action in view.column.view(row).actions if action.name in _FOLDING]
    if view.focus_action is not None:
        y = view.focus_action[1].rect.center().y()
    elif view.selection.end is not None:
        y = view.column.view(row).caret(view.selection.end.offset).center().y()
    else:
        return None
    above = [action for action in folding if action.rect.top() <= y]
    return above[-1] if above else next(iter(folding), None)


def _press(view: TranscriptView) -> None:
    """Press the action with the ring; the ring stays on the one that takes its place."""
    assert view.focus_action is not None
    index, action = view.focus_action
    perform(view, index, action)
    if index < len(view.column.rows):
        kept = next((a for a in view.column.view(index).actions if (a.name, a.key) == (action.name, action.key)), None)
        view.set_focus_action((index, kept) if kept is not None else None)
