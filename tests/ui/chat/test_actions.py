"""What can be pressed in a transcript, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.core.domain.messages import CallStatus
from placet.ui.models.transcript import TranscriptModel
from placet.ui.models.transcript_calls import CallMark
from placet.ui.widgets.transcript.row_view import ActionName
from placet.ui.widgets.transcript.view import TranscriptView
from ui.chat.conftest import text_point
from unit.ui_models.transcript.told import CUT, FAILED, answer, call, done, page, said, started, tell, user, waiting

Press = Callable[..., None]


def test_copy_gives_the_code_exactly(view: TranscriptView, model: TranscriptModel, press: Press) -> None:
    model.load(page(answer(1, "Key:\n\n```text\nzz9-77\n```")))
    press(ActionName.COPY)
    assert QGuiApplication.clipboard().text() == "zz9-77"


def test_reasoning_opens_and_closes(view: TranscriptView, model: TranscriptModel, press: Press) -> None:
    model.load(page(answer(1, "answer", reasoning="because of this")))
    assert "because" not in view.visible_text()
    press(ActionName.TOGGLE)
    assert "because of this" in view.visible_text()
    press(ActionName.TOGGLE)
    assert "because" not in view.visible_text()


def test_a_call_opens_to_arguments_and_result(view: TranscriptView, model: TranscriptModel, press: Press) -> None:
    stored = call(5, 1, "grep", arguments='{"pattern": "needle"}', result="\n".join(f"hit {n}" for n in range(60)))
    model.load(page(answer(1, "", stored)))
    press(ActionName.TOGGLE)
    assert "pattern: needle" in view.visible_text()
    assert "hit 3" in view.visible_text()
    assert "hit 40" not in view.visible_text()
    press(ActionName.SHOW_ALL)
    assert "hit 59" in view.visible_text()


def test_a_failed_command_shows_why_at_once(view: TranscriptView, model: TranscriptModel) -> None:
    stored = call(5, 1, "execute_cmd", result="[exit 1]\nIndexError: out of range", facts={"exit": 1})
    model.load(page(answer(1, "", stored)))
    assert "IndexError: out of range" in view.visible_text()


def test_a_waiting_write_asks_for_its_review(
    view: TranscriptView, model: TranscriptModel, press: Press, qtbot: QtBot
) -> None:
    tell(model, said(1, "go"), started(5, 2, "edit_file"), waiting(5))
    with qtbot.waitSignal(view.review_requested, timeout=1000) as asked:
        press(ActionName.REVIEW)
    assert asked.args == [5]
    assert "+2 −1" in view.visible_text()


def test_an_applied_write_can_be_undone_once(
    view: TranscriptView, model: TranscriptModel, press: Press, qtbot: QtBot
) -> None:
    stored = call(
        5, 1, "edit_file", facts={"added": 2, "removed": 1, "change_id": 9, "path": "a", "change": "modified"}
    )
    model.load(page(answer(1, "", stored)))
    with qtbot.waitSignal(view.undo_requested, timeout=1000) as asked:
        press(ActionName.UNDO)
    assert asked.args == [9]
    undone = events.FileChanged(path="a", change="reverted", change_id=10, tool_call_id=5)  # type: ignore[arg-type]
    tell(model, undone)
    assert "undone" in view.visible_text()
    assert not any(act.name is ActionName.UNDO for act in view.column.view(0).actions)
    with qtbot.waitSignal(view.redo_requested, timeout=1000) as again:
        press(ActionName.REDO)
    assert again.args == [9]
    model.mark_calls({5: CallMark(undone=False), 77: CallMark(undone=True)})
    assert "undone" not in view.visible_text()


@pytest.mark.parametrize(
    ("name", "signal", "argument"),
    [
        (ActionName.STOP, "stop_requested", []),
        (ActionName.RESUME, "resume_requested", []),
        (ActionName.RETRY, "retry_requested", [1]),
        (ActionName.REMEDY, "remedy_requested", ["models"]),
    ],
)
def test_requests_reach_the_window(
    view: TranscriptView,
    model: TranscriptModel,
    press: Press,
    qtbot: QtBot,
    name: ActionName,
    signal: str,
    argument: list[object],
) -> None:
    """`D-12` for the remedies."""
    match name:
        case ActionName.STOP:
            tell(model, started(5, 2, "execute_cmd"))
        case ActionName.RESUME:
            model.load(page(user(1), answer(2, "half", status=CUT), interrupted=True))
        case ActionName.RETRY:
            model.load(page(user(1, status=FAILED)))
        case _:
            tell(model, said(1, "go"), events.Error(code="auth", message="The key was refused.", detail="HTTP 401"))
    with qtbot.waitSignal(getattr(view, signal), timeout=1000) as asked:
        press(name)
    assert asked.args == argument


def test_details_of_an_error_are_one_click_away_and_copyable(
    view: TranscriptView, model: TranscriptModel, press: Press
) -> None:
    """`D-12`."""
    tell(
        model, said(1, "go"), events.Error(code="server", message="It broke.", hint="Try again.", detail="HTTP 500 xyz")
    )
    assert "xyz" not in view.visible_text()
    press(ActionName.TOGGLE)
    assert "HTTP 500 xyz" in view.visible_text()
    press(ActionName.COPY)
    assert QGuiApplication.clipboard().text() == "It broke.\nTry again.\nHTTP 500 xyz"


def test_tab_walks_the_actions_and_enter_presses(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    """`D-7`."""
    model.load(page(answer(1, "answer", reasoning="because of this"), answer(2, "```\nx = 1\n```")))
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert "because of this" in view.visible_text()
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "x = 1"
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.focus_action is None


def test_a_long_message_is_folded_and_can_be_seen_whole(
    view: TranscriptView, model: TranscriptModel, press: Press
) -> None:
    model.load(page(user(1, "\n".join(f"line {n}" for n in range(500)))))
    view.verticalScrollBar().setValue(0)
    assert "line 499" not in view.visible_text()
    assert view.plain_text(0).endswith("line 499")
    view.show_row(0)
    view.to_bottom()
    press(ActionName.SHOW_ALL)
    assert "line 499" in view.visible_text()


def test_what_a_person_typed_is_shown_as_typed(view: TranscriptView, model: TranscriptModel) -> None:
    typed = "# not a heading\n  two  spaces\n<b>*kept*</b> `code`"
    model.load(page(user(1, typed)))
    assert view.visible_text() == typed.replace("`code`", "code")


# ---- links (`D-10`) ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "label", "web", "files"),
    [
        ("[docs](https://example.org/x)", "docs", ["https://example.org/x"], []),
        ("[docs](file:///usr/bin/xcalc)", "docs", [], ["/usr/bin/xcalc"]),
        ("[code](src/a.py)", "code", [], ["src/a.py"]),
        ("[click](vscode://x)", "click", [], []),
        ("[a label](javascript:alert(1))", "a label", [], []),
        ("![picture](http://127.0.0.1:8099/p.png)", "picture", ["http://127.0.0.1:8099/p.png"], []),
        ("![picture](data:image/svg+xml;base64,PHN2Zy8+)", "picture", [], []),
        ("bare https://example.org/y here", "https", ["https://example.org/y"], []),
    ],
)
def test_a_click_reports_only_what_may_open(
    view: TranscriptView,
    model: TranscriptModel,
    qtbot: QtBot,
    source: str,
    label: str,
    web: list[str],
    files: list[str],
) -> None:
    seen_web, seen_files = list[str](), list[str]()
    view.link_activated.connect(seen_web.append)
    view.file_link_activated.connect(seen_files.append)
    model.load(page(answer(1, source)))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=text_point(view, label) + QPoint(2, 0))
    assert (seen_web, seen_files) == (web, files)


def test_hovering_shows_the_real_target(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    model.load(page(answer(1, "[http://good.example](http://evil.example/) rest")))
    assert "(evil.example)" in view.visible_text()
    with qtbot.waitSignal(view.link_hovered, timeout=1000) as hovered:
        qtbot.mouseMove(view.viewport(), text_point(view, "good") + QPoint(1, 0))
    assert hovered.args == ["http://evil.example/"]


# ---- screen readers ------------------------------------------------------------------------------------------


def test_rows_are_children_with_their_text(view: TranscriptView, model: TranscriptModel) -> None:
    """`D-8`."""
    stored = call(5, 1, "edit_file", status=CallStatus.PENDING)
    model.load(page(user(1, "hello"), answer(2, "**bold**", stored)))
    assert view.accessibleName() == "Conversation"
    assert [view.item_text(index) for index in range(view.item_count())] == ["hello", "bold", "edit_file a.py, waiting"]
    assert not view.item_rect(0).isEmpty()
    assert QAccessible.queryAccessibleInterface(view) is not None


def test_done_calls_tell_their_outcome(model: TranscriptModel, view: TranscriptView) -> None:
    tell(model, started(5, 2, "execute_cmd", "make"), done(5, "execute_cmd", "no", exit=2))
    assert view.item_text(0) == "execute_cmd make, exit 2"
