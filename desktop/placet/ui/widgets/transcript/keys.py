"""The keyboard in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.view import TranscriptView

_CARET = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


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
    elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and view.focus_action is not None:
        _press(view)
    elif event.key() == Qt.Key.Key_Escape and (view.focus_action is not None or not view.selection.is_empty):
        view.set_focus_action(None)
        view.selection.set(None, None)
        view.viewport().update()
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


def _press(view: TranscriptView) -> None:
    """Press the action with the ring; the ring stays on the one that takes its place."""
    assert view.focus_action is not None
    index, action = view.focus_action
    view.perform(index, action)
    if index < len(view.column.rows):
        kept = next((a for a in view.column.view(index).actions if (a.name, a.key) == (action.name, action.key)), None)
        view.set_focus_action((index, kept) if kept is not None else None)
