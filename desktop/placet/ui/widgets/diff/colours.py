"""Syntax colours that come after the text: a few lines at a time, in moments when nothing else waits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from placet.ui.widgets.diff.code_line import Run
from placet.ui.widgets.diff.visible import LONG_LINE, VisibleLine

_WINDOW = 16  # lines a slice: a few milliseconds of lexing and painting
_KEPT_WINDOWS = 256


class Sided(Protocol):
    """Text whose lines belong to one or more versions, each of which is code by itself."""

    def sides(self, line: int, window: int) -> tuple[int, Iterator[Sequence[int]]]: ...

    def visible(self, line: int) -> VisibleLine: ...


class Colourist(QObject):
    """Colours of lines by their raw offsets. Asking for a line that has none yet has it coloured soon."""

    coloured = Signal(int, int)  # first line and the one after the last

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._text: Sided | None = None
        self._language = ""
        self._windows: OrderedDict[int, dict[int, list[Run]]] = OrderedDict()
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._colour_one)

    def use(self, text: Sided, language: str) -> None:
        """Begin with another text; an empty language is left plain."""
        self._text, self._language = text, language
        self._windows.clear()
        self._wanted.clear()

    def runs(self, line: int) -> Sequence[Run] | None:
        """The line's colours, None as long as they are not known."""
        if not self._language or self._text is None:
            return ()
        start, _ = self._text.sides(line, _WINDOW)
        window = self._windows.get(start)
        if window is None:
            self._wanted[start] = None
            self._wanted.move_to_end(start)
            self._timer.start(0)
            return None
        return window.get(line, ())

    def _colour_one(self) -> None:
        if not self._wanted or self._text is None:
            return
        from placet.ui.widgets.text.syntax import safe_runs  # lexers are loaded when the first text is on the screen

        start, _ = self._wanted.popitem()  # what was asked for last is what is in sight now
        while len(self._wanted) > 8:
            self._wanted.popitem(last=False)
        _, sides = self._text.sides(start, _WINDOW)
        found: dict[int, list[Run]] = {}
        last = start
        for side in sides:
            raws = [self._text.visible(line).raw for line in side]
            source = "\n".join(raw if len(raw) <= LONG_LINE else "" for raw in raws)
            for line, runs in zip(side, safe_runs(source, self._language) or (), strict=False):
                found[line] = list(_offsets(runs))
                last = max(last, line)
        self._windows[start] = found
        if len(self._windows) > _KEPT_WINDOWS:
            self._windows.popitem(last=False)
        if self._wanted:
            self._timer.start(0)
        self.coloured.emit(start, last + 1)


def _offsets(runs: Sequence[tuple[str, str]]) -> Iterator[Run]:
    at = 0
    for part, role in runs:
        if role != "text":
            yield Run(at, at + len(part), role)
        at += len(part)
