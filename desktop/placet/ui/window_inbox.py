"""How what waits in all sessions reaches the person: badge, Inbox, notifications, and the ways between them and the chat."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from placet.core.domain.ids import RequestId
from placet.core.domain.review import PendingRequest
from placet.ui.bridge import Bridge
from placet.ui.models.inbox_items import announcement
from placet.ui.models.waiting import WaitingModel
from placet.ui.theme.theme import Theme
from placet.ui.widgets.accessible import announce
from placet.ui.window_pages import LatePages
from placet.ui.window_places import Places

if TYPE_CHECKING:
    from placet.ui.panels.inbox.page import InboxPage
    from placet.ui.window_attention import Attention


class WindowInbox(QObject):
    """Wires the parts. What a start does not need is made when something waits, or after the window shows."""

    quit_requested = Signal()

    def __init__(self, bridge: Bridge, places: Places, pages: LatePages, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._bridge, self._places, self._pages = bridge, places, pages
        self._theme, self._window = theme, window
        self.waiting = WaitingModel(bridge, self)
        self.attention: Attention | None = None
        self.has_tray = False
        self._is_warm = False
        self._page: InboxPage | None = None
        self.waiting.changed.connect(places.sidebar.show_waiting)
        self.waiting.changed.connect(self._warm)
        self.waiting.arrived.connect(self._announce)
        places.page_made.connect(self._on_page_made)
        places.arrived.connect(self._on_arrived)

    # ---- begin and end -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Count what waits, and tell of it outside the window from now on."""
        self.waiting.begin()
        QTimer.singleShot(0, self, self._attend)

    def _attend(self) -> None:
        from placet.ui.notices_outside import DesktopNotices, Outside, TaskBar, Tray
        from placet.ui.window_attention import Attention

        outside: list[Outside] = [TaskBar(self)]
        self.has_tray = Tray.is_there()
        if self.has_tray:
            actions = [
                (self.tr("Open Placet"), self.bring_window),
                (self.tr("Inbox"), self._go_to_inbox),
                (self.tr("New chat"), self._start_new_chat),
                (self.tr("Quit"), self.quit_requested.emit),
            ]
            outside.append(Tray(QApplication.windowIcon(), actions, self))
        elif DesktopNotices.are_there():
            outside.append(DesktopNotices(self))
        self.attention = Attention(self.waiting, self._pages.notifying, outside, _is_in_front, self)
        self.attention.request_wanted.connect(self.show_request)

    def end(self) -> None:
        if self._page is not None:
            self._page.keep()
        if self.attention is not None:
            self.attention.end()

    def _warm(self, count: int) -> None:
        """Something waits, so somebody will look: have what that takes read from the disk, beside the loop."""
        if count and not self._is_warm:
            self._is_warm = True
            self._bridge.run(asyncio.to_thread(import_module, "placet.ui.panels.inbox.page"))

    # ---- ways ----------------------------------------------------------------------------------------------------

    def bring_window(self) -> None:
        """To the front; a person asked for it."""
        frame = self._window.window()
        frame.setWindowState(frame.windowState() & ~frame.windowState().WindowMinimized)
        frame.show()
        frame.raise_()
        frame.activateWindow()

    def put_window_away(self) -> None:
        """Into the tray; where there is none it is made small, so that there is a way back."""
        frame = self._window.window()
        if self.has_tray:
            frame.hide()
        else:
            frame.showMinimized()

    def _go_to_inbox(self) -> None:
        self.bring_window()
        self._places.go_to("inbox")

    def go_to_review(self) -> None:
        """Into the pane of the page one is on: that of the Inbox, else the chat's."""
        if self._places.place == "inbox":
            self._pages.inbox.enter()
        else:
            self._places.go_to_review()

    def _start_new_chat(self) -> None:
        self.bring_window()
        self._places.start_new_chat()

    def show_request(self, request_id: RequestId) -> None:
        """Bring the window and the Inbox, at this request."""
        self._go_to_inbox()
        self._pages.inbox.show_request(request_id)

    def _on_page_made(self, place: str) -> None:
        if place == "inbox":
            self._page = page = self._pages.inbox
            panes = self._places.panes
            page.session_requested.connect(self._places.open_waiting)
            page.left.connect(self._places.write)
            page.sidebar_requested.connect(panes.toggle_sidebar)
            panes.narrow_changed.connect(page.show_narrow)
            page.show_narrow(panes.is_narrow)

    def _on_arrived(self, place: str) -> None:
        if place == "inbox":
            self._pages.inbox.to_list()

    def _announce(self, requests: Sequence[PendingRequest]) -> None:
        """To a screen reader, once for a burst; the pane of the chat tells of its own."""
        session = self._places.session_id
        elsewhere = [each for each in requests if self._places.place != "chat" or each.session_id != session]
        if elsewhere:
            announce(self._window, announcement(elsewhere))


def _is_in_front() -> bool:
    """Whether one works in a window of the program, a dialog of it included."""
    return QApplication.activeWindow() is not None
