"""Both sides beside each other: what stands where, what is selected, and when there is no room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.domain.diff import DiffLine, Hunk, Sign
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.layout import DiffLayout, RowKind
from placet.ui.widgets.diff.view import SPLIT_FROM, DiffView
from support.review_samples import file_diff, hunk, write_request

BLOCK = (
    DiffLine(Sign.SAME, 1, 1, "same"),
    DiffLine(Sign.REMOVED, 2, None, "old one"),
    DiffLine(Sign.REMOVED, 3, None, "old two"),
    DiffLine(Sign.ADDED, None, 2, "new one"),
    DiffLine(Sign.SAME, 4, 3, "after"),
)
UNEVEN = file_diff(Hunk(lines=BLOCK, unchanged_before=0))


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> DiffView:
    made = DiffView(theme)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    qtbot.waitExposed(made)
    made.set_split(True)
    made.set_diff(UNEVEN)
    return made


def pairs(layout: DiffLayout) -> list[tuple[int | None, int | None]]:
    rows = [row for row in range(len(layout.heights)) if layout.row(row).kind is RowKind.LINE]
    found = [(layout.strip(row, 0), layout.strip(row, 1)) for row in rows]
    return [(left.line if left else None, right.line if right else None) for left, right in found]


def test_of_a_block_the_first_lines_stand_beside_each_other_and_the_rest_beside_nothing() -> None:
    assert pairs(DiffLayout(UNEVEN, 40, False, split=True)) == [(0, 0), (1, 3), (2, None), (4, 4)]


def test_a_wrapped_pair_is_as_high_as_its_higher_side() -> None:
    lines = (DiffLine(Sign.REMOVED, 1, None, "word " * 12), DiffLine(Sign.ADDED, None, 1, "short"))
    layout = DiffLayout(file_diff(Hunk(lines=lines, unchanged_before=0)), 20, True, split=True)
    assert pairs(layout) == [(0, 1), (0, None), (0, None)]
    assert list(layout.rows_of(0)) == list(layout.rows_of(1)) == [1, 2, 3]


def test_every_line_is_found_in_the_rows_it_says() -> None:
    diff = file_diff(hunk(11, ("a", "b"), ("c", ""), ("", "d")), hunk(60, ("", "x" * 90), ("e", "f")))
    for wrap in (False, True):
        layout = DiffLayout(diff, 16, wrap, split=True)
        for line in range(layout.line_count):
            for row in layout.rows_of(line):
                assert line in {strip.line for side in (0, 1) if (strip := layout.strip(row, side))} or wrap
            first = layout.rows_of(line).start
            assert line in {strip.line for side in (0, 1) if (strip := layout.strip(first, side))}


def test_a_narrow_view_shows_the_sides_below_each_other(view: DiffView) -> None:
    assert view.is_split
    view.resize(SPLIT_FROM - 1, 400)
    assert not view.is_split
    assert view.rows().strip(2) == view.rows().strip(2, 1)
    view.resize(SPLIT_FROM + 1, 400)
    assert view.is_split


@pytest.mark.parametrize("fields", [{"is_new": True}, {"is_deleted": True}])
def test_a_file_with_one_side_only_needs_no_second_column(view: DiffView, fields) -> None:
    view.set_diff(file_diff(Hunk(lines=BLOCK[1:2], unchanged_before=0), **fields))
    assert not view.is_split


def test_a_selection_stays_on_the_side_where_it_began(view: DiffView) -> None:
    right, viewport = view.columns()[1], view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(right.code_x + 1, 40))
    QTest.mouseMove(viewport, QPoint(60, 100))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(right.right - 20, 100))
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert view.selecting.side == 1
    left = view.columns()[0]
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(left.code_x + 1, 40))
    QTest.mouseMove(viewport, QPoint(right.left - 30, 120))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(right.left - 30, 120))
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "same\nold one\nold two\nafter"


async def test_v_chooses_the_sides_for_every_diff(desk, hub, model, settle) -> None:
    desk.window.resize(1000, 700)
    for number in (1, 2):
        hub.ask(write_request(number), UNEVEN)
    model.refresh()
    await settle()
    desk.diff.setFocus()
    desk.key(Qt.Key.Key_V)
    assert desk.diff.is_split
    assert desk.pane.is_split
    model.next()
    await settle()
    assert desk.diff.is_split
    desk.key(Qt.Key.Key_V)
    assert not desk.diff.is_split


def test_a_large_diff_has_an_overview_that_one_can_go_through(view: DiffView) -> None:
    assert not view.overview.isVisible()
    view.set_diff(file_diff(*(hunk(20 * n, *(((f"a{m}", f"b{m}")) for m in range(6))) for n in range(1, 40))))
    assert view.overview.isVisible()
    assert view.verticalScrollBar().value() == 0
    middle = QPoint(7, view.overview.height() // 2)
    QTest.mouseClick(view.overview, Qt.MouseButton.LeftButton, pos=middle)
    bar = view.verticalScrollBar()
    assert abs(bar.value() + bar.pageStep() / 2 - view.rows().heights.total / 2) < 40


def test_the_overview_marks_where_lines_go_and_come(qtbot: QtBot, view: DiffView, theme: Theme) -> None:
    view.set_diff(file_diff(*(hunk(20 * n, *(((f"a{m}", f"b{m}")) for m in range(6))) for n in range(1, 40))))

    def colours() -> set[int]:
        image = view.overview.grab().toImage()
        return {image.pixel(x, y) for x in (5, 9) for y in range(image.height())}

    qtbot.waitUntil(lambda: {theme.color("add-text").rgb(), theme.color("del-text").rgb()} <= colours())
