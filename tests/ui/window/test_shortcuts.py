"""Keys of the window and changing them in Settings, by real keys (`D-7`)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from placet.ui.panels.settings.key_button import KeyButton
from placet.ui.window import MainWindow

from .conftest import OpenWindow, until

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifiers)


async def shortcuts_page(window: MainWindow) -> None:
    window.places.go_to("settings")
    window.pages.settings.show_section(4)
    await until(button(window, "keys-chat.new").isVisible)


def button(window: MainWindow, name: str) -> QAbstractButton:
    found = window.findChild(QAbstractButton, name)
    assert found is not None
    return found


def strike(qtbot: QtBot, window: MainWindow, action: str, key: Qt.Key, modifiers: Qt.KeyboardModifier = CTRL) -> None:
    field = button(window, f"keys-{action}")
    assert isinstance(field, KeyButton)
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    assert field.is_listening
    press(key, modifiers)


async def test_d_7_new_keys_act_at_once_and_the_old_ones_no_more(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    await shortcuts_page(window)
    strike(qtbot, window, "go.changes", Qt.Key.Key_J)
    press(Qt.Key.Key_J, CTRL)
    assert window.places.place == "changes"
    await shortcuts_page(window)
    strike(qtbot, window, "go.inbox", Qt.Key.Key_U)
    press(Qt.Key.Key_I, CTRL)
    assert window.places.place == "settings"
    press(Qt.Key.Key_U, CTRL)
    assert window.places.place == "inbox"


async def test_d_7_chosen_keys_hold_in_the_next_window(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    await shortcuts_page(window)
    strike(qtbot, window, "go.changes", Qt.Key.Key_J)
    await window.aclose()
    second = await open_window()
    press(Qt.Key.Key_J, CTRL)
    assert second.places.place == "changes"


async def test_d_7_a_conflict_is_told_and_nothing_changes_before_one_says_so(
    qtbot: QtBot, open_window: OpenWindow
) -> None:
    window = await open_window()
    await shortcuts_page(window)
    strike(qtbot, window, "chat.copy", Qt.Key.Key_B)
    actions = window.commands.actions
    take = button(window, "take-chat.copy")
    assert take.isVisible()
    assert "Show or hide the sidebar" in take.accessibleName()
    assert (actions.keys_of("chat.copy"), actions.keys_of("view.sidebar")) == ("", "Ctrl+B")
    qtbot.mouseClick(take, Qt.MouseButton.LeftButton)
    assert (actions.keys_of("chat.copy"), actions.keys_of("view.sidebar")) == ("Ctrl+B", "")
    assert not take.isVisible()


async def test_keys_that_write_or_belong_to_the_field_are_refused_in_words(
    qtbot: QtBot, open_window: OpenWindow
) -> None:
    window = await open_window()
    await shortcuts_page(window)
    row = button(window, "keys-chat.copy").parentWidget()
    assert row is not None
    strike(qtbot, window, "chat.copy", Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier)
    assert "typed into the message" in row.note.text()  # type: ignore[attr-defined]
    strike(qtbot, window, "chat.copy", Qt.Key.Key_Return)
    assert "Stop the turn and send at once" in row.note.text()  # type: ignore[attr-defined]
    assert window.commands.actions.keys_of("chat.copy") == ""


async def test_listening_takes_the_keys_of_the_window_and_escape_leaves_it(
    qtbot: QtBot, open_window: OpenWindow
) -> None:
    window = await open_window()
    await shortcuts_page(window)
    strike(qtbot, window, "chat.copy", Qt.Key.Key_K)
    assert window.findChild(QAbstractButton, "palette") is None
    assert window.places.place == "settings"
    strike(qtbot, window, "chat.copy", Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert window.places.place == "settings"
    assert not window.commands.actions.has_changes


async def test_keys_are_removed_reset_and_reset_all(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    await shortcuts_page(window)
    actions = window.commands.actions
    strike(qtbot, window, "chat.find", Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier)
    assert actions.keys_of("chat.find") == ""
    qtbot.mouseClick(button(window, "reset-chat.find"), Qt.MouseButton.LeftButton)
    assert actions.keys_of("chat.find") == "Ctrl+F"
    strike(qtbot, window, "chat.find", Qt.Key.Key_9)
    qtbot.mouseClick(button(window, "resetAllKeys"), Qt.MouseButton.LeftButton)
    assert not actions.has_changes


async def test_what_names_keys_names_the_ones_chosen(open_window: OpenWindow) -> None:
    window = await open_window()
    assert "Ctrl+F finds in the chat" in window.chat.empty.keys.text()
    window.commands.actions.choose("chat.find", "F3")
    window.commands.actions.choose("chat.new", "")
    assert "F3 finds in the chat" in window.chat.empty.keys.text()
    assert "starts anew" not in window.chat.empty.keys.text()
    assert window.chat.head.search.toolTip() == "Find in chat (F3)"


async def test_the_filter_shows_what_has_these_words_or_keys(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    await shortcuts_page(window)
    qtbot.keyClicks(window.pages.settings.shortcuts.filter, "ctrl+n")
    assert button(window, "keys-chat.new").isVisible()
    assert not button(window, "keys-chat.find").isVisible()


async def test_d_7_the_mode_is_reached_by_its_keys(open_window: OpenWindow) -> None:
    window = await open_window()
    press(Qt.Key.Key_M, CTRL | SHIFT)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.chat.composer.dial.isAncestorOf(focused)
