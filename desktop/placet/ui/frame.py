"""The window itself: title, place on the screen, closing. It shows at once; what is in it comes later.

Whatever this module imports is waited for before anything can be seen. Asking PySide6 for its `Qt` namespace, for one,
makes all the enumerations in it and takes longer than painting.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from placet.ui.look import chosen_look, theme_of
from placet.ui.theme.measures import HEAD_HEIGHT, SIDEBAR_FOLDS, SIDEBAR_WIDTH, STATUS_HEIGHT
from placet.ui.theme.tokens import color_tokens
from placet.ui.window_state import Preferences, read_bytes, write_bytes


class _Grounds(QWidget):
    """The window with nothing in it yet: the grounds of its parts, and the lines between them."""

    painted = Signal()

    def __init__(self, theme: str, parent: QWidget) -> None:
        super().__init__(parent)
        tokens = color_tokens()[theme]
        self._page, self._sidebar, self._line = (QColor(tokens[role]) for role in ("bg", "sidebar", "hairline"))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, self._page)
        self.setPalette(palette)
        self.setAutoFillBackground(True)  # opaque: what is made behind it is not painted

    def paintEvent(self, event: QPaintEvent) -> None:
        p = QPainter(self)
        width, body = self.width(), self.height() - STATUS_HEIGHT
        left = SIDEBAR_WIDTH if width >= SIDEBAR_FOLDS else 0
        p.fillRect(0, 0, left, body, self._sidebar)
        p.fillRect(0, body, width, STATUS_HEIGHT, self._sidebar)
        p.fillRect(left - 1, 0, 1, body, self._line)
        p.fillRect(left, HEAD_HEIGHT - 1, width - left, 1, self._line)
        p.fillRect(0, body, width, 1, self._line)
        self.painted.emit()


class Frame(QMainWindow):
    """One native window from the first moment to the last. Never closes by itself: it tells `close_requested`.

    `fill` puts the content in, still behind the empty grounds; `reveal` takes those away. Nothing half filled shows.
    """

    close_requested = Signal()
    painted = Signal()  # the empty grounds are on their way to the screen

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self.setWindowTitle("Placet")
        self.setMinimumSize(440, 420)
        self.is_close_requested = False
        self._preferences = preferences
        self._grounds: _Grounds | None = _Grounds(
            theme_of(chosen_look(preferences), QGuiApplication.styleHints()), self
        )
        self._grounds.painted.connect(self.painted)
        self._restore_geometry()

    def fill(self, content: QWidget) -> None:
        """Put the content in, to be laid out where it will be seen."""
        self.setCentralWidget(content)
        content.show()
        if self._grounds is not None:
            self._grounds.raise_()

    def reveal(self) -> None:
        """Show the content. Idempotent."""
        if self._grounds is not None:
            self._grounds.hide()
            self._grounds.deleteLater()
            self._grounds = None

    def _restore_geometry(self) -> None:
        self.resize(1440, 900)
        if not (geometry := read_bytes(self._preferences, "geometry")).isEmpty():
            self.restoreGeometry(geometry)
        self.resize(self.size().boundedTo(self.screen().availableSize()))  # of a larger screen, or at another zoom

    def keep_geometry(self) -> None:
        write_bytes(self._preferences, "geometry", self.saveGeometry())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._grounds is not None:
            self._grounds.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent) -> None:
        """With live tasks, closing would pull the loop away under them (`D-5`)."""
        event.ignore()
        self.is_close_requested = True
        self.close_requested.emit()
