"""Going through a conversation and copying from it by keys alone (`D-7`)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from placet.core.domain.messages import CallStatus
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_rows import UserRow
from placet.ui.widgets.transcript.jumping import go_to_own, go_to_waiting
from placet.ui.widgets.transcript.menus import call_at, context_menu
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.view import TranscriptView
from unit.ui_models.transcript.told import answer, call, page, user

NONE = Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LONG = "\n\n".join(f"paragraph {n}" for n in range(30))


@pytest.fixture
def talk(view: TranscriptView, model: TranscriptModel) -> TranscriptModel:
    """Three messages of mine, each with a long answer; the second answer has two calls that wait."""
    waits = [
        call(number, 4, "edit_file", status=CallStatus.PENDING, label=f"{number}.py", result="") for number in (5, 6)
    ]
    model.load(
        page(
            user(1, "first **wish**"), answer(2, LONG), user(3, "second"), answer(4, LONG, *waits), user(7, "third"),
            answer(8, "# Done\n\nAll **well**."),
        )
    )  # fmt: skip
    view.setFocus()
    return model


def at(view: TranscriptView) -> str:
    """What a person said in the row one is at."""
    assert view.selection.end is not None
    row = view.model.rows[view.selection.end.row]
    assert isinstance(row, UserRow)
    return row.source


def key(view: TranscriptView, qtbot: QtBot, pressed: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    qtbot.keyClick(view, pressed, modifiers)


def test_the_messages_of_mine_are_walked_up_and_down(view: TranscriptView, talk: TranscriptModel) -> None:
    assert [go_to_own(view, -1) and at(view) for _ in range(3)] == ["third", "second", "first **wish**"]
    assert not go_to_own(view, -1)
    assert go_to_own(view, 1)
    assert at(view) == "second"
    assert "second" in view.visible_text()


def test_after_the_last_message_of_mine_comes_the_end(view: TranscriptView, talk: TranscriptModel) -> None:
    go_to_own(view, -1)
    assert not go_to_own(view, 1)
    assert view.column.follow


def test_where_one_has_scrolled_to_counts_and_not_where_one_was(
    view: TranscriptView, talk: TranscriptModel, qtbot: QtBot
) -> None:
    go_to_own(view, -1)
    key(view, qtbot, Qt.Key.Key_Home)
    view.scroll_by(100)
    assert go_to_own(view, -1)
    assert at(view) == "first **wish**"


def test_before_the_first_one_older_messages_are_asked_for(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(page(answer(2, "an answer"), has_older=True))
    qtbot.wait(1)
    with qtbot.waitSignal(view.older_wanted, timeout=1000):
        go_to_own(view, -1)


def test_what_waits_is_gone_through_with_the_ring_on_its_review(
    view: TranscriptView, talk: TranscriptModel, qtbot: QtBot
) -> None:
    ringed = []
    for _ in range(3):
        assert go_to_waiting(view)
        assert view.focus_action is not None
        ringed.append((view.focus_action[1].name, view.focus_action[1].key))
    assert ringed == [(ActionName.REVIEW, 5), (ActionName.REVIEW, 6), (ActionName.REVIEW, 5)]
    with qtbot.waitSignal(view.review_requested, timeout=1000) as asked:
        key(view, qtbot, Qt.Key.Key_Return)
    assert asked.args == [5]


def test_nothing_is_gone_to_where_nothing_waits(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(page(user(1), answer(2, "an answer")))
    assert not go_to_waiting(view)


def test_the_card_one_is_at_opens_and_closes(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    calls = [call(number, 2, "grep", arguments=f'{{"pattern": "needle{number}"}}') for number in (5, 6)]
    model.load(page(user(1), answer(2, "", *calls)))
    view.setFocus()
    key(view, qtbot, Qt.Key.Key_Tab)
    key(view, qtbot, Qt.Key.Key_Right)
    assert "needle5" in view.visible_text()
    key(view, qtbot, Qt.Key.Key_Right)
    assert "needle5" in view.visible_text(), "it is open already"
    key(view, qtbot, Qt.Key.Key_Left)
    assert "needle5" not in view.visible_text()
    while view.focus_action is None or view.focus_action[1].key != "call 6":
        key(view, qtbot, Qt.Key.Key_Tab)
    key(view, qtbot, Qt.Key.Key_Right)
    assert "needle6" in view.visible_text()
    assert "needle5" not in view.visible_text()


def test_the_message_one_is_at_is_copied_plain_and_as_markdown(
    view: TranscriptView, talk: TranscriptModel, qtbot: QtBot
) -> None:
    clipboard = QGuiApplication.clipboard()
    with qtbot.waitSignal(view.told, timeout=1000):
        key(view, qtbot, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "Done\n\nAll well.", "where one is nowhere it is the last one"
    key(view, qtbot, Qt.Key.Key_C, CONTROL | SHIFT)
    assert clipboard.text() == "# Done\n\nAll **well**."
    for _ in range(3):
        go_to_own(view, -1)
    key(view, qtbot, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "first **wish**"


def test_a_selection_across_messages_is_copied_as_both(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(page(user(1, "ask"), answer(2, "# Head\n\nAll **well**.")))
    view.setFocus()
    key(view, qtbot, Qt.Key.Key_A, CONTROL)
    key(view, qtbot, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "ask\n\nHead\n\nAll well."
    key(view, qtbot, Qt.Key.Key_C, CONTROL | SHIFT)
    assert QGuiApplication.clipboard().text() == "ask\n\n# Head\n\nAll **well**."


def test_d_7_the_menu_names_the_keys_and_what_the_call_offers(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(page(user(1), answer(2, "", call(5, 2, "edit_file", status=CallStatus.REJECTED))))
    view.setFocus()
    key(view, qtbot, Qt.Key.Key_Tab)
    menu = context_menu(view, 1, "", call_at(view, 1, None))
    labels = [action.text() for action in menu.actions()]
    menu.close()
    for wanted in ("Copy the message\tCtrl+C", "Copy as Markdown\tCtrl+Shift+C", "Open\tRight", "Open in the review",
                   "Copy as a patch", "Propose again …", "Previous message of mine\tCtrl+PgUp", "Next that waits for me\tF7"):  # fmt: skip
        assert wanted in labels
    with qtbot.waitSignal(view.take_up_requested, timeout=1000) as asked:
        next(action for action in menu.actions() if action.text() == "Propose again …").trigger()
    assert asked.args == [5]
