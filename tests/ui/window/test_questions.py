"""A question of a model in the window: asked without taking the keyboard, answered, withdrawn, left by an ended program."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.core.domain.errors import StoreError
from placet.core.domain.ids import CallId, FrameId, MessageId, RequestId, SessionId
from placet.core.domain.messages import CallStatus, HistoryPage, Message, Role, ToolCall
from placet.core.domain.review import PendingRequest
from placet.ui.panels.chat.question_card import QuestionCard
from placet.ui.widgets.banner import Banner
from placet.ui.widgets.guard import AttentionGuard
from placet.ui.widgets.transcript.acting import perform
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.window import MainWindow
from support.review_samples import question_request
from support.window_hub import WindowHub

from .conftest import OpenWindow, until

SESSION = SessionId("active")


@pytest.fixture
def asked(hub: WindowHub) -> WindowHub:
    """A hub with a session in which a turn runs."""
    hub.active["desktop"] = hub.add_session(SESSION, title="Encodings")
    hub.add_message(SESSION, Role.USER, "go")
    hub.running.add(SESSION)
    return hub


def ask(hub: WindowHub, number: int = 1, **fields: object) -> PendingRequest:
    """Let a question wait, as the core does: stored, then told."""
    request = question_request(number, session_id=SESSION, **fields)
    hub.waiting.append(request)
    hub.change(SESSION, waiting=hub.row(SESSION).waiting + 1)
    given = {"title": request.label, "question": request.detail}
    hub.emit(
        SESSION,
        events.ToolStart(
            tool_call_id=request.call_id, message_id=MessageId(2), name=request.tool, arguments=given,
            label=request.label, detail=request.label,
        ),
    )  # fmt: skip
    hub.emit(
        SESSION,
        events.AgentQuestion(
            request_id=request.id, tool_call_id=request.call_id, title=request.label, question=request.detail,
            suggested_answers=request.suggested_answers,
        ),
    )  # fmt: skip
    return request


def card(window: MainWindow) -> QuestionCard:
    return window.chat.question


class Clock:
    """Milliseconds that pass only when a test says so."""

    now = 0

    def __call__(self) -> int:
        return self.now


def clock_of(window: MainWindow) -> Clock:
    """Give the card a clock of its own, so that no test waits half a second."""
    clock = Clock()
    window.chat.question.form.guard = AttentionGuard(clock)
    return clock


async def open_with(open_window: OpenWindow, hub: WindowHub, *numbers: int, width: int = 1440) -> MainWindow:
    window = await open_window(width=width)
    clock = clock_of(window)
    for number in numbers:
        ask(hub, number)
    await until(lambda: len(window.conversation.questions.requests) == len(numbers))
    clock.now += 500
    return window


async def test_d_4_a_question_appears_and_takes_no_keyboard(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_with(open_window, asked, 1)
    assert card(window).isVisible()
    assert QApplication.focusWidget() is window.chat.composer.field
    assert QApplication.activeModalWidget() is None
    assert not window.review.isVisible()  # it is for what is decided
    assert card(window).title.text() == "Which encoding, 1?"
    assert card(window).question.box.plain == "The files have no mark."
    assert [choice.text() for choice in card(window).form.suggestions.choices] == ["UTF-8", "That of the folder"]
    await until(lambda: "Waiting for you" in window.status.text)


async def test_a_suggested_answer_is_one_click(asked: WindowHub, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = await open_with(open_window, asked, 1)
    qtbot.mouseClick(card(window).form.suggestions.choices[1], Qt.MouseButton.LeftButton)
    await until(lambda: not card(window).isVisible())
    assert asked.asked("resolve_question") == [("request-1", "That of the folder")]


async def test_d_7_a_question_is_answered_by_keys_alone(
    asked: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = await open_with(open_window, asked, 1)
    form = card(window).form
    form.suggestions.choices[0].setFocus()
    for expected in (form.suggestions.choices[1], form.field, form.send):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is expected
    form.field.setFocus()
    qtbot.keyClicks(form.field, "  the old one ")
    qtbot.keyClick(form.field, Qt.Key.Key_Return)
    await until(lambda: not card(window).isVisible())
    assert asked.asked("resolve_question") == [("request-1", "the old one")]
    assert QApplication.focusWidget() is window.chat.composer.field


async def test_enter_presses_the_suggestion_that_has_the_focus(
    asked: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = await open_with(open_window, asked, 1)
    first = card(window).form.suggestions.choices[0]
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Return)
    await until(lambda: asked.asked("resolve_question") == [("request-1", "UTF-8")])


async def test_an_empty_answer_is_not_sent(asked: WindowHub, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = await open_with(open_window, asked, 1)
    qtbot.keyClicks(card(window).form.field, "   ")
    qtbot.keyClick(card(window).form.field, Qt.Key.Key_Return)
    qtbot.mouseClick(card(window).form.send, Qt.MouseButton.LeftButton)
    assert asked.asked("resolve_question") == []


async def test_for_half_a_second_no_suggestion_is_chosen(
    asked: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = await open_window()
    clock = clock_of(window)
    ask(asked)
    await until(lambda: card(window).isVisible())
    clock.now += 499
    qtbot.mouseClick(card(window).form.suggestions.choices[0], Qt.MouseButton.LeftButton)
    assert asked.asked("resolve_question") == []
    clock.now += 1
    qtbot.mouseClick(card(window).form.suggestions.choices[0], Qt.MouseButton.LeftButton)
    await until(lambda: asked.asked("resolve_question"))


async def test_several_questions_wait_in_order_and_each_keeps_what_was_written(
    asked: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = await open_with(open_window, asked, 1, 2)
    shown = card(window)
    assert (shown.title.text(), shown.place.text()) == ("Which encoding, 1?", "1 of 2")
    qtbot.keyClicks(shown.form.field, "half")
    qtbot.mouseClick(shown.next, Qt.MouseButton.LeftButton)
    assert (shown.title.text(), shown.form.field.text()) == ("Which encoding, 2?", "")
    qtbot.mouseClick(shown.previous, Qt.MouseButton.LeftButton)
    assert shown.form.field.text() == "half"
    qtbot.keyClick(shown.form.field, Qt.Key.Key_Return)
    await until(lambda: shown.title.text() == "Which encoding, 2?")
    assert shown.form.field.text() == ""
    assert not shown.next.isVisible()


async def test_a_question_that_a_stop_withdraws_goes_away(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_with(open_window, asked, 1)
    card(window).form.field.setFocus()
    asked.waiting.clear()
    resolved = events.ApprovalResolved(request_id=RequestId("request-1"), tool_call_id=CallId(1), decision="cancelled")
    asked.emit(SESSION, resolved)
    asked.emit(SESSION, events.ToolCancelled(tool_call_id=CallId(1), name="ask_user_clarification", note="Stopped."))
    await until(lambda: not card(window).isVisible())
    assert QApplication.focusWidget() is window.chat.composer.field
    assert "Not answered: the turn was stopped" in window.chat.transcript.visible_text()


async def test_an_answer_that_fails_says_so_and_keeps_the_words(
    asked: WindowHub, open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(request_id: RequestId, answer: str) -> None:
        raise StoreError("The answer could not be stored.", hint="The disk is full.")

    monkeypatch.setattr(asked, "resolve_question", refuse)
    window = await open_with(open_window, asked, 1)
    qtbot.keyClicks(card(window).form.field, "UTF-8")
    qtbot.keyClick(card(window).form.field, Qt.Key.Key_Return)
    await until(card(window).error.isVisible)
    assert card(window).error.title.text() == "The answer could not be stored."
    assert card(window).form.field.text() == "UTF-8"


async def test_the_line_in_the_chat_leads_to_the_card(asked: WindowHub, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = await open_with(open_window, asked, 1, 2)
    view = window.chat.transcript
    window.chat.model.flush()
    row, action = next(
        (row, act)
        for row, _y, seen in view.column.visible()
        for act in seen.actions
        if act.name is ActionName.ANSWER and act.key == 2
    )
    perform(view, row, action)
    assert card(window).title.text() == "Which encoding, 2?"
    assert QApplication.focusWidget() is card(window).form.field


async def test_a_question_left_by_an_ended_program_waits_with_resume(
    hub: WindowHub, open_window: OpenWindow, qtbot: QtBot
) -> None:
    request = question_request(1, session_id=SESSION)
    hub.active["desktop"] = hub.add_session(SESSION, interrupted=True, waiting=1)
    hub.add_message(SESSION, Role.USER, "go")
    pending = ToolCall(
        id=CallId(1), message_id=MessageId(2), provider_id="c", name=request.tool, label=request.label,
        status=CallStatus.PENDING, arguments='{"title":"Which?","question":"?"}',
    )  # fmt: skip
    hub.add_message(SESSION, Role.ASSISTANT, "", calls=(pending,))
    hub.waiting.append(request)
    window = await open_window()
    await until(lambda: card(window).isVisible())
    names = [act.name for _r, _y, seen in window.chat.transcript.column.visible() for act in seen.actions]
    assert ActionName.ANSWER in names
    assert ActionName.RESUME in names
    qtbot.keyClicks(card(window).form.field, "UTF-8")
    qtbot.keyClick(card(window).form.field, Qt.Key.Key_Return)
    await until(lambda: hub.asked("resolve_question") == [("request-1", "UTF-8")])


async def test_the_card_of_another_session_is_not_shown(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_with(open_window, asked, 1)
    other = asked.add_session("other", title="Other")
    asked.add_message(other, Role.USER, "hello")
    window.places.open_session(other)
    await until(lambda: not card(window).isVisible())
    window.places.open_session(SESSION)
    await until(lambda: card(window).isVisible())


async def test_a_long_question_leaves_room_for_the_chat(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window(width=440)
    ask(asked, detail="word " * 2000, suggested_answers=("a" * 300, "b " * 200))
    await until(lambda: card(window).isVisible())
    window.grab()
    assert card(window).question.height() <= 180
    assert card(window).question.focusPolicy() == Qt.FocusPolicy.TabFocus  # so that keys can scroll it
    assert all(choice.geometry().right() <= card(window).width() for choice in card(window).form.suggestions.choices)
    assert card(window).form.suggestions.choices[0].accessibleName() == "a" * 300


async def test_d_8_the_field_is_described_by_the_question(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_with(open_window, asked, 1)
    field = card(window).form.field
    assert (field.accessibleName(), field.accessibleDescription()) == (
        "Answer",
        "Which encoding, 1?\nThe files have no mark.",
    )


# ---- sub-agents in the window ----------------------------------------------------------------------------------


async def test_opening_a_stored_sub_agent_reads_its_rows(hub: WindowHub, open_window: OpenWindow) -> None:
    hub.active["desktop"] = hub.add_session(SESSION)
    hub.add_message(SESSION, Role.USER, "go")
    agent = ToolCall(
        id=CallId(5), message_id=MessageId(2), provider_id="c", name="execute_task", status=CallStatus.DONE,
        result="All pass.", arguments='{"agent":"tester","task":"Run the tests"}', started_at=1.0, ended_at=9.0,
    )  # fmt: skip
    hub.add_message(SESSION, Role.ASSISTANT, "", calls=(agent,))
    inside = Message(id=MessageId(9), frame_id=FrameId(2), role=Role.ASSISTANT, content="All pass.")
    hub.history.frames[CallId(5)] = HistoryPage(session=hub.row(SESSION), messages=(inside,))
    window = await open_window()
    await until(lambda: len(window.chat.model.rows) == 2)
    window.chat.model.toggle_agent(5)
    await until(lambda: len(window.chat.model.rows) == 3)
    assert window.chat.model.rows[2].spoken() == "tester: All pass."
    window.chat.model.load(HistoryPage(session=hub.row(SESSION), messages=tuple(hub.messages[SESSION])))
    hub.history.frames.clear()
    window.chat.model.toggle_agent(5)
    await until(lambda: "There is no such call." in [banner.title.text() for banner in window.findChildren(Banner)])
    assert len(window.chat.model.rows) == 2


async def test_the_end_of_a_sub_agent_is_not_the_end_of_the_turn(asked: WindowHub, open_window: OpenWindow) -> None:
    window = await open_window()
    done = events.Done(message_id=MessageId(8), content="child", input_tokens=5, output_tokens=5)
    asked.emit(SESSION, msgspec.structs.replace(done, agent_call_id=CallId(5)))
    asked.emit(SESSION, events.UserMessage(message_id=MessageId(9), content="marker"))
    await until(lambda: "marker" in "".join(row.source for row in window.chat.model.rows))
    assert window.conversation.last_turn is None
