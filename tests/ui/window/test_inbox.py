"""The Inbox in the window: badge, ways to it and from it to the very row, notifications while another window is in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.core.domain.ids import CallId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import CallStatus, HistoryPage, Message, Role, ToolCall
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.models.waiting import WaitingModel
from placet.ui.notices_outside import Outside, TaskBar, Tray, badged
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.rows import PlaceRow
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.window import MainWindow
from placet.ui.window_attention import Attention
from placet.ui.window_notifying import Notifying
from placet.ui.window_state import FilePreferences
from support.review_samples import command_request, file_diff, question_request, write_request
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

HERE, THERE = SessionId("here"), SessionId("there")


@pytest.fixture
def two(hub: WindowHub) -> WindowHub:
    """Two sessions; the window opens the first."""
    hub.active["desktop"] = hub.add_session(HERE, title="Here")
    hub.add_message(HERE, Role.USER, "hello")
    hub.add_session(THERE, title="There")
    hub.add_message(THERE, Role.USER, "go")
    return hub


def ask(hub: WindowHub, request: PendingRequest) -> PendingRequest:
    """Let it wait, as the core does: stored, then told."""
    hub.waiting.insert(0, request)
    if request.kind is RequestKind.WRITE:
        hub.diffs[request.id] = file_diff()
    common: dict[str, Any] = {"request_id": request.id, "tool_call_id": request.call_id, "name": request.tool}
    hub.emit(request.session_id, events.ApprovalRequired(**common, arguments={}))
    return request


def add_call(hub: WindowHub, session_id: SessionId, call_id: int, name: str = "execute_cmd", **facts: Any) -> None:
    """A stored answer with one call that waits."""
    arguments = facts.pop("arguments", "{}")
    call = ToolCall(
        id=CallId(call_id), message_id=MessageId(0), provider_id=f"p{call_id}", name=name, arguments=arguments,
        status=facts.pop("status", CallStatus.PENDING),
    )  # fmt: skip
    hub.add_message(session_id, Role.ASSISTANT, "I do it.", calls=(call,))


def inbox_row(window: MainWindow) -> PlaceRow:
    return next(row for row in window.sidebar.findChildren(PlaceRow) if row.text() == "Inbox")


async def test_the_badge_counts_what_waits_in_all_sessions_from_the_start(
    two: WindowHub, open_window: OpenWindow
) -> None:
    ask(two, command_request("ls", 1, session_id=THERE))
    window = await open_window()
    await until(lambda: inbox_row(window).accessibleName() == "Inbox, 1 waiting")
    for number in (2, 3, 4):
        ask(two, write_request(number, session_id=THERE, path=f"/w/{number}.py"))
    await until(lambda: inbox_row(window).accessibleName() == "Inbox, 2 waiting")
    two.waiting.clear()
    two.emit(THERE, events.ApprovalResolved(request_id=RequestId("x"), tool_call_id=CallId(1), decision="cancelled"))
    await until(lambda: inbox_row(window).accessibleName() == "Inbox")


async def test_d_7_it_is_reached_by_its_row_and_by_a_key_and_left_by_escape(
    two: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    ask(two, command_request("ls", 1, session_id=THERE))
    window = await open_window()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    await until(window.pages.inbox.list.isVisible)
    await until(lambda: QApplication.focusWidget() is window.pages.inbox.list)
    assert inbox_row(window).isChecked()
    qtbot.keyClick(window.pages.inbox.list, Qt.Key.Key_Escape)
    await until(lambda: window.places.place == "chat")
    qtbot.mouseClick(inbox_row(window), Qt.MouseButton.LeftButton)
    await until(window.pages.inbox.list.isVisible)


class Windows(QObject):
    """Notes each widget that shows as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[QObject] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(watched)
        return False


@pytest.mark.parametrize("place", ["inbox", "changes", "settings"])
async def test_making_a_page_shows_no_other_window_and_takes_no_focus_from_this_one(
    two: WindowHub, open_window: OpenWindow, place: str
) -> None:
    window = await open_window()
    app = QApplication.instance()
    assert app is not None
    watcher = Windows()
    app.installEventFilter(watcher)
    window.places.go_to(place)
    await until(window.places.page(place).isVisible)
    app.removeEventFilter(watcher)
    assert watcher.shown == []


async def test_a_request_is_decided_from_the_inbox(two: WindowHub, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = await open_window()
    ask(two, question_request(1, session_id=THERE))
    window.places.go_to("inbox")
    await until(window.pages.inbox.pane.form.isVisible)
    form = window.pages.inbox.pane.form
    form.guard = AttentionGuard(iter(range(0, 10**9, 1000)).__next__)  # each look is a second later
    form.guard.restart()
    qtbot.mouseClick(form.suggestions.choices[0], Qt.MouseButton.LeftButton)
    await until(lambda: two.asked("resolve_question"))
    assert two.asked("resolve_question") == [("request-1", "UTF-8")]


async def test_opening_the_chat_of_an_item_leads_to_its_row_and_its_review(
    two: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    add_call(two, THERE, 71)
    ask(two, command_request("ls", 5, session_id=THERE, call_id=CallId(70)))
    ask(two, command_request("make", 6, session_id=THERE, call_id=CallId(71)))
    window = await open_window()
    window.places.go_to("inbox")
    page = window.pages.inbox
    await until(page.list.isVisible)
    qtbot.keyClick(page.list, Qt.Key.Key_O)
    await until(lambda: window.chat.transcript.focus_action is not None)
    _, action = window.chat.transcript.focus_action
    assert (action.name, action.key) == (ActionName.REVIEW, 71)
    assert QApplication.focusWidget() is window.chat.transcript
    await until(lambda: window.review_model.current is not None and window.review_model.current.id == "request-6")


async def test_a_call_inside_a_sub_agent_is_led_to_by_opening_that(
    two: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    add_call(
        two, THERE, 80, "execute_task", arguments='{"agent": "writer", "task": "write"}', status=CallStatus.RUNNING
    )
    inner = [
        ToolCall(
            id=CallId(number), message_id=MessageId(500), provider_id=f"p{number}", name="execute_cmd",
            arguments="{}", status=CallStatus.PENDING,
        )
        for number in (81, 82)
    ]  # fmt: skip
    answer = Message(id=MessageId(500), frame_id=FrameId(9), role=Role.ASSISTANT, content="", calls=tuple(inner))
    two.history.frames[CallId(80)] = HistoryPage(session=two.row(THERE), messages=(answer,))
    request = command_request("ls", 5, session_id=THERE, call_id=CallId(82), agent="writer", agent_call_id=CallId(80))
    ask(two, request)
    window = await open_window()
    window.places.open_waiting(request)
    await until(lambda: window.chat.transcript.focus_action is not None)
    assert window.chat.transcript.focus_action[1].key == 82


# ---- outside the window ----------------------------------------------------------------------------------------


class Seen(Outside):
    """A place outside that remembers what it showed."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: list[int] = []
        self.told: list[tuple[str, str]] = []
        self.is_hidden = False

    def show_count(self, count: int) -> None:
        self.counts.append(count)

    def notify(self, title: str, words: str) -> None:
        self.told.append((title, words))

    def hide(self) -> None:
        self.is_hidden = True


class Absent:
    """A person who works in another window."""

    def __init__(self, window: MainWindow, preferences: FilePreferences, next_ms: int = 60_000) -> None:
        self.is_here, self.outside = False, Seen()
        self.waiting: WaitingModel = window.inbox.waiting
        self.notifying = Notifying(preferences)
        self.attention = Attention(
            self.waiting, self.notifying, [self.outside], lambda: self.is_here, window, first_ms=0, next_ms=next_ms
        )


@pytest.fixture
async def absent(two: WindowHub, open_window: OpenWindow, preferences: FilePreferences) -> Callable[..., Any]:
    window = await open_window()
    await until(lambda: window.inbox.attention is not None)
    return lambda **settings: (window, Absent(window, preferences, **settings))


async def test_d_6_a_burst_is_one_notification_that_says_how_much(two: WindowHub, absent: Callable[..., Any]) -> None:
    _, person = absent()
    for number in range(1, 21):
        ask(two, command_request(f"make {number}", number, session_id=THERE))
    await until(lambda: person.outside.told and person.outside.counts[-1] == 20)
    assert person.outside.told == [("Placet waits for you", "20 things wait for you")]


async def test_d_6_one_thing_is_named_with_where_it_comes_from(two: WindowHub, absent: Callable[..., Any]) -> None:
    _, person = absent()
    ask(two, command_request("make", 1, session_id=THERE, session_title="There"))
    await until(lambda: person.outside.told)
    assert person.outside.told == [("Placet waits for you", "Run a command: make\nThere")]


async def test_after_a_notification_what_follows_is_gathered_for_a_while(
    two: WindowHub, absent: Callable[..., Any]
) -> None:
    _, person = absent()
    ask(two, command_request("first", 1, session_id=THERE))
    await until(lambda: person.outside.told)
    for number in (2, 3):
        ask(two, command_request("more", number, session_id=THERE))
    await until(lambda: person.waiting.count == 3)
    assert len(person.outside.told) == 1


async def test_what_was_gathered_is_told_later_if_it_still_waits(two: WindowHub, absent: Callable[..., Any]) -> None:
    _, person = absent(next_ms=1)
    ask(two, command_request("first", 1, session_id=THERE))
    await until(lambda: len(person.outside.told) == 1)
    ask(two, command_request("second", 2, session_id=THERE))
    await until(lambda: len(person.outside.told) == 2)


@pytest.mark.parametrize("where", ["in front", "off"])
async def test_d_6_who_is_in_front_of_the_window_or_wants_none_gets_none(
    two: WindowHub, absent: Callable[..., Any], where: str
) -> None:
    _, person = absent()
    if where == "off":
        person.notifying.choose(False)
    person.is_here = where == "in front"
    ask(two, command_request("make", 1, session_id=THERE))
    await until(lambda: person.outside.counts[-1] == 1)  # the count is there in any case
    person.is_here = False
    person.notifying.choose(True)
    ask(two, command_request("make", 2, session_id=THERE))
    await until(lambda: person.outside.told)
    assert person.outside.told[0][1].startswith("Run a command")


async def test_d_6_a_click_leads_to_the_request_and_decides_nothing(two: WindowHub, absent: Callable[..., Any]) -> None:
    window, person = absent()
    person.attention.request_wanted.connect(window.inbox.show_request)
    ask(two, command_request("old", 1, session_id=THERE))
    await until(lambda: person.outside.told)
    ask(two, command_request("new", 2, session_id=HERE))
    person.outside.clicked.emit()
    model = window.pages.inbox.pane
    await until(lambda: model.content.exact.isVisible() and "old" in model.content.exact.plain_text())
    assert window.places.place == "inbox"
    assert two.asked("approve") == two.asked("reject") == []


async def test_a_notification_takes_no_focus(two: WindowHub, absent: Callable[..., Any]) -> None:
    window, person = absent()
    field = window.chat.composer.field
    assert QApplication.focusWidget() is field
    ask(two, command_request("make", 1, session_id=THERE))
    await until(lambda: person.outside.told)
    assert QApplication.focusWidget() is field
    person.attention.end()
    assert person.outside.is_hidden


def test_a_badge_is_painted_on_the_icon_only_where_something_waits(qapp: QApplication) -> None:
    pixmap = QPixmap(32, 32)
    pixmap.fill(Qt.GlobalColor.white)
    icon = QIcon(pixmap)
    assert badged(icon, 0) is icon
    marked = badged(icon, 7).pixmap(32, 32).toImage()
    assert len({marked.pixelColor(x, 24).name() for x in range(16, 32)}) > 1
    assert marked.pixelColor(2, 2).name() == "#ffffff"
    TaskBar().show_count(7)
    TaskBar().hide()


def test_d_6_the_tray_says_how_much_waits_and_has_its_menu(qapp: QApplication) -> None:
    went: list[str] = []
    actions = [(words, lambda words=words: went.append(words)) for words in ("Open Placet", "Inbox")]
    tray = Tray(QIcon(), actions)
    tips = []
    for count in (0, 1, 20):
        tray.show_count(count)
        tips.append(tray.tip)
    assert tips == ["Placet", "Placet: 1 thing waits for you", "Placet: 20 things wait for you"]
    for action in tray.menu.actions():
        action.trigger()
    assert went == ["Open Placet", "Inbox"]
    tray.hide()


async def test_d_7_f6_goes_into_the_pane_of_the_inbox(two: WindowHub, open_window: OpenWindow, qtbot: QtBot) -> None:
    ask(two, command_request("ls", 1, session_id=THERE))
    window = await open_window()
    window.places.go_to("inbox")
    await until(window.pages.inbox.list.isVisible)
    qtbot.keyClick(window.pages.inbox.list, Qt.Key.Key_F6)
    await until(lambda: QApplication.focusWidget() is window.pages.inbox.pane)
    assert window.places.place == "inbox"


async def test_whether_to_notify_is_chosen_in_the_settings_and_kept(
    two: WindowHub, open_window: OpenWindow, preferences: FilePreferences, qtbot: QtBot
) -> None:
    window = await open_window()
    window.places.go_to("settings")
    window.pages.settings.show_section(5)
    section = window.pages.settings.notifications
    assert section.on.isChecked()
    qtbot.mouseClick(section.off, Qt.MouseButton.LeftButton)
    assert not Notifying(preferences).is_on
    qtbot.mouseClick(section.on, Qt.MouseButton.LeftButton)
    assert Notifying(preferences).is_on


async def test_r_10_the_list_of_edits_is_in_the_chats_pane_too(two: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    ask(two, write_request(1, session_id=HERE, path="/w/a.py"))
    await until(window.review.isVisible)
    assert window.batch.review is None
    ask(two, write_request(2, session_id=HERE, path="/w/b.py"))
    await until(lambda: window.batch.review is not None and window.batch.review.panel.isVisible())
    assert len(window.batch.review.panel.list.rows) == 2


async def test_r_17_closing_the_window_keeps_a_reason_that_was_being_written(
    two: WindowHub, open_window: OpenWindow
) -> None:
    window = await open_window()
    ask(two, write_request(1, session_id=HERE, path="/w/a.py"))
    await until(window.review.isVisible)
    window.review.bar.open_note()
    QTest.keyClicks(window.review.bar.note, "not now")
    await window.aclose()
    assert [item.notes and item.notes.reason for item in two.waiting] == ["not now"]
