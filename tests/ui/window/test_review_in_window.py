"""The review in the whole window: what is remembered, how it takes the room, and what passes unasked."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from placet.core.domain.events import SessionChanged
from placet.core.domain.review import Bypass, BypassScope
from placet.ui.models.bypasses import described
from support.review_samples import file_diff, write_request
from support.window_hub import WindowHub

from .conftest import OpenWindow, until


def bypass(session: str, number: int = 1, **fields) -> Bypass:
    defaults = {"id": number, "session_id": session, "scope": BypassScope.CATEGORY, "value": "fs_write"}
    return Bypass(**{**defaults, **fields})


async def test_what_passes_unasked_is_named_until_it_is_ended(hub: WindowHub, open_window: OpenWindow) -> None:
    session = hub.active["desktop"] = hub.add_session("one")
    window = await open_window()
    assert not window.status.unasked.isVisible()
    until_ten_past = time.mktime((2030, 1, 1, 15, 10, 0, 0, 0, -1))
    hub.bypass_items = [bypass(session, until=until_ten_past), bypass(session, 2, scope=BypassScope.ALL)]
    hub.emit(session, SessionChanged(session_id=session))
    await until(window.status.unasked.isVisible)
    assert window.status.unasked.text() == "Not asked: 2 kinds"
    window.status.unasked.click()
    menu = next(menu for menu in window.findChildren(QMenu) if menu.isVisible())
    rows = [action for action in menu.actions() if action.isEnabled()]
    assert [row.text() for row in rows] == [
        "any change of a file until 15:10",
        "everything that no rule denies, this session",
    ]
    rows[1].trigger()
    menu.close()
    await until(lambda: window.status.unasked.text() == "Not asked: any change of a file until 15:10")
    assert hub.asked("remove_bypass") == [2]


async def test_a_bypass_that_ran_out_is_not_shown_any_longer(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    session = hub.active["desktop"] = hub.add_session("one")
    hub.bypass_items = [bypass(session, until=time.time() + 0.2)]
    window = await open_window()
    await until(window.status.unasked.isVisible)
    hub.bypass_items = []
    await until(lambda: not window.status.unasked.isVisible())


async def test_another_chat_has_its_own_bypasses(hub: WindowHub, open_window: OpenWindow) -> None:
    first = hub.active["desktop"] = hub.add_session("one")
    second = hub.add_session("two")
    hub.bypass_items = [bypass(first)]
    window = await open_window()
    await until(window.status.unasked.isVisible)
    window.places.open_session(second)
    await until(lambda: not window.status.unasked.isVisible())


def test_a_command_is_named_by_its_beginning() -> None:
    long = bypass("one", scope=BypassScope.COMMAND, value="make " + "x" * 80 + "\nrm")
    assert described(long) == "make " + "x" * 26 + "…, this session"


async def test_the_chosen_sides_are_remembered(hub: WindowHub, open_window: OpenWindow) -> None:
    hub.active["desktop"] = hub.add_session("one")
    window = await open_window()
    assert not window.review.is_split
    window.review.choose_split(True)
    await window.aclose()
    assert (await open_window()).review.is_split


async def test_the_review_takes_the_whole_window_and_gives_it_back(hub: WindowHub, open_window: OpenWindow) -> None:
    session = hub.active["desktop"] = hub.add_session("one")
    request = write_request(session_id=session)
    hub.waiting.append(request)
    hub.diffs[request.id] = file_diff()
    window = await open_window()
    window.places.go_to_review()
    await until(window.review.content.diff_view.isVisible)
    QTest.keyClick(window.review, Qt.Key.Key_F)
    assert not window.chat.isVisible()
    assert window.review.head.wide.isChecked()
    QTest.keyClick(window.review, Qt.Key.Key_F)
    assert window.chat.isVisible()
    QTest.keyClick(window.review, Qt.Key.Key_F)
    window.places.toggle_review()
    assert window.chat.isVisible()
    window.places.toggle_review()
    assert window.chat.isVisible()
    assert not window.review.head.wide.isChecked()
