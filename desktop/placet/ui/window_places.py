"""Where one is in the window, and the ways between the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from placet.core.domain.ids import MessageId, RequestId, SessionId
from placet.core.domain.messages import Session
from placet.core.domain.review import PendingRequest
from placet.ui.bridge import Bridge
from placet.ui.models.review import ReviewModel
from placet.ui.panels.chat.panel import ChatPanel
from placet.ui.panels.review.pane import ReviewPane
from placet.ui.panels.sidebar.sidebar import Sidebar
from placet.ui.theme.theme import Theme
from placet.ui.window_panes import Panes


class Places(QObject):
    """Owns the stack of pages and the review pane beside the chat. The other pages have no pane.

    `makers` make the pages besides the chat when they are first gone to; a start does not pay for them.
    """

    review_wanted = Signal()  # a person goes to what waits
    page_made = Signal(str)  # a place whose page was not there before
    arrived = Signal(str)  # a place, each time it is gone to

    def __init__(
        self,
        bridge: Bridge,
        *,
        sidebar: Sidebar,
        chat: ChatPanel,
        review: ReviewPane,
        review_model: ReviewModel,
        makers: Mapping[str, Callable[[], QWidget]],
        theme: Theme,
    ) -> None:
        super().__init__(bridge)
        self.place = "chat"
        self.sidebar = sidebar
        self._chat, self._review, self._review_model = chat, review, review_model
        self._wanted: RequestId | None = None  # what to show in the pane once it is listed there
        self._makers = makers
        self._pages: dict[str, QWidget] = {"chat": chat}
        self._stack = QStackedWidget()
        self._stack.addWidget(chat)
        self.panes = Panes(sidebar, self._stack, review, theme)
        self._pane_came_by_itself = False
        self._pane_was_open = False
        self._connect()

    def _connect(self) -> None:
        chat, panes, sidebar = self._chat, self.panes, self.sidebar
        sidebar.went.connect(self.go_to)
        sidebar.new_chat_requested.connect(self.start_new_chat)
        sidebar.home_requested.connect(self.go_home)
        sidebar.session_opened.connect(self.open_session)
        sidebar.rename_requested.connect(self._rename)
        chat.settings_requested.connect(lambda: self.go_to("settings"))
        chat.review_requested.connect(self.show_request)
        chat.head.sidebar_requested.connect(panes.toggle_sidebar)
        chat.head.review_toggled.connect(self._show_pane)
        chat.conversation.running_changed.connect(lambda _: self._put_pane_away())
        panes.narrow_changed.connect(chat.head.show_narrow)
        panes.review_changed.connect(chat.head.show_review_open)
        self._review.wide_toggled.connect(panes.widen_review)
        panes.review_changed.connect(lambda _: self._review.head.wide.setChecked(panes.is_review_wide))
        self._review.close_requested.connect(lambda: self._show_pane(False))
        self._review_model.arrived.connect(self._bring_pane)
        self._review_model.changed.connect(self._put_pane_away)
        self._review_model.changed.connect(self._show_wanted)

    def page(self, place: str) -> QWidget:
        """The page of a place, made now if it was not there yet."""
        if place not in self._pages:
            self._pages[place] = made = self._makers[place]()
            self._stack.addWidget(made)
            self.page_made.emit(place)
        return self._pages[place]

    def has(self, place: str) -> bool:
        """Whether there is such a place."""
        return place in self._pages or place in self._makers

    def go_to(self, place: str) -> None:
        """Show a page: chat, search, settings, inbox, changes."""
        if self.place == "chat" != place:
            self._pane_was_open = self.panes.is_review_open
            self.panes.show_review(False)
        came_back = place == "chat" != self.place
        self.place = place
        page = self.page(place)
        self._stack.setCurrentWidget(page)
        self.panes.fold_sidebar()
        if place == "chat":
            self._chat.composer.field.setFocus()
            if came_back:
                self.panes.show_review(self._pane_was_open)
                if self._review_model.has_decisions:
                    self._bring_pane()
        self.arrived.emit(place)
        self.mark()

    def mark(self) -> None:
        """Show in the sidebar where one is."""
        session = self._chat.conversation.session
        self.sidebar.show_place(self.place, session.id if session is not None else None)

    # ---- the chat ------------------------------------------------------------------------------------------------

    def start_new_chat(self) -> None:
        self._chat.conversation.start_new()
        self.go_to("chat")

    def go_home(self) -> None:
        """To the active session of the window's source."""
        self._chat.conversation.show_home()
        self.go_to("chat")

    def open_match(self, session_id: SessionId, words: str) -> None:
        """Open a session that a search found, with the words marked."""
        self.open_session(session_id)
        self._chat.find_when_shown(session_id, words)

    def open_message(self, session_id: SessionId, message_id: MessageId | None) -> None:
        """Open a session at one of its messages."""
        self.open_session(session_id)
        if message_id is not None:
            self._chat.show_message_when_there(session_id, message_id)

    def open_session(self, session_id: SessionId) -> None:
        self._chat.conversation.show(session_id)
        self.go_to("chat")

    @property
    def session_id(self) -> SessionId | None:
        """The session that the chat shows."""
        session = self._chat.conversation.session
        return session.id if session is not None else None

    def open_waiting(self, request: PendingRequest) -> None:
        """Open the chat that a request waits in, at its very row, with the pane at it."""
        self.open_session(request.session_id)
        self._wanted = request.id
        self._show_wanted()
        self._chat.show_call_when_shown(request.session_id, request.call_id, request.agent_call_id)

    def _show_wanted(self) -> None:
        if self._wanted is not None and self._review_model.show(self._wanted):
            self._wanted = None

    def write(self) -> None:
        """To the message field."""
        self.go_to("chat")

    def search_everything(self) -> None:
        self.go_to("search")

    def find_in_chat(self) -> None:
        if self.place == "chat":
            self._chat.open_find()

    def _rename(self, session: Session) -> None:
        self.open_session(session.id)
        QTimer.singleShot(0, self._chat.head.start_rename)

    # ---- the review pane -----------------------------------------------------------------------------------------

    def toggle_review(self) -> None:
        if self.place == "chat" and self.panes.is_review_open:
            self._show_pane(False)
        elif self.place == "chat":
            self.go_to_review()

    def go_to_review(self) -> None:
        """Open the pane and give it the focus: Enter there approves."""
        if self.place != "chat":
            self.go_to("chat")
        if not self.panes.is_review_open:
            self._show_pane(True)
        self.review_wanted.emit()
        self._review.setFocus()

    def show_request(self, call_id: int) -> None:
        """Open the pane at what this call waits with; a person asked for it, so it gets the focus."""
        for request in self._review_model.requests:
            if request.call_id == call_id:
                self._review_model.show(request.id)
        self.go_to_review()

    def show_request_when_there(self, request_id: RequestId) -> None:
        """Open the pane at a request that a person has just made, as soon as it is listed."""
        self._wanted = request_id
        self.go_to_review()
        self._show_wanted()

    def _show_pane(self, shown: bool) -> None:
        self._pane_came_by_itself = False
        focused = QApplication.focusWidget()
        had_focus = focused is not None and (focused is self._review or self._review.isAncestorOf(focused))
        self.panes.show_review(shown)
        if had_focus and not shown:
            self._chat.composer.field.setFocus()

    def _bring_pane(self) -> None:
        """A request arrived: show the pane, never give it the focus (`D-4`).

        Where it stands in the place of the chat it would take the field that is being written in: then it waits to
        be asked for, and the call in the chat and the status bar say that something waits.
        """
        is_writing = bool(self._chat.composer.field.toPlainText())
        if self.place != "chat" or self.panes.is_review_open or (is_writing and not self.panes.has_room_for_review):
            return
        self._pane_came_by_itself = True
        self.panes.show_review(True)
        if not self.panes.has_room_for_review:
            self.panes.setFocus()  # the field is hidden: no key may fall through to a button

    def _put_pane_away(self) -> None:
        """A pane that came by itself goes when nothing waits and the turn has ended, not between two requests."""
        if self._pane_came_by_itself and not self._review_model.requests and not self._chat.conversation.is_running:
            self._show_pane(False)
