"""Time the diff view with 50,000 lines: the first paint, and scrolling through it with colours coming in.

Processor time of the interface thread, so that a busy machine does not decide; the wall clock stands beside it.

Run: QT_QPA_PLATFORM=offscreen PYTHONPATH=desktop python tests/perf/bench_diff.py
"""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import tracemalloc
from pathlib import Path
from time import perf_counter, thread_time

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from placet.core.domain.diff import DiffLine, FileDiff, Hunk, Sign
from placet.core.review.diffing import diff_contents
from placet.ui.theme.theme import Theme
from placet.ui.widgets.diff.view import DiffView

PANE, WIDE = (528, 700), (1000, 900)
LINES, BUDGET_FIRST_MS, BUDGET_SCROLL_MS = 50_000, 30, 8
NUMBERED = LINES * 6 // 7  # every sixth is two lines of the diff


def diff(hunk_lines: int, *, prefix: str = "    ") -> FileDiff:
    """Return a diff of LINES lines in hunks of `hunk_lines`, in which every sixth line is changed."""
    hunks, number = [], 0
    while number < NUMBERED:
        lines: list[DiffLine] = []
        while len(lines) < hunk_lines and number < NUMBERED:
            number += 1
            code = f'{prefix}value_{number} = compute("item {number}", {number}, offset=x[{number}:])  # a comment'
            if number % 6:
                lines.append(DiffLine(Sign.SAME, number, number, code))
            else:
                lines.append(DiffLine(Sign.REMOVED, number, None, code, ((14, 24),)))
                lines.append(DiffLine(Sign.ADDED, None, number, code.replace("compute", "reckon"), ((14, 23),)))
        hunks.append(Hunk(lines=tuple(lines), unchanged_before=12, symbol=f"function_{number}()"))
    return FileDiff(path="big.py", hunks=tuple(hunks), unchanged_after=3, added=1, removed=1, language="python")


class Stopwatch:
    """Milliseconds of the thread's processor time and of the wall clock."""

    def __init__(self) -> None:
        self._cpu, self._wall = thread_time(), perf_counter()

    def read(self) -> tuple[float, float]:
        return (thread_time() - self._cpu) * 1000, (perf_counter() - self._wall) * 1000


def scrolled(view: DiffView, by: int) -> tuple[float, float]:
    """One step: moving, laying out, painting what is new."""
    watch = Stopwatch()
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + by)
    QApplication.sendPostedEvents()
    return watch.read()


def p99(samples: list[tuple[float, float]], which: int = 0) -> float:
    return statistics.quantiles([sample[which] for sample in samples], n=100)[98]


def measure(
    theme: Theme, name: str, change: FileDiff, *, wrap: bool = False, split: bool = False, size: tuple[int, int] = PANE
) -> bool:
    view = DiffView(theme)
    view.set_split(split)
    view.resize(*size)
    view.show()
    QTest.qWait(50)
    view.set_wrapped(wrap)  # as the person left it the last time
    watch = Stopwatch()
    view.set_diff(change)
    view.viewport().repaint()
    first, first_wall = watch.read()
    steps, jumps, slices = [], [], []
    for _ in range(20):
        jumps.append(scrolled(view, 40_000))
        for _ in range(40):
            watch = Stopwatch()
            QApplication.processEvents()  # a slice of colours
            slices.append(watch.read())
            steps.append(scrolled(view, 60))
    median = statistics.median(sample[0] for sample in steps)
    print(
        f"{name:24} first paint {first:5.1f} ms ({first_wall:.1f} wall)  scroll p50 {median:.1f} p99 {p99(steps):.1f} "
        f"({p99(steps, 1):.1f} wall)  jump {statistics.median(sample[0] for sample in jumps):.1f}  colour slice p99 {p99(slices):.1f} ms"
    )
    view.close()
    view.deleteLater()
    return first <= BUDGET_FIRST_MS and p99(steps) <= BUDGET_SCROLL_MS


def scattered(edits: int) -> tuple[bytes, bytes]:
    """Both sides of a file of LINES lines with `edits` changed lines spread over it."""
    lines = [f'    value_{n} = compute("item {n}", {n}, offset=x[{n}:])  # a comment\n' for n in range(LINES)]
    old = "".join(lines).encode()
    for n in range(0, LINES, LINES // edits):
        lines[n] = lines[n].replace("compute", "reckon")
    return old, "".join(lines).encode()


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def measure_memory(theme: Theme) -> None:
    """What a diff adds to a program that shows it, beside both contents, and what is left when it is gone."""
    old, new = scattered(500)
    gc.collect()
    resident = resident_mb()
    tracemalloc.start()
    change = diff_contents("big.py", old, new)
    known = tracemalloc.get_traced_memory()[0] / 1e6
    view = DiffView(theme)
    view.resize(*PANE)
    view.show()
    view.set_diff(change)
    for _ in range(50):
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 3000)
        QTest.qWait(5)
    shown = tracemalloc.get_traced_memory()[0] / 1e6
    resident_shown = resident_mb()
    view.clear()
    del change
    gc.collect()
    left = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    view.close()
    print(
        f"500 scattered edits: the diff {known:.1f} MB of Python objects, shown and scrolled {shown:.1f} MB, "
        f"after clear {left:.1f} MB; resident +{resident_shown - resident:.1f} MB (tracing included)"
    )


def main() -> int:
    app = QApplication([])
    theme = Theme(app)
    theme.use("light")
    measure(theme, "(warm-up)", diff(1000))
    fits = measure(theme, "hunks of 12", diff(12))
    fits &= measure(theme, "one hunk", diff(LINES * 2))
    measure(theme, "one hunk, 1000 x 900", diff(LINES * 2), size=WIDE)
    measure(theme, "one hunk, side by side", diff(LINES * 2), size=WIDE, split=True)
    measure(theme, "one hunk, tabs", diff(LINES * 2, prefix="\t"))
    measure(theme, "one hunk, wrapped", diff(LINES * 2), wrap=True)
    measure_memory(theme)
    return 0 if fits else 1


if __name__ == "__main__":
    sys.exit(main())
