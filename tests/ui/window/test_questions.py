"""Questions of a model, in the window on a hub in memory."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from placet.core.domain.events import AgentQuestion
from placet.core.domain.ids import CallId, RequestId, SessionId
from placet.core.domain.messages import Role
from placet.core.domain.review import PendingRequest, RequestKind
from placet.ui.panels.chat.question_strip import QuestionStrip
from placet.ui.window import MainWindow
from support.window_hub import WindowHub

from .conftest import OpenWindow, until
from .test_window import composer


@pytest.fixture
def talked(hub: WindowHub) -> SessionId:
    session = hub.add_session("active", title="Ports", last_activity=300.0)
    hub.active["desktop"] = session
    hub.add_message(session, Role.USER, "start the server")
    hub.add_message(session, Role.ASSISTANT, "I need to know one thing.")
    return session


@pytest.fixture
async def window(open_window: OpenWindow, talked: SessionId) -> MainWindow:
    return await open_window()


def _ask(hub: WindowHub, session: SessionId, number: int = 1, answers: tuple[str, ...] = ("80", "8080")) -> RequestId:
    request = PendingRequest(
        id=RequestId(f"q{number}"),
        session_id=session,
        call_id=CallId(number),
        kind=RequestKind.QUESTION,
        tool="ask_user_clarification",
        label=f"Port {number}",
        detail="Which **port** should it take?",
        because="a question",
        created_at=float(number),
        suggested_answers=answers,
    )
    hub.waiting.append(request)
    event = AgentQuestion(
        request_id=request.id, tool_call_id=request.call_id, title=request.label, question=request.detail,
        suggested_answers=answers,
    )  # fmt: skip
    hub.emit(session, event)
    return request.id


async def test_d4_a_question_stands_above_the_field_and_takes_no_focus(
    window: MainWindow, hub: WindowHub, talked: SessionId
) -> None:
    strip = window.chat.question
    assert not strip.isVisible()
    composer(window).setFocus()
    _ask(hub, talked)
    await until(strip.isVisible)
    assert QApplication.focusWidget() is composer(window)
    assert (strip.title.text(), strip.question.text()) == ("Port 1", "Which port should it take?")
    assert [button.accessibleName() for button in strip.suggestions] == ["Answer: 80", "Answer: 8080"]
    assert "Which port" in strip.accessibleName()
    assert not window.places.panes.is_review_open


async def test_a_likely_answer_is_one_press(
    qtbot: QtBot, window: MainWindow, hub: WindowHub, talked: SessionId
) -> None:
    strip = window.chat.question
    asked = _ask(hub, talked)
    await until(strip.isVisible)
    qtbot.mouseClick(strip.suggestions[1], Qt.MouseButton.LeftButton)
    await until(lambda: hub.asked("resolve_question"))
    assert hub.asked("resolve_question") == [(asked, "8080")]
    await until(lambda: not strip.isVisible())


async def test_an_own_answer_is_sent_by_enter_and_an_empty_one_is_not(
    qtbot: QtBot, window: MainWindow, hub: WindowHub, talked: SessionId
) -> None:
    strip = window.chat.question
    _ask(hub, talked, answers=())
    await until(strip.isVisible)
    strip.take_focus()
    assert QApplication.focusWidget() is strip.answer
    qtbot.keyClick(strip.answer, Qt.Key.Key_Return)
    assert hub.asked("resolve_question") == []
    qtbot.keyClicks(strip.answer, "443")
    qtbot.keyClick(strip.answer, Qt.Key.Key_Return)
    await until(lambda: hub.asked("resolve_question"))
    assert hub.asked("resolve_question") == [("q1", "443")]


async def test_several_questions_come_one_after_the_other_and_a_begun_answer_stays_with_its_own(
    qtbot: QtBot, window: MainWindow, hub: WindowHub, talked: SessionId
) -> None:
    strip: QuestionStrip = window.chat.question
    _ask(hub, talked, 2)
    await until(strip.isVisible)
    qtbot.keyClicks(strip.answer, "half an ans")
    _ask(hub, talked, 1)
    await until(lambda: strip.title.text() == "Port 1")
    assert (strip.answer.text(), strip.more.text()) == ("", "and 1 more")
    qtbot.mouseClick(strip.suggestions[0], Qt.MouseButton.LeftButton)
    await until(lambda: strip.title.text() == "Port 2")
    assert strip.answer.text() == "half an ans"
