"""The next start shows where one was: page, chat, message, and a window that can be seen."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from placet.core.domain.ids import SessionId
from placet.core.domain.messages import Role
from placet.ui.frame import Frame
from placet.ui.theme.theme import Theme
from placet.ui.window_state import FilePreferences
from support.window_hub import WindowHub

from .conftest import OpenWindow, until


@pytest.fixture
def thesis(hub: WindowHub) -> SessionId:
    """A chat of forty long exchanges that is not the active one."""
    session = hub.add_session("thesis", title="Chapter four")
    for number in range(40):
        hub.add_message(session, Role.USER, f"question {number}")
        hub.add_message(session, Role.ASSISTANT, "A long answer. " * 120)
    return session


async def test_the_page_and_the_chat_are_there_again(
    hub: WindowHub, open_window: OpenWindow, thesis: SessionId
) -> None:
    first = await open_window()
    first.places.open_session(thesis)
    await until(lambda: first.places.session_id == thesis)
    first.places.go_to("changes")
    await first.aclose()
    second = await open_window()
    assert second.places.place == "changes"
    assert second.places.session_id == thesis


async def test_one_reads_on_at_the_message_where_one_was(
    hub: WindowHub, open_window: OpenWindow, thesis: SessionId
) -> None:
    first = await open_window()
    first.places.open_session(thesis)
    await until(lambda: first.places.session_id == thesis)
    message = hub.messages[thesis][40]
    first.chat.show_message_when_there(thesis, message.id)
    assert "question 20" in first.chat.transcript.visible_text()
    await first.aclose()
    second = await open_window()
    assert "question 20" in second.chat.transcript.visible_text()


async def test_who_was_at_the_end_is_at_the_end_of_what_was_added(
    hub: WindowHub, open_window: OpenWindow, thesis: SessionId
) -> None:
    first = await open_window()
    first.places.open_session(thesis)
    await until(lambda: first.places.session_id == thesis)
    await first.aclose()
    hub.add_message(thesis, Role.ASSISTANT, "The last words.")
    second = await open_window()
    assert "The last words." in second.chat.transcript.visible_text()


@pytest.mark.parametrize(
    "kept", ["{", '"x"', '{"place": 5}', '{"place": "nowhere", "chat": "gone"}', '{"chat": "gone", "message": 9}']
)
async def test_what_is_gone_or_damaged_leads_to_the_message_field(
    open_window: OpenWindow, preferences: FilePreferences, kept: str
) -> None:
    preferences.write("last_place", kept)
    window = await open_window()
    assert window.places.place == "chat"
    assert window.conversation.session is not None
    assert not window.notices.banner.isVisible()
    assert window.chat.composer.field.hasFocus()


def test_a_window_kept_on_a_screen_that_is_gone_is_on_one_that_is_there(
    qtbot: QtBot, theme: Theme, preferences: FilePreferences
) -> None:
    away = Frame(preferences)
    away.resize(600, 500)
    away.move(9000, 7000)
    away.show()
    away.keep_geometry()
    away.hide()
    away.deleteLater()
    back = Frame(preferences)
    back.show()
    assert any(screen.availableGeometry().contains(back.geometry().center()) for screen in QGuiApplication.screens())
    back.hide()
    back.deleteLater()
