"""The diff view by keys and mouse: walking, selecting, what is drawn."""

from __future__ import annotations

import unicodedata

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.view import DiffView
from support.review_samples import file_diff, hunk

MANY = file_diff(*(hunk(50 * n, (f"old {n}", f"new {n}"), before=40) for n in range(1, 31)))


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> DiffView:
    made = DiffView(theme)
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    qtbot.waitExposed(made)
    return made


def image_of(view: DiffView) -> QImage:
    return view.viewport().grab().toImage()


def test_arrows_and_letters_walk_the_hunks_and_keep_them_in_sight(view: DiffView) -> None:
    view.set_diff(MANY)
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_N)
    assert view.current == 4
    QTest.keyClick(view, Qt.Key.Key_P)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.current == 2
    QTest.keyClick(view, Qt.Key.Key_End)
    assert view.current == 29
    assert not view.painted_items.item_rect(29).isEmpty()
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert (view.current, view.verticalScrollBar().value()) == (0, 0)
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert view.verticalScrollBar().value() > 200


def test_an_arrow_scrolls_through_a_tall_hunk_before_it_leaves_it(view: DiffView) -> None:
    tall = hunk(10, *(("", f"line {n}") for n in range(60)))
    view.set_diff(file_diff(tall, hunk(200, ("a", "b"))))
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert (view.current, view.verticalScrollBar().value()) == (0, 60)
    for _ in range(40):
        QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.current == 1


def test_a_click_makes_a_hunk_the_current_one(view: DiffView) -> None:
    view.set_diff(MANY)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 24 + 32 + 60 + 24 + 40))
    assert view.current == 1


def test_dragging_selects_and_copies_the_real_characters(view: DiffView) -> None:
    lines = (DiffLine(Sign.REMOVED, 1, None, "a\u202eb"), DiffLine(Sign.ADDED, None, 1, "c\td"))
    view.set_diff(file_diff(Hunk(lines=lines, unchanged_before=0)))
    top, viewport = 32, view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(view.code_x + 1, top + 8))
    QTest.mouseMove(viewport, QPoint(view.code_x + 300, top + 28))
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(view.code_x + 300, top + 28))
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "a\u202eb\nc\td"


def test_a_double_click_selects_a_word(view: DiffView) -> None:
    view.set_diff(file_diff(Hunk(lines=(DiffLine(Sign.ADDED, None, 1, "hello there world"),), unchanged_before=0)))
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(view.code_x + 62, 42))
    assert view.selecting.text() == "there"


def test_C02_plain_text_holds_no_raw_control(view: DiffView) -> None:
    lines = (
        DiffLine(Sign.ADDED, None, 1, "if access != 'user\u202e \u2066// admin only\u2069 \u2066':"),
        DiffLine(Sign.ADDED, None, 2, "ad\u200bmin = True\u0000"),
        DiffLine(Sign.ADDED, None, 3, "name = 'שלום'  # Hebrew"),
    )
    view.set_diff(file_diff(Hunk(lines=lines, unchanged_before=0), warning="Hidden \u202e characters."))
    text = view.plain_text()
    assert "+ad<U+200B>min = True<U+0000>" in text
    assert "+name = 'שלום'" in text
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"]


def test_a_warning_is_above_the_diff_and_makes_room(view: DiffView) -> None:
    view.set_diff(file_diff(warning="Two direction controls on line 62."))
    assert view.notices.isVisible()
    assert view.viewport().y() == view.notices.height() == 32
    view.set_diff(file_diff())
    assert not view.notices.isVisible()
    assert view.viewport().y() == 0


def test_colours_follow_the_first_paint(qtbot: QtBot, view: DiffView, theme: Theme) -> None:
    view.set_diff(file_diff(Hunk(lines=(DiffLine(Sign.SAME, 1, 1, "def parse(text):"),), unchanged_before=0)))
    keyword = theme.color("syn-keyword").rgb()

    def is_coloured() -> bool:
        image = image_of(view)
        return any(image.pixel(x, y) == keyword for x in range(image.width()) for y in range(32, 52))

    assert not is_coloured()
    qtbot.waitUntil(is_coloured)


def test_the_theme_changes_live(view: DiffView, theme: Theme) -> None:
    view.set_diff(MANY)
    light = image_of(view).pixelColor(500, 60)
    theme.use("dark")
    try:
        assert image_of(view).pixelColor(500, 60) != light
    finally:
        theme.use("light")


def test_scrolling_moves_pixels_and_leaves_no_traces(view: DiffView) -> None:
    """Rows that only moved look like rows painted anew, sticky head and bar included."""
    view.set_diff(msgspec.structs.replace(MANY, language="plain"))  # no colours that come between the two pictures
    image_of(view)
    for step in (37, 150, -60, 400, -200):
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() + step)
        QGuiApplication.processEvents()
        moved = view.screen().grabWindow(view.winId()).toImage()
        painted = view.grab().toImage()
        assert moved.copy(0, 0, 560, 400) == painted.copy(0, 0, 560, 400).convertToFormat(moved.format())


def test_long_lines_scroll_sideways_or_wrap(view: DiffView) -> None:
    view.set_diff(file_diff(Hunk(lines=(DiffLine(Sign.ADDED, None, 1, "word " * 60),), unchanged_before=0)))
    assert view.horizontalScrollBar().maximum() > 1000
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.horizontalScrollBar().value() > 0
    before = view.rows().heights.total
    QTest.keyClick(view, Qt.Key.Key_W)
    assert view.horizontalScrollBar().maximum() == 0
    assert view.rows().heights.total > before


HUGE = {
    "one line of a million": ["x," * 500_000, "x," * 500_000 + "y"],
    "in-line highlight": ["a" * 3000 + "x" + "b" * 3000, "a" * 2990 + "y" + "b" * 3010],
    "emoji": ["👨\u200d👩\u200d👧\u200d👦" * 714, "👨\u200d👩\u200d👧\u200d👦" * 715],
}


@pytest.mark.parametrize("pair", HUGE.values(), ids=HUGE.keys())
def test_C03_huge_lines_are_shown_with_their_length(view: DiffView, pair: list[str]) -> None:
    lines = (DiffLine(Sign.REMOVED, 1, None, pair[0]), DiffLine(Sign.ADDED, None, 1, pair[1]))
    view.set_diff(file_diff(Hunk(lines=lines, unchanged_before=0)))
    view.viewport().repaint()
    assert "y" in view.plain_text() or "👦" in view.plain_text()
    assert f"of {len(pair[1]):,} characters" in view.plain_text()


@pytest.mark.timeout(20)  # laying out every line of it would take minutes
def test_C03_twenty_thousand_reindented_lines_are_shown(view: DiffView) -> None:
    lines = []
    for n in range(1, 20_001):
        lines.append(DiffLine(Sign.REMOVED, n, None, f"    value_{n} = {n}"))
    for n in range(1, 20_001):
        lines.append(DiffLine(Sign.ADDED, None, n, f"\tvalue_{n} = {n}"))
    view.set_diff(file_diff(Hunk(lines=tuple(lines), unchanged_before=0)))
    view.viewport().repaint()
    assert "    value_1 = 1" in view.plain_text()


def test_new_deleted_and_binary_files_say_what_they_are(view: DiffView) -> None:
    binary = FileDiff(path="a.bin", hunks=(), unchanged_after=0, added=0, removed=0, is_binary=True)
    blank = image_of(view)
    view.set_diff(binary)
    assert image_of(view) != blank
    view.set_diff(file_diff(Hunk(lines=(DiffLine(Sign.ADDED, None, 1, "x"),), unchanged_before=0), is_new=True))
    assert view.plain_text() == "+x"
    assert view.painted_items.item_count() == 1
