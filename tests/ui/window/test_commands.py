"""Commands in the window, with real keys and the real commands on a hub in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QInputMethodEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import SessionBusy
from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Mode, Role
from placet.core.domain.model_calls import Model
from placet.ui.models.transcript_rows import CommandRow, UserRow
from placet.ui.theme.theme import Theme
from placet.ui.widgets import accessible
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.completion_list import PAD, ROW, CompletionList
from placet.ui.widgets.transcript.acting import perform
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until
from .test_window import chat_text, composer, part, write

Key = Qt.Key


@pytest.fixture
def talked(hub: WindowHub) -> SessionId:
    session = hub.add_session("active", title="Accept empty input", last_activity=300.0)
    hub.active["desktop"] = session
    hub.add_message(session, Role.USER, "make it total")
    hub.add_message(session, Role.ASSISTANT, "I read it first.")
    return session


@pytest.fixture
async def window(open_window: OpenWindow, talked: SessionId, hub: WindowHub, tmp_path: Path) -> MainWindow:
    hub.catalogue.by_model["large"] = Model(name="large", provider="local", model_id="large-1")
    hub.own_commands = tmp_path
    folder = tmp_path / "greet"
    folder.mkdir()
    (folder / "COMMAND.md").write_text("+++\ndescription = 'Say hello'\n+++\nGreet {{args}} in Latin.")
    return await open_window()


def _keys(qtbot: QtBot, window: MainWindow, *keys: Qt.Key) -> None:
    for key in keys:
        qtbot.keyClick(composer(window), key)


def _open_list(window: MainWindow) -> CompletionList | None:
    found = window.frame.findChild(CompletionList, "completionList")
    return found if found is not None and found.isVisible() else None


async def _listed(window: MainWindow, *labels: str) -> CompletionList:
    """Wait until the list shows exactly these, or anything if none are named."""
    await until(lambda: (shown := _open_list(window)) and (not labels or _labels(shown) == list(labels)))
    shown = _open_list(window)
    assert shown is not None
    return shown


def _labels(shown: CompletionList) -> list[str]:
    return [item.label for item in shown.items]


async def _settled() -> None:
    """Let everything that was asked for arrive."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_slash_opens_the_list_above_the_field_and_leaves_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/")
    shown = await _listed(window)
    assert {"/help", "/model", "/greet", "/stop"} <= set(_labels(shown))
    bottom = shown.mapTo(window, QPoint(0, shown.height())).y()
    top = composer(window).mapTo(window, QPoint()).y()
    assert top - 40 < bottom < top
    assert composer(window).hasFocus() and QApplication.activePopupWidget() is None
    _keys(qtbot, window, Key.Key_Backspace)
    assert _open_list(window) is None


async def test_the_list_narrows_while_one_types_and_closes_where_nothing_fits(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/mo")
    await _listed(window, "/model", "/models", "/mode")
    qtbot.keyClicks(composer(window), "de")
    assert _labels(await _listed(window)) == ["/model", "/models", "/mode"]  # at once, before anything was asked
    await _listed(window, "/mode", "/model", "/models")
    qtbot.keyClicks(composer(window), "x")
    assert _open_list(window) is None


@pytest.mark.parametrize("taking", [Key.Key_Tab, Key.Key_Return, Key.Key_Enter])
async def test_arrows_choose_and_tab_or_enter_takes(qtbot: QtBot, window: MainWindow, taking: Qt.Key) -> None:
    qtbot.keyClicks(composer(window), "/mo")
    shown = await _listed(window, "/model", "/models", "/mode")
    _keys(qtbot, window, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Up)
    assert shown.current == 2
    _keys(qtbot, window, Key.Key_Up, taking)
    assert composer(window).toPlainText() == "/models"
    assert _open_list(window) is None and composer(window).hasFocus()
    _keys(qtbot, window, Key.Key_Return)
    await until(lambda: "large" in chat_text(window))


async def test_escape_closes_the_list_and_does_not_stop_the_turn(
    qtbot: QtBot, hub: WindowHub, window: MainWindow, talked: SessionId
) -> None:
    hub.set_running(talked, True)
    await until(lambda: window.conversation.is_running)
    qtbot.keyClicks(composer(window), "/mo")
    await _listed(window)
    _keys(qtbot, window, Key.Key_Escape)
    assert _open_list(window) is None
    qtbot.keyClicks(composer(window), "d")
    await _settled()
    assert _open_list(window) is None  # it stays closed while the same name is typed
    _keys(qtbot, window, Key.Key_Escape)
    await _settled()
    assert hub.asked("cancel") == [] and composer(window).toPlainText() == "/mod"
    _keys(qtbot, window, Key.Key_Escape)
    await until(lambda: hub.asked("cancel") == ["desktop"])


async def test_a_click_takes_a_row(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/mo")
    shown = await _listed(window, "/model", "/models", "/mode")
    qtbot.mouseMove(shown, QPoint(50, PAD + ROW + 5))
    assert shown.current == 1
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton, pos=QPoint(50, PAD + 2 * ROW + 5))
    assert composer(window).toPlainText() == "/mode "
    assert composer(window).hasFocus()
    await _listed(window, "ask", "ask_all", "edits", "auto")


async def test_arguments_of_model_and_mode_are_completed(qtbot: QtBot, hub: WindowHub, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/model ")
    shown = await _listed(window, "small", "large")
    assert shown.current == -1  # Enter now would ask which one it is
    qtbot.keyClicks(composer(window), "L")
    await _listed(window, "large", "small")
    _keys(qtbot, window, Key.Key_Return)
    assert composer(window).toPlainText() == "/model large"
    _keys(qtbot, window, Key.Key_Return)
    await until(lambda: hub.asked("select_model") == ["large"])
    qtbot.keyClicks(composer(window), "/mode ")
    await _listed(window)
    _keys(qtbot, window, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Tab, Key.Key_Return)
    await until(lambda: hub.asked("set_policy") == [Mode.EDITS])
    await until(lambda: window.chat.composer.dial.mode is Mode.EDITS)


async def test_enter_sends_a_command_that_stands_there_whole(qtbot: QtBot, hub: WindowHub, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/model")
    await _listed(window, "/model", "/models")
    _keys(qtbot, window, Key.Key_Return)
    await until(lambda: "small answers in this chat." in chat_text(window))
    qtbot.keyClicks(composer(window), "/mode ")
    await _listed(window)
    _keys(qtbot, window, Key.Key_Return)
    await until(lambda: "Mode ask:" in chat_text(window))
    assert hub.asked("select_model") == hub.asked("set_policy") == hub.asked("send_message") == []


async def test_a_name_is_completed_in_front_of_what_is_already_there(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "ello Ada")
    _keys(qtbot, window, Key.Key_Home)
    qtbot.keyClicks(composer(window), "/gre")
    await _listed(window, "/greet")
    _keys(qtbot, window, Key.Key_Tab)
    assert composer(window).toPlainText() == "/greet  Ada".replace("  ", " ")
    composer(window).undo()
    assert composer(window).toPlainText() == "/greello Ada"


async def test_other_slashes_and_other_places_open_nothing(qtbot: QtBot, window: MainWindow) -> None:
    for text in ("say /he", " /he", "//he", "/usr/b", "/1"):
        qtbot.keyClicks(composer(window), text)
        await _settled()
        assert _open_list(window) is None, text
        window.chat.composer.field.empty()


async def test_an_answer_that_comes_too_late_opens_nothing(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/m")
    _keys(qtbot, window, Key.Key_Backspace, Key.Key_Backspace)
    await _settled()
    assert _open_list(window) is None


async def test_a_recalled_command_opens_no_list_and_the_arrows_go_on(qtbot: QtBot, window: MainWindow) -> None:
    for command in ("/mode", "/cost"):
        write(qtbot, window, command)
        await _settled()
    _keys(qtbot, window, Key.Key_Up)
    await _settled()
    assert composer(window).toPlainText() == "/cost" and _open_list(window) is None
    _keys(qtbot, window, Key.Key_Up)
    assert composer(window).toPlainText() == "/mode"


async def test_an_input_method_keeps_its_keys(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/mo")
    shown = await _listed(window)
    QApplication.sendEvent(composer(window), QInputMethodEvent("にほ", []))
    _keys(qtbot, window, Key.Key_Down, Key.Key_Escape)
    assert composer(window).toPlainText() == "/mo" and shown.current == 0 and shown.isVisible()
    done = QInputMethodEvent("", [])
    done.setCommitString("日")
    QApplication.sendEvent(composer(window), done)
    assert composer(window).toPlainText() == "/mo日" and _open_list(window) is None


async def test_the_list_closes_when_the_focus_leaves_or_the_window_changes(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClicks(composer(window), "/")
    await _listed(window)
    window.chat.transcript.setFocus()
    assert _open_list(window) is None
    composer(window).setFocus()
    qtbot.keyClicks(composer(window), "h")
    await _listed(window)
    window.resize(700, 600)
    await until(lambda: _open_list(window) is None)


async def test_d8_a_screen_reader_can_walk_the_list(qtbot: QtBot, window: MainWindow) -> None:
    accessible.install()
    qtbot.keyClicks(composer(window), "/mo")
    shown = await _listed(window)
    read = QAccessible.queryAccessibleInterface(shown)
    assert read.text(QAccessible.Text.Name) == "Commands"
    names = [read.child(index).text(QAccessible.Text.Name) for index in range(read.childCount())]
    assert names[0] == "/model [name], Show or choose the model that answers"
    assert len(names) == 3


@pytest.mark.parametrize("look", ["light", "dark"])
async def test_d9_the_current_row_is_tinted_in_light_and_dark(
    qtbot: QtBot, window: MainWindow, theme: Theme, look: str
) -> None:
    theme.use(look)
    try:
        qtbot.keyClicks(composer(window), "/mo")
        shown = await _listed(window)
        picture = shown.grab().toImage()
        right = picture.width() - 20
        assert picture.pixelColor(right, PAD + 14).name() == theme.color("accent-bg").name()
        assert picture.pixelColor(right, PAD + ROW + 14).name() == theme.color("raised").name()
    finally:
        theme.use("light")


async def test_the_answer_can_be_copied_and_is_no_message(qtbot: QtBot, hub: WindowHub, window: MainWindow) -> None:
    write(qtbot, window, "/models")
    await until(lambda: any(isinstance(row, CommandRow) for row in window.chat.model.rows))
    view = window.chat.transcript
    number = next(n for n, row in enumerate(view.column.rows) if isinstance(row, CommandRow))
    action = view.column.view(number).actions[0]
    perform(view, number, action)
    assert QGuiApplication.clipboard().text().splitlines() == [
        "small: local, small-1, the default, answers in this chat",
        "large: local, large-1",
    ]
    view.select_all()
    view.copy()
    assert "large" in QGuiApplication.clipboard().text()
    assert view.message_count() == 2 and hub.asked("send_message") == []


async def test_an_answer_shows_in_a_chat_that_is_still_empty(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    assert window.chat.empty.isVisible()
    write(qtbot, window, "/help")
    await until(window.chat.transcript.isVisible)
    assert "/help: List the commands" in chat_text(window)


async def test_d12_an_unknown_command_is_told_at_the_field_and_its_text_stays(
    qtbot: QtBot, hub: WindowHub, window: MainWindow
) -> None:
    write(qtbot, window, "/modl large")
    told = part(window, Banner, "composerRefusal")
    await until(told.isVisible)
    assert composer(window).toPlainText() == "/modl large"
    assert told.title.text() == "There is no command /modl."
    assert "Did you mean /model?" in told.sentence.text()
    assert not window.notices.banner.isVisible()
    assert hub.asked("send_message") == []
    qtbot.keyClicks(composer(window), "x")
    assert not told.isVisible()


async def test_what_a_command_was_refused_for_is_told_at_the_field(
    qtbot: QtBot, hub: WindowHub, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(source: str, name: str) -> None:
        raise SessionBusy("The running turn keeps its model.", hint="Choose another one when it has ended.")

    monkeypatch.setattr(hub, "select_model", refuse)
    write(qtbot, window, "/model large")
    told = part(window, Banner, "composerRefusal")
    await until(told.isVisible)
    assert told.title.text() == "The running turn keeps its model."
    assert composer(window).toPlainText() == "/model large"


async def test_the_bubble_shows_what_was_typed_and_retry_does_it_again(
    qtbot: QtBot, hub: WindowHub, window: MainWindow, talked: SessionId
) -> None:
    write(qtbot, window, "/greet Ada")
    await until(lambda: "/greet Ada" in chat_text(window))
    assert hub.asked("send_message") == ["Greet Ada in Latin."]
    assert "Latin" not in chat_text(window)
    hub.set_running(talked, False)
    window.conversation.reload()
    await until(lambda: not window.conversation.is_running)
    row = next(row for row in window.chat.model.rows if isinstance(row, UserRow) and row.is_typed)
    assert row.source == "/greet Ada"
    window.chat.transcript.retry_requested.emit(row.message_id)
    await until(lambda: hub.asked("send_message") == ["Greet Ada in Latin."] * 2)


async def test_two_slashes_send_the_text_and_up_brings_both_back(
    qtbot: QtBot, hub: WindowHub, window: MainWindow
) -> None:
    write(qtbot, window, "//help me")
    await until(lambda: hub.asked("send_message") == ["/help me"])
    await until(lambda: "//help me" in chat_text(window))
    _keys(qtbot, window, Key.Key_Up)
    assert composer(window).toPlainText() == "//help me"


async def test_new_leaves_a_session_that_was_only_looked_at(qtbot: QtBot, hub: WindowHub, window: MainWindow) -> None:
    hub.add_session("other", title="Chapter three")
    hub.add_message(SessionId("other"), Role.USER, "tighten the argument")
    window.places.open_session(SessionId("other"))
    await until(lambda: "tighten" in chat_text(window))
    write(qtbot, window, "/new")
    await until(window.chat.empty.isVisible)
    assert hub.asked("continue_session") == []
    assert window.conversation.session is not None
    assert window.conversation.session.id == hub.active["desktop"]


async def test_a_command_in_a_past_session_is_about_that_session(
    qtbot: QtBot, hub: WindowHub, window: MainWindow
) -> None:
    hub.add_session("other", title="Chapter three", input_tokens=7, output_tokens=2)
    hub.add_message(SessionId("other"), Role.USER, "tighten the argument")
    window.places.open_session(SessionId("other"))
    await until(lambda: "tighten" in chat_text(window))
    write(qtbot, window, "/cost")
    await until(lambda: "7 tokens in, 2 out" in chat_text(window))
    assert hub.asked("continue_session") == []
    write(qtbot, window, "/mode edits")
    await until(lambda: hub.asked("continue_session") == ["other"])
    await until(lambda: hub.row(SessionId("other")).context.mode is Mode.EDITS)


async def test_stop_gives_the_queued_messages_back(
    qtbot: QtBot, hub: WindowHub, window: MainWindow, talked: SessionId
) -> None:
    hub.set_running(talked, True)
    await until(lambda: window.conversation.is_running)
    write(qtbot, window, "/greet Ada")
    await until(lambda: hub.queue == ["/greet Ada"])
    write(qtbot, window, "/stop")
    await until(lambda: composer(window).toPlainText() == "/greet Ada")
    assert hub.asked("cancel") == ["desktop"]


async def test_a_note_that_has_no_room_is_wrapped_and_not_cut(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(440, 600)
    write(qtbot, window, "/context")
    await until(lambda: "are kept for the answer" in chat_text(window))
    view = window.chat.transcript
    seen = view.column.view(len(view.column.rows) - 1)
    assert seen.plain.endswith("are kept for the answer.") and seen.height > 20
    view.viewport().repaint()


async def test_a_long_list_goes_round_with_the_arrows_and_scrolls_with_the_wheel(
    qtbot: QtBot, window: MainWindow
) -> None:
    qtbot.keyClicks(composer(window), "/")
    shown = await _listed(window)
    assert shown.height() == 8 * ROW + 2 * PAD
    last = len(shown.items) - 1
    assert shown.item_rect(last).isEmpty()
    _keys(qtbot, window, Key.Key_Up)
    assert shown.current == last and not shown.item_rect(last).isEmpty()
    _keys(qtbot, window, Key.Key_Down)
    assert shown.current == 0
    middle = QPointF(50, 50)
    turned = QWheelEvent(
        middle, shown.mapToGlobal(middle), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    for _ in shown.items:
        QApplication.sendEvent(shown, turned)
    assert shown.item_rect(0).isEmpty() and not shown.item_rect(last).isEmpty()
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton, pos=QPoint(50, PAD + 7 * ROW + 5))
    assert composer(window).toPlainText().startswith(shown.items[last].label)
