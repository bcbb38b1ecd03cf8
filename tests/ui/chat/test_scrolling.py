"""Scrolling: the end is followed only from the end, and nothing that is read ever moves."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.ui.models.transcript import TranscriptModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.transcript.heights import Heights
from placet.ui.widgets.transcript.view import TranscriptView
from unit.ui_models.transcript.told import answer, done, page, said, started, tell, user

WORDS = "the parser reads each line before any length check and keeps what callers rely on as it was "


def long_page(first: int, count: int, *, has_older: bool = False):  # type: ignore[no-untyped-def]
    rows = []
    for number in range(first, first + count):
        rows.append(
            user(number, f"question {number}") if number % 2 else answer(number, f"n{number} " + WORDS * (number % 9))
        )
    return page(*rows, has_older=has_older)


def seen(view: TranscriptView) -> dict[str, float]:
    return {shown.row.source: y for _row, y, shown in view.column.visible()}


def at_end(view: TranscriptView) -> bool:
    return view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_a_page_opens_at_its_end(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(long_page(1, 60))
    assert at_end(view)
    assert "n60" in view.visible_text()


def test_the_stream_is_followed_only_at_the_end(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    """`D-1`."""
    model.load(long_page(1, 60))
    tell(model, events.TextDelta(text="more\n\n" * 30))
    assert at_end(view)
    assert not view.jump.isVisible()
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    before = seen(view)
    tell(model, events.TextDelta(text="and more\n\n" * 30))
    assert seen(view) == before
    assert view.jump.isVisible()
    qtbot.mouseClick(view.jump, Qt.MouseButton.LeftButton)
    assert at_end(view)
    assert not view.jump.isVisible()
    tell(model, events.TextDelta(text="last\n\n" * 30))
    assert at_end(view)


def test_older_rows_are_wanted_near_the_top_and_move_nothing(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    model.load(long_page(101, 60, has_older=True))
    with qtbot.waitSignal(view.older_wanted, timeout=5000):
        qtbot.keyClick(view, Qt.Key.Key_Home)
    before = seen(view)
    model.prepend(long_page(41, 60))
    after = seen(view)
    assert {text: after[text] for text in before} == before


def test_estimates_never_move_what_is_read(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(long_page(1, 400))
    view.show_row(300)
    worst = 0.0
    for _ in range(300):
        before = seen(view)
        value = view.verticalScrollBar().value()
        view.verticalScrollBar().setValue(value - 20)
        after = seen(view)
        worst = max([worst, *(abs(after[text] - before[text] - 20) for text in before.keys() & after.keys())])
    assert worst < 1e-6


def test_a_narrower_window_keeps_the_row_that_is_read(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(long_page(1, 100))
    view.show_row(50)
    anchor = view.column.anchor
    view.resize(420, 600)
    assert view.column.anchor == anchor
    assert view.context.width == 420 - 48


def test_a_call_keeps_its_height_from_start_to_result(view: TranscriptView, model: TranscriptModel) -> None:
    """Nothing jumps."""
    tell(model, said(1, "go"), started(5, 2))
    height = view.column.view(1).height
    tell(model, done(5, lines=240))
    assert view.column.view(1).height == height


def test_live_output_that_was_shown_stays_when_the_call_ends(view: TranscriptView, model: TranscriptModel) -> None:
    lines = "".join(f"line {n}\n" for n in range(20))
    tell(model, said(1, "go"), started(5, 2, "execute_cmd", "make"), events.ToolOutput(tool_call_id=5, text=lines))  # type: ignore[arg-type]
    assert "line 19" in view.visible_text()
    tell(model, done(5, "execute_cmd", lines, exit=0))
    assert "line 19" in view.visible_text()


@pytest.mark.parametrize("key", [Qt.Key.Key_PageUp, Qt.Key.Key_Up])
def test_keys_scroll(view: TranscriptView, model: TranscriptModel, qtbot: QtBot, key: Qt.Key) -> None:
    model.load(long_page(1, 60))
    before = view.verticalScrollBar().value()
    qtbot.keyClick(view, key)
    assert view.verticalScrollBar().value() < before


def test_the_timer_runs_only_while_an_arc_can_be_seen(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    """`D-2`."""
    assert not view.is_animated
    tell(model, said(1, "go"), started(5, 2))
    qtbot.waitUntil(lambda: view.is_animated, timeout=5000)
    tell(model, events.TextDelta(text="more\n\n" * 100))
    qtbot.waitUntil(lambda: not view.is_animated, timeout=5000)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: view.is_animated, timeout=5000)
    tell(model, done(5))
    qtbot.waitUntil(lambda: not view.is_animated, timeout=5000)


def test_a_theme_change_keeps_the_place(view: TranscriptView, model: TranscriptModel, theme: Theme) -> None:
    """`D-9`."""
    model.load(long_page(1, 100))
    view.show_row(50)
    before = seen(view)
    theme.use("dark")
    assert seen(view) == before
    theme.use("light")


def test_heights_agree_with_plain_sums() -> None:
    heights, plain = Heights(), list[float]()
    for first, removed, added in ((0, 0, 300), (10, 5, 0), (290, 3, 200), (0, 0, 60), (130, 128, 1)):
        new = [float(20 + number % 7) for number in range(added)]
        heights.splice(first, removed, new)
        plain[first : first + removed] = new
    heights.set(200, 99.5)
    plain[200] = 99.5
    assert [heights[row] for row in range(len(heights))] == plain
    assert heights.total == pytest.approx(sum(plain))
    for row in (0, 127, 128, 200, 201, len(plain) - 1):
        assert heights.top(row) == pytest.approx(sum(plain[:row]))
        assert heights.find(sum(plain[:row]) + 3.0) == (row, pytest.approx(3.0))
