"""Selecting, copying and finding: one text through all rows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.ui.models.transcript import TranscriptModel
from placet.ui.widgets.transcript.view import TranscriptView
from ui.chat.conftest import text_point
from unit.ui_models.transcript.told import answer, call, page, tell, user

SOURCE = "First **bold** words.\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- [x] two\n\nThe end."


def drag(view: TranscriptView, start: QPoint, end: QPoint) -> None:
    port = view.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(port, (start + end) / 2)
    QTest.mouseMove(port, end)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=end)


def copied(view: TranscriptView, qtbot: QtBot, *, markdown: bool = False) -> str:
    modifiers = Qt.KeyboardModifier.ControlModifier
    if markdown:
        modifiers |= Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(view, Qt.Key.Key_C, modifiers)
    return QGuiApplication.clipboard().text()


@pytest.fixture
def told(model: TranscriptModel, view: TranscriptView) -> TranscriptModel:
    model.load(page(user(1, "please"), answer(2, SOURCE)))
    return model


def test_a_drag_selects_across_rows(view: TranscriptView, told: TranscriptModel, qtbot: QtBot) -> None:
    drag(view, text_point(view, "bold") - QPoint(3, 0), text_point(view, "(1)") - QPoint(3, 0))
    assert copied(view, qtbot) == "bold words.\n\nprint"


def test_everything_copies_as_the_source(view: TranscriptView, told: TranscriptModel, qtbot: QtBot) -> None:
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert copied(view, qtbot, markdown=True) == f"please\n\n{SOURCE}"
    assert copied(view, qtbot) == (
        "please\n\nFirst bold words.\n\nprint(1)\n\na\tb\n1\t2\n\n•\tone\n☑\ttwo\n\nThe end."
    )


def test_a_double_click_selects_a_word_and_a_third_the_line(
    view: TranscriptView, told: TranscriptModel, qtbot: QtBot
) -> None:
    port, at = view.viewport(), text_point(view, "words")
    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=at)
    assert copied(view, qtbot).strip() == "words"
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=at)
    assert copied(view, qtbot) == "First bold words."


def test_shift_and_arrows_select(view: TranscriptView, told: TranscriptModel, qtbot: QtBot) -> None:
    """`D-7`."""
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=text_point(view, "First") - QPoint(3, 0))
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert copied(view, qtbot) == "First b"
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert copied(view, qtbot).startswith("First bold words.\n\n")
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.selection.is_empty


def test_a_drag_past_the_edge_scrolls_by_itself(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    model.load(page(answer(1, "paragraph\n\n" * 200)))
    view.show_row(20)
    start = view.verticalScrollBar().value()
    port = view.viewport()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(60, 300))
    QTest.mouseMove(port, QPoint(60, port.height() + 40))
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() > start + 200, timeout=5000)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(60, port.height() + 40))
    assert len(view.selection.text().split()) > 15


def test_the_selection_stays_with_its_text(view: TranscriptView, told: TranscriptModel, qtbot: QtBot) -> None:
    drag(view, text_point(view, "First") - QPoint(3, 0), text_point(view, "words"))
    before = copied(view, qtbot)
    told.prepend(page(user(-1, "older"), answer(-2, "still older")))
    tell(told, events.TextDelta(text="new text"))
    assert copied(view, qtbot) == before


def test_emoji_count_as_one_character(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    model.load(page(answer(1, "😀😀 face `😀` and **rest**\n\n```\n😀 = 1\n```\n")))
    drag(view, text_point(view, "face") - QPoint(3, 0), text_point(view, "rest") - QPoint(3, 0))
    assert copied(view, qtbot) == "face 😀 and "
    drag(view, text_point(view, "= 1") - QPoint(3, 0), text_point(view, "1") + QPoint(60, 0))
    assert copied(view, qtbot) == "= 1"


def test_a_wrapped_code_line_copies_as_one(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    line = "value = parse(text) " * 30
    model.load(page(answer(1, f"```\n{line}\n```\n")))
    view.select_all()
    assert copied(view, qtbot) == line
    assert view.column.view(0).height > 38 + 20


def test_what_is_cut_for_display_copies_whole(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    table = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(3000))
    for source in (table, "x" * 100_000, "lorem ipsum " * 20_000):
        model.load(page(answer(1, source)))
        view.select_all()
        assert copied(view, qtbot, markdown=True) == source.strip("\n")


def test_find_counts_what_is_seen_and_goes_round(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(
        page(user(1, "find the words"), answer(2, "**Wo**rds and [words](https://words.example)"), answer(3, "none"))
    )
    assert view.search("words") == 3
    first = view.finder.current
    view.search_next(1)
    assert view.finder.current != first
    view.search_next(-1)
    assert view.finder.current == first
    assert view.search("") == 0


def test_ledgers_are_text_too(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(page(answer(1, "", call(5, 1, facts={"lines": 240}))))
    assert "read_file a.py 240 lines" in view.visible_text()
    assert view.search("240 lines") == 1
