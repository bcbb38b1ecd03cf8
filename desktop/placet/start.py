"""How the program with its window starts: the frame first, then all that goes into it.

Python and PySide6 are a third of the start, and the frame needs no more than those. It is painted before the core and
the rest of the window are imported.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import placet.ui  # noqa: F401 - before PySide6: see there

# isort: split
from PySide6.QtCore import QEventLoop, QTimer

from placet.core.domain.errors import UsageError
from placet.core.settings.home import Home, find_home
from placet.ui.frame import Frame
from placet.ui.qt_application import qt_application
from placet.ui.text_choices import chosen_zoom
from placet.ui.window_lock import WindowLock, take_lock
from placet.ui.window_state import preferences_in

FRAME_WAIT_MS = 100  # a desktop may show the window later, or never: then the rest is more important
# In this order, with a look at what the person and the desktop want after each.
REST = ("asyncio", "placet.core.hub.core", "placet.ui.panels.chat.panel", "placet.app")


def run_window(*, workdir: str | None = None, session: str | None = None) -> int:
    """Run the window until the person quits, or let the one that is there do it; returns the exit code."""
    try:
        home = find_home().ensure()
        held = take_lock(home.root) or _hand_over(home.root, workdir or "", session or "")
    except UsageError as error:
        sys.stderr.write(f"placet: {error}\n")
        return 2
    if isinstance(held, int):
        return held
    try:
        code = _run_window(home, held, workdir or "", session or "")
    finally:
        held.release()
    if code < 0:
        _start_again()
    return code


def _start_again() -> None:
    """Put a new start in the place of this process: size and fonts are taken once, at the beginning.

    Without the folder or session that this one was asked for; it goes back to where the person is now.
    """
    program = [] if getattr(sys, "frozen", False) else ["-m", "placet"]
    os.execv(sys.executable, [sys.executable, *program])


def _hand_over(home: Path, workdir: str, session: str) -> WindowLock | int:
    from placet.ui.single_instance import lock_or_hand_over

    return lock_or_hand_over(home, workdir, session)


def _run_window(home: Home, lock: WindowLock, workdir: str, session: str) -> int:
    preferences = preferences_in(home.root)
    qt = qt_application(zoom=chosen_zoom(preferences))
    frame = Frame(preferences)
    _show(frame)
    for module in REST:
        importlib.import_module(module)
        qt.processEvents()
    if frame.is_close_requested:
        return 0
    from placet.app import run

    return run(home, frame, lock, workdir=workdir, session=session)


def _show(frame: Frame) -> None:
    """Show the frame and wait until it is painted. No task runs yet, so a loop of its own does no harm."""
    waiting = QEventLoop()
    late = QTimer(waiting)
    late.setSingleShot(True)
    for reason in (frame.painted, late.timeout):
        reason.connect(waiting.quit)
    late.start(FRAME_WAIT_MS)
    frame.show()
    waiting.exec()
    frame.painted.disconnect(waiting.quit)
