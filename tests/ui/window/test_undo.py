"""`R-9` in the window: an undo asked for in the chat is a page, and a step on that page leads to its very message."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from placet.core.domain.ids import CallId, ChangeId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, Role, ToolCall
from placet.core.domain.review import Change, ChangeState
from placet.core.domain.undo import ChangeStep, FileUndo, UndoStatus, UndoWish
from support.window_hub import WindowHub
from ui.window.conftest import OpenWindow, until


@pytest.fixture
def talked(hub: WindowHub) -> SessionId:
    """A session of 200 messages, the last of which had a file changed."""
    session_id = hub.add_session("main", title="Shed")
    for number in range(99):
        hub.add_message("main", Role.USER, f"question {number}")
        hub.add_message("main", Role.ASSISTANT, f"answer {number}")
    hub.add_message("main", Role.USER, "paint it   green")
    facts = {"added": 2, "removed": 1, "change_id": 9, "path": "a", "change": "modified"}
    call = ToolCall(
        id=CallId(5), message_id=MessageId(200), provider_id="c", name="edit_file", status=CallStatus.DONE, result="ok",
        label="a", facts=facts,
    )  # fmt: skip
    hub.add_message("main", Role.ASSISTANT, "", calls=(call,))
    hub.active["desktop"] = session_id
    return session_id


async def test_r_9_everything_since_a_message_is_shown_on_a_page_before_it_happens(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    hub.changes.plans = [FileUndo(path="/w/a", changes=(ChangeId(9),), status=UndoStatus.NOTHING, message="Nothing.")]
    window = await open_window()
    await until(lambda: window.chat.model.rows)
    window.chat.undo_since_requested.emit(199)
    await until(window.pages.changes.undo_view.isVisible)
    page = window.pages.changes
    await until(lambda: page.undo_view.list.model().rowCount() == 1)
    assert page.undo_view.title.text() == "Undo everything since “paint it green”"
    assert hub.changes.wishes == [UndoWish(message_id=MessageId(199), whole_rest=True)]
    assert not page.undo_view.undo_button.isEnabled()
    QTest.keyClick(page.undo_view, Qt.Key.Key_Escape)
    await until(lambda: window.places.place == "chat")


@pytest.mark.parametrize(
    ("ask", "wish"),
    [
        ("undo_turn_requested", UndoWish(message_id=MessageId(9))),
        ("undo_requested", UndoWish(changes=(ChangeId(9),))),
        ("redo_requested", UndoWish(again=(ChangeId(9),))),
    ],
)
async def test_a_turn_a_change_and_applying_it_again_are_shown_too(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId, ask: str, wish: UndoWish
) -> None:
    window = await open_window()
    getattr(window.chat, ask).emit(9)
    await until(lambda: hub.changes.wishes)
    assert hub.changes.wishes == [wish]
    assert window.pages.changes.undo_view.isVisible()


async def test_a_step_leads_to_the_very_message_however_old_it_is(
    hub: WindowHub, open_window: OpenWindow, talked: SessionId
) -> None:
    hub.active["desktop"] = hub.add_session("empty")
    window = await open_window()
    window.places.go_to("changes")
    change = Change(
        id=ChangeId(1), session_id=talked, call_id=None, path="/w/a", before_digest="a", after_digest="b",
        state=ChangeState.APPLIED, created_at=1.0,
    )  # fmt: skip
    asked = next(row for row in hub.messages[talked] if row.content == "question 3")
    window.pages.changes.place_requested.emit(ChangeStep(change=change, message_id=asked.id, said="question 3"))
    await until(lambda: "question 3\n" in window.chat.transcript.visible_text())
    assert window.places.place == "chat"
    assert window.conversation.session is not None
    assert window.conversation.session.id == talked
