"""The one QApplication, as the program and its tests have it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from placet import __version__
from placet.core.settings.resources import resources_folder

# One style everywhere: the theme is drawn on it. Not by setStyle, which has PySide prepare all that a style can draw.
_ARGUMENTS = ["placet", "-style", "fusion"]


def qt_application(argv: Sequence[str] = ()) -> QApplication:
    """Return the application there is, or a new one; with Placet's name and icon, and not ended by closing windows."""
    app = QApplication.instance() or QApplication([*_ARGUMENTS, *argv])
    assert isinstance(app, QApplication)
    app.setApplicationName("Placet")
    app.setDesktopFileName("placet")
    app.setApplicationVersion(__version__)
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(QIcon(str(resources_folder() / "placet.svg")))
    return app
