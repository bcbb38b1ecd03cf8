"""Presses that decide: they count only if the same thing was looked at from their beginning to their end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton

from placet.ui.widgets.guard import AttentionGuard


class Arming:
    """Buttons about one subject. For half a second after another subject appears none of them does anything."""

    def __init__(self, guard: AttentionGuard) -> None:
        self._guard = guard
        self._subject = self._armed = ""

    def show(self, subject: str) -> None:
        """Say what the buttons are about now, empty for nothing."""
        if subject != self._subject:
            self._subject = subject
            self._guard.restart()

    def renew(self) -> None:
        """What the buttons are about has appeared again."""
        self._guard.restart()

    def watch(self, button: QAbstractButton, act: Callable[[], object]) -> None:
        button.pressed.connect(self._arm)
        button.clicked.connect(lambda _=False: self._when_armed(act))

    def _arm(self) -> None:
        self._armed = self._subject if self._guard.is_open else ""

    def _when_armed(self, act: Callable[[], object]) -> None:
        armed, self._armed = self._armed, ""
        if armed and armed == self._subject and self._guard.is_open:
            act()
