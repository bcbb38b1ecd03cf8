"""Room around a view's viewport: at the top for notices, at the right for what stands in the scroll bar's place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import Qt


class _Area(Protocol):
    @property
    def setViewportMargins(self) -> Callable[[int, int, int, int], None]: ...

    @property
    def setVerticalScrollBarPolicy(self) -> Callable[[Qt.ScrollBarPolicy], None]: ...


class Margins:
    """Of one view; each side is asked for by another part of it."""

    def __init__(self, area: _Area) -> None:
        self._area = area
        self._top = self._right = 0

    def set_top(self, height: int) -> None:
        self._top = height
        self._set()

    def set_right(self, width: int) -> None:
        """Take the scroll bar away where something stands in its place."""
        if width != self._right:
            self._right = width
            off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
            self._area.setVerticalScrollBarPolicy(off if width else needed)
            self._set()

    def _set(self) -> None:
        self._area.setViewportMargins(0, self._top, self._right, 0)
