"""The composer by itself: keys, growth, drafts, and what its controls tell."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QRadioButton
from pytestqt.qtbot import QtBot

from placet.core.domain.messages import Mode
from placet.core.domain.model_calls import ContextInfo, Model
from placet.ui.panels.chat.composer import Composer
from placet.ui.panels.chat.message_field import LINE, MAX_LINES, CaretRest
from placet.ui.theme.theme import Theme

MODELS = [Model(name="small", provider="local", model_id="a"), Model(name="large", provider="far", model_id="b")]


@pytest.fixture
def composer(qtbot: QtBot, theme: Theme) -> Composer:
    made = Composer(theme)
    qtbot.addWidget(made)
    made.resize(720, 200)
    made.show_session("one", [])
    made.show()
    made.field.setFocus()
    return made


def _press(qtbot: QtBot, composer: Composer, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(composer.field, key)


def test_enter_sends_the_text_once_and_empties_the_field(qtbot: QtBot, composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    qtbot.keyClicks(composer.field, "hello")
    _press(qtbot, composer, Qt.Key.Key_Return)
    _press(qtbot, composer, Qt.Key.Key_Return)
    assert sent == ["hello"]
    assert composer.field.toPlainText() == ""


def test_shift_enter_breaks_the_line_and_sends_nothing(qtbot: QtBot, composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    qtbot.keyClicks(composer.field, "a")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.field, "b")
    assert composer.field.toPlainText() == "a\nb"
    assert sent == []


def test_ctrl_enter_stops_a_turn_and_sends_and_else_just_sends(qtbot: QtBot, composer: Composer) -> None:
    sent: list[str] = []
    at_once: list[str] = []
    composer.sent.connect(sent.append)
    composer.interrupted_with.connect(at_once.append)
    for running in (False, True):
        composer.show_running(running)
        qtbot.keyClicks(composer.field, "now")
        assert composer.interrupt.isVisible() is running
        qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        qtbot.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)  # nothing is there
    assert (sent, at_once) == (["now"], ["now"])
    assert composer.field.toPlainText() == ""


def test_enter_does_nothing_while_an_input_method_composes(qtbot: QtBot, composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    QApplication.sendEvent(composer.field, QInputMethodEvent("にほ", []))
    _press(qtbot, composer, Qt.Key.Key_Return)
    assert sent == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(composer.field, done)
    _press(qtbot, composer, Qt.Key.Key_Return)
    assert [text.strip() for text in sent] == ["日本"]


def test_the_field_grows_to_twelve_lines_and_shrinks_again(qtbot: QtBot, composer: Composer) -> None:
    heights = []
    for lines in (1, 3, MAX_LINES, 40):
        composer.field.replace("\n".join(["x"] * lines))
        heights.append(composer.field.height())
    assert heights == [LINE, 3 * LINE, MAX_LINES * LINE, MAX_LINES * LINE]
    composer.field.clear()
    assert composer.field.height() == LINE


def test_blank_text_cannot_be_sent(qtbot: QtBot, composer: Composer) -> None:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    qtbot.keyClicks(composer.field, "   ")
    assert not composer.send.isEnabled()
    _press(qtbot, composer, Qt.Key.Key_Return)
    assert sent == []
    qtbot.keyClicks(composer.field, "x")
    assert composer.send.isEnabled()


def test_send_keeps_its_place_when_stop_comes_and_goes(qtbot: QtBot, composer: Composer) -> None:
    before = composer.send.mapTo(composer, QPoint()).x()
    composer.show_running(True)
    composer.layout().activate()
    QApplication.sendPostedEvents()
    assert composer.stop.isVisible() and composer.send.isVisible()
    assert composer.send.mapTo(composer, QPoint()).x() == before
    stopped: list[bool] = []
    composer.stop_requested.connect(lambda: stopped.append(True))
    qtbot.mouseClick(composer.stop, Qt.MouseButton.LeftButton)
    assert stopped == [True]
    composer.show_running(False)
    assert not composer.stop.isVisible()


def test_escape_twice_stops_and_once_only_tells(qtbot: QtBot, composer: Composer) -> None:
    stopped: list[bool] = []
    hints: list[str] = []
    composer.stop_requested.connect(lambda: stopped.append(True))
    composer.hinted.connect(hints.append)
    _press(qtbot, composer, Qt.Key.Key_Escape, Qt.Key.Key_Escape)
    assert stopped == [] and hints == []  # nothing runs
    composer.show_running(True)
    qtbot.waitUntil(lambda: not composer.field.is_escape_fresh, timeout=2000)
    _press(qtbot, composer, Qt.Key.Key_Escape)
    assert stopped == [] and len(hints) == 1
    _press(qtbot, composer, Qt.Key.Key_Escape)
    assert stopped == [True]


def test_up_recalls_only_from_an_empty_field(qtbot: QtBot, composer: Composer) -> None:
    composer.show_session("two", ["first", "second"])
    _press(qtbot, composer, Qt.Key.Key_Up)
    assert composer.field.toPlainText() == "second"
    _press(qtbot, composer, Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert composer.field.toPlainText() == "first"
    _press(qtbot, composer, Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert composer.field.toPlainText() == ""
    qtbot.keyClicks(composer.field, "mine")
    _press(qtbot, composer, Qt.Key.Key_Up)
    assert composer.field.toPlainText() == "mine"


def test_what_was_just_sent_is_recalled_first(qtbot: QtBot, composer: Composer) -> None:
    composer.show_session("two", ["old"])
    qtbot.keyClicks(composer.field, "new")
    _press(qtbot, composer, Qt.Key.Key_Return, Qt.Key.Key_Up)
    assert composer.field.toPlainText() == "new"


def test_each_session_keeps_its_draft(qtbot: QtBot, composer: Composer) -> None:
    qtbot.keyClicks(composer.field, "for one")
    composer.show_session("two", [])
    assert composer.field.toPlainText() == ""
    qtbot.keyClicks(composer.field, "for two")
    composer.show_session("one", [])
    assert composer.field.toPlainText() == "for one"
    assert composer.keep_draft()["two"] == "for two"


def test_reloading_the_same_session_leaves_the_text_alone(qtbot: QtBot, composer: Composer) -> None:
    qtbot.keyClicks(composer.field, "half a sen")
    composer.show_session("one", ["something"])
    assert composer.field.toPlainText() == "half a sen"


def test_h6_returned_messages_come_before_what_is_being_written(composer: Composer) -> None:
    composer.field.replace("now")
    composer.give_back(["first", "second"])
    assert composer.field.toPlainText() == "first\n\nsecond\n\nnow"


def test_a_queued_message_is_shown_and_can_be_taken_back(qtbot: QtBot, composer: Composer) -> None:
    taken: list[int] = []
    composer.take_back_requested.connect(taken.append)
    composer.queue.show_messages(["one", "two"])
    assert composer.queue.isVisible()
    crosses = [
        button for button in composer.queue.findChildren(QAbstractButton) if button.accessibleName() == "Take back"
    ]
    qtbot.mouseClick(crosses[1], Qt.MouseButton.LeftButton)
    assert taken == [1]
    composer.queue.show_messages([])
    assert not composer.queue.isVisible()


def test_without_a_model_the_picker_leads_to_the_settings(qtbot: QtBot, composer: Composer) -> None:
    assert composer.picker.text() == "No model"
    with qtbot.waitSignal(composer.settings_requested):
        qtbot.mouseClick(composer.picker, Qt.MouseButton.LeftButton)


def test_a_model_is_picked_from_the_menu(qtbot: QtBot, composer: Composer) -> None:
    composer.picker.show_models(MODELS, "small")
    qtbot.mouseClick(composer.picker, Qt.MouseButton.LeftButton)
    menu = composer.picker.findChild(QMenu)
    assert menu is not None
    wanted = next(action for action in menu.actions() if action.text().startswith("large"))
    assert "far" in wanted.text()
    with qtbot.waitSignal(composer.model_chosen) as caught:
        wanted.trigger()
    menu.close()
    assert caught.args == ["large"]


def test_the_dial_tells_the_mode_that_was_clicked(qtbot: QtBot, composer: Composer) -> None:
    modes: list[Mode] = []
    composer.mode_chosen.connect(modes.append)
    segments = {radio.text(): radio for radio in composer.dial.findChildren(QRadioButton)}
    qtbot.mouseClick(segments["Edits"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(segments["Auto"], Qt.MouseButton.LeftButton)
    assert modes == [Mode.EDITS, Mode.AUTO]
    composer.show_mode(Mode.ASK)
    assert segments["Ask"].isChecked() and modes == [Mode.EDITS, Mode.AUTO]


def test_the_outline_warns_in_mode_auto(composer: Composer, theme: Theme) -> None:
    composer.show_mode(Mode.AUTO)
    picture = composer.grab().toImage()
    edge = composer.field.mapTo(composer, QPoint(200, -10))
    column = {picture.pixelColor(edge.x(), y).name() for y in range(picture.height())}
    assert theme.color("warn-line").name() in column


def test_the_dial_becomes_a_menu_where_there_is_no_room(qtbot: QtBot, composer: Composer) -> None:
    composer.resize(400, 200)
    radios = composer.dial.findChildren(QRadioButton)
    assert not any(radio.isVisible() for radio in radios)
    modes: list[Mode] = []
    composer.mode_chosen.connect(modes.append)
    button = next(b for b in composer.dial.findChildren(QAbstractButton) if b.text() == "Ask" and b.isVisible())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    menu = composer.dial.findChild(QMenu)
    assert menu is not None
    next(action for action in menu.actions() if action.text().startswith("Auto")).trigger()
    menu.close()
    assert modes == [Mode.AUTO]


def test_the_gauge_tells_what_is_used(composer: Composer) -> None:
    composer.show_context(ContextInfo(used=72_000, budget=180_000, window=200_000, reserved=20_000))
    assert composer.gauge.label == "72k / 200k"
    assert "20,000" in composer.gauge.toolTip()


def test_pasted_formatting_is_left_out_and_files_become_paths(composer: Composer) -> None:
    rich = QMimeData()
    rich.setHtml("<b>bold</b>")
    rich.setText("bold")
    composer.field.insertFromMimeData(rich)
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile("/tmp/a.txt")])
    composer.field.insertFromMimeData(files)
    assert composer.field.toPlainText() == "bold/tmp/a.txt"
    assert not composer.field.textCursor().charFormat().font().bold()


def test_d2_the_caret_stops_blinking_after_a_while_and_wakes_with_a_key(qtbot: QtBot, composer: Composer) -> None:
    hints = QGuiApplication.styleHints()
    before = hints.cursorFlashTime()
    caret = CaretRest(composer, rests_ms=1)
    caret.wake()
    qtbot.waitUntil(lambda: hints.cursorFlashTime() == 0, timeout=2000)
    caret.wake()
    assert hints.cursorFlashTime() == before
    caret.leave()
    assert hints.cursorFlashTime() == before
