"""Painted text: nothing is loaded, colours come late, long things stay quick to show."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, QRect, QRectF
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from placet.core.domain import events
from placet.ui.models.transcript import TranscriptModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.text.code import CodeFlow
from placet.ui.widgets.text.flow import Flow, Mark
from placet.ui.widgets.text.prose import Prose
from placet.ui.widgets.text.syntax import Highlighter, colour_runs
from placet.ui.widgets.transcript.view import TranscriptView
from unit.ui_models.transcript.told import answer, page, tell

HOSTILE = [
    "![x](http://127.0.0.1:8099/p.png?leak=SECRET)",
    "![x](file:///etc/hostname)",
    "![x](//127.0.0.1/share/a.png)",
    "![x][r]\n\n[r]: http://127.0.0.1:8099/q",
    '<img src="http://127.0.0.1:8099/r">',
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "[docs](file:///usr/bin/xcalc)",
]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What documents tried to load."""
    asked = list[str]()
    monkeypatch.setattr(QTextDocument, "loadResource", lambda self, kind, url: asked.append(url.toString()))
    return asked


def painted(flow: Flow, theme: Theme, marks: tuple[Mark, ...] = ()) -> QImage:
    image = QImage(600, max(1, min(2000, round(flow.height))), QImage.Format.Format_ARGB32)
    image.fill(theme.color("bg"))
    p = QPainter(image)
    flow.draw(p, QPointF(0, 0), theme, marks, QRectF(image.rect()))
    p.end()
    return image


@pytest.mark.parametrize("source", HOSTILE)
def test_showing_loads_nothing(theme: Theme, loads: list[str], source: str) -> None:
    """`D-10`."""
    flow = Prose(theme, source, 500)
    painted(flow, theme)
    for x in range(0, 300, 9):
        flow.link_at(QPointF(x, 10))
    assert loads == []
    assert "\ufffc" not in flow.plain


def test_every_kind_of_block_is_painted(theme: Theme) -> None:
    source = (
        "# Title\n\ntext `code` **b** ~~s~~\n\n> quote\n> > deeper\n\n---\n\n- [x] done\n- [ ] open\n  1. nested\n\n"
        "| a | b |\n|:--|--:|\n| 1 | 2 |\n\n1. item\n\n   ```\n   code\n   ```\n"
    )
    flow = Prose(theme, source, 500)
    plain = painted(flow, theme)
    assert plain != painted(Prose(theme, "", 500), theme)
    at = flow.plain.index("nested")
    assert painted(flow, theme, (Mark(at, at + 6, "selection"),)) != plain
    assert flow.height > 300


def test_tables_read_as_rows_and_cells(theme: Theme) -> None:
    flow = Prose(theme, "| a | b |\n|---|---|\n| 1 | **2** |\n| 😀 | 4 |\n", 500)
    assert flow.plain.strip("\n") == "a\tb\n1\t2\n😀\t4"
    at = flow.plain.index("4")
    (rect,) = flow.rects(at, at + 1)
    assert flow.offset_at(rect.center() - QPointF(3, 0)) == at


def test_cells_that_begin_with_code_are_not_wrapped_where_there_is_room(theme: Theme) -> None:
    flow = Prose(theme, "| place | assumes |\n|---|---|\n| `Cursor.peek()` | `text[0]` exists |\n", 500)
    for cell in ("Cursor.peek()", "text[0] exists"):
        at = flow.plain.index(cell)
        assert len(list(flow.rects(at, at + len(cell)))) == 1


@pytest.mark.parametrize("source", ["plain words and more", "😀 a `b` 😀😀 c", "- one\n- two 😀\n  - three"])
def test_offsets_and_places_agree(theme: Theme, source: str) -> None:
    flow = Prose(theme, source, 300)
    for at, char in enumerate(flow.plain):
        if char.isalpha():
            rect = next(iter(flow.rects(at, at + 1)))
            assert flow.offset_at(QPointF(rect.left() + 1, rect.center().y())) == at


CODES = ["short", "x" * 500 + "\ny", "tab\tand 😀 wide 漢字 " * 20, "\n\nlast", ""]


@pytest.mark.parametrize("code", CODES)
def test_code_lines_cover_every_character_once(theme: Theme, code: str) -> None:
    flow = CodeFlow(theme, code, 300)
    covered = [rect for at, char in enumerate(code) if char != "\n" for rect in flow.rects(at, at + 1)]
    assert len(covered) >= sum(char not in "\n\u200d" for char in code) * 0.9
    assert all(rect.right() <= 300 + 40 for rect in covered)
    assert flow.height == 20 * (max((rect.bottom() for rect in covered), default=20) // 20) or code.startswith("\n")
    painted(flow, theme)


def test_colours_say_the_same_text() -> None:
    code = 'def f(x):\n    """Doc."""\n    return x + 1  # why\n'
    lines = colour_runs(code, "python")
    assert lines is not None
    assert "\n".join("".join(text for text, _ in line) for line in lines) == code
    assert {role for line in lines for _, role in line} >= {"syn-keyword", "syn-string", "syn-comment", "syn-number"}
    assert colour_runs(code, "no such language") is None


def test_colours_come_late_and_change_no_height(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    """`D-3`."""
    model.load(page(answer(1, "```python\n" + "def f(x): return x  # keep\n" * 100 + "```\n")))
    height, plain = view.column.view(0).height, view.viewport().grab().toImage()
    qtbot.waitUntil(lambda: not view.context.highlighter.is_busy, timeout=5000)
    qtbot.waitUntil(lambda: view.viewport().grab().toImage() != plain, timeout=5000)
    assert view.column.view(0).height == height


class Painted(QObject):
    """What of a widget was painted."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.rects: list[QRect] = []
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.rects.append(event.rect())
        return False


def test_colours_that_come_late_repaint_their_code_and_nothing_else(
    view: TranscriptView, model: TranscriptModel, qtbot: QtBot
) -> None:
    """`D-1`."""
    code = "```python\n" + "def f(x): return x  # other\n" * 8 + "```\n"
    model.load(page(answer(1, "Words above.\n\n" * 3 + code)))
    view.viewport().repaint()
    place = next(y for _, y, row in view.column.visible() if row.awaits_colours)
    seen = Painted(view.viewport())
    with qtbot.waitSignal(view.context.highlighter.ready, timeout=5000):
        pass
    qtbot.waitUntil(lambda: bool(seen.rects), timeout=5000)
    assert min(rect.top() for rect in seen.rects) >= round(place) - 1
    assert not any(row.awaits_colours for _, _, row in view.column.visible())


def test_a_highlighter_gives_short_code_at_once_when_it_knows_the_language(qtbot: QtBot) -> None:
    highlighter = Highlighter()
    assert highlighter.lines("x = 1", "python") is None
    qtbot.waitUntil(lambda: highlighter.lines("x = 1", "python") is not None, timeout=5000)
    assert highlighter.lines("y = 2", "python") is not None
    assert highlighter.lines("y = 2", "") is None
    assert not highlighter.is_busy


@pytest.mark.parametrize("depth", [50, 400])
def test_deep_nesting_loses_no_words(theme: Theme, depth: int) -> None:
    source = "\n".join("  " * level + f"- level{level}" for level in range(depth))
    flow = Prose(theme, source, 500)
    assert f"level{depth - 1}" in flow.plain
    assert ">" * 3000 in Prose(theme, ">" * 3000 + " x", 500).plain


def test_a_rule_is_seen_and_a_definition_is_not(view: TranscriptView, model: TranscriptModel) -> None:
    model.load(page(answer(1, "above\n\n---\n\n[r]: https://example.org\n\n# below")))
    heights = [view.column.view(row).height for row in range(len(model.rows))]
    assert [height > 0 for height in heights] == [True, True, False, True]


def test_copied_pixels_are_the_painted_ones(view: TranscriptView, model: TranscriptModel, qtbot: QtBot) -> None:
    """While a stream is followed, rows that only move are copied; the window must look as if all were painted."""
    model.load(page(answer(1, "- one\n- two\n\n" + "words of an answer " * 40)))
    stream = "More **words** `code`.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend of it\n\n" * 3
    for at in range(0, len(stream), 23):
        tell(model, events.TextDelta(text=stream[at : at + 23]))
        QCoreApplication.processEvents()
    qtbot.waitUntil(lambda: not view.context.highlighter.is_busy, timeout=5000)
    QCoreApplication.processEvents()
    shown = view.screen().grabWindow(view.winId()).toImage()
    whole = view.grab().toImage()
    area = view.viewport().geometry().adjusted(0, 0, -12, 0)
    assert shown.copy(area) == whole.copy(area).convertToFormat(shown.format())


def test_a_line_is_never_broken_inside_an_emoji(theme: Theme) -> None:
    family = "👩\u200d👩\u200d👧"
    flow = CodeFlow(theme, family * 500, 300)
    for number in range(1, 500):
        at = number * len(family)
        tops = {rect.top() for offset in range(at, at + len(family)) for rect in flow.rects(offset, offset + 1)}
        assert len(tops) == 1
