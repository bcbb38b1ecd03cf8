"""`R-13` in the window: a past proposal is read whole in the review pane, copied, and taken up again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from placet.core.domain.errors import UsageError
from placet.core.domain.ids import CallId, MessageId, SessionId
from placet.core.domain.messages import CallStatus, Role, ToolCall
from placet.core.domain.proposals import ProposedText, ProposedWrite
from placet.core.review.diffing import diff_contents
from placet.ui.panels.review.past_proposal import PastProposal
from placet.ui.window import MainWindow
from support.review_samples import file_diff, write_request
from support.window_hub import WindowHub
from ui.window.conftest import OpenWindow, until


def text(new: str) -> ProposedText:
    return ProposedText(diff=diff_contents("/w/a", b"one\n", new.encode()), patch=f"patch of {new}", new_text=new)


@pytest.fixture
def chat(hub: WindowHub) -> SessionId:
    """A session whose one write was rejected."""
    session_id = hub.active["desktop"] = hub.add_session("main", title="Shed")
    hub.add_message("main", Role.USER, "paint it")
    call = ToolCall(
        id=CallId(5), message_id=MessageId(2), provider_id="c", name="edit_file", status=CallStatus.REJECTED, label="a"
    )
    hub.add_message("main", Role.ASSISTANT, "", calls=(call,))
    hub.proposals.writes[CallId(5)] = ProposedWrite(
        call_id=CallId(5), path="/w/a", label="a", proposed=text("two\n"), written=text("three\n")
    )
    return session_id


async def past_of(window: MainWindow) -> PastProposal:
    await until(lambda: window.chat.model.rows)
    window.chat.transcript.proposal_opened.emit(5)
    await until(lambda: window.review.findChild(PastProposal) is not None)
    page = window.review.findChild(PastProposal)
    assert isinstance(page, PastProposal)
    await until(page.isVisible)
    return page


async def test_r_13_a_past_proposal_is_read_whole_beside_the_chat(
    hub: WindowHub, open_window: OpenWindow, chat: SessionId
) -> None:
    page = await past_of(await open_window())
    assert "three" in page.diff_view.plain_text()
    page.sides.choose("Proposed")
    page.sides.chosen.emit("Proposed")
    assert "two" in page.diff_view.plain_text()
    assert "rejected" in page.subject.accessibleName()


async def test_r_13_it_is_copied_whole_from_chat_and_pane(
    hub: WindowHub, open_window: OpenWindow, chat: SessionId
) -> None:
    window = await open_window()
    page = await past_of(window)
    QTest.keyClick(page.diff_view, Qt.Key.Key_C)
    await until(lambda: QGuiApplication.clipboard().text() == "patch of three\n")
    window.chat.transcript.proposal_copied.emit(5, False, False)
    await until(lambda: QGuiApplication.clipboard().text() == "two\n")


async def test_r_13_no_key_reaches_what_waits_while_that_cannot_be_seen(
    hub: WindowHub, open_window: OpenWindow, chat: SessionId
) -> None:
    request = write_request(session_id=chat)
    hub.waiting.append(request)
    hub.diffs[request.id] = file_diff()
    hub.proposals.refusal = UsageError("It does not fit.")
    window = await open_window()
    page = await past_of(window)
    for key in (Qt.Key.Key_Enter, Qt.Key.Key_R, Qt.Key.Key_E, Qt.Key.Key_A):
        QTest.keyClick(page.diff_view, key)
        QTest.keyClick(window.review, key)
    assert hub.asked("approve") == hub.asked("reject") == []
    assert not window.review.bar.is_note_open
    QTest.keyClick(page.diff_view, Qt.Key.Key_Escape)
    assert not page.isVisible()
    assert window.review.content.isVisible()


async def test_r_13_taking_it_up_opens_its_review(hub: WindowHub, open_window: OpenWindow, chat: SessionId) -> None:
    window = await open_window()
    page = await past_of(window)
    QTest.keyClick(page.diff_view, Qt.Key.Key_Return)
    await until(lambda: window.review_model.current is not None)
    assert hub.proposals.taken_up == [5]
    assert not page.isVisible()
    await until(lambda: window.review_model.diff is not None)
    assert not window.review.bar.more.isVisible(), "no model asks for more like it"
    await until(lambda: "waits for your review again" in window.chat.model.rows[1].plain())
    window.review_model.reject()
    await until(lambda: "again" not in window.chat.model.rows[1].plain())


async def test_r_13_why_it_cannot_be_taken_up_is_told(hub: WindowHub, open_window: OpenWindow, chat: SessionId) -> None:
    hub.proposals.refusal = UsageError("a has changed since.", hint="Copy it as a patch.")
    window = await open_window()
    await until(lambda: window.chat.model.rows)
    window.chat.transcript.take_up_requested.emit(5)
    await until(window.notices.banner.isVisible)
    assert "a has changed since." in window.notices.banner.accessibleName()


async def test_a_waiting_write_has_its_counts_after_a_restart(hub: WindowHub, open_window: OpenWindow) -> None:
    session_id = hub.active["desktop"] = hub.add_session("main")
    call = ToolCall(
        id=CallId(5), message_id=MessageId(1), provider_id="c", name="edit_file", status=CallStatus.PENDING, label="a"
    )
    hub.add_message("main", Role.ASSISTANT, "", calls=(call,))
    request = write_request(session_id=session_id, call_id=CallId(5), added=7, removed=2)
    hub.waiting.append(request)
    hub.diffs[request.id] = file_diff()
    window = await open_window()
    await until(lambda: window.chat.model.rows and "+7 −2" in window.chat.model.rows[0].plain())
    await until(lambda: window.review_model.diff is not None)


async def test_jump_keys_work_from_the_message_field(hub: WindowHub, open_window: OpenWindow, chat: SessionId) -> None:
    window = await open_window()
    await until(lambda: window.chat.model.rows)
    window.chat.composer.field.setFocus()
    QTest.keyClick(window.chat.composer.field, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: window.chat.transcript.selection.end is not None)
    assert window.chat.transcript.hasFocus()


async def test_what_arrives_does_not_push_away_what_is_read(
    hub: WindowHub, open_window: OpenWindow, chat: SessionId
) -> None:
    window = await open_window()
    page = await past_of(window)
    assert page.close_button.text() == "Close"
    hub.take_up(CallId(5))
    await until(lambda: page.close_button.text() == "To what waits")
    assert page.isVisible()
    QTest.keyClick(window, Qt.Key.Key_F6)
    await until(window.review.content.isVisible)
    assert not page.isVisible()


async def test_what_is_taken_up_from_a_call_that_is_not_loaded_adds_no_row(
    hub: WindowHub, open_window: OpenWindow, chat: SessionId
) -> None:
    window = await open_window()
    await until(lambda: window.chat.model.rows)
    before = list(window.chat.model.rows)
    hub.take_up(CallId(77))
    await until(lambda: window.review_model.current is not None)
    assert window.chat.model.rows == before
