"""`R-9` from the chat: what a turn did, and all that was done since a message, is offered where something was done."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.ui.models.transcript import TranscriptModel
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.view import TranscriptView
from unit.ui_models.transcript.told import answer, call, done, page, said, started, tell, user

Press = Callable[..., None]
CHANGED = {"added": 2, "removed": 1, "change_id": 9, "path": "a", "change": "modified"}


def entries(view: TranscriptView) -> dict[str, Callable[[], None]]:
    """The rows of the menu that is open, and what choosing each does; the menu is closed."""
    menu = view.findChildren(QMenu)[-1]
    found = {action.text(): action.trigger for action in menu.actions() if action.text()}
    menu.hide()
    return found


def undo_actions(view: TranscriptView) -> list[int]:
    seen = (act for _row, _y, row in view.column.visible() for act in row.actions)
    return [int(act.key) for act in seen if act.name is ActionName.UNDO_TURN]


def test_only_a_message_whose_turn_changed_files_has_the_button(view: TranscriptView, model: TranscriptModel) -> None:
    stored = call(5, 1, "edit_file", facts=CHANGED)
    model.load(page(user(1, "look"), answer(2, "seen"), user(3, "mend it"), answer(4, "", stored), answer(6, "done")))
    assert undo_actions(view) == [3]


def test_it_appears_as_soon_as_a_file_was_changed(view: TranscriptView, model: TranscriptModel) -> None:
    tell(model, said(1, "go"), started(5, 2, "edit_file"))
    assert undo_actions(view) == []
    changed = events.FileChanged(path="a", change="modified", change_id=9, tool_call_id=5)  # type: ignore[arg-type]
    tell(model, done(5), changed)
    assert undo_actions(view) == [1]


@pytest.mark.parametrize(
    ("words", "signal"),
    [("Undo this turn …", "undo_turn_requested"), ("Undo everything since here …", "undo_since_requested")],
)
def test_r_9_the_button_offers_the_turn_and_all_since(
    view: TranscriptView, model: TranscriptModel, press: Press, qtbot: QtBot, words: str, signal: str
) -> None:
    model.load(page(user(3, "mend it"), answer(4, "", call(5, 1, "edit_file", facts=CHANGED))))
    press(ActionName.UNDO_TURN)
    with qtbot.waitSignal(getattr(view, signal), timeout=1000) as asked:
        entries(view)[words]()
    assert asked.args == [3]


def open_menu_by_key(view: TranscriptView, row: int) -> None:
    """What the menu key does: an event at the place that has the keyboard."""
    found = [(index, act) for index, _y, seen in view.column.visible() for act in seen.actions if index == row]
    view.set_focus_action(found[0])
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), view.mapToGlobal(QPoint(5, 5)))
    QApplication.sendEvent(view.viewport(), event)


def test_r_9_any_row_of_a_turn_leads_to_its_undo_by_keys(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(page(user(3, "mend it"), answer(4, "", call(5, 1, "edit_file", facts=CHANGED))))
    open_menu_by_key(view, 1)
    with qtbot.waitSignal(view.undo_turn_requested, timeout=1000) as asked:
        entries(view)["Undo this turn …"]()
    assert asked.args == [3]


def test_nothing_is_offered_where_nothing_was_changed(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(page(user(3, "look"), answer(4, "", call(5, 1, "read_file"))))
    open_menu_by_key(view, 1)
    assert not any(words.startswith("Undo") for words in entries(view))


def test_the_button_is_reached_by_tab_and_has_a_name(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(page(user(3, "mend it"), answer(4, "", call(5, 1, "edit_file", facts=CHANGED))))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert view.focus_action is not None
    assert (view.focus_action[1].name, view.focus_action[1].label) == (ActionName.UNDO_TURN, "Undo what followed")
