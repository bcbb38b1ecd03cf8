"""The palette, by real keys and clicks (`D-7`, `D-4`)."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from placet.ui.panels.palette.offers import ROW, OfferList
from placet.ui.panels.palette.palette import Palette
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

CTRL = Qt.KeyboardModifier.ControlModifier


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key, modifiers)


def type_words(words: str) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClicks(focused, words)


async def palette_of(window: MainWindow) -> Palette:
    press(Qt.Key.Key_K, CTRL)
    palette = window.findChild(Palette, "palette")
    assert palette is not None
    await until(palette.isVisible)
    return palette


def shown(palette: Palette) -> list[str]:
    return [offer.entry.words for offer in palette.offers.offers]


async def test_d_7_ctrl_k_in_the_message_field_opens_it_and_escape_goes_back(open_window: OpenWindow) -> None:
    window = await open_window()
    type_words("half a thought")
    palette = await palette_of(window)
    press(Qt.Key.Key_Escape)
    assert not palette.isVisible()
    field = window.chat.composer.field
    assert QApplication.focusWidget() is field
    assert field.toPlainText() == "half a thought"


async def test_d_7_a_few_letters_and_enter_do_it(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    type_words("gt sett")
    assert shown(palette)[0] == "Go to Settings"
    press(Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.places.place == "settings"


async def test_d_7_every_action_is_in_the_palette(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    names = {offer.entry.name for offer in palette.offers.offers}
    assert {action.id for action in window.commands.actions.all} - {"palette"} <= names


async def test_chats_models_agents_and_slash_commands_are_named(hub: WindowHub, open_window: OpenWindow) -> None:
    hub.add_session("thesis", title="Chapter four")
    window = await open_window()
    palette = await palette_of(window)
    type_words("chapter")
    assert shown(palette) == ["Chapter four"]
    press(Qt.Key.Key_Return)
    await until(lambda: window.conversation.session is not None and window.conversation.session.title == "Chapter four")
    for typed, expected in (("use small", "Use small"), ("talk", "Talk with assistant"), ("/he", "/help")):
        await palette_of(window)
        type_words(typed)
        assert expected in shown(palette)
        press(Qt.Key.Key_Escape)


async def test_a_slash_command_is_begun_before_what_is_written_and_not_sent(open_window: OpenWindow) -> None:
    window = await open_window()
    type_words("four words are here")
    await palette_of(window)
    type_words("/help")
    press(Qt.Key.Key_Return)
    assert window.chat.composer.field.toPlainText() == "/help four words are here"


async def test_what_was_used_last_is_first(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    type_words("light or dark")
    press(Qt.Key.Key_Return)
    await palette_of(window)
    assert shown(palette)[0] == "Light or dark"


async def test_arrows_and_tab_move_the_row_and_not_the_focus(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Tab)
    assert palette.offers.current == 2
    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Up)
    assert palette.offers.current == len(palette.offers.offers) - 1
    assert QApplication.focusWidget() is palette.field


async def test_a_click_takes_a_row_and_a_press_beside_the_card_closes(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    type_words("go to changes")
    rows = palette.findChild(OfferList)
    assert rows is not None
    qtbot.mouseClick(rows, Qt.MouseButton.LeftButton, pos=QPoint(40, ROW // 2))
    assert window.places.place == "changes"
    await palette_of(window)
    qtbot.mouseClick(palette, Qt.MouseButton.LeftButton, pos=QPoint(5, palette.height() - 5))
    assert not palette.isVisible()


async def test_nothing_found_says_so_and_enter_does_nothing(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    type_words("qqqq")
    press(Qt.Key.Key_Return)
    assert palette.isVisible()
    assert shown(palette) == []
    palette.grab()


async def test_d_4_the_window_lives_on_while_it_is_open(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    hub.add_session("late", title="Came meanwhile")
    await window.sessions.reload()
    assert palette.isVisible()
    window.frame.resize(460, 430)
    await until(lambda: palette.size() == window.size())
    card: QWidget = palette.card
    assert palette.rect().contains(card.geometry())


async def test_a_screen_reader_hears_words_and_keys_of_a_row(open_window: OpenWindow) -> None:
    window = await open_window()
    palette = await palette_of(window)
    type_words("new chat")
    assert palette.offers.item_text(0) == "New chat, Ctrl+N"
