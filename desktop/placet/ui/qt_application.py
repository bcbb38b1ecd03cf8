"""The one QApplication, as the program and its tests have it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from placet import __version__
from placet.core.settings.resources import resources_folder

# One style everywhere: the theme is drawn on it. Not by setStyle, which has PySide prepare all that a style can draw.
_SCALE = "QT_SCALE_FACTOR"
_ARGUMENTS = ["placet", "-style", "fusion"]


def qt_application(argv: Sequence[str] = (), *, zoom: int = 100) -> QApplication:
    """Return the application there is, or a new one; with Placet's name and icon, and not ended by closing windows.

    A new one shows everything at `zoom` percent, unless the environment says how large Qt's programs are.
    """
    app = QApplication.instance() or _scaled(argv, zoom)
    assert isinstance(app, QApplication)
    app.setApplicationName("Placet")
    app.setDesktopFileName("placet")
    app.setApplicationVersion(__version__)
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(QIcon(str(resources_folder() / "placet.svg")))
    return app


def _scaled(argv: Sequence[str], zoom: int) -> QApplication:
    if zoom == 100 or _SCALE in os.environ:
        return QApplication([*_ARGUMENTS, *argv])
    os.environ[_SCALE] = str(zoom / 100)
    try:
        return QApplication([*_ARGUMENTS, *argv])
    finally:
        del os.environ[_SCALE]  # not for the programs that are run from here
