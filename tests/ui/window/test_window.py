"""The whole window on a hub in memory: what a person does, and what the hub is asked."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QDialog, QLineEdit, QListView, QRadioButton, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain.errors import PlacetError, SessionBusy
from placet.core.domain.events import (
    ApprovalRequired,
    Done,
    Error,
    SessionChanged,
    TextDelta,
    UserMessage,
)
from placet.core.domain.ids import CallId, MessageId, RequestId, SessionId
from placet.core.domain.messages import Mode, Role, SearchHit
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.frame import Frame
from placet.ui.models.sessions import ROW_ROLE
from placet.ui.theme.theme import Theme
from placet.ui.window import MainWindow
from placet.ui.window_state import FilePreferences
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

Found = TypeVar("Found", bound=QObject)


def part(window: MainWindow, kind: type[Found], name: str) -> Found:
    """A part by the name that tests and scripts rely on."""
    found: Found | None = window.findChild(kind, name)
    assert found is not None, name
    return found


def composer(window: MainWindow) -> QTextEdit:
    return part(window, QTextEdit, "composer")


def write(qtbot: QtBot, window: MainWindow, text: str) -> None:
    qtbot.keyClicks(composer(window), text)
    qtbot.keyClick(composer(window), Qt.Key.Key_Return)


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def click_row(qtbot: QtBot, view: QListView, row: int) -> None:
    centre = view.visualRect(view.model().index(row, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=centre)


def chat_text(window: MainWindow) -> str:
    window.chat.model.flush()
    return "\n".join(row.plain() for row in window.chat.model.rows)


@pytest.fixture
def talked(hub: WindowHub) -> SessionId:
    """The active session of the window's source, with two rows; two more sessions beside it."""
    session = hub.add_session("active", title="Accept empty input", last_activity=300.0)
    hub.active["desktop"] = session
    hub.add_message(session, Role.USER, "make it total")
    hub.add_message(session, Role.ASSISTANT, "I read it first.")
    other = hub.add_session("other", title="Chapter three", last_activity=200.0)
    hub.add_message(other, Role.USER, "tighten the argument")
    hub.add_session("third", title="Release notes", last_activity=100.0, messages=1)
    return session


# ---- conversation ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("talked")
async def test_the_active_session_is_shown_at_the_start(open_window: OpenWindow) -> None:
    window = await open_window()
    assert "I read it first." in chat_text(window)
    assert window.chat.head.title.text() == "Accept empty input"
    assert window.frame.windowTitle().startswith("Accept empty input")
    assert composer(window).hasFocus()
    chat = window.findChild(QWidget, "chatView")
    assert chat is window.chat.transcript and window.chat.transcript.message_count() == 2


async def test_what_is_written_is_sent_and_shown_only_when_it_is_stored(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    write(qtbot, window, "hello there")
    assert "hello there" not in chat_text(window)
    await until(lambda: "hello there" in chat_text(window))
    assert hub.asked("send_message") == ["hello there"]
    assert part(window, QAbstractButton, "stopButton").isVisible()
    assert part(window, QAbstractButton, "sendButton").isVisible()


async def test_an_answer_streams_in_and_its_tokens_are_told(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    session = hub.active["desktop"]
    hub.emit(session, UserMessage(message_id=MessageId(1), content="x"))
    hub.set_running(session, True)
    hub.emit(session, TextDelta(text="Hello "))
    hub.emit(session, TextDelta(text="world"))
    await until(lambda: "Hello world" in chat_text(window))
    done = Done(message_id=MessageId(2), content="Hello world", input_tokens=18_400, output_tokens=210)
    hub.emit(session, done)
    hub.set_running(session, False)
    await until(lambda: "18.4k in, 210 out" in window.status.text)
    assert window.status.text.startswith("Ready") and "small" in window.status.text


async def test_h3_a_message_during_a_turn_waits_and_can_be_taken_back(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    write(qtbot, window, "first")
    await until(lambda: window.conversation.is_running)
    write(qtbot, window, "second")
    await until(window.chat.composer.queue.isVisible)
    assert hub.queue == ["second"]
    cross = next(b for b in window.chat.composer.queue.findChildren(QAbstractButton) if b.isVisible())
    click(qtbot, cross)
    await until(lambda: composer(window).toPlainText() == "second")
    assert hub.queue == [] and not window.chat.composer.queue.isVisible()


async def test_h6_a_stop_gives_the_queued_texts_back(qtbot: QtBot, hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    write(qtbot, window, "first")
    await until(lambda: window.conversation.is_running)
    write(qtbot, window, "second")
    await until(lambda: hub.queue == ["second"])
    click(qtbot, part(window, QAbstractButton, "stopButton"))
    await until(lambda: composer(window).toPlainText() == "second")
    await until(lambda: not part(window, QAbstractButton, "stopButton").isVisible())
    assert hub.asked("cancel") == ["desktop"]


async def test_h6_what_was_queued_when_the_program_ended_comes_before_the_kept_draft(
    hub: WindowHub, open_window: OpenWindow, preferences: FilePreferences
) -> None:
    session = hub.add_session("one")
    hub.active["desktop"] = session
    preferences.write("drafts", '{"one": "half a sentence"}')
    hub.left = ["queued first", "queued second"]
    window = await open_window()
    assert composer(window).toPlainText() == "queued first\n\nqueued second\n\nhalf a sentence"
    assert "queued second" in preferences.read("drafts")  # and is safe from a second crash


async def test_h6_stop_and_send_at_once(qtbot: QtBot, hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    button = part(window, QAbstractButton, "interruptButton")
    write(qtbot, window, "first")
    await until(lambda: window.conversation.is_running)
    assert not button.isVisible()
    composer(window).setPlainText("by click")
    click(qtbot, button)
    await until(lambda: hub.asked("interrupt_and_send") == ["by click"])
    composer(window).setPlainText("by key")
    qtbot.keyClick(composer(window), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: hub.asked("interrupt_and_send") == ["by click", "by key"])
    assert composer(window).toPlainText() == "" and not button.isVisible()
    assert hub.asked("send_message") == ["first"]


async def test_the_answer_to_a_notification_shows_in_an_empty_chat(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    session = hub.active["desktop"]
    hub.set_running(session, True)
    hub.emit(session, TextDelta(text="The backup is done."))
    await until(lambda: "The backup is done." in chat_text(window) and window.chat.transcript.isVisible())


async def test_d12_a_refused_message_comes_back_with_words(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, preferences: FilePreferences
) -> None:
    preferences.write("first_start", "done")
    hub.catalogue.by_model.clear()
    window = await open_window()
    write(qtbot, window, "hello")
    await until(window.notices.banner.isVisible)
    assert composer(window).toPlainText() == "hello"
    assert window.notices.banner.title.text() == "No model is configured."
    assert "Settings" in window.notices.banner.sentence.text()


async def test_h8_what_could_not_begin_comes_back_and_is_told(
    qtbot: QtBot, open_window: OpenWindow, hub: WindowHub
) -> None:
    window = await open_window()
    draft = "what I wrote"
    hub.emit(None, Error(code="not_begun", message="The database is locked.", hint="Close the other.", draft=draft))
    await until(lambda: composer(window).toPlainText() == draft)
    assert window.notices.banner.isVisible()
    assert window.notices.banner.title.text() == "The database is locked."


async def test_d12_details_are_one_click_away_and_can_be_copied(
    qtbot: QtBot, open_window: OpenWindow, qapp: QObject
) -> None:
    window = await open_window()
    window.show_error(PlacetError("It broke.", hint="Try again.", detail="Traceback: boom"))
    banner = window.notices.banner
    assert not banner.detail.isVisible()
    click(qtbot, banner.details)
    assert banner.detail.isVisible() and "boom" in banner.detail.toPlainText()
    click(qtbot, banner.copy)
    from PySide6.QtGui import QGuiApplication

    assert QGuiApplication.clipboard().text() == "It broke.\nTry again.\nTraceback: boom"
    click(qtbot, banner.close_button)
    assert not banner.isVisible()


@pytest.mark.usefixtures("talked")
async def test_missed_events_make_the_window_read_the_store_again(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    hub.add_message(hub.active["desktop"], Role.ASSISTANT, "said while nobody listened")
    hub.lose_events()
    await until(lambda: "said while nobody listened" in chat_text(window))


@pytest.mark.usefixtures("talked")
async def test_events_that_come_while_a_session_loads_are_shown_after_its_page(
    hub: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    hub.gate = asyncio.Event()
    window.conversation.show(SessionId("other"))
    await until(lambda: window.conversation.is_loading)
    hub.emit(SessionId("other"), TextDelta(text="streamed meanwhile"))
    hub.emit(SessionId("other"), SessionChanged(session_id=SessionId("other")))
    await asyncio.sleep(0)
    assert "streamed meanwhile" not in chat_text(window)
    hub.gate.set()
    await until(lambda: "streamed meanwhile" in chat_text(window))
    assert chat_text(window).index("tighten") < chat_text(window).index("streamed")


@pytest.mark.usefixtures("talked")
async def test_of_two_sessions_opened_at_once_the_last_one_stays(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    hub.gate = asyncio.Event()
    window.conversation.show(SessionId("other"))
    window.conversation.show(SessionId("third"))
    await until(lambda: window.conversation.is_loading)
    hub.gate.set()
    await until(lambda: window.conversation.session is not None and window.conversation.session.id == "third")
    assert window.chat.head.title.text() == "Release notes"


async def test_older_rows_are_fetched_once_in_front(hub: WindowHub, open_window: OpenWindow) -> None:
    session = hub.add_session("long", title="Long")
    hub.active["desktop"] = session
    for number in range(130):
        hub.add_message(session, Role.USER, f"row {number}")
    window = await open_window()
    assert window.chat.model.message_count() == 60
    window.conversation.load_older()
    window.conversation.load_older()
    await until(lambda: window.chat.model.message_count() == 120)
    assert chat_text(window).startswith("row 10")


# ---- sessions --------------------------------------------------------------------------------------------------


async def test_s7_looking_at_a_past_session_changes_nothing(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    sessions = part(window, QListView, "sessionList")
    await until(lambda: sessions.model().rowCount() == 3)
    click_row(qtbot, sessions, 1)
    await until(lambda: "tighten the argument" in chat_text(window))
    assert hub.calls == []
    assert hub.active["desktop"] == talked


async def test_writing_in_a_past_session_continues_it(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    window.places.open_session(SessionId("other"))
    await until(lambda: "tighten" in chat_text(window))
    write(qtbot, window, "go on")
    await until(lambda: "go on" in chat_text(window))
    assert [name for name, _ in hub.calls] == ["continue_session", "send_message"]


@pytest.mark.usefixtures("talked")
async def test_what_cannot_be_continued_keeps_the_text(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(source: str, session_id: SessionId) -> None:
        raise SessionBusy("A turn is running in this chat.", hint="Stop it first, then open the other one.")

    window = await open_window()
    monkeypatch.setattr(hub, "continue_session", refuse)
    window.places.open_session(SessionId("other"))
    await until(lambda: "tighten" in chat_text(window))
    write(qtbot, window, "go on")
    await until(window.notices.banner.isVisible)
    assert composer(window).toPlainText() == "go on"


@pytest.mark.usefixtures("talked")
async def test_a_new_chat_is_empty_and_proposes_without_sending(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    qtbot.keyClick(composer(window), Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    await until(window.chat.empty.isVisible)
    assert hub.asked("clear") == ["desktop"]
    assert window.chat.empty.title.text() == "What should happen in mdlite?"
    row = next(b for b in window.chat.empty.findChildren(QAbstractButton) if b.text() == "Explain this project")
    click(qtbot, row)
    assert composer(window).toPlainText().startswith("Explain this project")
    assert hub.asked("send_message") == []


@pytest.mark.usefixtures("talked")
async def test_a_session_that_starts_elsewhere_appears_in_the_list(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    await until(lambda: window.sessions.rowCount() == 3)
    hub.add_session("fourth", title="From the terminal", last_activity=999.0, messages=1)
    hub.emit(SessionId("fourth"), SessionChanged(session_id=SessionId("fourth")), source="cli")
    await until(lambda: window.sessions.rowCount() == 4)
    assert window.sessions.index(0).data(ROW_ROLE).title == "From the terminal"


@pytest.mark.usefixtures("talked")
async def test_the_title_can_be_edited_in_the_head(qtbot: QtBot, hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    window.chat.head.start_rename()
    field = window.chat.head.edit
    qtbot.keyClicks(field, "A better title")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: window.chat.head.title.text() == "A better title")
    assert hub.rows[SessionId("active")].title == "A better title"


@pytest.mark.usefixtures("talked")
async def test_everything_is_searched_and_a_match_opens_its_chat(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    hit = SearchHit(
        session_id=SessionId("other"), message_id=MessageId(3), kind="user", snippet="tighten the argument",
        created_at=1.0, title="Chapter three", marks=((12, 20),),
    )  # fmt: skip
    hub.history.hits = [hit]
    window = await open_window()
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(composer(window), Qt.Key.Key_F, modifiers)
    field = part(window, QLineEdit, "sessionSearch")
    assert field.hasFocus()
    qtbot.keyClicks(field, "argument")
    results = part(window, QListView, "searchResults")
    await until(lambda: results.model().rowCount() == 2)
    assert hub.history.searched == ["argument"]  # typing asks once
    assert window.pages.search.count.text() == "1 match in 1 chat"
    click_row(qtbot, results, 1)
    await until(lambda: "tighten the argument" in chat_text(window))
    await until(window.chat.find_bar.isVisible)
    assert window.chat.find_bar.count.text() == "1 of 1"  # the words are marked where they were found
    assert window.chat.isVisible()


@pytest.mark.usefixtures("talked")
async def test_find_in_chat_counts_steps_and_gives_the_focus_back(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    qtbot.keyClick(composer(window), Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = part(window, QLineEdit, "findField")
    assert field.hasFocus()
    qtbot.keyClicks(field, "it")
    assert window.chat.find_bar.count.text() == "2 of 2"
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.chat.find_bar.count.text() == "1 of 2"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not window.chat.find_bar.isVisible()
    assert composer(window).hasFocus()


# ---- controls --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("talked")
async def test_the_dial_turns_the_sessions_mode_and_shows_what_holds(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    dial = part(window, QWidget, "modeDial")
    auto = next(radio for radio in dial.findChildren(QRadioButton) if radio.text() == "Auto")
    click(qtbot, auto)
    await until(lambda: hub.asked("set_policy") == [Mode.AUTO])
    await until(lambda: "Auto" in window.status.text)
    hub.change(SessionId("active"), context=hub.rows[SessionId("other")].context)
    hub.emit(SessionId("active"), SessionChanged(session_id=SessionId("active")))
    await until(lambda: not auto.isChecked())


@pytest.mark.usefixtures("talked")
async def test_a_refused_wish_puts_the_control_back(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(source: str, **wishes: object) -> None:
        raise SessionBusy("Not now.")

    window = await open_window()
    monkeypatch.setattr(hub, "set_policy", refuse)
    dial = part(window, QWidget, "modeDial")
    segments = {radio.text(): radio for radio in dial.findChildren(QRadioButton)}
    click(qtbot, segments["Edits"])
    await until(window.notices.banner.isVisible)
    assert segments["Ask"].isChecked()


@pytest.mark.usefixtures("talked")
async def test_the_picker_names_the_default_until_another_is_chosen(hub: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    assert part(window, QAbstractButton, "modelPicker").text() == "small"
    window.chat.composer.picker.chosen.emit("large")
    await until(lambda: part(window, QAbstractButton, "modelPicker").text() == "large")
    assert hub.asked("select_model") == ["large"]


async def test_d9_the_look_is_changed_live_and_remembered(
    qtbot: QtBot, open_window: OpenWindow, theme: Theme, preferences: FilePreferences
) -> None:
    window = await open_window()
    qtbot.keyClick(composer(window), Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert part(window, QWidget, "settingsDialog").isVisible()
    window.pages.settings.show_section(1)
    click(qtbot, part(window, QAbstractButton, "look-dark"))
    assert theme.name == "dark" and preferences.read("look") == "dark"
    click(qtbot, part(window, QAbstractButton, "look-light"))
    assert theme.name == "light"
    qtbot.keyClick(window.pages.settings, Qt.Key.Key_Escape)
    assert window.chat.isVisible()


# ---- review ----------------------------------------------------------------------------------------------------


def _ask(hub: WindowHub, session: SessionId) -> PendingRequest:
    request = PendingRequest(
        id=RequestId("r1"), session_id=session, call_id=CallId(5), kind=RequestKind.OTHER, tool="web_get",
        label="example", detail="example", because="asked by default",
    )  # fmt: skip
    hub.waiting.append(request)
    hub.change(session, waiting=1)
    event = ApprovalRequired(request_id=request.id, tool_call_id=CallId(5), name="web_get", arguments={})
    hub.emit(session, event)
    return request


async def test_a_request_brings_the_pane_and_leaves_the_focus(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    pane = part(window, QWidget, "reviewPane")
    assert not pane.isVisible()
    hub.set_running(talked, True)
    _ask(hub, talked)
    await until(pane.isVisible)
    assert composer(window).hasFocus()
    await until(lambda: window.status.text.startswith("Waiting for you"))
    window.review_model.approve()
    await until(lambda: not window.review_model.requests)
    assert hub.asked("approve") == ["r1"]
    assert pane.isVisible()  # between two requests of a turn it stays
    hub.set_running(talked, False)
    await until(lambda: not pane.isVisible())


async def test_the_pane_is_toggled_by_hand_and_then_stays(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    toggle = part(window, QAbstractButton, "reviewToggle")
    click(qtbot, toggle)
    assert part(window, QWidget, "reviewPane").isVisible() and toggle.isChecked()
    hub.set_running(talked, True)
    hub.set_running(talked, False)
    await until(lambda: not window.conversation.is_running)
    assert part(window, QWidget, "reviewPane").isVisible()
    window.places.go_to("settings")
    assert not part(window, QWidget, "reviewPane").isVisible()
    window.places.go_to("chat")
    assert part(window, QWidget, "reviewPane").isVisible()


async def test_the_review_is_reached_and_left_by_keys_alone(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    hub.set_running(talked, True)
    _ask(hub, talked)
    pane = part(window, QWidget, "reviewPane")
    await until(pane.isVisible)
    assert composer(window).hasFocus()
    qtbot.keyClick(composer(window), Qt.Key.Key_F6)
    assert pane.hasFocus()
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(pane, Qt.Key.Key_R, modifiers)
    assert not pane.isVisible()
    assert composer(window).hasFocus()
    qtbot.keyClick(composer(window), Qt.Key.Key_R, modifiers)
    assert pane.isVisible()
    assert pane.hasFocus()


# ---- geometry --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("talked")
async def test_a_narrow_window_folds_the_sidebar_and_shows_it_on_request(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window(1440)
    assert window.sidebar.isVisible() and not window.chat.head.menu.isVisible()
    window.frame.resize(700, 700)
    await until(window.chat.head.menu.isVisible)
    assert not window.sidebar.isVisible()
    click(qtbot, window.chat.head.menu)
    assert window.sidebar.isVisible()
    qtbot.mouseClick(window.places.panes, Qt.MouseButton.LeftButton, pos=QPoint(600, 300))
    window.places.panes.childAt(600, 300).setFocus()
    shade = window.places.panes.childAt(600, 300)
    click(qtbot, shade)
    assert not window.sidebar.isVisible()
    window.frame.resize(1300, 700)
    await until(window.sidebar.isVisible)
    assert not window.chat.head.menu.isVisible()


async def test_in_a_narrow_window_the_review_takes_the_place_of_the_chat(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window(1000, 700)
    composer(window).setPlainText("half a thought")
    _ask(hub, talked)
    await until(lambda: window.status.text.startswith("Waiting for you"))
    assert composer(window).hasFocus() and not window.review.isVisible()  # it would take the field away
    window.chat.transcript.review_requested.emit(5)
    assert window.review.isVisible() and not window.chat.isVisible()
    window.review.close_requested.emit()
    assert window.chat.isVisible() and not window.review.isVisible()
    window.frame.resize(1300, 700)
    window.places.panes.show_review(True)
    assert window.chat.isVisible() and window.review.isVisible()


async def test_in_a_narrow_window_where_nothing_is_being_written_the_review_comes_by_itself(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window(1000, 700)
    _ask(hub, talked)
    await until(window.review.isVisible)
    focused = window.focusWidget()
    assert focused is not window.review
    assert focused is None or not window.review.isAncestorOf(focused)


async def test_a_window_of_a_larger_screen_fits_this_one(
    qtbot: QtBot, open_window: OpenWindow, preferences: FilePreferences
) -> None:
    window = await open_window(9000, 7000)
    await window.aclose()
    again = Frame(preferences)
    qtbot.addWidget(again)
    room = again.screen().availableSize()
    assert (again.width(), again.height()) <= (room.width(), room.height())
    assert again.height() <= room.height()


async def test_geometry_and_drafts_are_there_the_next_time(
    qtbot: QtBot, open_window: OpenWindow, talked: SessionId
) -> None:
    first = await open_window(1210, 777)
    qtbot.keyClicks(composer(first), "half a thought")
    await first.aclose()
    second = await open_window(800, 600)
    assert composer(second).toPlainText() == "half a thought"
    third_size = second.size()
    assert (third_size.width(), third_size.height()) == (800, 600)


# ---- the end ---------------------------------------------------------------------------------------------------


async def test_closing_an_idle_window_asks_nobody(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = await open_window()
    asked: list[bool] = []
    window.quit_requested.connect(lambda: asked.append(True))
    window.frame.close()
    await until(lambda: asked == [True])
    assert window.frame.isVisible()  # the owner ends it


async def test_d5_closing_during_a_turn_asks_and_keeping_goes_on(
    qtbot: QtBot, hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    asked: list[bool] = []
    window.quit_requested.connect(lambda: asked.append(True))
    hub.set_running(talked, True)
    await until(lambda: window.conversation.is_running)

    question = await _question(window)
    click(qtbot, part_of(question, "keepRunning"))
    await until(lambda: window.findChild(QDialog, "closingQuestion") is None)
    assert asked == []
    await until(window.frame.isMinimized)
    hub.emit(talked, TextDelta(text="still here"))
    await until(lambda: "still here" in chat_text(window))

    question = await _question(window)
    assert not window.frame.isMinimized()  # the question is not asked behind anybody's back
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    await until(lambda: window.findChild(QDialog, "closingQuestion") is None)
    assert asked == []
    assert not window.frame.isMinimized()

    question = await _question(window)
    click(qtbot, part_of(question, "stopAndQuit"))
    await until(lambda: asked == [True])


async def _question(window: MainWindow) -> QDialog:
    window.frame.close()
    window.frame.close()  # impatient: still one question
    await until(lambda: window.findChild(QDialog, "closingQuestion") is not None)
    questions = window.findChildren(QDialog, "closingQuestion")
    assert len(questions) == 1
    return questions[0]


def part_of(dialog: QDialog, name: str) -> QAbstractButton:
    found = dialog.findChild(QAbstractButton, name)
    assert found is not None
    return found


async def test_closing_the_window_ends_its_tasks_and_its_subscription(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    window = await open_window()
    await window.aclose()
    await window.aclose()
    assert len(window.bridge.scope) == 0
    assert all(stream.is_closed for stream in hub.streams)
    assert not window.frame.isVisible()


async def test_every_control_that_can_be_pressed_has_a_name(open_window: OpenWindow) -> None:
    """`D-8`: a screen reader has something to say for each."""
    window = await open_window()
    for place in ("search", "settings", "changes"):
        window.places.go_to(place)
    window.begin_first_start()
    nameless = [
        button
        for button in window.findChildren(QAbstractButton)
        if not (button.accessibleName() or button.text()) and type(button).__module__.startswith("placet")
    ]
    assert nameless == []


async def test_the_names_that_scripts_rely_on_are_there(open_window: OpenWindow) -> None:
    window = await open_window()
    window.places.go_to("search")
    window.places.go_to("settings")
    names = [
        "composer", "sendButton", "stopButton", "chatView", "modelPicker", "modeDial", "contextGauge", "sessionList",
        "sessionSearch", "reviewPane", "settingsDialog", "statusBar",
    ]  # fmt: skip
    assert [name for name in names if window.findChild(QWidget, name) is None] == []
