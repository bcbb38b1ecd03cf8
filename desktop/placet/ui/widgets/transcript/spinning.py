"""The one timer of a transcript: turns the arcs and counts the seconds that can be seen, else it does not run (`D-2`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QTimer

if TYPE_CHECKING:
    from placet.ui.widgets.transcript.surface import TranscriptSurface

STEP_MS = 75
TURN_MS = 900


class Spinning:
    """Started and stopped by what painting met."""

    def __init__(self, surface: TranscriptSurface) -> None:
        self._surface = surface
        self._clock = QElapsedTimer()
        self._second = -1
        self._timer = QTimer(surface)
        self._timer.setInterval(STEP_MS)
        self._timer.timeout.connect(self._step)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    @property
    def phase(self) -> float:
        return (self._clock.elapsed() % TURN_MS) / TURN_MS if self._clock.isValid() else 0.0

    def set_needed(self, needed: bool) -> None:
        if needed and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
        elif not needed and self._timer.isActive():
            self._clock.invalidate()
            self._timer.stop()

    def _step(self) -> None:
        """Only the arcs are repainted, and nothing at all when the window cannot be seen."""
        surface = self._surface
        if not surface.isVisible() or surface.window().isMinimized():
            self._timer.stop()
            return
        second = self._clock.elapsed() // 1000
        tick, self._second = second != self._second, second
        port = surface.viewport()
        for _index, y, view in surface.column.visible():
            for box in (*view.spinners, *(view.clocks if tick else ())):
                port.update(box.translated(surface.left, round(y)).toAlignedRect())
