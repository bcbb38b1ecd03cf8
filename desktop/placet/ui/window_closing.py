"""The question before the window closes in the middle of a turn (`D-5`)."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget

from placet.ui.asking import ask
from placet.ui.bridge import Bridge
from placet.ui.theme.theme import Theme
from placet.ui.widgets.controls import Button, Label
from placet.ui.widgets.focus_ring import FocusRing
from placet.ui.widgets.plane import column_of, row_of
from placet.ui.window_inbox import WindowInbox

_KEPT = 2  # beside QDialog's own answers


class ClosingQuestion(QDialog):
    """Accepted: stop the turn and quit. `_KEPT`: go on without the window. Rejected: nothing happens.

    Without a tray there would be no way back to a hidden window, so it is made small instead. Shown with `ask`, never
    with a nested loop.
    """

    def __init__(self, parent: QWidget, theme: Theme, *, has_tray: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("closingQuestion")
        self.setWindowTitle(self.tr("A turn is running"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._theme = theme
        self._ring = FocusRing(self, theme)
        title = Label(self.tr("A turn is running. What should become of it?"), theme, px=14, weight=600)
        words = Label(
            self.tr(
                "Kept running, it goes on without the window and tells you when it waits for you. Stopped, what it "
                "already did stays done and can be undone later; what is still waiting for you is asked again when "
                "you resume the chat."
            ),
            theme, "text-2", 13,
        )  # fmt: skip
        words.setWordWrap(True)
        self.cancel = Button(self.tr("Cancel"), theme, kind="ghost")
        self.cancel.setObjectName("keepOpen")
        keep = self.tr("Keep running in the tray") if has_tray else self.tr("Keep running, window minimised")
        self.keep = Button(keep, theme)
        self.keep.setObjectName("keepRunning")
        self.quit = Button(self.tr("Stop and quit"), theme, kind="primary")
        self.quit.setObjectName("stopAndQuit")
        column_of(
            title,
            6,
            words,
            18,
            row_of(self.cancel, None, self.keep, 8, self.quit),
            margins=(20, 18, 20, 16),
            parent=self,
        )
        self.setFixedWidth(480)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(lambda: self.done(_KEPT))
        self.quit.clicked.connect(self.accept)
        self.keep.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.color("bg"))


class Closing(QObject):
    """Asks before a turn would be stopped, once at a time. `quit_requested`: nothing is in the way any more."""

    quit_requested = Signal()

    def __init__(
        self,
        window: QWidget,
        bridge: Bridge,
        inbox: WindowInbox,
        is_running: Callable[[], bool],
        keep: Callable[[], None],
        theme: Theme,
    ) -> None:
        super().__init__(window)
        self._window, self._bridge, self._inbox, self._theme = window, bridge, inbox, theme
        self._is_running, self._keep = is_running, keep
        self._is_asking = False
        self.starts_again = False  # after it has quit

    def begin(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._bridge.run(self._ask(), self._on_answered)

    def begin_again(self) -> None:
        """Quit, and start anew."""
        self.starts_again = True
        self.begin()

    async def _ask(self) -> int:
        if not self._is_running():
            return QDialog.DialogCode.Accepted
        self._inbox.bring_window()  # it may be in the tray
        return await ask(ClosingQuestion(self._window, self._theme, has_tray=self._inbox.has_tray))

    def _on_answered(self, answer: int) -> None:
        self._is_asking = False
        if answer == QDialog.DialogCode.Accepted:
            self.quit_requested.emit()
            return
        self.starts_again = False
        if answer == _KEPT:
            self._keep()  # the session may end, or the machine, before the window is seen again
            self._inbox.put_window_away()
