"""The Inbox by keys and mouse: walking, deciding, half a second in which nothing decides, screen readers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from placet.core.domain.ids import RequestId, SessionId
from placet.ui.widgets.menu import Menu
from support.review_samples import command_request, question_request, write_request

from .conftest import Desk

ENTER, UP, DOWN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Escape


def commands(*numbers: int) -> list:
    return [command_request(f"make {number}", number) for number in numbers]


def title(desk: Desk) -> str:
    assert desk.model.review.current is not None
    return desk.model.review.current.detail


async def test_d_7_by_keys_alone_arrows_walk_enter_goes_in_the_pane_decides_escape_goes_back(desk) -> None:
    await desk.ask(*commands(1, 2, 3))
    assert desk.is_in(desk.list)
    await desk.press(DOWN, DOWN, UP)
    assert title(desk) == "make 2"
    assert desk.decided == []
    await desk.press(ENTER)
    assert desk.is_in(desk.pane)
    assert desk.decided == []
    desk.clock.pass_ms(500)
    await desk.press(ENTER)
    assert desk.decided == [("2", "approved")]
    assert title(desk) == "make 1"  # what followed it in the list
    await desk.press(ESCAPE)
    assert desk.is_in(desk.list)
    assert desk.list.currentIndex().row() == 1


async def test_no_key_in_the_list_decides(desk) -> None:
    await desk.ask(*commands(1, 2))
    desk.clock.pass_ms(1000)
    for key in (Qt.Key.Key_R, Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_Y, Qt.Key.Key_BracketRight):
        await desk.press(key)
    assert desk.decided == []
    assert not desk.pane.bar.is_note_open


@pytest.mark.parametrize("ms", [0, 499])
async def test_for_half_a_second_after_an_item_appears_nothing_decides(desk, ms: int) -> None:
    await desk.ask(*commands(1, 2))
    desk.clock.pass_ms(1000)
    await desk.press(DOWN, ENTER)
    desk.clock.pass_ms(ms)
    await desk.press(ENTER)
    await desk.click(desk.pane.bar.approve)
    assert desk.decided == []


async def test_what_takes_the_place_of_a_decided_item_is_not_hit_by_the_same_press(desk) -> None:
    await desk.ask(*commands(1, 2, 3))
    await desk.press(ENTER)
    desk.clock.pass_ms(500)
    await desk.press(ENTER, ENTER, ENTER)
    assert desk.decided == [("3", "approved")]


async def test_what_is_decided_elsewhere_while_it_is_looked_at_gives_way_to_the_next(desk, hub) -> None:
    await desk.ask(*commands(1, 2, 3))
    await desk.press(DOWN, ENTER)
    desk.clock.pass_ms(500)
    QTest.mousePress(desk.pane.bar.approve, Qt.MouseButton.LeftButton)
    await desk.elsewhere(lambda: hub.reject(RequestId("request-2")))
    assert title(desk) == "make 1"
    desk.clock.pass_ms(500)
    QTest.mouseRelease(desk.pane.bar.approve, Qt.MouseButton.LeftButton)
    await desk.settle()
    assert desk.decided == [("2", "rejected")]


async def test_a_question_is_answered_here_too(desk, hub) -> None:
    await desk.ask(question_request(1), *commands(2))
    await desk.press(DOWN)
    desk.clock.pass_ms(500)
    choices = [button for button in desk.pane.form.findChildren(QAbstractButton) if button.text() == "UTF-8"]
    await desk.click(choices[0])
    assert hub.decided == [("request-1", "answered", "UTF-8")]
    assert title(desk) == "make 2"


async def test_new_items_take_neither_the_keyboard_nor_the_place(desk) -> None:
    await desk.ask(*commands(1, 2))
    await desk.press(DOWN)
    await desk.ask(*commands(3, 4))
    assert desk.is_in(desk.list)
    assert (title(desk), desk.list.currentIndex().row()) == ("make 1", 3)


async def test_a_long_list_keeps_what_is_looked_at_where_it_is_on_the_screen(desk) -> None:
    await desk.ask(*commands(*range(1, 41)))
    for _ in range(25):
        await desk.press(DOWN)
    height = desk.list.visualRect(desk.list.currentIndex()).top()
    await desk.ask(*commands(41, 42, 43))
    assert title(desk) == "make 15"
    assert desk.list.visualRect(desk.list.currentIndex()).top() == height


async def test_nothing_that_waits_is_said_in_words(desk, hub) -> None:
    assert "Nothing waits for you" in " ".join(label.text() for label in desk.page.findChildren(type(desk.page.count)))
    await desk.ask(*commands(1))
    assert desk.page.count.text() == "1 waiting"
    await desk.elsewhere(lambda: hub.approve(RequestId("request-1")))
    assert not desk.list.isVisible()
    assert not desk.pane.isVisible()


async def test_the_chat_of_an_item_is_asked_for_by_button_and_key(desk) -> None:
    told = []
    desk.page.session_requested.connect(lambda request: told.append(request.call_id))
    await desk.ask(*commands(1, 2))
    await desk.click(desk.page.open_chat)
    await desk.press(Qt.Key.Key_O)
    assert told == [2, 2]


async def test_escape_in_the_list_leaves_the_page(desk) -> None:
    told = []
    desk.page.left.connect(lambda: told.append(True))
    await desk.ask(*commands(1))
    await desk.press(ESCAPE)
    assert told == [True]


@pytest.mark.parametrize("width", [560, 1200])
async def test_what_is_looked_at_is_marked_in_the_list_from_the_beginning(desk, width: int) -> None:
    desk.window.resize(width, 700)
    await desk.settle()
    await desk.ask(*commands(1, 2))
    assert [index.row() for index in desk.list.selectionModel().selectedRows()] == [0]


async def test_where_there_is_no_room_for_both_enter_shows_the_pane_and_escape_the_list(desk) -> None:
    await desk.ask(*commands(1, 2))
    desk.window.resize(560, 700)
    await desk.settle()
    assert desk.list.isVisible()
    assert not desk.pane.isVisible()
    await desk.press(DOWN, ENTER)
    assert desk.is_in(desk.pane)
    assert not desk.list.isVisible()
    assert desk.page.back.isVisible()
    desk.clock.pass_ms(500)
    await desk.press(ESCAPE)
    assert desk.is_in(desk.list)
    assert desk.decided == []


async def test_d_8_a_screen_reader_finds_names_and_whole_texts(desk) -> None:
    await desk.ask(command_request("rm -r dist\nmake release", 1, session_title="Release"))
    listed = QAccessible.queryAccessibleInterface(desk.list)
    assert listed.text(QAccessible.Text.Name) == "Inbox"
    assert listed.child(0).text(QAccessible.Text.Name) == "Run a command, rm -r dist\nmake release, Release"
    shown = [button for button in desk.page.findChildren(QAbstractButton) if button.isVisible()]
    assert [button for button in shown if not (button.text() or button.accessibleName())] == []


async def test_kinds_are_chosen_and_the_count_says_how_many_are_left_out(desk) -> None:
    await desk.ask(*commands(1, 2), write_request(3, session_id=SessionId("other")))
    await desk.click(desk.page.kinds)
    menu = desk.page.findChild(Menu)
    next(action for action in menu.actions() if action.text() == "Commands").trigger()
    menu.close()
    await desk.settle()
    assert desk.page.count.text() == "2 of 3 waiting"
