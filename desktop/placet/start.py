"""How the program with its window starts: the frame first, then all that goes into it.

Python and PySide6 are a third of the start, and the frame needs no more than those. It is painted before the core and
the rest of the window are imported.
"""

from __future__ import annotations

import importlib
import sys

import placet.ui  # noqa: F401 - before PySide6: see there

# isort: split
from PySide6.QtCore import QEventLoop, QTimer

from placet.core.domain.errors import UsageError
from placet.core.settings.home import find_home
from placet.ui.frame import Frame
from placet.ui.qt_application import qt_application
from placet.ui.window_state import preferences_in

FRAME_WAIT_MS = 100  # a desktop may show the window later, or never: then the rest is more important
# In this order, with a look at what the person and the desktop want after each.
REST = ("asyncio", "placet.core.hub.core", "placet.ui.panels.chat.panel", "placet.app")


def run_window(*, workdir: str | None = None, session: str | None = None) -> int:
    """Run the window until the person quits; returns the exit code."""
    try:
        home = find_home().ensure()
    except UsageError as error:
        sys.stderr.write(f"placet: {error}\n")
        return 2
    qt = qt_application()
    frame = Frame(preferences_in(home.root))
    _show(frame)
    for module in REST:
        importlib.import_module(module)
        qt.processEvents()
    if frame.is_close_requested:
        return 0
    from placet.app import run

    return run(home, frame, workdir=workdir or "", session=session or "")


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
