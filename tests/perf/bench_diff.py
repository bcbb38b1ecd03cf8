"""Time the diff view with 50,000 lines: the first paint, and scrolling through it with colours coming in.

Run: QT_QPA_PLATFORM=offscreen PYTHONPATH=desktop python tests/perf/bench_diff.py
"""

from __future__ import annotations

import statistics
import sys
from time import perf_counter

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.view import DiffView

LINES, BUDGET_FIRST_MS, BUDGET_SCROLL_MS = 50_000, 30, 8


def diff(hunk_lines: int, *, prefix: str = "    ") -> FileDiff:
    """Return a diff of LINES lines in hunks of `hunk_lines`, in which every sixth line is changed."""
    hunks, number = [], 0
    while number < LINES:
        lines: list[DiffLine] = []
        while len(lines) < hunk_lines and number < LINES:
            number += 1
            code = f'{prefix}value_{number} = compute("item {number}", {number}, offset=x[{number}:])  # a comment'
            if number % 6:
                lines.append(DiffLine(Sign.SAME, number, number, code))
            else:
                lines.append(DiffLine(Sign.REMOVED, number, None, code, ((14, 24),)))
                lines.append(DiffLine(Sign.ADDED, None, number, code.replace("compute", "reckon"), ((14, 23),)))
        hunks.append(Hunk(lines=tuple(lines), unchanged_before=12, symbol=f"function_{number}()"))
    return FileDiff(path="big.py", hunks=tuple(hunks), unchanged_after=3, added=1, removed=1, language="python")


def scrolled(view: DiffView, by: int) -> float:
    """Milliseconds of one step: moving, laying out, painting what is new."""
    begin = perf_counter()
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + by)
    QApplication.sendPostedEvents()
    return (perf_counter() - begin) * 1000


def measure(theme: Theme, name: str, change: FileDiff, *, wrap: bool = False) -> bool:
    view = DiffView(theme)
    view.resize(1000, 900)
    view.show()
    QTest.qWait(50)
    begin = perf_counter()
    view.set_diff(change)
    view.set_wrapped(wrap)
    view.viewport().repaint()
    first = (perf_counter() - begin) * 1000
    times, jumps, slices = [], [], []
    for _ in range(20):
        jumps.append(scrolled(view, 40_000))
        for _ in range(40):
            times.append(scrolled(view, 90))
            begin = perf_counter()
            QApplication.processEvents()  # a slice of colours
            slices.append((perf_counter() - begin) * 1000)
    p99, slice_p99 = statistics.quantiles(times, n=100)[98], statistics.quantiles(slices, n=100)[98]
    print(
        f"{name:28} first paint {first:5.1f} ms, scroll p50 {statistics.median(times):.1f} p99 {p99:.1f} "
        f"max {max(times):.1f} ms, jump {statistics.median(jumps):.1f} ms, colour slice p99 {slice_p99:.1f} ms"
    )
    view.close()
    view.deleteLater()
    return first <= BUDGET_FIRST_MS and p99 <= BUDGET_SCROLL_MS


def main() -> int:
    app = QApplication([])
    theme = Theme(app)
    theme.use("light")
    measure(theme, "(warm-up)", diff(1000))
    fits = measure(theme, "hunks of 12", diff(12))
    fits &= measure(theme, "one hunk", diff(LINES * 2))
    measure(theme, "one hunk, tabs", diff(LINES * 2, prefix="\t"))
    measure(theme, "one hunk, wrapped", diff(LINES * 2), wrap=True)
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
